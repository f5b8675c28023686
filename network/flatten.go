package network

import "github.com/ditherml/dither/internal/kernel"

// Flatten is a layer that gives a record the shape [features], where all numbers of the record are
// features. The numbers keep their order.
type Flatten struct{}

var _ Layer = Flatten{}

// kind returns "flatten".
func (Flatten) kind() string { return "flatten" }

// output returns [in.Size()].
func (Flatten) output(in Shape) (Shape, error) { return Shape{in.Size()}, nil }

// blocks returns nil.
func (Flatten) blocks(Shape) []Block { return nil }

func (Flatten) initial(Shape, [][]float32, float64, *generator) {}
func (Flatten) worker32(_ Shape, _ *space) worker[float32]      { return &same[float32]{} }
func (Flatten) worker64(_ Shape, _ *space) worker[float64]      { return &same[float64]{} }

// same returns its input.
type same[T kernel.Float] struct{ plain[T] }

func (*same[T]) forward(_, _ []T, _ int)  {}
func (*same[T]) backward(_, _ []T, _ int) {}

func (*same[T]) habits() habits { return habits{inPlace: true, nothing: true} }

// ChannelsLast is a layer that turns an image [channels, height, width] into [height, width,
// channels], the input shape of convolutions.
type ChannelsLast struct{}

var _ Layer = ChannelsLast{}

// kind returns "channels-last".
func (ChannelsLast) kind() string { return "channels-last" }

// output moves the first number of in to the end.
func (ChannelsLast) output(in Shape) (Shape, error) {
	return append(append(Shape(nil), in[1:]...), in[0]), nil
}

// blocks returns nil.
func (ChannelsLast) blocks(Shape) []Block { return nil }

func (ChannelsLast) initial(Shape, [][]float32, float64, *generator) {}

func (ChannelsLast) worker32(in Shape, _ *space) worker[float32] {
	return &transposed[float32]{rows: in[0], columns: in.Size() / in[0]}
}
func (ChannelsLast) worker64(in Shape, _ *space) worker[float64] {
	return &transposed[float64]{rows: in[0], columns: in.Size() / in[0]}
}

// transposed is a layer at work that gives the transpose of each record as a matrix.
type transposed[T kernel.Float] struct {
	plain[T]
	rows, columns int
}

func (w *transposed[T]) forward(y, x []T, n int) { transpose(y, x, n, w.rows, w.columns) }

func (w *transposed[T]) backward(dx, dy []T, n int) {
	if dx != nil {
		transpose(dx, dy, n, w.columns, w.rows)
	}
}

func (w *transposed[T]) habits() habits { return habits{} }

// transpose writes the transposes of n matrices of rows × columns to dst.
func transpose[T any](dst, src []T, n, rows, columns int) {
	for range n {
		for i := range rows {
			for j := range columns {
				dst[j*rows+i] = src[i*columns+j]
			}
		}
		dst, src = dst[rows*columns:], src[rows*columns:]
	}
}
