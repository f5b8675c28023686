package mechanism

import (
	"fmt"
	"math"
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

// SecondMoment is SumProducts of all pairs of coordinates: Σ x·xᵀ over the rows of a full sample.
func SecondMoment(s Sample, rows *Rows, n Noise, maxRecords int) (Bounded, error) {
	return SumProducts(s, rows, AllProducts(), n, maxRecords)
}

// SumProducts returns the sum of products of coordinates over the rows of a full sample, of which one
// record contributes at most radius² in L2 norm: its products are among those of x·xᵀ, or sums of
// them with ‖Σ y·yᵀ‖ ≤ Σ ‖y‖² = ‖x‖², and a row whose exact squared norm exceeds Δ contributes
// nothing. All entries are released with independent noise; averaging a square matrix with its transpose
// gives the symmetric noise of half variance off the diagonal.
func SumProducts(s Sample, rows *Rows, p Products, n Noise, maxRecords int) (Bounded, error) {
	if err := checkSample(s, rows, maxRecords); err != nil {
		return Bounded{}, err
	}
	if s.drawn.sampling.kind != samplingFull {
		return Bounded{}, fmt.Errorf("mechanism: the sample is %v, want a full one", s.drawn.sampling)
	}
	if err := p.check(rows.dim); err != nil {
		return Bounded{}, err
	}
	g, err := n.fit(fit{maxRecords: maxRecords, maxBound: maxMomentBound, norm: L2(), dim: p.Numbers(rows.dim)})
	if err != nil {
		return Bounded{}, err
	}
	if rows.kind != Int16 || rows.file != nil || rows.limit != g.bound || rows.count != rows.total {
		return Bounded{}, fmt.Errorf("mechanism: the rows were not made for this second moment, want the options that MomentRows gives")
	}
	unit := rows.step * rows.step
	return Bounded{&bounded{sample: s, grid: g, values: p.sum(rows), unit: unit}}, nil
}

const (
	// momentRows is how many rows are multiplied at a time.
	momentRows = 512
	// momentFlush rows have products, each at most maxMomentBound < 2^30, whose sums stay below 2^53.
	momentFlush = 1 << 22
)

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
