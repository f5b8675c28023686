package network

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// Recurrent is a layer that reads the positions of a text in order and keeps a state h. The state
// is a vector whose length is the field Units. The first state is zero. The features x_t of
// position t change the state to h_t = tanh(W·(x_t, h_(t-1)) + b), with the same W and b at all
// positions. At padding (see Embedding) the state does not change. A row of the layer's block has
// the weights of the features, the weights of the state, and the bias. Source: J. Elman, "Finding
// structure in time", Cognitive Science 14 (1990).
type Recurrent struct {
	// Units is the length of the state, which is a vector.
	Units int `json:"units"`
	// ReturnSequences selects the output. If it is true, the output has the states at all
	// positions, with the shape [positions, Units]. Otherwise the output is the last state, with
	// the shape [Units].
	ReturnSequences bool `json:"return_sequences,omitempty"`
}

var _ Layer = Recurrent{}

// kind returns "recurrent".
func (Recurrent) kind() string { return "recurrent" }

// output returns [Units], or [positions, Units] with ReturnSequences.
func (l Recurrent) output(in Shape) (Shape, error) {
	if len(in) != 2 || l.Units < 1 || l.Units > maxSize {
		return nil, fmt.Errorf("units are %d for an input of %v, want 1 to %d and [positions, features]", l.Units, in, maxSize)
	}
	if l.ReturnSequences {
		return Shape{in[0], l.Units}, nil
	}
	return Shape{l.Units}, nil
}

// blocks returns one block, Units × (features + Units).
func (l Recurrent) blocks(in Shape) []Block {
	return []Block{{Name: "weights", Right: l.Units, Left: in.features() + l.Units, Bias: true}}
}

func (l Recurrent) initial(in Shape, blocks [][]float32, _ float64, random *generator) {
	b := l.blocks(in)[0]
	random.fillUniform(blocks[0], b, variance(1, b.Left, b.Right))
}

func (l Recurrent) worker32(in Shape, s *space) worker[float32] {
	return newRecurrent[float32](l, in, s)
}
func (l Recurrent) worker64(in Shape, s *space) worker[float64] {
	return newRecurrent[float64](l, in, s)
}

// recurrent is Recurrent at work. For each record and position, lefts holds (x_t, h_(t-1)) and
// rights the derivatives before tanh: they are the factors. h holds the states.
type recurrent[T kernel.Float] struct {
	space               *space
	block               Block
	positions, features int
	sequences           bool
	weights             []T
	h, lefts, rights    []T
	dLeft               []T // of one position, n × (features + units)
	carried             []T // n × units: derivatives with respect to states that padding left unchanged
}

func newRecurrent[T kernel.Float](l Recurrent, in Shape, s *space) *recurrent[T] {
	b := l.blocks(in)[0]
	all := s.records * in[0]
	return &recurrent[T]{space: s, block: b, positions: in[0], features: in[1], sequences: l.ReturnSequences,
		h: make([]T, all*b.Right), lefts: make([]T, all*b.Left), rights: make([]T, all*b.Right), dLeft: make([]T, s.records*b.Left), carried: make([]T, s.records*b.Right)}
}

func (w *recurrent[T]) bind(blocks [][]T) { w.weights = blocks[0] }

// at returns the numbers of n records at position t, each of this width, as the rows of a matrix.
func (w *recurrent[T]) at(s []T, n, t, width int) kernel.Matrix[T] {
	return kernel.Matrix[T]{Data: s[t*width:], Rows: n, Columns: width, RowStride: w.positions * width, ColumnStride: 1}
}

// rowAt returns row i of at.
func (w *recurrent[T]) rowAt(s []T, i, t, width int) []T { return s[(i*w.positions+t)*width:][:width] }

func (w *recurrent[T]) forward(y, x []T, n int) {
	units := w.block.Right
	for t := range w.positions {
		for i := range n {
			left := w.rowAt(w.lefts, i, t, w.block.Left)
			copy(left, w.rowAt(x, i, t, w.features))
			if t > 0 { // the first state is zero and is never overwritten
				copy(left[w.features:], w.rowAt(w.h, i, t-1, units))
			}
			setBias(w.rowAt(w.h, i, t, units), w.weights, w.block)
		}
		multiply(w.space.serial, w.at(w.h, n, t, units), 1, w.at(w.lefts, n, t, w.block.Left), weightMatrix(w.weights, w.block).Transposed(), 1)
		for i := range n {
			h := w.rowAt(w.h, i, t, units)
			if !w.space.padding.at(i, t) {
				tanhOf(h, h)
			} else if clear(h); t > 0 {
				copy(h, w.rowAt(w.h, i, t-1, units))
			}
		}
	}
	if w.sequences {
		copy(y, w.h)
		return
	}
	for i := range n {
		copy(y[i*units:], w.rowAt(w.h, i, w.positions-1, units))
	}
}

func (w *recurrent[T]) backward(dx, dy []T, n int) {
	width := w.block.Left
	for t := w.positions - 1; t >= 0; t-- {
		for i := range n {
			w.backwardRow(dy, i, t)
		}
		if t == 0 && dx == nil {
			return
		}
		multiply(w.space.serial, kernel.NewMatrix(w.dLeft[:n*width], n, width), 1, w.at(w.rights, n, t, w.block.Right), weightMatrix(w.weights, w.block), 0)
		for i := range n {
			if w.space.padding.at(i, t) {
				copy(w.dLeft[i*width+w.features:][:w.block.Right], w.carried[i*w.block.Right:])
			}
		}
		if dx == nil {
			continue
		}
		for i := range n {
			copy(w.rowAt(dx, i, t, w.features), w.dLeft[i*width:])
		}
	}
}

// backwardRow sets rights of one record and position. It is (dy_t + the derivatives from position
// t+1)·(1 - h²). At padding it is 0, and the sum is carried on.
func (w *recurrent[T]) backwardRow(dy []T, i, t int) {
	units := w.block.Right
	right := w.rowAt(w.rights, i, t, units)
	clear(right)
	switch {
	case w.sequences:
		copy(right, w.rowAt(dy, i, t, units))
	case t == w.positions-1:
		copy(right, dy[i*units:][:units])
	}
	if t < w.positions-1 {
		addTo(right, w.dLeft[i*w.block.Left+w.features:][:units])
	}
	if w.space.padding.at(i, t) {
		copy(w.carried[i*units:], right)
		clear(right)
		return
	}
	for j, v := range w.rowAt(w.h, i, t, units) {
		right[j] *= 1 - v*v
	}
}

func (w *recurrent[T]) factors(dst []kernel.Factors[T], n int) []kernel.Factors[T] {
	if w.space.frozen {
		return dst
	}
	all := n * w.positions
	return append(dst, kernel.Factors[T]{Records: n, Positions: w.positions, Left: w.block.Left, Right: w.block.Right, Bias: true,
		Lefts: w.lefts[:all*w.block.Left], Rights: w.rights[:all*w.block.Right]})
}

func (w *recurrent[T]) habits() habits { return habits{} }
