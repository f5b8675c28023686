package network

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// shapes returns the shape before each layer and the shape after the last.
func (l Layers) shapes(in Shape) ([]Shape, error) {
	shapes := []Shape{in}
	for i, layer := range l {
		out, err := layer.output(shapes[i])
		if err != nil {
			return nil, fmt.Errorf("layer %d, %s: %w", i, layer.kind(), err)
		}
		if err = out.check(); err != nil {
			return nil, fmt.Errorf("layer %d, %s: output: %w", i, layer.kind(), err)
		}
		shapes = append(shapes, out)
	}
	return shapes, nil
}

// blocks returns the blocks of all layers, named by their places. The input must be one that shapes
// accepts.
func (l Layers) blocks(in Shape) []Block {
	shapes, err := l.shapes(in)
	if err != nil {
		return nil
	}
	var all []Block
	for i, layer := range l {
		for _, b := range layer.blocks(shapes[i]) {
			b.Name = fmt.Sprintf("%d.%s.%s", i, layer.kind(), b.Name)
			all = append(all, b)
		}
	}
	return all
}

// initialAll fills the blocks of all layers with first values.
func (l Layers) initialAll(in Shape, blocks [][]float32, random *generator) {
	shapes, err := l.shapes(in)
	if err != nil {
		return
	}
	for i, layer := range l {
		gain := 1.0
		if i+1 < len(l) {
			if next, has := l[i+1].(gained); has {
				gain = next.gain()
			}
		}
		own := len(layer.blocks(shapes[i]))
		layer.initial(shapes[i], blocks[:own], gain, random)
		blocks = blocks[own:]
	}
}

// gained is a layer with a gain for the weights before it.
type gained interface{ gain() float64 }

// chain runs layers one after another. It owns the buffers between them.
type chain[T kernel.Float] struct {
	workers []worker[T]
	blocks  []int // the number of blocks of each worker
	lowest  int   // the first trained worker, or len(workers) for none
	records int   // the largest number in a pass
	// sizes[i] is the size of a record before worker i. outputs[i] is the buffer for the output of
	// worker i; nil means in place of its input. gradients[i] is the buffer for the derivatives
	// with respect to the input of worker i. If it is nil, they overwrite the derivatives with
	// respect to its output.
	sizes              []int
	outputs, gradients [][]T
}

// newChain makes the workers of layers and their buffers. The input and the derivatives with
// respect to the output belong to the caller and are not overwritten.
func newChain[T kernel.Float](l Layers, in Shape, s *space) *chain[T] {
	shapes, err := l.shapes(in)
	if err != nil {
		panic(err)
	}
	c := &chain[T]{lowest: len(l)}
	for i, layer := range l {
		blocks := layer.blocks(shapes[i])
		if len(trained(blocks)) > 0 && !s.frozen {
			c.lowest = min(c.lowest, i)
		}
		s = s.before(layer, shapes[i])
		c.workers = append(c.workers, build[T](layer, shapes[i], s))
		s = s.behind(shapes[i+1])
		c.blocks = append(c.blocks, len(blocks))
	}
	for _, shape := range shapes {
		c.sizes = append(c.sizes, shape.Size())
	}
	c.records = s.records
	c.makeOutputs()
	return c
}

// makeOutputs makes the buffers of forward passes, one for each worker that may not overwrite its
// input.
func (c *chain[T]) makeOutputs() {
	c.outputs = make([][]T, len(c.workers))
	held := true // whether the data before worker i is still needed or belongs to the caller
	for i, w := range c.workers {
		h := w.habits()
		switch {
		case h.nothing:
		case h.inPlace && !held:
			held = h.needsOutput
		default:
			c.outputs[i] = make([]T, c.records*c.sizes[i+1])
			held = h.needsOutput
		}
	}
}

// makeGradients makes the missing buffers of backward passes that end at a worker. A tape with
// forward passes only needs none.
func (c *chain[T]) makeGradients(last int) {
	if c.gradients == nil {
		c.gradients = make([][]T, len(c.workers))
	}
	held := true
	for i := len(c.workers) - 1; i >= last; i-- {
		h := c.workers[i].habits()
		if !h.nothing && (held || !h.inPlace) {
			held = false
			if c.gradients[i] == nil {
				c.gradients[i] = make([]T, c.records*c.sizes[i])
			}
		}
	}
}

func (c *chain[T]) bind(blocks [][]T) {
	for i, w := range c.workers {
		w.bind(blocks[:c.blocks[i]])
		blocks = blocks[c.blocks[i]:]
	}
}

// forward returns the output of the last worker for x.
func (c *chain[T]) forward(x []T, n int) []T { return c.forwardFrom(0, x, n) }

// forwardFrom returns the output of the last worker if worker first takes x.
func (c *chain[T]) forwardFrom(first int, x []T, n int) []T {
	for k, w := range c.workers[first:] {
		i := first + k
		y := x
		if c.outputs[i] != nil {
			y = c.outputs[i][:n*c.sizes[i+1]]
		}
		w.forward(y, x, n)
		x = y
	}
	return x
}

// backward returns the derivatives with respect to x if they are wanted. Otherwise it stops at the
// lowest trained worker and returns nil.
func (c *chain[T]) backward(dy []T, n int, wanted bool) []T {
	last, needed := c.lowest, c.lowest+1
	if wanted {
		last, needed = 0, 0
	}
	c.makeGradients(needed)
	for i := len(c.workers) - 1; i >= last; i-- {
		dx := dy
		switch {
		case i == last && !wanted:
			dx = nil
		case c.gradients[i] != nil:
			dx = c.gradients[i][:n*c.sizes[i]]
		}
		c.workers[i].backward(dx, dy, n)
		dy = dx
	}
	if !wanted {
		return nil
	}
	return dy
}

func (c *chain[T]) factors(dst []kernel.Factors[T], n int) []kernel.Factors[T] {
	for _, w := range c.workers {
		dst = w.factors(dst, n)
	}
	return dst
}

// trained returns the blocks that are not frozen.
func trained(blocks []Block) []Block {
	var out []Block
	for _, b := range blocks {
		if !b.Frozen {
			out = append(out, b)
		}
	}
	return out
}
