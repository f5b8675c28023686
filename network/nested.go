package network

import "github.com/ditherml/dither/internal/kernel"

// nested is a list of layers at work as one layer.
type nested[T kernel.Float] struct {
	chain *chain[T]
}

func newNested[T kernel.Float](l Layers, in Shape, s *space) *nested[T] {
	return &nested[T]{chain: newChain[T](l, in, s)}
}

func (w *nested[T]) bind(blocks [][]T) { w.chain.bind(blocks) }

func (w *nested[T]) forward(y, x []T, n int) { copy(y, w.chain.forward(x, n)) }

func (w *nested[T]) backward(dx, dy []T, n int) {
	inner := w.chain.backward(dy, n, dx != nil)
	copy(dx, inner)
}

func (w *nested[T]) factors(dst []kernel.Factors[T], n int) []kernel.Factors[T] {
	return w.chain.factors(dst, n)
}

func (w *nested[T]) habits() habits { return habits{} }
