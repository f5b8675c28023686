package pick

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// maxPoints bounds the points of a grid.
const maxPoints = 1 << 20

// Grid is a declared ascending list of candidates.
type Grid []float64

// NewGrid returns points numbers at equal distances from lower to upper, both included. There are
// at least 2 and at most 2^20 points.
func NewGrid(lower, upper float64, points int) (Grid, error) {
	if !(lower < upper) || math.IsInf(upper-lower, 0) || points < 2 || points > maxPoints {
		return nil, fmt.Errorf("pick: grid has %d points from %v to %v, want 2 to 2^20 points between finite ascending bounds", points, lower, upper)
	}
	g := make(Grid, points)
	for j := range g {
		share := float64(j) / float64(points-1)
		g[j] = lower + share*(upper-lower)
	}
	g[points-1] = upper
	return g, nil
}

func (g Grid) check() error {
	if len(g) < 1 || len(g) > maxPoints {
		return fmt.Errorf("pick: grid has %d points, want 1 to 2^20", len(g))
	}
	for j, v := range g {
		if math.IsNaN(v) || math.IsInf(v, 0) || j > 0 && !(v > g[j-1]) {
			return fmt.Errorf("pick: grid is not ascending at point %d, want finite numbers in strictly ascending order", j+1)
		}
	}
	return nil
}

// nearest returns the point closest to x, the lower of two, and -1 for NaN.
func (g Grid) nearest(x float64) int {
	if x != x { // NaN: missing
		return -1
	}
	j, _ := slices.BinarySearch(g, x)
	switch {
	case j == len(g), j > 0 && x-g[j-1] <= g[j]-x:
		return j - 1
	}
	return j
}

// QuantileTerms are the public numbers that a choice of quantiles depends on.
type QuantileTerms struct {
	Payer mechanism.Payer
	// Choice is the way to choose each quantile, and its cost: mechanism.PermuteAndFlip or
	// mechanism.Exponential.
	Choice mechanism.Choice
	// Grid holds the candidates.
	Grid Grid
	// MaxRecords is the declared public bound on the number of records.
	MaxRecords int
}

// Quantiles returns, for each q, a point of the grid chosen as the q-quantile of the numbers of the
// rows. q is an integer number of thousandths between 0 and 1. at returns the number of a row, NaN
// for a row that is left out. The numbers are first rounded to the nearest point. Quantiles pays
// Choice once for each quantile.
//
// The score of a point is the number of rows by which its rank is wrong. It is divided by the most
// that one record can change that number (release.Ranks). It is one choice among m points. So the
// error in rank is of the order (2/ε)·ln m records for all numbers (see RankError). A binary search
// by noisy counts would pay for log2 m counts. At equal ε its error is about log2(m) times that of
// a single count for each step, several times as large at every grid size.
func Quantiles(t QuantileTerms, r Records, at func(i int) float64, q []float64) ([]float64, error) {
	return t.choose(r, at, q, false)
}

func (t QuantileTerms) choose(r Records, at func(i int) float64, q []float64, replaced bool) ([]float64, error) {
	ranks, err := t.ranks(r, at, replaced)
	if err != nil {
		return nil, err
	}
	// All quantiles are checked before the first is paid for.
	scores := make([]release.Scores, len(q))
	for k, share := range q {
		if scores[k], err = ranks.Quantile(share); err != nil {
			return nil, err
		}
	}
	chosen := make([]float64, len(q))
	for k, s := range scores {
		j, failure := release.Choose(t.Payer, t.Choice, s)
		if failure != nil {
			return nil, failure
		}
		chosen[k] = t.Grid[j]
	}
	return chosen, nil
}

// ranks puts all rows on the grid.
func (t QuantileTerms) ranks(r Records, at func(i int) float64, replaced bool) (*release.Ranks, error) {
	if err := t.Grid.check(); err != nil {
		return nil, err
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	sample, err := release.Draw(release.Full(), r.Size())
	if err != nil {
		return nil, err
	}
	ranks, err := release.NewRanks(sample, release.RanksOptions{Points: len(t.Grid), MaxRecords: t.MaxRecords, Replaced: replaced, RowsPerRecord: r.most})
	if err != nil {
		return nil, err
	}
	var points []int
	for i := range r.Size() {
		if err = ranks.Add(i, t.Points(points[:0], r, i, at)...); err != nil {
			return nil, err
		}
	}
	return ranks, nil
}

// Points appends the points of a record's rows.
func (t QuantileTerms) Points(dst []int, r Records, record int, at func(i int) float64) []int {
	r.Each(record, func(row int) { dst = append(dst, t.Grid.nearest(at(row))) })
	return dst
}

// RankError returns a bound, with the given confidence, on the error in rank of a chosen quantile
// beyond that of the best point. The bound is 2·k·max(q, 1-q)/ε·ln(m/(1-level)) rows among m
// points, where a record has at most k rows.
//
// Source: Dwork & Roth, "The Algorithmic Foundations of Differential Privacy", 2014, corollary
// 3.12, for the exponential mechanism, https://doi.org/10.1561/0400000042. It holds for
// permute-and-flip too: a point whose exponent is t below the best is chosen with a probability of
// at most exp(-t), and there are m points.
func RankError(epsilon float64, points, rows int, q, level float64) float64 {
	return 2 * float64(rows) * max(q, 1-q) / epsilon * math.Log(float64(points)/(1-level))
}

// Bounds returns an interval of the grid, chosen as two quantiles. It holds all but a share of the
// numbers, with a half of the share beyond each end. The share is an integer even number of
// thousandths. Bounds pays Choice twice. Choices in the wrong order are swapped.
func Bounds(t QuantileTerms, r Records, at func(i int) float64, share float64) (lower, upper float64, err error) {
	if !(share > 0 && share < 1) {
		return 0, 0, fmt.Errorf("pick: share outside the bounds is %v, want more than 0 and less than 1", share)
	}
	ends, err := Quantiles(t, r, at, []float64{share / 2, 1 - share/2})
	if err != nil {
		return 0, 0, err
	}
	return min(ends[0], ends[1]), max(ends[0], ends[1]), nil
}
