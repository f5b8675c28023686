package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkVectorFunctions measures each set of instructions that is there, on arguments
// that stay in the first cache.
func BenchmarkVectorFunctions(b *testing.B) {
	x, dst := make([]float32, 3000), make([]float32, 3000)
	r := rand.New(rand.NewPCG(34, 34))
	for j := range x {
		x[j] = float32(5 * r.NormFloat64())
	}
	for set := portable; set <= available; set++ {
		for _, f := range vectorFunctions {
			b.Run(fmt.Sprintf("%s/%v", f.name, set), func(b *testing.B) {
				benchmarkEntries(b, len(x), func() { apply(set, f.f, dst, x) })
			})
		}
		doubles := make([]float64, len(x))
		for j, v := range x {
			doubles[j] = float64(v)
		}
		results := make([]float64, len(x))
		for f, name := range map[function]string{exponential: "Exp64", sigmoid: "Sigmoid64"} {
			b.Run(fmt.Sprintf("%s/%v", name, set), func(b *testing.B) {
				benchmarkEntries(b, len(x), func() { applyDouble(set, f, results, doubles) })
			})
		}
		for _, columns := range []int{2, 10, 100, 1000} {
			b.Run(fmt.Sprintf("Softmax/columns=%d/%v", columns, set), func(b *testing.B) {
				benchmarkEntries(b, len(x), func() { softmax(set, dst, x, columns) })
			})
		}
	}
}

func benchmarkEntries(b *testing.B, entries int, run func()) {
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(entries), "ns/entry")
}
