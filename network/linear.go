package network

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// Linear is a fully connected layer. It computes y = W·x + b from the features x of each position,
// with the same W and b at all positions. It accepts any shape and changes the number of features
// to Outputs. Its block has one row for each output, with the weights and then the bias.
type Linear struct {
	// Outputs is the number of features of the output.
	Outputs int `json:"outputs"`
	// NoBias omits the bias. In a description of layers it is written bias: false.
	NoBias bool `json:"no_bias,omitempty"`
}

var _ Layer = Linear{}

func (l Linear) described() any {
	type fields Linear
	bias := inverted(l.NoBias)
	l.NoBias = false // bias says it
	return struct {
		fields
		Bias inverted `json:"bias,omitempty"`
	}{fields(l), bias}
}

// kind returns "linear".
func (Linear) kind() string { return "linear" }

// output changes the number of features to Outputs.
func (l Linear) output(in Shape) (Shape, error) {
	if l.Outputs < 1 {
		return nil, fmt.Errorf("outputs is %d, want at least 1", l.Outputs)
	}
	return in.with(l.Outputs), nil
}

// blocks returns one block, Outputs × features.
func (l Linear) blocks(in Shape) []Block {
	return []Block{{Name: "weights", Right: l.Outputs, Left: in.features(), Bias: !l.NoBias}}
}

func (l Linear) initial(in Shape, blocks [][]float32, gain float64, random *generator) {
	b := l.blocks(in)[0]
	random.fillUniform(blocks[0], b, variance(gain, b.Left, b.Right))
}

// variance returns the variance of first weights between layers: see Network.Init.
func variance(gain float64, inputs, outputs int) float64 {
	if gain > 1 {
		return gain * gain / float64(inputs)
	}
	return 2 / float64(inputs+outputs)
}

func (l Linear) worker32(in Shape, s *space) worker[float32] { return newLinear[float32](l, in, s) }
func (l Linear) worker64(in Shape, s *space) worker[float64] { return newLinear[float64](l, in, s) }

// linear is Linear at work. Its factors are x and y themselves. A record has T = positions rows in
// x, of shape n·T × left, and in y, of shape n·T × right.
type linear[T kernel.Float] struct {
	space     *space
	block     Block
	positions int
	frozen    bool
	weights   []T
	x, dy     []T
}

func newLinear[T kernel.Float](l Linear, in Shape, s *space) *linear[T] {
	return &linear[T]{space: s, block: l.blocks(in)[0], positions: in.Positions(), frozen: s.frozen}
}

func (w *linear[T]) bind(blocks [][]T) { w.weights = blocks[0] }

// matrix returns the weights without the biases, of shape right × left.
func (w *linear[T]) matrix() kernel.Matrix[T] {
	return weightMatrix(w.weights, w.block)
}

// weightMatrix returns the view of a block without its biases, of shape right × left.
func weightMatrix[T kernel.Float](weights []T, b Block) kernel.Matrix[T] {
	return kernel.Matrix[T]{Data: weights, Rows: b.Right, Columns: b.Left, RowStride: b.Width(), ColumnStride: 1}
}

// forward computes y = x·Wᵀ + b.
func (w *linear[T]) forward(y, x []T, n int) {
	w.x = x
	rows := n * w.positions
	beta := setBias(y, w.weights, w.block)
	multiply(w.space.serial, kernel.NewMatrix(y, rows, w.block.Right), 1, kernel.NewMatrix(x, rows, w.block.Left), w.matrix().Transposed(), beta)
}

// setBias writes the biases of a block to every row of y and returns 1. It returns 0 if there are
// none.
func setBias[T kernel.Float](y, weights []T, b Block) T {
	if !b.Bias || len(y) == 0 {
		return 0
	}
	width := b.Width()
	for j := range b.Right {
		y[j] = weights[j*width+b.Left]
	}
	repeat(y, b.Right)
	return 1
}

// repeat fills y with copies of its first numbers.
func repeat[T any](y []T, first int) {
	for done := first; done < len(y); {
		done += copy(y[done:], y[:done])
	}
}

// backward computes dx = dy·W.
func (w *linear[T]) backward(dx, dy []T, n int) {
	w.dy = dy
	if dx == nil {
		return
	}
	rows := n * w.positions
	multiply(w.space.serial, kernel.NewMatrix(dx, rows, w.block.Left), 1, kernel.NewMatrix(dy, rows, w.block.Right), w.matrix(), 0)
}

func (w *linear[T]) factors(dst []kernel.Factors[T], n int) []kernel.Factors[T] {
	if w.frozen {
		return dst
	}
	return append(dst, kernel.Factors[T]{Records: n, Positions: w.positions, Left: w.block.Left, Right: w.block.Right,
		Bias: w.block.Bias, Lefts: w.x, Rights: w.dy})
}

func (w *linear[T]) habits() habits { return habits{} }
