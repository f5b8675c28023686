package mechanism

import (
	"fmt"
	"math"
	"math/bits"
)

// center makes rows narrow and centered at once: a record x on the grid, with integers of 16
// bits, stands for the integers y = M·x - m, M = 2^bits, m_j the public center. Sums over y are
// made from sums over x: Σ a·y = M·Σ a·x - (Σ a)·m, in arithmetic modulo 2^64, which is exact
// because the result lies within ±2^62 (see Sum). The squared norm of y is kept for each row.
type center struct {
	bits uint
	m    []int64
}

// newCenter puts a center, in units of the records, on the grid.
func newCenter(o RowsOptions) (*center, error) {
	if o.Center == nil {
		return nil, nil
	}
	if len(o.Center) != o.Dim || o.Limit != 0 {
		return nil, fmt.Errorf("mechanism: center has %d coordinates and the rows %d and limit %d, want as many and no limit", len(o.Center), o.Dim, o.Limit)
	}
	// |y| < 2^(16+bits), and Dim squares of them stay below 2^62.
	if 2*(16+o.CenterBits)+uint(bits.Len(uint(o.Dim))) > sumBits {
		return nil, fmt.Errorf("mechanism: center bits are %d with %d coordinates, want fewer bits", o.CenterBits, o.Dim)
	}
	c := &center{o.CenterBits, make([]int64, o.Dim)}
	for j, v := range o.Center {
		f := math.Round(math.Ldexp(v/o.Step, int(o.CenterBits)))
		if !(math.Abs(f) <= math.Ldexp(maxCoordinate, int(o.CenterBits))) {
			return nil, fmt.Errorf("mechanism: coordinate %d of the center is %v, want within %v steps of the grid", j, v, maxCoordinate)
		}
		c.m[j] = int64(f)
	}
	return c, nil
}

// norm2 returns the exact squared norm of y.
func (c *center) norm2(row []int16) int64 {
	total := int64(0)
	for j, x := range row {
		y := int64(x)<<c.bits - c.m[j]
		total += y * y
	}
	return total
}

// equal reports whether two centers are the same.
func (c *center) equal(o *center) bool {
	if c == nil || o == nil {
		return c == o
	}
	if c.bits != o.bits || len(c.m) != len(o.m) {
		return false
	}
	for j, v := range c.m {
		if o.m[j] != v {
			return false
		}
	}
	return true
}

// centered returns the sum over y from the sums over x and of the coefficients.
func (s *Sum) centered() []int64 {
	c := s.rows.center
	if c == nil {
		return s.total
	}
	values := make([]int64, len(s.total))
	for k, w := range s.weights {
		for j, m := range c.m {
			at := k*s.rows.dim + j
			values[at] = s.total[at]<<c.bits - w*m
		}
	}
	return values
}

// dot returns the products of the center, in units of the records, with columns of weights.
func (c *center) dot(weights []float64, columns int, step float64) []float64 {
	products := make([]float64, columns)
	dim := len(c.m)
	for k := range columns {
		sum := 0.0
		for j, w := range weights[k*dim : (k+1)*dim] {
			sum += float64(c.m[j]) * w
		}
		products[k] = math.Ldexp(sum, -int(c.bits)) * step
	}
	return products
}
