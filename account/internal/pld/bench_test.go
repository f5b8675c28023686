package pld

import (
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
)

func BenchmarkEpsilonBoth(b *testing.B) {
	for _, v := range []struct {
		name  string
		terms []Term
	}{
		{"q=0.01,z=1,T=1e4", []Term{{sampled(1, 0.01), 10000}}},
		{"q=0.001,z=1,T=1e6", []Term{{sampled(1, 0.001), 1000000}}},
		{"q=0.004,z=1.1,T=3525", []Term{{sampled(1.1, 256.0/60000), 3525}}},
		{"replace,q=0.01,z=1,T=1e4", []Term{{replaced(1, 0.01), 10000}}},
		{"1000-terms", schedule(1000, 1)},
		{"1000-terms-of-100", schedule(1000, 100)},
	} {
		b.Run(v.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := EpsilonBoth(v.terms, 1e-5, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// schedule returns n different sampled pairs, each released count times.
func schedule(n int, count int64) []Term {
	terms := make([]Term, n)
	for i := range terms {
		x := float64(i) / float64(n)
		terms[i] = Term{pair.Sampled(pair.Normal, 1+x, 0.01), count}
	}
	return terms
}
