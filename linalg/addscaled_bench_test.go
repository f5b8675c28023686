package linalg

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkAddScaled measures both kernels with each set of instructions that is there,
// on rows that stay in the second cache and on rows in random order from memory. The
// time is for one coordinate of one row.
func BenchmarkAddScaled(b *testing.B) {
	for _, place := range []struct {
		name    string
		entries int
	}{{"cache", 1 << 17}, {"memory", 1 << 26}} {
		for _, dim := range []int{104, 784, 4000} {
			x := make([]int16, place.entries)
			r := rand.New(rand.NewPCG(8, 8))
			for j := range x {
				x[j] = int16(r.Uint32())
			}
			order := r.Perm(len(x) / dim &^ 3)
			for set := portable; set <= available; set++ {
				name := fmt.Sprintf("%s/dim=%d/%v", place.name, dim, set)
				b.Run("rows=1/"+name, func(b *testing.B) { benchmarkOne(b, set, x, order, dim) })
				b.Run("rows=4/"+name, func(b *testing.B) { benchmarkFour(b, set, x, order, dim) })
			}
		}
	}
}

func benchmarkOne(b *testing.B, set instructions, x []int16, order []int, dim int) {
	dst, i := make([]int64, dim), 0
	b.ReportAllocs()
	for b.Loop() {
		addScaled(set, dst, int64(i)<<40-12345, x[order[i]*dim:(order[i]+1)*dim])
		i = (i + 1) % len(order)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(dim), "ns/coordinate")
}

func benchmarkFour(b *testing.B, set instructions, x []int16, order []int, dim int) {
	dst, i := make([]int64, dim), 0
	row := func(k int) []int16 { return x[order[i+k]*dim : (order[i+k]+1)*dim] }
	b.ReportAllocs()
	for b.Loop() {
		c := int64(i)<<40 - 12345
		addScaled4(set, dst, [4]int64{c, -c, c + 1, 5 - c}, row(0), row(1), row(2), row(3))
		i = (i + 4) % len(order)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(4*dim), "ns/coordinate")
}
