package mechanism

import (
	"fmt"
	"math"
	"sync"

	"github.com/ditherml/dither/linalg"
)

// maxMomentBound keeps ⌊√Δ⌋ within int16.
const maxMomentBound = maxCoordinate * maxCoordinate

// MomentRows returns the grid of rows on which the sum of x·xᵀ has, for this noise,
// one record's Frobenius norm at most radius²: rows are bounded by radius.
func MomentRows(n Noise, maxRecords, dim int, radius float64) (RowsOptions, error) {
	if !(radius > 0) || math.IsInf(radius, 1) {
		return RowsOptions{}, fmt.Errorf("mechanism: radius is %v, want positive and finite", radius)
	}
	g, err := n.fit(fit{maxRecords: maxRecords, maxBound: maxMomentBound, norm: L2(), dim: dim * dim})
	if err != nil {
		return RowsOptions{}, err
	}
	return RowsOptions{Dim: dim, Step: radius / math.Floor(math.Sqrt(float64(g.bound))), Limit: g.bound}, nil
}

// SecondMoment returns Σ x·xᵀ over the rows of a full sample, a dim×dim matrix of
// which one record contributes at most radius² in Frobenius norm: ‖x·xᵀ‖ = ‖x‖², and
// a row whose exact squared norm exceeds Δ contributes nothing. All entries are
// released with independent noise; averaging the result with its transpose gives the
// symmetric noise of half variance off the diagonal.
func SecondMoment(s Sample, rows *Rows, n Noise, maxRecords int) (Bounded, error) {
	if err := checkSample(s, rows, maxRecords); err != nil {
		return Bounded{}, err
	}
	if s.drawn.sampling.kind != samplingFull {
		return Bounded{}, fmt.Errorf("mechanism: the sample is %v, want a full one", s.drawn.sampling)
	}
	g, err := n.fit(fit{maxRecords: maxRecords, maxBound: maxMomentBound, norm: L2(), dim: rows.dim * rows.dim})
	if err != nil {
		return Bounded{}, err
	}
	if rows.kind != Int16 || rows.file != nil || rows.limit != g.bound || rows.count != rows.total {
		return Bounded{}, fmt.Errorf("mechanism: the rows were not made for this second moment, want the options that MomentRows gives")
	}
	unit := rows.step * rows.step
	return Bounded{&bounded{sample: s, grid: g, values: secondMoment(rows), unit: unit}}, nil
}

// secondMoment adds panels of rows to the lower triangle, its rows split over
// goroutines by area, and mirrors it.
func secondMoment(rows *Rows) []int64 {
	d := rows.dim
	total := make([]int64, d*d)
	panel := make([]float64, linalg.SyrkBlock*d)
	for first := 0; first < rows.count; first += linalg.SyrkBlock {
		m := min(linalg.SyrkBlock, rows.count-first)
		linalg.PackPanel(panel, momentPanel(rows, first, m), m, d)
		const parts = 8
		var wait sync.WaitGroup
		for p := range parts {
			from := int(float64(d) * math.Sqrt(float64(p)/parts))
			to := int(float64(d) * math.Sqrt(float64(p+1)/parts))
			wait.Go(func() { linalg.SyrkPanel(total, panel, m, d, from, to) })
		}
		wait.Wait()
	}
	for i := range d {
		for j := range i {
			total[j*d+i] = total[i*d+j]
		}
	}
	return total
}

// momentPanel returns the integers of m rows from first on; a row beyond the limit
// (which NewRows does not make) counts as zero.
func momentPanel(rows *Rows, first, m int) []int16 {
	x := rows.x.part(first, m).(dense[int16]).x
	for i := range m {
		if rows.n2[first+i] > rows.limit {
			x = append([]int16(nil), x...)
			clear(x[i*rows.dim : (i+1)*rows.dim])
		}
	}
	return x
}
