package network

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// SparseLinear is a linear layer without biases for rows that are mostly zeros, such as hashed
// texts and indicators. For each feature it has a trained vector, whose length is the field
// Outputs. The output is the sum of these vectors, each multiplied by the value of the feature. The
// shape [features] becomes [Outputs]. The time and memory for a record are proportional to the
// number of its nonzero features.
//
// Initial weights have variance 1/Outputs, so an input of norm 1 gives an output of norm about 1.
type SparseLinear struct {
	// Outputs is the number of outputs.
	Outputs int `json:"outputs"`
}

var _ Layer = SparseLinear{}

// kind returns "sparse-linear".
func (SparseLinear) kind() string { return "sparse-linear" }

// output returns [Outputs].
func (l SparseLinear) output(in Shape) (Shape, error) {
	if len(in) != 1 || in[0] > maxVocabulary {
		return nil, fmt.Errorf("input is %v, want one row of at most %d features", in, maxVocabulary)
	}
	if l.Outputs < 1 || l.Outputs > maxSize {
		return nil, fmt.Errorf("outputs is %d, want 1 to %d", l.Outputs, maxSize)
	}
	return Shape{l.Outputs}, nil
}

// blocks returns one block, a row of Outputs numbers for each feature.
func (l SparseLinear) blocks(in Shape) []Block {
	return []Block{{Name: "weights", Right: l.Outputs, Left: in[0], Sparse: true}}
}

func (l SparseLinear) initial(in Shape, blocks [][]float32, _ float64, random *generator) {
	random.fillUniform(blocks[0], l.blocks(in)[0], 1/float64(l.Outputs))
}

func (l SparseLinear) worker32(in Shape, s *space) worker[float32] {
	return &sparseLinear[float32]{space: s, features: in[0], outputs: l.Outputs}
}
func (l SparseLinear) worker64(in Shape, s *space) worker[float64] {
	return &sparseLinear[float64]{space: s, features: in[0], outputs: l.Outputs}
}

// sparseLinear is SparseLinear at work. The slices index and values hold the entries of each
// record. Each record has the length of the longest record of the pass; NoIndex fills shorter
// records. The memory grows with the longest pass.
type sparseLinear[T kernel.Float] struct {
	space             *space
	features, outputs int
	weights           []T // features × outputs
	entries           int
	index             []uint32
	values            []T
	own               Entries[T] // of rows that came whole
	dy                []T
}

func (w *sparseLinear[T]) bind(blocks [][]T) { w.weights = blocks[0] }

func (w *sparseLinear[T]) forward(y, x []T, n int) {
	own := Entries[T]{append(w.own.Start[:0], 0), w.own.Index[:0], w.own.Values[:0]}
	for i := range n {
		for j, v := range x[i*w.features:][:w.features] {
			if v != 0 { // NaN stays
				own.Index, own.Values = append(own.Index, uint32(j)), append(own.Values, v)
			}
		}
		own.Start = append(own.Start, len(own.Index))
	}
	w.own = own
	w.forwardEntries(y, own, n)
}

func (w *sparseLinear[T]) forwardEntries(y []T, x Entries[T], n int) {
	clear(y)
	w.take(x, n)
	for i := range n {
		to := y[i*w.outputs:][:w.outputs]
		for e := x.Start[i]; e < x.Start[i+1]; e++ {
			addScaled(to, w.weights[int(x.Index[e])*w.outputs:], x.Values[e])
		}
	}
}

// take copies the entries to the layout of factors.
func (w *sparseLinear[T]) take(x Entries[T], n int) {
	w.entries = 0
	for i := range n {
		w.entries = max(w.entries, x.Start[i+1]-x.Start[i])
	}
	index, values := grown(&w.index, n*w.entries), grown(&w.values, n*w.entries)
	for i := range n {
		known := x.Start[i+1] - x.Start[i]
		copy(index[i*w.entries:], x.Index[x.Start[i]:x.Start[i+1]])
		copy(values[i*w.entries:], x.Values[x.Start[i]:x.Start[i+1]])
		for e := i*w.entries + known; e < (i+1)*w.entries; e++ {
			index[e], values[e] = kernel.NoIndex, 0
		}
	}
}

// backward computes dx = dy·weightsᵀ for all features, if it is wanted.
func (w *sparseLinear[T]) backward(dx, dy []T, n int) {
	w.dy = dy
	if dx != nil {
		multiply(w.space.serial, kernel.NewMatrix(dx, n, w.features), 1, kernel.NewMatrix(dy, n, w.outputs), kernel.NewMatrix(w.weights, w.features, w.outputs).Transposed(), 0)
	}
}

func (w *sparseLinear[T]) factors(dst []kernel.Factors[T], n int) []kernel.Factors[T] {
	if w.space.frozen {
		return dst
	}
	return append(dst, kernel.Factors[T]{Records: n, Positions: 1, Left: w.features, Right: w.outputs, Rights: w.dy,
		Index: w.index[:n*w.entries], Entries: w.entries, Values: w.values[:n*w.entries]})
}

func (w *sparseLinear[T]) habits() habits { return habits{} }
