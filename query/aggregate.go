package query

import (
	"fmt"

	"github.com/ditherml/dither/mechanism"
)

// Aggregate releases any statistic by sample-and-aggregate: the records are divided at random into a
// declared number of blocks, the statistic is computed of each block, and the private median of the results on
// the declared grid is released. One record changes one block's result, in whatever way, so that the cost does
// not depend on the statistic: Choice is paid once, with the scores of entries that may be replaced. The
// answer is useful where most blocks agree. (Nissim, Raskhodnikova & Smith, "Smooth Sensitivity and Sampling in
// Private Data Analysis", STOC 2007, section 4, https://doi.org/10.1145/1250790.1250803, with another
// aggregator.)
//
// Statistic is given the numbers of the records in one block, which may be none, and must look at these
// records only; NaN counts nowhere.
func Aggregate(t QuantileTerms, records, blocks int, statistic func(members []int) float64) (float64, error) {
	if records > t.MaxRecords {
		return 0, fmt.Errorf("query: there are more records than max records %d; raise the declared bound", t.MaxRecords)
	}
	partition, err := mechanism.Partitioned(blocks)
	if err != nil {
		return 0, err
	}
	parts, err := partition.DrawParts(records)
	if err != nil {
		return 0, err
	}
	results := make([]float64, blocks)
	for k, part := range parts {
		results[k] = statistic(part.Indices())
	}
	t.MaxRecords = blocks
	chosen, err := t.choose(blocks, func(k int) float64 { return results[k] }, []float64{0.5}, true)
	if err != nil {
		return 0, err
	}
	return chosen[0], nil
}
