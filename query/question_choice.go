package query

import (
	"math"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/mechanism"
)

// askChoice returns answers that are chosen on a grid.
func (q *Question) askChoice(payer mechanism.Payer, d *data.Dataset, r pick.Records) ([]Row, error) {
	p := q.plan
	lower, upper := q.gridBounds()
	grid, err := pick.NewGrid(lower, upper, p.Points)
	if err != nil {
		return nil, err
	}
	t := pick.QuantileTerms{Payer: payer, Choice: p.choice(), Grid: grid, MaxRecords: p.MaxRecords}
	switch p.Statistic {
	case radiusStatistic:
		chosen, failure := medianRadius(t, r, q.norms(d))
		return chosenRows(failure, "radius", chosen)
	case aggregateStatistic:
		chosen, failure := pick.Aggregate(t, r, p.Blocks, q.ofBlock(d))
		return chosenRows(failure, p.Of, chosen)
	}
	chosen, err := pick.Quantiles(t, r, q.kept(0, d), p.Quantiles)
	if err != nil {
		return nil, err
	}
	if p.Statistic == boundsStatistic {
		slices.Sort(chosen)
	}
	var rows []Row
	for k, v := range chosen {
		rows = append(rows, chosenRow(plain(p.Quantiles[k]), v))
	}
	return rows, nil
}

// chosenRow returns an answer without a known noise.
func chosenRow(name string, v float64) Row {
	return Row{name, Answer{Value: v, Deviation: math.NaN(), Lower: math.NaN(), Upper: math.NaN()}}
}

func chosenRows(err error, name string, v float64) ([]Row, error) {
	if err != nil {
		return nil, err
	}
	return []Row{chosenRow(name, v)}, nil
}

// gridBounds returns the ends of the grid: the bounds of the expression, of the norm of all
// expressions, or of the statistic of a block.
func (q *Question) gridBounds() (lower, upper float64) {
	p := q.plan
	switch p.Statistic {
	case radiusStatistic:
		largest := make([]float64, len(p.Lower))
		for k := range largest {
			largest[k] = max(-p.Lower[k], p.Upper[k])
		}
		return 0, length(largest)
	case aggregateStatistic:
		return blockStatistics[p.Of].bounds(p.Lower[0], p.Upper[0])
	}
	return p.Lower[0], p.Upper[0]
}

// norms returns the numbers of a row whose norm counts. A missing number makes the norm missing.
func (q *Question) norms(d *data.Dataset) func(i int) []float64 {
	columns := q.columns(d)
	row := make([]float64, len(columns))
	return func(i int) []float64 {
		for k, v := range columns {
			row[k] = v.At(i)
		}
		return row
	}
}

// ofBlock returns the statistic of the rows of a block that have all numbers.
func (q *Question) ofBlock(d *data.Dataset) func(rows []int) float64 {
	columns, of := q.columns(d), blockStatistics[q.plan.Of].of
	return func(rows []int) float64 {
		numbers := make([][]float64, len(columns))
		for _, i := range rows {
			if slices.ContainsFunc(columns, func(v rowNumbers) bool { return math.IsNaN(v.At(i)) }) {
				continue
			}
			for k, v := range columns {
				numbers[k] = append(numbers[k], v.At(i))
			}
		}
		return of(numbers)
	}
}

// medianRadius returns a choice of the median of the L2 norms of the rows, a radius to which
// vectors may be clipped. It pays Choice once. row(i) must use that row only. A norm that is not
// finite is left out.
func medianRadius(t pick.QuantileTerms, r pick.Records, row func(i int) []float64) (float64, error) {
	chosen, err := pick.Quantiles(t, r, func(i int) float64 {
		if norm := length(row(i)); !math.IsInf(norm, 0) {
			return norm
		}
		return math.NaN()
	}, []float64{0.5})
	if err != nil {
		return 0, err
	}
	return chosen[0], nil
}
