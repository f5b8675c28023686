package release

import (
	"fmt"
	"testing"
)

// BenchmarkSecondMoment sums the products of all pairs of coordinates, and notes what the sum is checked with.
func BenchmarkSecondMoment(b *testing.B) {
	for _, dim := range []int{16, 128, 784} {
		rows := momentRowsOf(b, 8192, dim, 3)
		b.Run(fmt.Sprintf("dim=%d/sum", dim), func(b *testing.B) {
			for b.Loop() {
				sumAllProducts(rows)
			}
		})
		b.Run(fmt.Sprintf("dim=%d/check", dim), func(b *testing.B) {
			for b.Loop() {
				check := newMomentCheck(fullSample(b, rows.Len()), AllProducts(), dim, rows.limit)
				check.noteRows(rows)
			}
		})
	}
}
