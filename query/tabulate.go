package query

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// tableCells is the rule by which the rows of a table count in cells.
type tableCells struct {
	// Records are the rows, or the persons whose rows they are.
	Records pick.Records
	// Count is the declared number of cells, at least 1.
	Count int
	// Of returns the cell of a row, 0 … Count-1, or -1 for a row that is left out. It must use
	// that row only.
	Of func(i int) int
}

// allRows returns one cell with all rows, each a record.
func allRows(rows int) tableCells {
	return tableCells{pick.EachRow(rows), 1, func(int) int { return 0 }}
}

// rowNumbers are the numbers of the rows.
type rowNumbers struct {
	// Lower and Upper are declared, Lower < Upper. A number beyond them is moved to the nearer one.
	Lower, Upper float64
	// At returns the number of a row, or NaN for a row that is left out. It must use that row
	// only.
	At func(i int) float64
}

// at returns the number of a row within the bounds, and whether there is one.
func (v rowNumbers) at(i int) (float64, bool) {
	x := v.At(i)
	return min(max(x, v.Lower), v.Upper), x == x // NaN: missing
}

// check refuses numbers without a range.
func (v rowNumbers) check() error {
	if !(v.Lower < v.Upper) || math.IsInf(v.Upper-v.Lower, 0) || v.At == nil {
		return fmt.Errorf("query: bounds are %v to %v, want declared finite bounds in ascending order", v.Lower, v.Upper)
	}
	return nil
}

// maxNumbers bounds the numbers of one release.
const maxNumbers = 1 << 20

// checkLevel refuses a level that is no confidence.
func checkLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("query: confidence is %v, want more than 0 and less than 1", level)
	}
	return nil
}

// table is a statistic that follows from sums in cells.
type table struct {
	// width is the count of numbers released for each cell.
	width int
	// bound returns a bound on the L1 norm of one row's vector, and so on its L2 norm.
	bound func(v rowNumbers) float64
	// vector writes the contribution of a row to its cell.
	vector func(v rowNumbers, dst []float64, row int)
	// answer returns the answer from the totals of a cell. l is the distribution of noise for one
	// record's bound.
	answer func(l law, totals []float64, v rowNumbers, level float64) Answer
	// valued reports that a row has a number.
	valued bool
}

// tables are the statistics in cells. For persons the bound is that of a row times the largest
// number of rows.
var tables = map[Statistic]table{
	countStatistic:     counting,
	histogramStatistic: counting,
	sumStatistic: {1, sumBound, rowNumbers.number,
		func(l law, totals []float64, _ rowNumbers, level float64) Answer { return l.linear(totals[0], level) }, true},
	meanStatistic: {2, one, rowNumbers.halves,
		func(l law, totals []float64, v rowNumbers, level float64) Answer {
			return meanOf(l, totals[0], totals[1], level).rescale(v.Lower, v.Upper-v.Lower)
		}, true},
	varianceStatistic: {3, one, rowNumbers.thirds,
		func(l law, totals []float64, v rowNumbers, level float64) Answer {
			width := v.Upper - v.Lower
			return varianceOf(l, totals, level).rescale(0, width*width)
		}, true},
}

// number writes the contribution of a row to a sum: nothing where its number is missing.
func (v rowNumbers) number(dst []float64, row int) {
	if x, ok := v.at(row); ok {
		dst[0] = x
	}
}

// counting is the statistic of the number of rows in each cell.
var counting = table{1, one, func(_ rowNumbers, dst []float64, _ int) { dst[0] = 1 },
	func(l law, totals []float64, _ rowNumbers, level float64) Answer { return l.linear(totals[0], level) }, false}

func one(rowNumbers) float64 { return 1 }

// ask releases the sums and returns the answer of each cell.
func (s table) ask(t pass.Settings, c tableCells, v rowNumbers, level float64) ([]Answer, error) {
	totals, err := s.totals(t, c, v, level)
	if err != nil {
		return nil, err
	}
	l, err := lawOf(t.Noise, s.bound(v)*float64(c.Records.Most()))
	if err != nil {
		return nil, err
	}
	answers := make([]Answer, c.Count)
	for g := range answers {
		answers[g] = s.answer(l, totals[g*s.width:(g+1)*s.width], v, level)
	}
	return answers, nil
}

// totals returns the released sums of all cells.
func (s table) totals(t pass.Settings, c tableCells, v rowNumbers, level float64) ([]float64, error) {
	if s.valued {
		if err := v.check(); err != nil {
			return nil, err
		}
	}
	if _, err := lawOf(t.Noise, 1); err != nil {
		return nil, err
	}
	return c.release(t, s.width, s.bound(v), func(dst []float64, row int) { s.vector(v, dst, row) }, level)
}

// histogram returns the noisy number of rows in each cell, in one release. A row is in at most one
// cell. So it moves the vector of counts by at most 1 in the L1 and the L2 norm. All cells together
// cost what one count costs (parallel composition, McSherry, "Privacy Integrated Queries", SIGMOD
// 2009, theorem 4, https://doi.org/10.1145/1559845.1559850).
//
// The rows of a person may be in several cells. The norm of their sum is at most the number of
// rows. Under replace-one a record may leave one cell and enter another, which accountants charge
// as two bounds. Each interval is exact and holds by itself, not all together.
func histogram(t pass.Settings, c tableCells, level float64) ([]Answer, error) {
	return counting.ask(t, c, rowNumbers{}, level)
}

// sumsOf returns the noisy sum of the numbers in each cell, in one release. One row moves at most
// one sum, by at most the larger magnitude of its bounds. The intervals are exact.
func sumsOf(t pass.Settings, c tableCells, v rowNumbers, level float64) ([]Answer, error) {
	return tables[sumStatistic].ask(t, c, v, level)
}

// sumBound returns the largest change of a sum of such numbers by one row.
func sumBound(v rowNumbers) float64 { return max(-v.Lower, v.Upper) }

// meansOf returns the mean of the numbers in each cell, in one release.
//
// Let u in [0, 1] be a number's place between its bounds. A row adds (1-u, u) to the two sums of
// its cell, a vector of L1 norm 1 and of L2 norm at most 1. So one row moves the release by at most
// 1 in either norm. The mean is the second sum over both sums.
//
// In the L2 norm this is the sum of centered numbers and the count, turned by 45 degrees. In the L1
// norm it has half of their variance, because the pair (t, 1) with |t| ≤ 1 has a norm of up to 2. A
// separate count would take a share of the budget; here no share is lost.
//
// The interval is that of Fieller ("Some Problems in Interval Estimation", JRSS B 1954). It has all
// means m in the bounds for which (1-m)·B - m·A, whose expectation is 0 at the true mean, is within
// its noise. It is exact for every number of records.
func meansOf(t pass.Settings, c tableCells, v rowNumbers, level float64) ([]Answer, error) {
	return tables[meanStatistic].ask(t, c, v, level)
}

// halves writes the contribution of a row to the sums of a mean.
func (v rowNumbers) halves(dst []float64, row int) {
	if x, ok := v.at(row); ok {
		u := (x - v.Lower) / (v.Upper - v.Lower)
		dst[0], dst[1] = 1-u, u
	}
}

// rescale returns an answer in [0, 1] in units of the numbers.
func (a Answer) rescale(lower, width float64) Answer {
	return Answer{lower + width*a.Value, width * a.Deviation, lower + width*a.Lower, lower + width*a.Upper, a.Count, a.AtLeast}
}

// leastPart is a multiple of the noise. Each of the two sums of a mean must reach it for an
// interval that holds as often as stated. Below it, it may happen that no share agrees, or that
// nearly all do; then the interval is the whole possible range.
const leastPart = 2

// meanOf returns the share of b in a+b. Where noise leaves nothing of the count, it is the middle
// of the interval.
func meanOf(l law, a, b, level float64) Answer {
	count := a + b
	m := 0.5
	if count > 0 {
		m = min(max(b/count, 0), 1)
	}
	answer := Answer{Value: m, Count: count, Deviation: math.Inf(1), AtLeast: !(min(a, b) > leastPart*l.deviation())}
	if count > 0 {
		answer.Deviation = l.deviation() * math.Hypot(1-m, m) / count
	}
	answer.Lower, answer.Upper = fieller(l, a, b, level)
	if !(count > 0) {
		answer.Value = (answer.Lower + answer.Upper) / 2
	}
	answer.Value = min(max(answer.Value, answer.Lower), answer.Upper)
	return answer
}

// fieller returns the least and the largest share in [0, 1] that agrees with the sums. When no
// share or every share agrees, it returns all of [0, 1].
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

// inner returns the share that agrees best, or end where that share is outside.
func inner(root, end float64) float64 {
	if root >= 0 && root <= 1 {
		return root
	}
	return end
}

// edge bisects between a share that agrees and one that does not, and returns the end that does
// not.
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

// release returns the sums of all cells, released at once, where each row adds a short vector to
// its cell. The vector has a norm of at most bound: L1 for K-norm noise, else L2. By the triangle
// inequality the sum of a record's rows has at most that norm times their largest number.
func (c tableCells) release(t pass.Settings, width int, bound float64, vector func(dst []float64, row int), level float64) ([]float64, error) {
	if err := checkLevel(level); err != nil {
		return nil, err
	}
	if err := c.Records.Check(); err != nil {
		return nil, err
	}
	if c.Count < 1 || c.Count > maxNumbers/width || c.Of == nil {
		return nil, fmt.Errorf("query: the table has %d cells, want 1 to %d", c.Count, maxNumbers/width)
	}
	sample, err := release.Draw(release.Full(), c.Records.Size())
	if err != nil {
		return nil, err
	}
	dim := c.Count * width
	sum, err := release.NewVectorSum(sample, release.VectorOptions{Noise: t.Noise, Norm: normFor(t.Noise), Dim: dim, Bound: bound * float64(c.Records.Most()), MaxRecords: t.MaxRecords})
	if err != nil {
		return nil, err
	}
	err = pass.Vectors(sum, sample, dim, func(_ int, dst []float64, records []int) error {
		cell := make([]float64, width)
		for k, i := range records {
			c.Records.Each(i, func(row int) {
				c.add(dst[k*dim:(k+1)*dim], cell, row, vector)
			})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	noisy, err := release.Release(t.Payer, t.Noise, sum.Seal())
	return noisy.Values(), err
}

// add adds the vector of a row to its cell. The vector is written to room.
func (c tableCells) add(dst, room []float64, row int, vector func(dst []float64, row int)) {
	g := c.Of(row)
	if g < 0 || g >= c.Count {
		return
	}
	clear(room)
	vector(room, row)
	for j, v := range room {
		dst[g*len(room)+j] += v
	}
}

// normFor returns the norm in which noise costs least for the vectors of this package. One record
// moves one cell of them.
func normFor(n mechanism.Noise) release.Norm {
	if _, pure := n.(mechanism.KNorm); pure {
		return release.L1()
	}
	return release.L2()
}
