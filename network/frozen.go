package network

import (
	"fmt"
	"slices"
)

// Frozen is a list of layers whose parameters are public and not trained. An example is an encoder
// that was trained on other records. A backward pass computes no gradients for these parameters.
// Dropout layers inside are inactive. A backward pass runs through the frozen layers only if an
// earlier layer is trained.
type Frozen struct{ Layers Layers }

var _ Layer = Frozen{}

// kind returns "frozen".
func (Frozen) kind() string { return "frozen" }

// output returns the output of the last layer.
func (l Frozen) output(in Shape) (Shape, error) {
	shapes, err := l.Layers.shapes(in)
	if err != nil {
		return nil, err
	}
	return shapes[len(shapes)-1], nil
}

// blocks returns the blocks of the layers, frozen.
func (l Frozen) blocks(in Shape) []Block {
	blocks := l.Layers.blocks(in)
	for i := range blocks {
		blocks[i].Frozen = true
	}
	return blocks
}

func (l Frozen) inner() Layers { return l.Layers }

func (l Frozen) described() any { return l.Layers }

func (l *Frozen) readDescription(text []byte) error { return l.Layers.UnmarshalJSON(text) }

func (l Frozen) initial(in Shape, blocks [][]float32, _ float64, random *generator) {
	l.Layers.initialAll(in, blocks, random)
}

func (l Frozen) worker32(in Shape, s *space) worker[float32] {
	return newNested[float32](l.Layers, in, s.freeze())
}
func (l Frozen) worker64(in Shape, s *space) worker[float64] {
	return newNested[float64](l.Layers, in, s.freeze())
}

// Freeze returns a network in which the first layers of n are frozen, where the argument layers is
// their number. It also returns the given parameters, in the order of the new network. It is an
// error if n has fewer layers, or if the number of weights is not the number of parameters of n.
func (n *Network) Freeze(layers int, weights []float32) (*Network, []float32, error) {
	if layers < 0 || layers > len(n.layers) {
		return nil, nil, fmt.Errorf("network: freeze: layers is %d, want 0 to %d", layers, len(n.layers))
	}
	if len(weights) != n.total {
		return nil, nil, fmt.Errorf("network: freeze: there are %d parameters, want %d", len(weights), n.total)
	}
	list := slices.Concat(Layers{Frozen{n.layers[:layers]}}, n.layers[layers:])
	frozen, err := New(n.in, list...)
	if err != nil {
		return nil, nil, err
	}
	out := make([]float32, n.total)
	from, to := make([][]float32, len(n.blocks)), make([][]float32, len(n.blocks))
	bindBlocks(n, from, weights)
	bindBlocks(frozen, to, out)
	for i := range from {
		copy(to[i], from[i])
	}
	return frozen, out, nil
}
