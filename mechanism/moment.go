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
	return Bounded{&bounded{sample: s, grid: g, values: sumOfProducts(rows, p), unit: unit}}, nil
}

// sumOfProducts adds up the products of rows, exactly.
func sumOfProducts(rows *Rows, p Products) []int64 {
	if p.form == allProducts {
		return sumAllProducts(rows)
	}
	return p.sum(rows)
}

// gramRows is how many rows are multiplied at a time, in groups of their own.
const gramRows = 2048

// sumAllProducts is Products.sum of all pairs of coordinates, in whole numbers throughout. Sums of 64 bits hold
// those of 2^33 rows, whose products are at most maxMomentBound.
func sumAllProducts(rows *Rows) []int64 {
	d, all := rows.dim, rows.x.(dense[int16]).x
	total := make([]int64, d*d)
	var lock sync.Mutex
	parallel(rows.count, func(from, to int) {
		part := make([]int64, d*d)
		for first := from; first < to; first += gramRows {
			n := min(gramRows, to-first)
			x := all[first*d : (first+n)*d]
			for i, n2 := range rows.n2[first : first+n] {
				if n2 > rows.limit { // which no row that was made is
					x = append(append(append([]int16(nil), x[:i*d]...), make([]int16, d)...), x[(i+1)*d:]...)
				}
			}
			linalg.AddGramWhole(part, x, d, linalg.GramGroup(x, d))
		}
		lock.Lock()
		defer lock.Unlock()
		linalg.AddLong(total, part)
	})
	mirrorLower(total, d)
	return total
}

// mirrorLower copies what stands below the diagonal above it.
func mirrorLower(m []int64, side int) {
	for i := range side {
		for j := range i {
			m[j*side+i] = m[i*side+j]
		}
	}
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
