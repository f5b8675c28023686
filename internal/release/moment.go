package release

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/mechanism"
)

// maxMomentBound keeps ⌊√Δ⌋ within int16.
const maxMomentBound = maxCoordinate * maxCoordinate

// MomentRows returns the grid of rows for SecondMoment with this noise. The argument dim is the
// number of coordinates. The L2 norm of a row x is at most radius. So one record changes the sum of
// x·xᵀ by at most radius² in the Frobenius norm.
func MomentRows(n mechanism.Noise, maxRecords, dim int, radius float64) (RowsOptions, error) {
	return momentOptions(n, maxRecords, dim, radius, maxMomentBound)
}

// MomentRowsOf returns the grid of rows for SecondMomentOf with this noise. Such rows are used for
// nothing else, so the grid is coarser than the grid of MomentRows: about 2^12 steps for one
// radius. On this grid, sums of many products fit into 32 bits. Rounding moves a row by at most
// √dim·2^-13 times the radius.
func MomentRowsOf(n mechanism.Noise, maxRecords, dim int, radius float64) (RowsOptions, error) {
	return momentOptions(n, maxRecords, dim, radius, maxPairBound)
}

// maxPairBound is maxMomentBound for rows that are not kept.
const maxPairBound = 1 << 24

func momentOptions(n mechanism.Noise, maxRecords, dim int, radius float64, maxBound int64) (RowsOptions, error) {
	if !(radius > 0) || math.IsInf(radius, 1) {
		return RowsOptions{}, fmt.Errorf("release: radius is %v, want positive and finite", radius)
	}
	g, err := fitNoise(n, fit{maxRecords: maxRecords, maxBound: maxBound, norm: L2(), dim: dim * dim})
	if err != nil {
		return RowsOptions{}, err
	}
	return RowsOptions{Dim: dim, Step: radius / math.Floor(math.Sqrt(float64(g.bound))), Limit: g.bound}, nil
}

// SecondMoment returns the sum of x·xᵀ over the rows x of a sample with all records. It is
// SumProducts with AllProducts.
func SecondMoment(s Sample, rows *Rows, n mechanism.Noise, maxRecords int) (Bounded, error) {
	return SumProducts(s, rows, AllProducts(), n, maxRecords)
}

// SumProducts returns the sum of products of coordinates over the rows of a sample with all
// records, sealed. The argument p selects the products. One record contributes at most radius² in
// L2 norm. The reason is that its products are entries of x·xᵀ, or sums of such matrices with ‖Σ
// y·yᵀ‖ ≤ Σ ‖y‖² = ‖x‖². A row whose exact squared norm exceeds the limit of its grid contributes
// nothing.
//
// All entries are released with independent noise. Averaging a square matrix with its transpose
// gives symmetric noise, with half the variance off the diagonal.
func SumProducts(s Sample, rows *Rows, p Products, n mechanism.Noise, maxRecords int) (Bounded, error) {
	if err := checkSample(s, rows, maxRecords); err != nil {
		return Bounded{}, err
	}
	if err := p.check(rows.dim); err != nil {
		return Bounded{}, err
	}
	g, err := momentGrid(s, n, fit{maxRecords: maxRecords, maxBound: maxMomentBound, norm: L2(), dim: p.Numbers(rows.dim)})
	if err != nil {
		return Bounded{}, err
	}
	if rows.kind != Int16 || rows.file != nil || rows.limit != g.bound || rows.count != rows.total {
		return Bounded{}, errMoment
	}
	check, values := newMomentCheck(s, p, rows.dim, g.bound), slices.Clone(sumOfProducts(rows, p))
	check.noteRows(rows)
	return Bounded{&bounded{sample: s, adds: true, grid: g, values: values, unit: rows.step * rows.step, faulty: !check.agrees(values)}}, nil
}

// SecondMomentOf does what SecondMoment does, for rows that are computed when they are needed and
// not stored. There is one row for each record of the sample. The argument o must be the result of
// MomentRowsOf. The argument worker has the meaning of the argument of NewWholeRows. A row beyond
// the limit of o becomes zero.
func SecondMomentOf(s Sample, o RowsOptions, n mechanism.Noise, maxRecords int, worker func() func(dst []int16, first, n int)) (Bounded, error) {
	return secondMomentOf(s, o, n, maxRecords, worker, addPairs)
}

// secondMomentOf is SecondMomentOf with this kernel.
func secondMomentOf(s Sample, o RowsOptions, n mechanism.Noise, maxRecords int, worker func() func(dst []int16, first, n int), add pairKernel) (Bounded, error) {
	if s.drawn == nil {
		return Bounded{}, fmt.Errorf("release: the sample is empty, want one that Draw made")
	}
	if err := checkMaxRecords(s, maxRecords); err != nil {
		return Bounded{}, err
	}
	if _, err := newRows(s.drawn.records, o); err != nil {
		return Bounded{}, err
	}
	g, err := momentGrid(s, n, fit{maxRecords: maxRecords, maxBound: maxPairBound, norm: L2(), dim: o.Dim * o.Dim})
	if err != nil {
		return Bounded{}, err
	}
	if o.Type != Int16 || o.Limit != g.bound || o.First != 0 || o.Total != 0 && o.Total != s.drawn.records {
		return Bounded{}, errMoment
	}
	check := newMomentCheck(s, AllProducts(), o.Dim, g.bound)
	values := slices.Clone(sumPairs(s.drawn.records, o.Dim, add, func() func(first, n int) []int16 {
		write, room := worker(), make([]int16, min(gramRows, s.drawn.records)*o.Dim)
		return func(first, n int) []int16 {
			x := writeRows(room[:n*o.Dim], o.Dim, write, first, o.Limit)
			check.note(first, x)
			return x
		}
	}))
	return Bounded{&bounded{sample: s, adds: true, grid: g, values: values, unit: o.Step * o.Step, faulty: !check.agrees(values)}}, nil
}

var errMoment = fmt.Errorf("release: the rows were not made for this second moment, want the options that MomentRows gives, or MomentRowsOf for rows that are not kept")

// momentGrid returns the grid of a sum of products over a full sample.
func momentGrid(s Sample, n mechanism.Noise, f fit) (grid, error) {
	if !s.full() {
		return grid{}, fmt.Errorf("release: the sample is %v, want a full one", s.drawn.sampling)
	}
	return fitNoise(n, f)
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

// sumAllProducts is Products.sum of all pairs of coordinates, in integers throughout.
func sumAllProducts(rows *Rows) []int64 {
	d, all := rows.dim, shorts(rows)
	return sumPairs(rows.count, d, addPairs, func() func(first, n int) []int16 {
		return func(first, n int) []int16 {
			x := all[first*d : (first+n)*d]
			for i, n2 := range rows.n2[first : first+n] {
				if n2 > rows.limit { // which no row that was made is
					x = append(append(append([]int16(nil), x[:i*d]...), make([]int16, d)...), x[(i+1)*d:]...)
				}
			}
			return x
		}
	})
}

// pairKernel adds to sum, on and below the diagonal, the products of all pairs of d coordinates of
// rows x.
type pairKernel func(sum []int64, x []int16, d int)

func addPairs(sum []int64, x []int16, d int) { kernel.AddGramInt(sum, x, d, kernel.GramGroup(x, d)) }

// sumPairs adds up the products of all pairs of d coordinates of rows, exactly. Each goroutine has
// a function of its own that returns rows first … first+n-1, n ≤ gramRows. Sums of 64 bits hold the
// products of 2^33 rows, each at most maxMomentBound.
func sumPairs(count, d int, add pairKernel, rows func() func(first, n int) []int16) []int64 {
	total := make([]int64, d*d)
	var lock sync.Mutex
	parallel.Parts(count, func(from, to int) {
		part, own := make([]int64, d*d), rows()
		for first := from; first < to; first += gramRows {
			add(part, own(first, min(gramRows, to-first)), d)
		}
		lock.Lock()
		defer lock.Unlock()
		kernel.AddLong(total, part)
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
	// momentFlush rows have products, each at most maxMomentBound < 2^30, whose sums stay below
	// 2^53.
	momentFlush = 1 << 22
)

// flushLower moves the integers on and below the diagonal to total, on both sides of it.
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
