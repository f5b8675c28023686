package network

import (
	"fmt"
	"slices"

	"github.com/ditherml/dither/internal/kernel"
)

// Residual is a layer that adds its input to the output of a list of layers: y = x + f(x). The
// layers must keep the shape of their input. Source: K. He, X. Zhang, S. Ren and J. Sun, "Deep
// residual learning for image recognition", CVPR 2016.
type Residual struct{ Layers Layers }

var _ Layer = Residual{}

// kind returns "residual".
func (Residual) kind() string { return "residual" }

// output returns in.
func (l Residual) output(in Shape) (Shape, error) {
	shapes, err := l.Layers.shapes(in)
	if err != nil {
		return nil, err
	}
	if last := shapes[len(shapes)-1]; !slices.Equal(last, in) {
		return nil, fmt.Errorf("layers give %v for %v, want the same shape; change the last of them", last, in)
	}
	return in, nil
}

// blocks returns the blocks of the layers.
func (l Residual) blocks(in Shape) []Block { return l.Layers.blocks(in) }

func (l Residual) inner() Layers { return l.Layers }

func (l Residual) described() any { return l.Layers }

func (l *Residual) readDescription(text []byte) error { return l.Layers.UnmarshalJSON(text) }

func (l Residual) initial(in Shape, blocks [][]float32, _ float64, random *generator) {
	l.Layers.initialAll(in, blocks, random)
}

func (l Residual) worker32(in Shape, s *space) worker[float32] {
	return &residual[float32]{*newNested[float32](l.Layers, in, s)}
}
func (l Residual) worker64(in Shape, s *space) worker[float64] {
	return &residual[float64]{*newNested[float64](l.Layers, in, s)}
}

// residual is Residual at work.
type residual[T kernel.Float] struct{ nested[T] }

func (w *residual[T]) forward(y, x []T, n int) {
	w.nested.forward(y, x, n)
	addTo(y, x)
}

func (w *residual[T]) backward(dx, dy []T, n int) {
	w.nested.backward(dx, dy, n)
	if dx != nil {
		addTo(dx, dy)
	}
}
