package release

import (
	"math"
	"math/rand/v2"
	"testing"
)

// BenchmarkRecursion is a step of the last iterate alone, in integers, without its noise.
func BenchmarkRecursion(b *testing.B) {
	const n, dim = 36176, 105
	r := rand.New(rand.NewPCG(1, 2))
	x, labels := make([]float64, n*dim), make([]float32, n)
	for i := range labels {
		labels[i] = float32(r.IntN(2))
		for j := range dim {
			x[i*dim+j] = r.NormFloat64() / math.Sqrt(2*dim)
		}
	}
	o := RecursionOptions{Derivative: LogisticDerivative{}, Columns: 1, ClippingNorm: 1, LearningRate: 3, Ridge: 0.01, Divisor: n, Reach: 30, MaxRecords: n}
	rec, l := recursionOf(b, rowsOf(b, x, labels, dim), o, 40, 100)
	g, err := fitRecursion(l, rec.RecursionOptions)
	if err != nil {
		b.Fatal(err)
	}
	all, err := Draw(Full(), n)
	if err != nil {
		b.Fatal(err)
	}
	weights := make([]int64, dim)
	for j := range weights {
		weights[j] = int64(r.NormFloat64() / g.unit)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err = rec.next(g, all, weights); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "examples/s")
}
