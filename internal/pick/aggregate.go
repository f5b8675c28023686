package pick

import (
	"fmt"

	"github.com/ditherml/dither/internal/release"
)

// Aggregate releases any statistic by sample-and-aggregate. The records are divided at random into
// a declared number of blocks, and the statistic of each block is computed. Aggregate returns the
// private median of the results on the declared grid. The answer is useful where most blocks agree.
//
// One record changes one block's result in an arbitrary way, so the cost does not depend on the
// statistic. Choice is paid once, with the scores of entries that may be replaced.
//
// statistic receives the numbers of the rows of all records in one block, which may be none. It
// must use these rows only. A result of NaN is left out. Where records are persons, the rows of
// a person lie in one block, and the cost does not depend on their number.
//
// Source: Nissim, Raskhodnikova & Smith, "Smooth Sensitivity and Sampling in Private Data
// Analysis", STOC 2007, section 4, https://doi.org/10.1145/1250790.1250803, with another
// aggregator.
func Aggregate(t QuantileTerms, r Records, blocks int, statistic func(rows []int) float64) (float64, error) {
	if err := r.Check(); err != nil {
		return 0, err
	}
	if r.Size() > t.MaxRecords {
		return 0, fmt.Errorf("pick: there are more records than max records %d; raise the declared bound", t.MaxRecords)
	}
	partition, err := release.Partitioned(blocks)
	if err != nil {
		return 0, err
	}
	parts, err := release.DrawParts(partition, r.Size())
	if err != nil {
		return 0, err
	}
	results := make([]float64, blocks)
	for k, part := range parts {
		results[k] = statistic(r.RowsOf(part.Indices()))
	}
	t.MaxRecords = blocks
	chosen, err := t.choose(EachRow(blocks), func(k int) float64 { return results[k] }, []float64{0.5}, true)
	if err != nil {
		return 0, err
	}
	return chosen[0], nil
}

// RowsOf lists the rows of some records that are used.
func (r Records) RowsOf(records []int) []int {
	var rows []int
	for _, record := range records {
		r.Each(record, func(row int) { rows = append(rows, row) })
	}
	return rows
}
