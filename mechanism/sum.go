package mechanism

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/ditherml/dither/linalg"
)

// SumOptions are the public numbers of a sum.
type SumOptions struct {
	// Noise is how the sum will be released; the integer scale follows from it.
	Noise Noise
	// Columns is the number of coefficients a record has.
	Columns int
	// Bound is the largest L2 norm of one record's contribution.
	Bound float64
	// MaxRecords is the declared public bound on the number of records.
	MaxRecords int
}

// Sum is an exact sum of verified contributions. Coefficients are proposals: each is
// rounded to an integer, and the record's outer product is added only if its norm,
// computed exactly in integers, is within the bound. A Sum is not safe for concurrent
// use; goroutines fill their own (Empty) and Merge. The order and the division of
// work do not change a bit of the result.
type Sum struct {
	tally
	rows    *Rows
	columns int
	bound   float64
	grid    grid
	total   []int64
	weights []int64 // Σ of the coefficients, for rows with a center
}

// NewSum returns an empty sum over rows of the sample. It errs when the options make
// no sense, when the sample is of another number of records, or when there are more
// records than MaxRecords.
func NewSum(s Sample, rows *Rows, o SumOptions) (*Sum, error) {
	if err := checkSample(s, rows, o.MaxRecords); err != nil {
		return nil, err
	}
	if o.Columns < 1 || !(o.Bound > 0) || math.IsInf(o.Bound, 1) || o.Noise == nil {
		return nil, fmt.Errorf("mechanism: sum has %d columns, bound %v and noise %v, want at least 1 column, a positive finite bound and a noise", o.Columns, o.Bound, o.Noise)
	}
	g, err := o.Noise.fit(fit{maxRecords: o.MaxRecords, norm: L2(), dim: o.Columns * rows.dim})
	if err != nil {
		return nil, err
	}
	return newSum(s, rows, o.Columns, o.Bound, g), nil
}

func checkSample(s Sample, rows *Rows, maxRecords int) error {
	if s.drawn == nil || rows == nil || s.drawn.records != rows.total {
		return fmt.Errorf("mechanism: the sample was not drawn from these rows, want one that Sampling.Draw made for as many records")
	}
	return checkMaxRecords(s, maxRecords)
}

func newSum(s Sample, rows *Rows, columns int, bound float64, g grid) *Sum {
	sum := &Sum{tally: newTally(s), rows: rows, columns: columns, bound: bound, grid: g, total: make([]int64, columns*rows.dim)}
	if rows.center != nil {
		sum.weights = make([]int64, columns)
	}
	return sum
}

// Empty returns a sum of the same kind with nothing in it, for another goroutine.
func (s *Sum) Empty() *Sum { return newSum(s.sample, s.rows, s.columns, s.bound, s.grid) }

// EmptyOf returns a sum of the same kind with nothing in it over other rows of the same
// records: another block of them, from disk or another machine.
func (s *Sum) EmptyOf(rows *Rows) (*Sum, error) {
	if !s.rows.alike(rows) {
		return nil, fmt.Errorf("mechanism: the rows are of another kind, want the number of records, the dim, step and center of the first")
	}
	return newSum(s.sample, rows, s.columns, s.bound, s.grid), nil
}

// Add adds the contributions of the records first, first+1, …. A record that is not in
// the sample, or was added already, or coefficients of another shape are errors of the
// caller, and nothing is added. Coefficients that are NaN or infinite make the record
// contribute zero; those beyond the bound are moved toward zero until they hold it.
func (s *Sum) Add(first int, c linalg.Contributions) error {
	return s.add(func(i int) int { return first + i }, c)
}

// AddAt is Add for records in any order: c speaks of the records that are listed.
func (s *Sum) AddAt(records []int, c linalg.Contributions) error {
	if c.Records() != len(records) {
		return fmt.Errorf("mechanism: contributions are not as many as the records they are of")
	}
	return s.add(func(i int) int { return records[i] }, c)
}

func (s *Sum) add(record func(int) int, c linalg.Contributions) error {
	n := c.Records()
	if c.Columns != s.columns || len(c.Coefficients) != n*s.columns || s.sealed {
		return fmt.Errorf("mechanism: contributions have %d columns, want %d a record, before the sum is sealed", c.Columns, s.columns)
	}
	if err := s.mark(record, n, s.rows.first, s.rows.first+s.rows.count); err != nil {
		return err
	}
	q := make([]int64, 4*s.columns)
	var rows [4][]int16
	for i := 0; i < n; i += 4 {
		m := min(4, n-i)
		for r := range m {
			k, at := (i+r)*s.columns, record(i+r)
			rows[r] = s.rows.row(at)
			s.verify(q[r*s.columns:(r+1)*s.columns], c.Coefficients[k:k+s.columns], s.rows.norm2(at))
		}
		s.accumulate(rows[:m], q)
		if s.weights != nil {
			s.addWeights(q[:m*s.columns])
		}
	}
	return nil
}

// verify writes to q the integers that a record may add: after it,
// (Σ q_k²)·n2 ≤ Δ² holds exactly. It is the only place where a proposal becomes part
// of a sum.
func (s *Sum) verify(q []int64, proposal []float64, n2 int64) {
	scale := float64(s.grid.bound) / s.bound * s.rows.unit()
	if n2 == 0 || !quantise(q, proposal, scale, math.Round) {
		clear(q)
		return
	}
	if withinBound(q, n2, s.grid.bound) {
		return
	}
	// Beyond the bound: scale to it, and round toward zero.
	norm := 0.0
	for _, v := range proposal {
		norm = math.Hypot(norm, v*scale)
	}
	shrink := min(1, float64(s.grid.bound)/(norm*math.Sqrt(float64(n2)))) * (1 - 1e-12)
	if !quantise(q, proposal, scale*shrink, math.Trunc) || !withinBound(q, n2, s.grid.bound) {
		clear(q)
	}
}

// maxCoefficient keeps every coefficient, and so its square sum in 128 bits, far from
// overflow.
const maxCoefficient = 1 << 52

// quantise rounds proposal·scale into q, moved into ±maxCoefficient; it reports
// whether all values were finite.
func quantise(q []int64, proposal []float64, scale float64, way func(float64) float64) bool {
	for k, v := range proposal {
		f := way(v * scale)
		if f-f != 0 && !(v-v == 0) { // NaN or ±Inf
			return false
		}
		q[k] = int64(max(-maxCoefficient, min(maxCoefficient, f)))
	}
	return true
}

// withinBound reports whether (Σ q_k²)·n2 ≤ bound², in exact 128-bit arithmetic: it
// compares Σ q_k² with ⌊bound²/n2⌋. Σ q_k² < 2^128 because there are fewer than 2^23
// coefficients below 2^52.
func withinBound(q []int64, n2, bound int64) bool {
	var high, low, carry uint64
	for _, v := range q {
		u := uint64(max(v, -v))
		h, l := bits.Mul64(u, u)
		low, carry = bits.Add64(low, l, 0)
		high += h + carry
	}
	bh, bl := bits.Mul64(uint64(bound), uint64(bound))
	quotientHigh := bh / uint64(n2)
	quotientLow, _ := bits.Div64(bh%uint64(n2), bl, uint64(n2))
	return high < quotientHigh || high == quotientHigh && low <= quotientLow
}

// accumulate adds at most four verified rows times their integers.
func (s *Sum) accumulate(rows [][]int16, q []int64) {
	dim, columns := s.rows.dim, s.columns
	for k := range columns {
		dst := s.total[k*dim : (k+1)*dim]
		if len(rows) == 4 {
			c := [4]int64{q[k], q[columns+k], q[2*columns+k], q[3*columns+k]}
			if c != [4]int64{} {
				linalg.AddScaled4(dst, c, rows[0], rows[1], rows[2], rows[3])
			}
			continue
		}
		for r, row := range rows {
			linalg.AddScaled(dst, q[r*columns+k], row)
		}
	}
}

// addWeights adds up the coefficients of verified rows with a center.
func (s *Sum) addWeights(q []int64) {
	for i, v := range q {
		s.weights[i%s.columns] += v
	}
}

// Merge adds what o holds and empties o. It errs, and adds nothing, unless both sums
// are of the same sample and kind and have no record in common.
func (s *Sum) Merge(o *Sum) error {
	if !s.rows.alike(o.rows) || s.grid != o.grid || s.columns != o.columns || s.bound != o.bound {
		return errOtherKind
	}
	if err := s.merge(&o.tally); err != nil {
		return err
	}
	addTo(s.total, o.total)
	addTo(s.weights, o.weights)
	return nil
}

// Seal ends the sum. One record changes the integers of the result by at most Δ in
// L2 norm, which stands for Bound, when it is added or removed.
func (s *Sum) Seal() Bounded {
	s.sealed = true
	return Bounded{&bounded{sample: s.sample, grid: s.grid, values: s.centered(), unit: s.bound / float64(s.grid.bound)}}
}
