package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRowProducts compares every set of instructions with sums of exact terms, for shapes with and without whole groups, within
// the error that is stated; what stands between rows is not read.
func TestRowProducts(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(13, 1))
		for _, shape := range [][2]int{{0, 0}, {0, 7}, {3, 0}, {1, 1}, {4, 16}, {5, 17}, {9, 63}, {8, 64}, {33, 130}} {
			rows, n := shape[0], shape[1]
			stride := n + 3
			matrix, v, w := make([]float64, max(0, rows*stride-3)), make([]float64, n), make([]float64, rows)
			for i := range matrix {
				if matrix[i] = math.NaN(); i%stride < n {
					matrix[i] = r.NormFloat64()
				}
			}
			for j := range v {
				v[j] = r.NormFloat64()
			}
			for i := range w {
				w[i] = r.NormFloat64()
			}
			products, added := make([]float64, rows), make([]float64, n)
			for i := range products {
				products[i] = 7 // is written over
			}
			for j := range added {
				added[j] = float64(j)
			}
			rowProducts(set, products, matrix, stride, v)
			addRowProducts(set, added, matrix, stride, w)
			for i := range rows {
				want, most := 0.0, 0.0
				for j := range n {
					want += matrix[i*stride+j] * v[j]
					most += math.Abs(matrix[i*stride+j] * v[j])
				}
				if !(math.Abs(products[i]-want) <= float64(2*n+2)*0x1p-53*most) {
					t.Fatalf("%d × %d: row %d is %v, want %v", rows, n, i, products[i], want)
				}
			}
			for j := range n {
				want, most := float64(j), float64(j)
				for i := range rows {
					want += matrix[i*stride+j] * w[i]
					most += math.Abs(matrix[i*stride+j] * w[i])
				}
				if !(math.Abs(added[j]-want) <= float64(2*rows+2)*0x1p-53*most) {
					t.Fatalf("%d × %d: column %d is %v, want %v", rows, n, j, added[j], want)
				}
			}
		}
	})
}

// TestRowProductsOfOtherShapesPanic holds that nothing is read where shapes do not fit.
func TestRowProductsOfOtherShapesPanic(t *testing.T) {
	for name, call := range map[string]func(){
		"short":  func() { RowProducts(make([]float64, 2), make([]float64, 6), 4, make([]float64, 3)) },
		"narrow": func() { AddRowProducts(make([]float64, 3), make([]float64, 6), 2, make([]float64, 2)) },
		"empty":  func() { AddRowProducts(make([]float64, 3), nil, 3, make([]float64, 1)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the shape was taken", name)
				}
			}()
			call()
		}()
	}
}
