package neural

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/optimizer"
	"github.com/ditherml/dither/internal/release"
)

// scaledAdam scales gradients before they are clipped and released, so numbers with small gradients
// get less noise. It divides the released gradients by the scale, and Adam then steps along them
// (Ganesh, McMahan & Thakurta, "On Design Principles for Private Adaptive Optimizers", 2025,
// scale-then-privatize, https://arxiv.org/abs/2507.01129).
//
// The scale of a number is the product of a scale of its row and a scale of its column. Both come
// from mean squares of the released gradients, without the known variance of their noise, as in
// Adafactor (Shazeer & Stern, "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost", ICML
// 2018, algorithm 2, https://arxiv.org/abs/1804.04235). A scaled gradient therefore still comes in
// factors. Scales come from the last step's release. The sum verifies the clipped length of a
// scaled gradient like any other.
type scaledAdam struct {
	*optimizer.Adam
	noise   float64 // in each number of the released scaled gradient
	divisor float64
	blocks  []blockScale
	by      []float64 // the inverse of the scales
}

var _ optimizer.Resumable = (*scaledAdam)(nil)

// blockScale is the scale of a block: right[i]·left[j] for the number in row i and column j. A bias
// has the left scale 1, and so has every token of a sparse block.
type blockScale struct {
	release.ProductBlock
	rows, columns []float64 // mean squares
	right, left   []float32
}

// scaleFloor limits the scale of a row or column to about 10. The scale at the mean square is 1.
const scaleFloor = 0.01

func newScaledAdam(adam *optimizer.Adam, noise float64, blocks []release.ProductBlock) *scaledAdam {
	s := &scaledAdam{Adam: adam, noise: noise, divisor: adam.Divisor}
	numbers := 0
	for _, b := range blocks {
		own := blockScale{ProductBlock: b, rows: make([]float64, b.Right), right: make([]float32, b.Right)}
		if !b.Sparse {
			own.columns, own.left = make([]float64, b.Left), make([]float32, b.Left)
		}
		own.rescale()
		s.blocks = append(s.blocks, own)
		numbers += b.Numbers()
	}
	s.by = make([]float64, numbers)
	return s
}

// rescale computes scales from the mean squares. All scales are 1 before the first release.
func (b *blockScale) rescale() {
	for _, side := range []struct {
		scales  []float32
		squares []float64
	}{{b.right, b.rows}, {b.left, b.columns}} {
		mean := 0.0
		for _, v := range side.squares {
			mean += max(0, v) / float64(len(side.squares))
		}
		for i, v := range side.squares {
			if side.scales[i] = 1; mean > 0 {
				side.scales[i] = float32(1 / math.Sqrt((max(0, v)/mean+scaleFloor)/(1+scaleFloor)))
			}
		}
	}
}

// each calls do with the place of every number of the block, its row, and its column or -1.
func (b *blockScale) each(do func(at, row, column int)) {
	if b.Sparse {
		for at := range b.Numbers() {
			do(at, at%b.Right, -1)
		}
		return
	}
	width := b.Numbers() / b.Right
	for at := range b.Numbers() {
		column := at % width
		if column == b.Left {
			column = -1
		}
		do(at, at/width, column)
	}
}

// Step divides the released sum by the scales, makes one step of Adam, and computes the
// next scales.
func (s *scaledAdam) Step(weights []float64, sum release.Noisy) {
	first := 0
	for k := range s.blocks {
		b := &s.blocks[k]
		by := s.by[first : first+b.Numbers()]
		b.each(func(at, row, column int) {
			if by[at] = 1 / float64(b.right[row]); column >= 0 {
				by[at] /= float64(b.left[column])
			}
		})
		first += b.Numbers()
	}
	gradient := sum.Scaled(s.by)
	s.Adam.Step(weights, gradient)
	first = 0
	for k := range s.blocks {
		b := &s.blocks[k]
		b.observe(gradient.Values()[first:first+b.Numbers()], s.by[first:first+b.Numbers()], s.divisor, s.noise)
		first += b.Numbers()
	}
}

// observe moves the mean squares toward the released sum, and the scales with them.
func (b *blockScale) observe(sum, by []float64, divisor, noise float64) {
	rows, columns := make([]float64, len(b.rows)), make([]float64, len(b.columns))
	width := float64(b.Numbers() / b.Right)
	b.each(func(at, row, column int) {
		g, n := sum[at]/divisor, noise*by[at]
		square := g*g - n*n
		if rows[row] += square / width; column >= 0 {
			columns[column] += square / float64(b.Right)
		}
	})
	for i, v := range rows {
		b.rows[i] = squareDecay*b.rows[i] + (1-squareDecay)*v
	}
	for j, v := range columns {
		b.columns[j] = squareDecay*b.columns[j] + (1-squareDecay)*v
	}
	b.rescale()
}

// State returns the moving averages of Adam and the mean squares of rows and columns.
func (s *scaledAdam) State() optimizer.State {
	state := s.Adam.State()
	for _, b := range s.blocks {
		state.Vectors = append(state.Vectors, b.rows, b.columns)
	}
	return state
}

// Resume restores a state that the method State returned.
func (s *scaledAdam) Resume(state optimizer.State, weights int) error {
	const adam = 2
	if len(state.Vectors) != adam+2*len(s.blocks) {
		return fmt.Errorf("neural: the state of the optimizer has %d vectors, want %d", len(state.Vectors), adam+2*len(s.blocks))
	}
	for k := range s.blocks {
		b, rows, columns := &s.blocks[k], state.Vectors[adam+2*k], state.Vectors[adam+2*k+1]
		if len(rows) != len(b.rows) || len(columns) != len(b.columns) {
			return fmt.Errorf("neural: the state of the optimizer has %d rows and %d columns of a block, want %d and %d", len(rows), len(columns), len(b.rows), len(b.columns))
		}
		copy(b.rows, rows)
		copy(b.columns, columns)
		b.rescale()
	}
	state.Vectors = state.Vectors[:adam]
	return s.Adam.Resume(state, weights)
}

// scaling returns the optimizer that scales gradients, or nil.
func scaling(o optimizer.Resumable) *scaledAdam {
	if d, with := o.(*decayed); with {
		o = d.Resumable
	}
	s, _ := o.(*scaledAdam)
	return s
}

// scaled returns factors of scaled gradients, in memory of the worker.
func (w *worker) scaled(factors []kernel.Factors[float32], first int, s *scaledAdam) []kernel.Factors[float32] {
	out := make([]kernel.Factors[float32], len(factors))
	for k, f := range factors {
		own := &w.scaledFactors[first+k]
		f.Rights = scaleRows(&own.rights, f.Rights, s.blocks[k].right)
		if s.blocks[k].left != nil {
			f.Lefts = scaleRows(&own.lefts, f.Lefts, s.blocks[k].left)
		}
		out[k] = f
	}
	return out
}

// scaledMemory holds the scaled factors of a block.
type scaledMemory struct{ lefts, rights []float32 }

// scaleRows multiplies rows by scales, number by number.
func scaleRows(room *[]float32, x, scales []float32) []float32 {
	if cap(*room) < len(x) {
		*room = make([]float32, len(x))
	}
	out := (*room)[:len(x)]
	for at := 0; at < len(x); at += len(scales) {
		for j, s := range scales {
			out[at+j] = x[at+j] * s
		}
	}
	return out
}
