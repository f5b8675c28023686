package network

import (
	"fmt"
	"slices"
)

// Layers is a list of layers. Each takes the output of the one before.
type Layers []Layer

// Network is a list of layers over the shape of its input. It is immutable, and goroutines may share it.
//
// Its parameters are one vector: first the blocks that are trained, in the order of the layers, then those
// that are frozen.
type Network struct {
	in, out Shape
	layers  Layers
	blocks  []Block // in the order of the layers
	offsets []int   // where each block begins among the parameters
	trained int     // how many numbers the trained blocks have
	total   int
}

// New returns the network of layers over inputs of the given shape. It returns an error that names the layer
// when a layer does not fit to what comes before it. A network without layers gives what it takes.
func New(in Shape, layers ...Layer) (*Network, error) {
	if err := in.check(); err != nil {
		return nil, fmt.Errorf("network: input: %w", err)
	}
	if depth := Layers(layers).depth(maxDepth + 1); depth > maxDepth {
		return nil, fmt.Errorf("network: layers are nested more than %d deep, want less", maxDepth)
	}
	list := Layers(slices.Clone(layers))
	shapes, err := list.shapes(slices.Clone(in))
	if err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	n := &Network{in: shapes[0], out: shapes[len(list)], layers: list, blocks: list.blocks(in)}
	n.offsets = make([]int, len(n.blocks))
	for _, frozen := range []bool{false, true} {
		n.trained = n.total // of the first round
		for i, b := range n.blocks {
			if b.Frozen == frozen {
				if n.total > maxNumbers-b.Numbers() {
					return nil, fmt.Errorf("network: parameters are more than %d, want fewer; make the layers smaller", maxNumbers)
				}
				n.offsets[i] = n.total
				n.total += b.Numbers()
			}
		}
	}
	return n, nil
}

// maxDepth bounds how deep lists of layers stand in one another.
const maxDepth = 32

// depth is how deep lists of layers stand in one another, 0 for layers that hold none, and at most limit.
func (l Layers) depth(limit int) int {
	depth := 0
	for _, layer := range l {
		if outer, holds := layer.(interface{ inner() Layers }); holds && limit > 0 {
			depth = max(depth, 1+outer.inner().depth(limit-1))
		}
	}
	return depth
}

// maxNumbers bounds the parameters of a network.
const maxNumbers = 1 << 32

// Input is the shape that the network takes for one record. The caller must not change it.
func (n *Network) Input() Shape { return n.in }

// Output is the shape that the network gives for one record. The caller must not change it.
func (n *Network) Output() Shape { return n.out }

// Layers returns a copy of the list of layers.
func (n *Network) Layers() Layers { return slices.Clone(n.layers) }

// Blocks returns the blocks that are trained, in the order in which they stand in the parameters and in which
// Tape.Backward returns their factors.
func (n *Network) Blocks() []Block { return trained(n.blocks) }

// Frozen returns the blocks that are not trained, in the order in which they stand in the
// parameters, after the trained ones.
func (n *Network) Frozen() []Block {
	return slices.DeleteFunc(slices.Clone(n.blocks), func(b Block) bool { return !b.Frozen })
}

// Trained is how many numbers the trained blocks have together: those with which the parameters begin.
func (n *Network) Trained() int { return n.trained }

// Weights is how many parameters the network has, the frozen ones included.
func (n *Network) Weights() int { return n.total }

// Init fills the parameters with first values, which are a function of the network and the seed alone. Weights
// are uniform with mean 0 and variance 2/(inputs + outputs) of X. Glorot and Y. Bengio, "Understanding the
// difficulty of training deep feedforward neural networks", AISTATS 2010, formula 16, or, where a ReLU, SiLU or
// GELU follows, with variance 2/inputs of K. He, X. Zhang, S. Ren and J. Sun, "Delving deep into rectifiers",
// ICCV 2015, formula 10. Biases begin at 0, and scales of normalizations at 1. It panics unless there are
// Weights numbers.
func (n *Network) Init(weights []float32, seed uint64) {
	if len(weights) != n.total {
		panic(fmt.Sprintf("network: Init: there are %d numbers, want %d", len(weights), n.total))
	}
	blocks := make([][]float32, len(n.blocks))
	bindBlocks(n, blocks, weights)
	n.layers.initialAll(n.in, blocks, &generator{seed})
}

// bindBlocks points every block, in the order of the layers, to its part of the parameters.
func bindBlocks[T any](n *Network, blocks [][]T, weights []T) {
	for i, b := range n.blocks {
		blocks[i] = weights[n.offsets[i]:][:b.Numbers()]
	}
}
