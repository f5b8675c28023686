package query

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/mechanism"
)

// AggregateTerms are the public parameters of the function Aggregate.
type AggregateTerms struct {
	// Payer pays for the event Choice before the answer is drawn.
	Payer mechanism.Payer
	// Choice is the mechanism that selects the median: mechanism.PermuteAndFlip or
	// mechanism.Exponential. It determines the cost.
	Choice mechanism.Choice
	// Lower and Upper are declared bounds on the statistic of a block.
	Lower, Upper float64
	// Points is the number of possible answers, from 2 to 2^20. The possible answers are equally
	// spaced numbers from Lower to Upper, ends included.
	Points int
	// MaxRecords is a declared public upper bound on the number of records. Blocks is the number of
	// blocks.
	MaxRecords, Blocks int
}

// Aggregate returns a private estimate of any statistic by sample-and-aggregate. It divides the
// records at random into t.Blocks blocks and computes the statistic on each block. It releases a
// private median of the results. The cost is the cost of the event t.Choice, whatever the statistic
// is. The answer is accurate if most blocks give similar results. (Nissim, Raskhodnikova & Smith,
// "Smooth Sensitivity and Sampling in Private Data Analysis", STOC 2007, section 4,
// https://doi.org/10.1145/1250790.1250803, with another aggregator.)
//
// The records have the numbers from 0 to records-1. The function statistic receives the numbers of
// one block in its argument rows. This list may be empty. The function must read only the records
// of the block. If the function returns NaN, the block is ignored. If Aggregate returns an error,
// nothing was released.
func Aggregate(t AggregateTerms, records int, statistic func(rows []int) float64) (float64, error) {
	grid, err := pick.NewGrid(t.Lower, t.Upper, t.Points)
	if err != nil {
		return 0, err
	}
	terms := pick.QuantileTerms{Payer: t.Payer, Choice: t.Choice, Grid: grid, MaxRecords: t.MaxRecords}
	return pick.Aggregate(terms, pick.EachRow(records), t.Blocks, statistic)
}

// blockStatistic is a statistic that an aggregate computes for each block.
type blockStatistic struct {
	// expressions is the number of expressions of a row that it uses.
	expressions int
	// bounds returns the range of the statistic, given the bounds of the first expression.
	bounds func(lower, upper float64) (least, most float64)
	// of returns the value, NaN for too few rows. columns[j] are the numbers of expression j.
	of func(columns [][]float64) float64
}

var blockStatistics = map[string]blockStatistic{
	"mean":        {1, asTheyAre, func(c [][]float64) float64 { return mean(c[0]) }},
	"median":      {1, asTheyAre, func(c [][]float64) float64 { return median(c[0]) }},
	"deviation":   {1, func(a, b float64) (float64, float64) { return 0, (b - a) / 2 }, func(c [][]float64) float64 { return math.Sqrt(covarianceOf(c[0], c[0])) }},
	"correlation": {2, func(float64, float64) (float64, float64) { return -1, 1 }, correlation},
}

// AggregateNames returns the names of the statistics that Plan.Of accepts, sorted.
func AggregateNames() []string { return slices.Sorted(maps.Keys(blockStatistics)) }

// maxBlocks bounds the blocks of an aggregate.
const maxBlocks = 1 << 20

// checkAggregate refuses an unknown statistic of blocks, or a number of blocks that makes no sense.
func (p Plan) checkAggregate() error {
	s, known := blockStatistics[p.Of]
	switch {
	case !known:
		return fmt.Errorf("query: the statistic of a block is %q, want one of %v", p.Of, AggregateNames())
	case len(p.Expressions) != s.expressions:
		return fmt.Errorf("query: %s of a block has %d expressions, want %d", p.Of, len(p.Expressions), s.expressions)
	case p.Blocks < 2 || p.Blocks > maxBlocks:
		return fmt.Errorf("query: number of blocks is %d, want 2 to 2^20", p.Blocks)
	}
	return nil
}

func asTheyAre(lower, upper float64) (least, most float64) { return lower, upper }

// mean returns the mean, NaN for no numbers.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// median returns the median, the lower one of two in the middle, and NaN for no numbers.
func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(x))
	return sorted[(len(x)-1)/2]
}

// covarianceOf returns the covariance, divided by the number of rows.
func covarianceOf(x, y []float64) float64 {
	mx, my, sum := mean(x), mean(y), 0.0
	for i := range x {
		sum += (x[i] - mx) * (y[i] - my)
	}
	return sum / float64(len(x))
}

// correlation returns the correlation, NaN where one of two columns does not vary.
func correlation(c [][]float64) float64 {
	return covarianceOf(c[0], c[1]) / math.Sqrt(covarianceOf(c[0], c[0])*covarianceOf(c[1], c[1]))
}
