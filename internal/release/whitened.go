package release

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/kernel"
)

// IntMatrix is a square matrix whose entries are integer multiples of a unit.
type IntMatrix struct {
	// Numbers are the integers, row after row.
	Numbers []int16
	// Unit is the value of the integer 1.
	Unit float64
}

// whitener is the whitening of a frame.
type whitener struct {
	dim    int
	matrix []int16
	reach  float64      // the squared norm of a row x that counts: W·x fits 32 bits
	form   *kernel.Turn // what measures rows: the matrix, the frame's center on its grid (zeros if there is none) and M
}

const (
	// whitenedShift is the frame's shift: whitened rows of narrow integers have norms of up to
	// 2^36.
	whitenedShift = 6
	// whitenedMost is the largest squared norm of y that counts, in units of n2.
	whitenedMost = 1 << 60
	// whitenedBatch is how many rows are whitened at a time.
	whitenedBatch = 96
	// whitenedDim is the largest number of coordinates of whitened rows: the rounding of their
	// squared norms stays below 2^-31.
	whitenedDim = 1 << 20
)

// whiten puts a whitening, and the center after it, on the grid. y = M·W·x - β·m then holds
// integers below 2^53: a row that counts has |W·x| < 2^31 in each coordinate by Cauchy and Schwarz.
// M is above 1 only where that leaves M·|W·x| below 2^29. β is at most 2^30, and |m| at most
// 2^centerBits.
func (f *frame) whiten(kind RowType, dim int) error {
	w := f.Whitening
	if f.Normalize != NormalizeUnit || dim > whitenedDim || len(w.Numbers) != dim*dim || !positive(w.Unit) {
		return fmt.Errorf("release: whitening has %d numbers of unit %v for rows of %d coordinates that are normalized by way %d, want a square matrix, a positive finite unit, rows of norm 1 and at most %d coordinates", len(w.Numbers), w.Unit, dim, f.Normalize, whitenedDim)
	}
	t, longest := &whitener{dim: dim, matrix: slices.Clone(w.Numbers)}, int64(1)
	for k := range dim {
		square := int64(0)
		for _, v := range t.matrix[k*dim : (k+1)*dim] {
			square += int64(v) * int64(v)
		}
		longest = max(longest, square)
	}
	t.reach = math.Floor(math.MaxInt32 * float64(math.MaxInt32) / float64(longest) * (1 - 0x1p-40))
	f.whitener, f.shift, f.bits = t, whitenedShift, bitsFor(longestNorm(kind, dim)*math.Sqrt(float64(longest)))
	f.unit = math.Ldexp(f.step*w.Unit, -int(f.bits))
	center := make([]float64, dim)
	if f.Center != nil {
		if err := f.putWhitenedCenter(center); err != nil {
			return err
		}
	}
	t.form = kernel.NewTurn(t.matrix, center, math.Ldexp(1, int(f.bits)))
	return nil
}

// putWhitenedCenter puts the center, multiplied by the matrix, on its grid, and writes it there to
// dst.
func (f *frame) putWhitenedCenter(dst []float64) error {
	dim, moved := len(dst), make([]float64, len(dst))
	f.Center = slices.Clone(f.Center)
	for k := range moved {
		for j, v := range f.whitener.matrix[k*dim : (k+1)*dim] {
			moved[k] += float64(v) * f.Whitening.Unit * f.Center[j]
		}
	}
	if err := f.putCenter(moved); err != nil {
		return err
	}
	for j, v := range f.m {
		dst[j] = float64(v)
	}
	return nil
}

// equal reports whether two whitenings are the same; nil is none.
func (t *whitener) equal(o *whitener) bool {
	return t == o || t != nil && o != nil && slices.Equal(t.matrix, o.matrix)
}

// of returns W·v modulo 2^64, or v where there is no whitening.
func (t *whitener) of(v []int64) []int64 {
	if t == nil {
		return v
	}
	out := make([]int64, len(v))
	kernel.MulInt(out, t.matrix, v)
	return out
}

// rowWeights writes the weights that products with the rows' own integers have, for weights of
// whitened coordinates.
func (f *frame) rowWeights(dst []float32, w []float64) {
	kernel.MulIntT(dst, f.whitener.matrix, w)
	scale := float32(math.Ldexp(1, int(f.bits)-int(f.shift)))
	for j := range dst {
		dst[j] *= scale
	}
}

// standardizeWhitened writes y of a row to dst, in units of n2's root.
func (f *frame) standardizeWhitened(dst []float64, row []int16, beta int64) {
	own := make([]int64, len(row))
	for j, v := range row {
		own[j] = int64(v)
	}
	scale := math.Ldexp(1, -int(f.shift))
	for j, v := range f.whitener.of(own) {
		if v <<= f.bits; f.m != nil {
			v -= beta * f.m[j]
		}
		dst[j] = float64(v) * scale
	}
}

// measureWhitened measures whitened rows, a few at a time. Of each few it calls do with their
// measures, the number of the first, and their products with the matrix, of equal length.
func (f *frame) measureWhitened(m measures, x storage, do func(part *measures, first int, w []int32) error) error {
	dim, apart, width := f.whitener.dim, f.whitener.form.Stride(), f.whitener.form.Width()
	w := &whitened{norms: make([]int64, whitenedBatch), rows: make([]int16, whitenedBatch*apart), products: make([]int32, whitenedBatch*width), betas: make([]float64, whitenedBatch), squares: make([]float64, whitenedBatch)}
	for first, n := 0, len(m.n2); first < n; first += whitenedBatch {
		rows := min(whitenedBatch, n-first)
		part, some := m.part(first, rows), x.Part(first, rows)
		some.Norms2(w.norms[:rows])
		copy(part.n2, w.norms)
		for i := range rows {
			some.CopyRow(w.rows[i*apart:i*apart+dim], i)
		}
		f.measureTurned(part, w)
		if err := do(&part, first, w.products[:rows*width]); err != nil {
			return err
		}
	}
	return nil
}

// whitened is what some rows are measured in.
type whitened struct {
	norms          []int64 // lent to storage
	rows           []int16 // as the matrix takes them
	products       []int32 // with the matrix, as a kernel proposes them
	betas, squares []float64
}

// betaOf returns β of a row of this squared norm.
func (f *frame) betaOf(n2 int64) int64 {
	beta := min(f.beta/f.first(math.Sqrt(float64(n2))*f.step), 1<<frameBits)
	if beta != beta { // of a center of zeros on a grid of no width
		return 0
	}
	return int64(math.Round(beta))
}

// measureTurned turns the squared norms of rows into their measures. The squared norm of y is a
// sum in float64 of squares of integers that are exact there, and is rounded up. A row beyond the
// reach of the matrix does not count, whatever its products are.
func (f *frame) measureTurned(m measures, w *whitened) {
	n := len(m.n2)
	betas, squares := w.betas[:n], w.squares[:n]
	if f.m != nil {
		for i, n2 := range m.n2 {
			betas[i] = float64(f.betaOf(n2))
		}
	}
	f.whitener.form.Squares(squares, w.products[:n*f.whitener.form.Width()], w.rows[:n*f.whitener.form.Stride()], betas)
	for i, n2 := range m.n2 {
		y2, out := math.Ceil(squares[i]*(1+0x1p-30)*(1.0/(1<<(2*whitenedShift)))), rowMeasures{}
		if float64(n2) <= f.whitener.reach && y2 <= whitenedMost {
			out = f.finishUnit(rowMeasures{beta: int64(betas[i])}, int64(y2), math.Sqrt(y2))
		}
		m.set(i, out)
	}
}
