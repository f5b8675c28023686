package network

import (
	"fmt"
	"slices"
)

// Layers is a list of layers. The input of each layer is the output of the previous layer.
type Layers []Layer

// Network is a list of layers for inputs of a fixed shape. It is immutable and safe for concurrent
// use.
//
// A Network does not contain its parameters. The parameters are one vector: first the trained
// blocks in the order of the layers, then the frozen blocks.
type Network struct {
	in, out Shape
	layers  Layers
	blocks  []Block // in the order of the layers
	offsets []int   // the place in the parameters at which each block begins
	trained int     // the number of trained parameters
	total   int
}

// New returns the network of these layers for inputs of the given shape. If a layer does not fit
// the layer before it, the error names the layer. A network without layers returns its input.
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

// maxDepth bounds the nesting of lists of layers.
const maxDepth = 32

// depth returns the nesting depth of lists of layers. It is 0 for layers that hold none, and at
// most limit.
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

// Input returns the shape of one record's input. The caller must not change the slice.
func (n *Network) Input() Shape { return n.in }

// Output returns the shape of one record's output. The caller must not change the slice.
func (n *Network) Output() Shape { return n.out }

// Layers returns a copy of the list of layers.
func (n *Network) Layers() Layers { return slices.Clone(n.layers) }

// Blocks returns the trained blocks, in the order of the vector of parameters. Tape.Backward
// returns the factors of the gradients in the same order.
func (n *Network) Blocks() []Block { return trained(n.blocks) }

// Frozen returns the frozen blocks, in the order of the parameters. In the vector of parameters,
// the frozen blocks follow the trained blocks.
func (n *Network) Frozen() []Block {
	return slices.DeleteFunc(slices.Clone(n.blocks), func(b Block) bool { return !b.Frozen })
}

// Trained returns the number of trained parameters. They come first in the vector of parameters.
func (n *Network) Trained() int { return n.trained }

// Weights returns the number of parameters, including frozen ones.
func (n *Network) Weights() int { return n.total }

// Init fills the parameters with initial values, which depend only on the network and the seed. The
// weights of a layer are uniform with mean 0 and variance 2/(inputs + outputs) (X. Glorot and Y.
// Bengio, "Understanding the difficulty of training deep feedforward neural networks", AISTATS
// 2010, formula 16). Before a ReLU, SiLU or GELU the variance is 2/inputs (K. He, X. Zhang, S. Ren
// and J. Sun, "Delving deep into rectifiers", ICCV 2015, formula 10). Biases are 0, and scales of
// normalizations are 1. Init panics if the slice does not have the length n.Weights().
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
