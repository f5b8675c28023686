package release

import (
	"math"
	"math/bits"
	"sync"

	"github.com/ditherml/dither/internal/parallel"
)

// gradients is the exact sum of what the records add at the weights x.
func (r Recursion) gradients(g recursionGrid, all Sample, x []int64) ([]int64, error) {
	sum := newSum(all, r.Rows, r.Columns, r.ClippingNorm, g.grid)
	high, low := halves(x)
	var lock sync.Mutex
	var failed error
	parallel.Parts(r.Rows.Len(), func(from, to int) {
		part := recursionPart{Recursion: r, grid: g, sum: sum.Empty(), high: high, low: low, lent: make([]int16, r.Dim), row: make([]int16, r.Dim)}
		err := r.Rows.Each(r.Rows.First()+from, to-from, part.add)
		lock.Lock()
		defer lock.Unlock()
		if err == nil {
			err = sum.Merge(part.sum)
		}
		if err != nil {
			failed = err
		}
	})
	if failed != nil {
		return nil, failed
	}
	sealed := sum.Seal().state
	if sealed.faulty {
		return nil, ErrComputation
	}
	return sealed.values, nil
}

// halves writes each number as high·2^31 + low, 0 ≤ low < 2^31.
func halves(x []int64) (high, low []int64) {
	high, low = make([]int64, len(x)), make([]int64, len(x))
	for j, v := range x {
		high[j], low[j] = v>>31, v&(1<<31-1)
	}
	return high, low
}

// recursionPart adds some of the records of one step.
type recursionPart struct {
	Recursion
	grid      recursionGrid
	sum       *Sum
	high, low []int64 // of the weights
	lent, row []int16 // what storage may keep, and the row
	q         []float64
}

// add adds the records of a block.
func (p *recursionPart) add(b Block) error {
	n := b.Len()
	if err := p.sum.mark(b.first, b.records, n); err != nil {
		return err
	}
	p.q = grow(p.q, n*p.Columns)
	for i := range n {
		if !p.coefficients(p.q[i*p.Columns:(i+1)*p.Columns], b, i) {
			return ErrComputation
		}
	}
	return p.sum.addAll(&b, p.q)
}

// coefficients writes the integers that record i of the block adds its row times: of each column
// the derivative at the record's score, rounded, and cut to what keeps all columns within the
// bound. It reports whether the row is the one that entered.
func (p *recursionPart) coefficients(q []float64, b Block, i int) bool {
	n2, label := b.n2[i], math.NaN()
	if b.labels != nil {
		label = float64(b.labels[i])
	}
	clear(q)
	most := float64(mostOf(n2, p.Columns, p.grid.bound)) // at most 2^51: exact
	if n2 == 0 || math.Sqrt(float64(n2))*p.RowStep > p.RowBound {
		return true
	}
	b.x.CopyRow(p.lent, i)
	copy(p.row, p.lent)
	if !b.rows.origin.entered(p.row, b.record(i)-b.rows.first) {
		return false
	}
	for k := range q {
		high, low := p.high[k*p.Dim:(k+1)*p.Dim], p.low[k*p.Dim:(k+1)*p.Dim]
		a, known := p.Derivative.derivative(p.grid.score*product(high, low, p.row), label, k, p.Columns)
		if !known {
			clear(q)
			return true
		}
		q[k] = max(-most, min(most, math.Round(a*p.grid.perSlot)))
	}
	return true
}

// mostOf returns the largest m with columns·m²·n2 ≤ bound², in exact integers; at most 2^51.
func mostOf(n2 int64, columns int, bound int64) int64 {
	if n2 <= 0 {
		return 0
	}
	m := int64(float64(bound) / math.Sqrt(float64(n2)*float64(columns)))
	for ; m > 0 && !squareWithin(m, n2, columns, bound); m-- {
	}
	for squareWithin(m+1, n2, columns, bound) {
		m++
	}
	return m
}

// squareWithin reports whether columns·m²·n2 ≤ bound²; m and bound are at most 2^52, columns at
// most 2^16.
func squareWithin(m, n2 int64, columns int, bound int64) bool {
	high, low := bits.Mul64(uint64(bound), uint64(bound))
	// m² ≤ ⌊bound²/(columns·n2)⌋; the quotient by the product is that by one factor after the
	// other.
	for _, by := range []uint64{uint64(columns), uint64(n2)} {
		quotient, rest := high/by, high%by
		low, _ = bits.Div64(rest, low, by)
		high = quotient
	}
	squareHigh, squareLow := bits.Mul64(uint64(m), uint64(m))
	return squareHigh < high || squareHigh == high && squareLow <= low
}

// product is the exact product of a row and weights in halves, then rounded to float64.
func product(high, low []int64, row []int16) float64 {
	var h, l int64
	for j, v := range row {
		h += high[j] * int64(v)
		l += low[j] * int64(v)
	}
	sum, carry := bits.Add64(uint64(h)<<31, uint64(l), 0)
	top := h>>33 + l>>63 + int64(carry)
	negative := top < 0
	if negative {
		if sum = -sum; sum == 0 {
			top = -top
		} else {
			top = ^top
		}
	}
	value := math.Ldexp(float64(top), 64) + float64(sum)
	if negative {
		return -value
	}
	return value
}
