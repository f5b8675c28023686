package network

import "github.com/ditherml/dither/internal/kernel"

// PositionEmbedding is a layer that adds a trained vector to each position, so that later layers
// can distinguish positions. The trained vectors have the shape of the input.
type PositionEmbedding struct{}

var _ Layer = PositionEmbedding{}

// kind returns "position-embedding".
func (PositionEmbedding) kind() string { return "position-embedding" }

// output returns in.
func (PositionEmbedding) output(in Shape) (Shape, error) { return in, nil }

// blocks returns one block of in.Size() numbers.
func (PositionEmbedding) blocks(in Shape) []Block { return []Block{vectorBlock("offset", in.Size())} }

func (PositionEmbedding) initial(in Shape, blocks [][]float32, _ float64, random *generator) {
	random.fillUniform(blocks[0], Block{Right: in.Size(), Left: 1}, 1/float64(in.features()))
}

func (PositionEmbedding) worker32(in Shape, s *space) worker[float32] {
	return &position[float32]{size: in.Size(), frozen: s.frozen}
}
func (PositionEmbedding) worker64(in Shape, s *space) worker[float64] {
	return &position[float64]{size: in.Size(), frozen: s.frozen}
}

// position is PositionEmbedding at work.
type position[T kernel.Float] struct {
	size       int
	frozen     bool
	offset, dy []T
}

func (w *position[T]) bind(blocks [][]T) { w.offset = blocks[0] }

func (w *position[T]) forward(y, x []T, n int) {
	copy(y, x)
	for i := range n {
		addTo(y[i*w.size:], w.offset)
	}
}

func (w *position[T]) backward(dx, dy []T, _ int) {
	w.dy = dy
	copy(dx, dy)
}

func (w *position[T]) factors(dst []kernel.Factors[T], n int) []kernel.Factors[T] {
	if w.frozen {
		return dst
	}
	return append(dst, kernel.Factors[T]{Records: n, Positions: 1, Right: w.size, Bias: true, Rights: w.dy})
}

func (w *position[T]) habits() habits { return habits{} }
