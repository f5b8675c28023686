package mechanism

import (
	"fmt"
	"math"

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

const (
	// momentRows is how many rows are multiplied at a time.
	momentRows = 512
	// momentFlush rows have products, each at most maxMomentBound < 2^30, whose sums stay below 2^53.
	momentFlush = 1 << 22
)

// secondMoment adds up the products of rows as whole numbers in float64, exactly, and mirrors them.
func secondMoment(rows *Rows) []int64 {
	d := rows.dim
	total, whole, panel := make([]int64, d*d), make([]float64, d*d), make([]float64, momentRows*d)
	for first := 0; first < rows.count; first += momentRows {
		n := min(momentRows, rows.count-first)
		momentPanel(panel[:n*d], rows, first)
		linalg.AddGram(whole, panel[:n*d], n, d)
		if (first+momentRows)%momentFlush == 0 || first+n == rows.count {
			flushLower(total, whole, d)
		}
	}
	return total
}

// flushLower moves the whole numbers on and below the diagonal to total, on both sides of it.
func flushLower(total []int64, whole []float64, d int) {
	for i := range d {
		for j := range i + 1 {
			if total[i*d+j] += int64(whole[i*d+j]); i != j {
				total[j*d+i] = total[i*d+j]
			}
		}
	}
	clear(whole)
}

// momentPanel writes the integers of rows from first on to panel; a row beyond the limit (which
// NewRows does not make) counts as zero.
func momentPanel(panel []float64, rows *Rows, first int) {
	d := rows.dim
	for i := range len(panel) / d {
		out := panel[i*d : (i+1)*d]
		if rows.n2[first+i] > rows.limit {
			clear(out)
			continue
		}
		for j, v := range rows.x.(dense[int16]).row(first + i) {
			out[j] = float64(v)
		}
	}
}
