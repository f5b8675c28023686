package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkProducts compares products with whole columns with Margins, on a block of rows that is in the second cache. It
// reports the least time of a row and column.
func BenchmarkProducts(b *testing.B) {
	b.Run("uint8-784", func(b *testing.B) { benchmarkProducts[uint8](b, 784) })
	b.Run("int16-784", func(b *testing.B) { benchmarkProducts[int16](b, 784) })
	b.Run("int16-100", func(b *testing.B) { benchmarkProducts[int16](b, 100) })
}

func benchmarkProducts[T IntEntry](b *testing.B, dim int) {
	const block, turns = 1 << 17, 20
	rows := block / strideOf[T](dim) &^ 7
	r := rand.New(rand.NewPCG(55, 1))
	x := make([]T, rows*dim)
	for j := range x {
		x[j] = T(r.Uint32())
	}
	for _, columns := range []int{1, 2, 8, 32} {
		w, dst := make([]float32, columns*dim), make([]float32, rows*columns)
		for j := range w {
			w[j] = float32(r.NormFloat64())
		}
		whole := RoundColumns[T](w, dim, columns)
		b.Run(fmt.Sprintf("columns=%d", columns), func(b *testing.B) {
			margins, products, byColumn := math.Inf(1), math.Inf(1), math.Inf(1)
			for b.Loop() {
				margins = min(margins, leastTime(turns, func() { Margins(dst, x, dim, w, columns) }))
				products = min(products, leastTime(turns, func() { whole.Products(dst, x) }))
				byColumn = min(byColumn, leastTime(turns, func() { whole.ProductsByColumn(dst, x) }))
			}
			b.ReportMetric(margins/float64(len(dst)), "margins-ns")
			b.ReportMetric(products/float64(len(dst)), "products-ns")
			b.ReportMetric(byColumn/float64(len(dst)), "by-column-ns")
		})
	}
}

// BenchmarkAddInt measures exact sums of a block of rows that is in the second cache, with factors of so many bits.
// It reports the least time of a row and column.
func BenchmarkAddInt(b *testing.B) {
	b.Run("uint8-784", func(b *testing.B) { benchmarkAddWhole[uint8](b, 784) })
	b.Run("int16-784", func(b *testing.B) { benchmarkAddWhole[int16](b, 784) })
	b.Run("int16-100", func(b *testing.B) { benchmarkAddWhole[int16](b, 100) })
}

func benchmarkAddWhole[T IntEntry](b *testing.B, dim int) {
	const block, turns = 1 << 17, 20
	rows := block / strideOf[T](dim) &^ 3
	r := rand.New(rand.NewPCG(56, 1))
	x := make([]T, rows*dim)
	for j := range x {
		x[j] = T(r.Uint32())
	}
	for _, columns := range []int{1, 3, 8, 32} {
		for _, bits := range []int{14, 19, 30, 34} {
			q, dst := make([]float64, rows*columns), make([]float64, columns*dim)
			for j := range q {
				q[j] = float64(r.Int64N(2<<bits) - 1<<bits)
			}
			b.Run(fmt.Sprintf("columns=%d/bits=%d", columns, bits), func(b *testing.B) {
				least := math.Inf(1)
				for b.Loop() {
					clear(dst)
					least = min(least, leastTime(turns, func() { AddInt(dst, x, dim, q, columns) }))
				}
				b.ReportMetric(least/float64(len(q)), "least-ns")
			})
		}
	}
}

// leastTime returns the least time of some calls in nanoseconds.
func leastTime(turns int, call func()) float64 {
	least := time.Duration(math.MaxInt64)
	for range turns {
		start := time.Now()
		call()
		least = min(least, time.Since(start))
	}
	return float64(least.Nanoseconds())
}
