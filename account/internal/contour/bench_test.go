package contour

import (
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
)

// BenchmarkEpsilon computes ε at δ = 1e-5 from nothing, in both directions.
func BenchmarkEpsilon(b *testing.B) {
	for _, c := range []struct {
		name        string
		q, z, count float64
	}{{"q=0.01,z=1,T=1e4", 0.01, 1, 1e4}, {"q=0.001,z=1,T=1e6", 0.001, 1, 1e6}} {
		b.Run(c.name, func(b *testing.B) {
			remove := pair.Sampled(pair.Normal, c.z, c.q)
			b.ReportAllocs()
			for b.Loop() {
				for _, m := range [2]pair.Mixture{remove, remove.Swap()} {
					if _, err := compose(b, m, c.count).Epsilon(1e-5); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// manyTerms returns n unlike sampled Gaussians.
func manyTerms(n int) []Term {
	terms := make([]Term, n)
	for k := range terms {
		z, q := 0.8+float64(k%97)/50, 0.002+0.02*float64(k)/float64(n)
		terms[k] = Term{pair.Sampled(pair.Normal, z, q), float64(1 + k%10)}
	}
	return terms
}

// BenchmarkTerms computes ε of 1000 unlike terms in one direction.
func BenchmarkTerms(b *testing.B) {
	terms := manyTerms(1000)
	b.ReportAllocs()
	for b.Loop() {
		i, err := New(terms)
		if err != nil {
			b.Fatal(err)
		}
		if _, err = i.Epsilon(1e-5); err != nil {
			b.Fatal(err)
		}
	}
}
