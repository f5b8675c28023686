package release

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/kernel"
)

// Standardization describes what is done to each row before it is added to a sum. The row is
// normalized, a public center is subtracted, the row is normalized again, and an intercept is
// appended. A whitening matrix may multiply the row after centering and before the last
// normalization. Each part is optional.
//
// The stored integers of a row do not change. Let x be the stored row. A sum adds the integers y =
// M·x - β·m, and one more integer for the intercept. Here m is the center on a grid, M is a power
// of two, and β is an integer of the row. All of them are computed from the row and from public
// numbers. Each row also has a multiplier, which is the value of one unit of y. A proposed
// coefficient is multiplied by the multiplier before it is verified.
//
// Sums over y follow from sums over x: Σ a·y = M·Σ a·x - (Σ a·β)·m. The arithmetic is modulo 2^64.
// It is exact because the result is within ±2^60 (see Sum). The squared norm of y and the intercept
// is an exact integer of each row, which Sum verifies.
//
// With a whitening W the integers are y = W·M·x - β·m, where m is the whitened center, and Σ a·y
// follows from W·Σ a·x. Sum then verifies an integer that is at least the squared norm; see
// whitened.go.
type Standardization struct {
	// Normalize is the rule by which rows are normalized.
	Normalize Normalize
	// Radius is the norm to which NormalizeClip shortens rows.
	Radius float64
	// Center is subtracted from normalized rows. It has one number for each coordinate. Nil means
	// that nothing is subtracted.
	Center []float64
	// Whitening, if not nil, is the matrix that multiplies rows after centering and before the last
	// normalization. It requires NormalizeUnit.
	Whitening *IntMatrix
	// Intercept, if positive, is the value of an additional last coordinate. Under NormalizeUnit a
	// row has norm 1 including this coordinate.
	Intercept float64
}

// Normalize is a rule that bounds the L2 norm of a row.
type Normalize uint8

// The ways to normalize.
const (
	// NormalizeNone leaves rows unchanged.
	NormalizeNone Normalize = iota
	// NormalizeClip scales a row with a norm above Standardization.Radius down to that radius.
	NormalizeClip
	// NormalizeUnit scales a row to norm 1. A row of zeros stays zero.
	NormalizeUnit
)

// own reports whether rows are seen as they are.
func (f Standardization) own() bool {
	return f.Normalize == NormalizeNone && f.Center == nil && f.Intercept == 0 && f.Whitening == nil
}

// frame is a Standardization in integers.
type frame struct {
	Standardization
	bits     uint    // M = 2^bits
	m        []int64 // the center in grid units, or nil
	narrow   []int16 // m, if it fits
	m2       float64 // its squared norm, rounded up
	beta     float64 // β for a row of norm 1 in grid units, or 0 where β = 1 for all
	step     float64
	unit     float64   // what an integer stands for where nothing is normalized
	square   int64     // Σ m²
	most     float64   // the squared norm of a row that counts, in grid units
	rest     float64   // what the intercept leaves of norm 1 to a row
	whitener *whitener // nil: there is no whitening
	shift    uint      // n2 counts in units of 2^shift integers of y, and intercepts are as many
	// What checks take, with r the secret of the rows (keepSecrets).
	secret             []uint64 // what the integers of a row have their product with: r, or Wᵀ·r
	whitenedSecret     []uint64 // what W·x has its product with: r
	whitenedCenter     []int64  // m, or zeros
	mixCenter, mixTail uint64   // m·r, and the number of r for the intercept
}

const (
	// frameBits: the terms of y, and the intercept, have norms of at most 2^frameBits in a row
	// that counts, so that n2 stays below 2^63.
	frameBits = 30
	// termLimit is the largest squared norm of a term of y.
	termLimit = 1 << (2*frameBits - 2)
	// rowBits is what M raises the norm of rows to, at most: far below frameBits, so that none
	// is lost, far above 1, so that β is fine.
	rowBits = 28
	// centerBits is how fine the center is, relative to its largest coordinate, where it is
	// multiplied by β.
	centerBits = 10
	// manyEntries is how many entries of the largest magnitude sparse rows are expected to have.
	manyEntries = 1 << 14
)

// newFrame puts a frame on the grid of rows.
func newFrame(f Standardization, kind RowType, dim int, step float64) (frame, error) {
	out := frame{Standardization: f, step: step, unit: step, most: termLimit, rest: 1 / math.Sqrt(1+f.Intercept*f.Intercept)}
	switch {
	case f.Normalize > NormalizeUnit || f.Normalize == NormalizeClip && !positive(f.Radius):
		return out, fmt.Errorf("release: rows are normalized by way %d with radius %v, want a way of this package and a positive finite radius", f.Normalize, f.Radius)
	case !(f.Intercept >= 0) || math.IsInf(f.Intercept, 1):
		return out, fmt.Errorf("release: intercept is %v, want 0 or a positive finite number", f.Intercept)
	case f.Center != nil && len(f.Center) != dim:
		return out, fmt.Errorf("release: center has %d coordinates, want %d", len(f.Center), dim)
	case f.Whitening != nil:
		return out, out.whiten(kind, dim)
	case f.Center == nil && f.Intercept == 0:
		return out, nil
	}
	out.bits = bitsFor(longestNorm(kind, dim))
	out.unit, out.most = math.Ldexp(step, -int(out.bits)), math.Ldexp(termLimit, -2*int(out.bits))
	if f.Center == nil {
		return out, nil
	}
	out.Center = slices.Clone(f.Center)
	return out, out.putCenter(f.Center)
}

// longestNorm is the norm of the longest row that is expected of a type.
func longestNorm(t RowType, dim int) float64 {
	if t == Sparse {
		dim = min(dim, manyEntries)
	}
	return float64(t.Largest()) * math.Sqrt(float64(dim))
}

// bitsFor returns the bits of M for rows of this norm.
func bitsFor(longest float64) uint {
	return uint(max(0, rowBits-math.Ceil(math.Log2(longest))))
}

// putCenter rounds the center, as y has it, to its grid.
func (f *frame) putCenter(center []float64) error {
	grid := f.unit
	if f.Normalize != NormalizeNone {
		largest := 0.0
		for _, v := range center {
			largest = max(largest, math.Abs(v))
		}
		grid = math.Ldexp(largest, -centerBits)
		f.beta = grid / f.unit
	}
	f.m = make([]int64, len(center))
	for j, v := range center {
		q := math.Round(v / max(grid, math.SmallestNonzeroFloat64))
		if !(math.Abs(q) <= 1<<frameBits) {
			return fmt.Errorf("release: coordinate %d of the center is %v, want within 2^%d steps of the grid", j, v, frameBits)
		}
		f.m[j] = int64(q)
		f.m2 += q * q * (1 + 1e-9)
	}
	if f.m2 > 1<<(2*frameBits) {
		return fmt.Errorf("release: the norm of the center is beyond 2^%d steps of the grid, want less", frameBits)
	}
	f.narrow = make([]int16, len(f.m))
	for j, v := range f.m {
		f.square += v * v
		if f.narrow != nil && max(v, -v) <= maxCoordinate {
			f.narrow[j] = int16(v)
		} else {
			f.narrow = nil
		}
	}
	return nil
}

// long reports whether rows have longer integers than their own.
func (f frame) long() bool { return f.bits > 0 || f.m != nil || f.Intercept > 0 || f.whitener != nil }

// intercepts returns how many coordinates the frame adds.
func (f frame) intercepts() int {
	if f.Intercept > 0 {
		return 1
	}
	return 0
}

// equal reports whether two frames are the same.
func (f frame) equal(o frame) bool {
	return f.Normalize == o.Normalize && f.Radius == o.Radius && f.Intercept == o.Intercept && f.bits == o.bits &&
		f.beta == o.beta && f.unit == o.unit && (f.m == nil) == (o.m == nil) && slices.Equal(f.m, o.m) && f.whitener.equal(o.whitener)
}

// rowMeasures are what a frame makes of one row.
type rowMeasures struct {
	n2         int64 // squared norm of y and the intercept, exactly; 0: the row adds nothing
	beta, tail int64
	multiplier float64
}

// measure returns what the frame makes of a row with squared norm n2 and product dot with m, which
// counts only when there is one.
func (f *frame) measure(n2, dot int64) rowMeasures {
	if !(float64(n2) <= f.most) {
		return rowMeasures{}
	}
	out, y2, first := rowMeasures{}, n2<<(2*f.bits), f.first(math.Sqrt(float64(n2))*f.step)
	if f.m != nil {
		out.beta = 1
		if f.beta > 0 {
			out.beta = int64(math.Round(min(f.beta/first, 1<<frameBits)))
		}
		if float64(out.beta)*float64(out.beta)*f.m2 > termLimit {
			return rowMeasures{}
		}
		y2 += out.beta*out.beta*f.square - 2*(out.beta<<f.bits)*dot
	}
	return f.finish(out, y2, f.unit*first)
}

// first returns the factor of the first normalization of a row of this norm; 1 for a row of
// zeros.
func (f *frame) first(norm float64) float64 {
	switch {
	case f.Normalize == NormalizeUnit && norm > 0:
		return 1 / norm
	case f.Normalize == NormalizeClip && norm > f.Radius:
		return f.Radius / norm
	}
	return 1
}

// finish normalizes y, of squared norm y2 in integers that stand for unit, and adds the intercept.
func (f *frame) finish(out rowMeasures, y2 int64, unit float64) rowMeasures {
	norm := math.Sqrt(float64(y2))
	switch out.multiplier = unit; f.Normalize {
	case NormalizeUnit:
		return f.finishUnit(out, y2, norm)
	case NormalizeClip:
		out.multiplier = unit * min(1, f.Radius/(unit*norm))
	}
	if f.Intercept > 0 {
		t := math.RoundToEven(f.Intercept / out.multiplier)
		if !(t <= 1<<frameBits) {
			return rowMeasures{}
		}
		out.tail = int64(t)
	}
	return out.counted(y2)
}

// counted adds the norm of the intercept to that of y.
func (out rowMeasures) counted(y2 int64) rowMeasures {
	out.n2 = y2 + out.tail*out.tail
	return out
}

// finishUnit is finish for rows of norm 1, with the intercept; of a row of zeros the intercept is
// all.
func (f *frame) finishUnit(out rowMeasures, y2 int64, norm float64) rowMeasures {
	if y2 == 0 {
		if out.multiplier = 1; f.Intercept > 0 {
			out.tail = 1
		}
		return out.counted(y2)
	}
	t := nearest(f.Intercept * norm)
	if !(t <= 1<<frameBits) {
		return rowMeasures{}
	}
	out.multiplier, out.tail = f.rest/norm, int64(t)
	return out.counted(y2)
}

// measureUnits turns the squared norms in m into measures of rows of norm 1 with an intercept and
// without a center, as measure does.
func (f *frame) measureUnits(m *measures) {
	kernel.MeasureUnits(m.n2, m.multipliers, m.tails, kernel.UnitRows{Bits: f.bits, Most: f.most, Intercept: f.Intercept, Rest: f.rest})
}

// centered returns the sums over y and the intercepts, column after column. It takes the sums over
// x, and the sums of the coefficients times β and times the intercepts.
func (f frame) centered(total, betas, tails []int64) []int64 {
	if f.own() {
		return total
	}
	columns := len(tails)
	dim := len(total) / columns
	width := dim + f.intercepts()
	values := make([]int64, columns*width)
	for k := range columns {
		to := values[k*width : (k+1)*width]
		for j, v := range f.whitener.of(total[k*dim : (k+1)*dim]) {
			to[j] = v << f.bits
		}
		for j, v := range f.m {
			to[j] -= betas[k] * v
		}
		if f.Intercept > 0 {
			to[dim] = tails[k] << f.shift
		}
	}
	return values
}
