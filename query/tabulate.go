package query

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/mechanism"
)

// Cells say where the records of a table count.
type Cells struct {
	// Records is the number of records, which is private under add-or-remove-one.
	Records int
	// Count is the declared number of cells, at least 1.
	Count int
	// Of returns the cell of a record, 0 … Count-1, or -1 for a record that counts nowhere. It must look
	// at that record only.
	Of func(i int) int
}

// All is one cell with all of the records.
func All(records int) Cells { return Cells{records, 1, func(int) int { return 0 }} }

// Values are the numbers of the records.
type Values struct {
	// Lower and Upper are declared, Lower < Upper; a number beyond them is moved to the nearer one.
	Lower, Upper float64
	// At returns the number of a record, or NaN for a record that counts nowhere. It must look at that
	// record only.
	At func(i int) float64
}

// at is the number of a record within the bounds, and whether there is one.
func (v Values) at(i int) (float64, bool) {
	x := v.At(i)
	return min(max(x, v.Lower), v.Upper), x == x // NaN: missing
}

// check refuses what has no range.
func (v Values) check() error {
	if !(v.Lower < v.Upper) || math.IsInf(v.Upper-v.Lower, 0) || v.At == nil {
		return fmt.Errorf("query: bounds are %v to %v, want declared finite bounds in ascending order", v.Lower, v.Upper)
	}
	return nil
}

// maxNumbers bounds the numbers of one release.
const maxNumbers = 1 << 20

// checkLevel refuses what is no confidence.
func checkLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("query: confidence is %v, want more than 0 and less than 1", level)
	}
	return nil
}

// Histogram returns the noisy number of records in each cell, in one release. A record is in one cell at
// most, so it moves the vector of counts by at most 1 in the L1 and the L2 norm: all cells together cost what
// one count does (parallel composition, McSherry, "Privacy Integrated Queries", SIGMOD 2009, theorem 4,
// https://doi.org/10.1145/1559845.1559850). Under replace-one a record may leave one cell and enter another,
// which accountants charge as two bounds. Each interval is exact and holds by itself, not all together.
func Histogram(t Terms, c Cells, level float64) ([]Answer, error) {
	totals, err := c.release(t, 1, 1, func(dst []float64, _ int) { dst[0] = 1 }, level)
	if err != nil {
		return nil, err
	}
	return linear(t, 1, totals, level)
}

// Sums returns the noisy sum of the numbers in each cell, in one release, of which one record moves at most
// one sum by at most the larger magnitude of its bounds. The intervals are exact.
func Sums(t Terms, c Cells, v Values, level float64) ([]Answer, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	bound := SumBound(v)
	totals, err := c.release(t, 1, bound, func(dst []float64, i int) { dst[0], _ = v.at(i) }, level)
	if err != nil {
		return nil, err
	}
	return linear(t, bound, totals, level)
}

// SumBound is by how much one record moves a sum of such numbers.
func SumBound(v Values) float64 { return max(-v.Lower, v.Upper) }

// linear wraps released numbers.
func linear(t Terms, bound float64, totals []float64, level float64) ([]Answer, error) {
	l, err := lawOf(t.Noise, bound)
	if err != nil {
		return nil, err
	}
	answers := make([]Answer, len(totals))
	for g, total := range totals {
		answers[g] = l.linear(total, level)
	}
	return answers, nil
}

// Means returns the mean of the numbers in each cell, in one release.
//
// With u in [0, 1] a number's place between its bounds, a record adds (1-u, u) to the two sums of its
// cell: a vector of L1 norm 1 and of L2 norm at most 1, so one record moves the release by at most 1 in
// either norm. The mean is the second sum over both. In the L2 norm this is the sum of centered numbers and
// the count, turned by 45 degrees; in the L1 norm it has half of their variance, because the pair (t, 1) with
// |t| ≤ 1 has a norm of up to 2. Whatever share of the budget a count apart would take is not lost.
//
// The interval is that of Fieller ("Some Problems in Interval Estimation", JRSS B 1954): all means m in
// the bounds for which (1-m)·B - m·A, whose expectation is 0 at the true mean, is within its noise. It is
// exact, however few records there are.
func Means(t Terms, c Cells, v Values, level float64) ([]Answer, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	width := v.Upper - v.Lower
	l, err := lawOf(t.Noise, 1)
	if err != nil {
		return nil, err
	}
	totals, err := c.release(t, 2, 1, v.halves, level)
	if err != nil {
		return nil, err
	}
	answers := make([]Answer, c.Count)
	for g := range answers {
		answers[g] = meanOf(l, totals[2*g], totals[2*g+1], level).rescale(v.Lower, width)
	}
	return answers, nil
}

// halves writes what a record adds to the sums of a mean.
func (v Values) halves(dst []float64, i int) {
	if x, ok := v.at(i); ok {
		u := (x - v.Lower) / (v.Upper - v.Lower)
		dst[0], dst[1] = 1-u, u
	}
}

// rescale turns an answer in [0, 1] into one in units of the numbers.
func (a Answer) rescale(lower, width float64) Answer {
	return Answer{lower + width*a.Value, width * a.Deviation, lower + width*a.Lower, lower + width*a.Upper, a.Count}
}

// meanOf is the share of b in a+b.
func meanOf(l law, a, b, level float64) Answer {
	count := a + b
	m := 0.5
	if count > 0 {
		m = min(max(b/count, 0), 1)
	}
	answer := Answer{Value: m, Count: count, Deviation: math.Inf(1)}
	if count > 0 {
		answer.Deviation = l.deviation() * math.Hypot(1-m, m) / count
	}
	answer.Lower, answer.Upper = fieller(l, a, b, level)
	return answer
}

// fieller returns the least and the largest share in [0, 1] that agrees with the sums, all of [0, 1] when
// none or every one does.
func fieller(l law, a, b, level float64) (low, high float64) {
	agrees := func(m float64) bool { return l.tail(math.Abs((1-m)*b-m*a), m, 1-m) >= 1-level }
	root := b / (a + b)
	inside := root >= 0 && root <= 1
	if l.kind == noLaw && inside {
		return root, root
	}
	first, last := agrees(0), agrees(1)
	switch {
	case first == last && (first || !inside):
		return 0, 1
	case first:
		return 0, edge(inner(root, 0), 1, agrees)
	case last:
		return edge(inner(root, 1), 0, agrees), 1
	}
	return edge(root, 0, agrees), edge(root, 1, agrees)
}

// inner is the share that agrees best, or the end that agrees where it is outside.
func inner(root, end float64) float64 {
	if root >= 0 && root <= 1 {
		return root
	}
	return end
}

// edge bisects between a share that agrees and one that does not, and returns the latter end.
func edge(in, out float64, agrees func(float64) bool) float64 {
	for range 60 {
		if middle := in + (out-in)/2; agrees(middle) {
			in = middle
		} else {
			out = middle
		}
	}
	return out
}

// release sums a short vector for each record into its cell and releases all sums at once. The vector is of
// norm at most bound: L1 for K-norm noise, else L2.
func (c Cells) release(t Terms, width int, bound float64, vector func(dst []float64, i int), level float64) ([]float64, error) {
	if err := checkLevel(level); err != nil {
		return nil, err
	}
	if c.Count < 1 || c.Count > maxNumbers/width || c.Of == nil {
		return nil, fmt.Errorf("query: the table has %d cells, want 1 to %d", c.Count, maxNumbers/width)
	}
	sample, err := mechanism.Full().Draw(c.Records)
	if err != nil {
		return nil, err
	}
	sum, err := mechanism.NewVectorSum(sample, mechanism.VectorOptions{Noise: t.Noise, Norm: normFor(t.Noise), Dim: c.Count * width, Bound: bound, MaxRecords: t.MaxRecords})
	if err != nil {
		return nil, err
	}
	err = AddVectors(sum, sample, c.Count*width, func(_ int, dst []float64, records []int) error {
		for k, i := range records {
			if g := c.Of(i); g >= 0 && g < c.Count {
				at := (k*c.Count + g) * width
				vector(dst[at:at+width], i)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	noisy, err := mechanism.Release(t.Payer, t.Noise, sum.Seal())
	return noisy.Values(), err
}

// normFor is the norm in which noise is cheapest for the vectors of this package, of which one record
// moves one cell.
func normFor(n mechanism.Noise) mechanism.Norm {
	if _, pure := n.(mechanism.KNorm); pure {
		return mechanism.L1()
	}
	return mechanism.L2()
}
