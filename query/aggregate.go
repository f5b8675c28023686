package query

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/mechanism"
)

// AggregateTerms are the public numbers of a statistic by sample-and-aggregate.
type AggregateTerms struct {
	Payer mechanism.Payer
	// Choice is how the median is chosen, and what it costs: mechanism.PermuteAndFlip or
	// mechanism.Exponential.
	Choice mechanism.Choice
	// Lower and Upper are where the statistic of a block may lie. The answer is one of Points numbers
	// at equal distances between them, both included; at least 2 and at most 2^20.
	Lower, Upper float64
	Points       int
	// MaxRecords is the declared public bound on the number of records, Blocks how many blocks they
	// are divided into.
	MaxRecords, Blocks int
}

// Aggregate releases any statistic by sample-and-aggregate. The records are divided at random into
// a declared number of blocks, and the statistic is computed on each block. The private median of
// the results is released. It is paid for once, with t.Choice, whatever the statistic is. The
// answer is useful where most blocks agree. (Nissim, Raskhodnikova & Smith, "Smooth Sensitivity and
// Sampling in Private Data Analysis", STOC 2007, section 4,
// https://doi.org/10.1145/1250790.1250803, with another aggregator.)
//
// Statistic is given the numbers of the rows in one block, from 0 up to records - 1, which may be
// none. It must look at these rows only. A result of NaN is left out of the median. An error of the
// grid, of the bound on records or of the payer releases nothing.
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

// AggregateNames returns the statistics that a plan may compute for blocks, sorted.
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
