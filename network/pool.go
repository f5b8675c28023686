package network

import (
	"cmp"

	"github.com/ditherml/dither/linalg"
)

// MaxPool gives, for each channel, the largest number that a window of Kernel × Kernel places sees, or of
// Kernel positions of a text. Of equal numbers the first one counts, and a NaN counts as the largest.
type MaxPool struct {
	Kernel int `json:"kernel"`
	// Stride is the distance between windows, Kernel when it is 0.
	Stride int `json:"stride,omitempty"`
	// Padding is how far windows reach over each side; what is there does not count.
	Padding int `json:"padding,omitempty"`
}

// AveragePool gives the mean of what a window sees, over the places that are inside the image.
type AveragePool struct {
	Kernel  int `json:"kernel"`
	Stride  int `json:"stride,omitempty"`  // as for MaxPool
	Padding int `json:"padding,omitempty"` // as for MaxPool
}

// GlobalAveragePool gives the mean of each feature over all positions.
type GlobalAveragePool struct{}

var _, _, _ Layer = MaxPool{}, AveragePool{}, GlobalAveragePool{}

// Kind returns "max-pool".
func (MaxPool) Kind() string { return "max-pool" }

// Kind returns "average-pool".
func (AveragePool) Kind() string { return "average-pool" }

// Kind returns "global-average-pool".
func (GlobalAveragePool) Kind() string { return "global-average-pool" }

func (l MaxPool) window(in Shape) (window, error) {
	return newWindow(in, l.Kernel, cmp.Or(l.Stride, l.Kernel), l.Padding, 1)
}

func (l AveragePool) window(in Shape) (window, error) { return MaxPool(l).window(in) }

// Output returns the shape of the places of the windows, with the channels of in.
func (l MaxPool) Output(in Shape) (Shape, error) {
	w, err := l.window(in)
	if err != nil {
		return nil, err
	}
	return w.shape(in, in.Features()), nil
}

// Output returns the shape of the places of the windows, with the channels of in.
func (l AveragePool) Output(in Shape) (Shape, error) { return MaxPool(l).Output(in) }

// Output returns the features of in.
func (GlobalAveragePool) Output(in Shape) (Shape, error) { return Shape{in.Features()}, nil }

// Blocks returns nil.
func (MaxPool) Blocks(Shape) []Block { return nil }

// Blocks returns nil.
func (AveragePool) Blocks(Shape) []Block { return nil }

// Blocks returns nil.
func (GlobalAveragePool) Blocks(Shape) []Block { return nil }

func (MaxPool) initial(Shape, [][]float32, float64, *generator)           {}
func (AveragePool) initial(Shape, [][]float32, float64, *generator)       {}
func (GlobalAveragePool) initial(Shape, [][]float32, float64, *generator) {}

func (l MaxPool) worker32(in Shape, s *space) worker[float32] { return newMaxPool[float32](l, in, s) }
func (l MaxPool) worker64(in Shape, s *space) worker[float64] { return newMaxPool[float64](l, in, s) }

func (l AveragePool) worker32(in Shape, _ *space) worker[float32] {
	return newAveragePool[float32](l, in)
}
func (l AveragePool) worker64(in Shape, _ *space) worker[float64] {
	return newAveragePool[float64](l, in)
}

func (GlobalAveragePool) worker32(in Shape, _ *space) worker[float32] {
	return &globalAveragePool[float32]{positions: in.Positions(), features: in.Features()}
}
func (GlobalAveragePool) worker64(in Shape, _ *space) worker[float64] {
	return &globalAveragePool[float64]{positions: in.Positions(), features: in.Features()}
}

// maxPool at work. chosen says which number of its record each output is.
type maxPool[T linalg.Float] struct {
	plain[T]
	window window
	chosen []int32
}

func newMaxPool[T linalg.Float](l MaxPool, in Shape, s *space) *maxPool[T] {
	w, err := l.window(in)
	if err != nil {
		panic(err)
	}
	return &maxPool[T]{window: w, chosen: make([]int32, s.records*w.positions()*w.channels)}
}

func (p *maxPool[T]) forward(y, x []T, n int) {
	w, at := p.window, 0
	size := w.height * w.width * w.channels
	for record := range n {
		image := x[record*size:][:size]
		for row := range w.outHeight {
			for column := range w.outWidth {
				p.largest(y[at:][:w.channels], p.chosen[at:][:w.channels], image, row, column)
				at += w.channels
			}
		}
	}
}

// largest writes the largest numbers of one window and where they stand. A window sees at least one place,
// for the padding is less than the kernel.
func (p *maxPool[T]) largest(y []T, chosen []int32, image []T, row, column int) {
	w := p.window
	first, from, to := w.columns(column)
	begun := false
	for k := range w.kernelRows {
		r, inside := w.row(row, k)
		if !inside {
			continue
		}
		for c := from; c < to; c++ {
			at := (r*w.width + first + c) * w.channels
			if !begun {
				begun = true
				begin(y, chosen, image[at:], int32(at))
				continue
			}
			raise(y, chosen, image[at:], int32(at))
		}
	}
}

// begin copies one place of the image.
func begin[T linalg.Float](y []T, chosen []int32, src []T, at int32) {
	copy(y, src)
	for j := range chosen {
		chosen[j] = at + int32(j)
	}
}

// raise takes what is larger at another place.
func raise[T linalg.Float](y []T, chosen []int32, src []T, at int32) {
	src, chosen = src[:len(y)], chosen[:len(y)]
	for j, v := range src {
		if !(v <= y[j]) && y[j] == y[j] {
			y[j], chosen[j] = v, at+int32(j)
		}
	}
}

func (p *maxPool[T]) backward(dx, dy []T, n int) {
	if dx == nil {
		return
	}
	clear(dx)
	size, out := p.window.height*p.window.width*p.window.channels, p.window.positions()*p.window.channels
	for record := range n {
		image := dx[record*size:][:size]
		chosen := p.chosen[record*out:][:out]
		for j, v := range dy[record*out:][:out] {
			image[chosen[j]] += v
		}
	}
}

func (p *maxPool[T]) habits() habits { return habits{} }

// averagePool at work.
type averagePool[T linalg.Float] struct {
	plain[T]
	window window
}

func newAveragePool[T linalg.Float](l AveragePool, in Shape) *averagePool[T] {
	w, err := l.window(in)
	if err != nil {
		panic(err)
	}
	return &averagePool[T]{window: w}
}

// each calls visit for every pair of a window and a place that it sees, with where their channels begin in the
// input and the output of all records and the weight 1/number of places.
func (p *averagePool[T]) each(n int, visit func(in, out int, weight T)) {
	w, out := p.window, 0
	for record := range n {
		for row := range w.outHeight {
			top, bottom := p.rows(row)
			for column := range w.outWidth {
				first, from, to := w.columns(column)
				weight := 1 / T((bottom-top)*(to-from))
				for r := top; r < bottom; r++ {
					for c := first + from; c < first+to; c++ {
						visit(((record*w.height+r)*w.width+c)*w.channels, out, weight)
					}
				}
				out += w.channels
			}
		}
	}
}

// rows returns the rows of the image that windows of a row of the output see.
func (p *averagePool[T]) rows(row int) (top, bottom int) {
	top = row*p.window.strideRows - p.window.paddingRows
	return max(top, 0), min(top+p.window.kernelRows, p.window.height)
}

func (p *averagePool[T]) forward(y, x []T, n int) {
	clear(y)
	channels := p.window.channels
	p.each(n, func(in, out int, weight T) { addScaled(y[out:][:channels], x[in:], weight) })
}

func (p *averagePool[T]) backward(dx, dy []T, n int) {
	if dx == nil {
		return
	}
	clear(dx)
	channels := p.window.channels
	p.each(n, func(in, out int, weight T) { addScaled(dx[in:][:channels], dy[out:], weight) })
}

func (p *averagePool[T]) habits() habits { return habits{} }

// addScaled adds scale·src to dst, for as many numbers as dst has.
func addScaled[T linalg.Float](dst, src []T, scale T) {
	src = src[:len(dst)]
	for i, v := range src {
		dst[i] += scale * v
	}
}

// globalAveragePool at work.
type globalAveragePool[T linalg.Float] struct {
	plain[T]
	positions, features int
}

func (p *globalAveragePool[T]) forward(y, x []T, n int) {
	clear(y)
	scale := 1 / T(p.positions)
	for record := range n {
		to := y[record*p.features:][:p.features]
		for t := range p.positions {
			addScaled(to, x[(record*p.positions+t)*p.features:], scale)
		}
	}
}

func (p *globalAveragePool[T]) backward(dx, dy []T, n int) {
	if dx == nil {
		return
	}
	clear(dx)
	scale := 1 / T(p.positions)
	for record := range n {
		from := dy[record*p.features:]
		for t := range p.positions {
			addScaled(dx[(record*p.positions+t)*p.features:][:p.features], from, scale)
		}
	}
}

func (p *globalAveragePool[T]) habits() habits { return habits{} }
