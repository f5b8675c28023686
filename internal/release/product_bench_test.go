package release

import (
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// BenchmarkProductSum adds a batch of a network with one hidden layer, 784-1000-10, beside the products of the same
// shape in float32 without privacy, on one processor.
func BenchmarkProductSum(b *testing.B) {
	const n = 1024
	r := rand.New(rand.NewPCG(1, 1))
	fill := func(n int) []float32 {
		out := make([]float32, n)
		for k := range out {
			out[k] = max(0, float32(r.NormFloat64()))
		}
		return out
	}
	blocks := []ProductBlock{{Right: 1000, Left: 784, Bias: true}, {Right: 10, Left: 1000, Bias: true}}
	factors := make([]kernel.Factors[float32], len(blocks))
	for k, s := range blocks {
		factors[k] = kernel.Factors[float32]{Records: n, Positions: 1, Left: s.Left, Right: s.Right, Bias: true, Lefts: fill(n * s.Left), Rights: fill(n * s.Right)}
	}
	sample, _ := Draw(Full(), n)
	s, err := NewProductSum(sample, ProductOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Blocks: blocks, Bound: 1, MaxRecords: 60000})
	if err != nil {
		b.Fatal(err)
	}
	weights := make([]float32, n)
	for i := range weights {
		weights[i] = 1e-3
	}
	all := upTo(n)
	b.Run("verified", func(b *testing.B) {
		for b.Loop() {
			clear(s.added)
			if err := s.Add(all, factors, weights); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		dw := make([]float32, 1000*785)
		for b.Loop() {
			for _, f := range factors {
				right := kernel.NewMatrix(f.Rights, n, f.Right)
				kernel.GemmSerial(kernel.NewMatrix(dw[:f.Right*f.Left], f.Right, f.Left), 1, right.Transposed(), kernel.NewMatrix(f.Lefts, n, f.Left), 0)
			}
		}
	})
	b.Run("rounded", func(b *testing.B) {
		for b.Loop() {
			for k := range s.parts {
				s.parts[k].begin(factors[k])
			}
			for i := range n {
				s.addRecord(i, 1e-3)
			}
		}
	})
}

// BenchmarkProductSumOfPlaces adds a batch of the two convolutions of a small network for images of 28 × 28.
func BenchmarkProductSumOfPlaces(b *testing.B) {
	const n = 64
	r := rand.New(rand.NewPCG(1, 2))
	sample, _ := Draw(Full(), n)
	for _, c := range []struct {
		name                   string
		right, left, positions int
	}{{"first", 16, 64, 196}, {"second", 32, 256, 25}} {
		f := kernel.Factors[float32]{Records: n, Positions: c.positions, Left: c.left, Right: c.right, Bias: true, Lefts: make([]float32, n*c.positions*c.left), Rights: make([]float32, n*c.positions*c.right)}
		for _, side := range [][]float32{f.Lefts, f.Rights} {
			for k := range side {
				side[k] = float32(r.NormFloat64())
			}
		}
		s, err := NewProductSum(sample, ProductOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Blocks: []ProductBlock{{Right: c.right, Left: c.left, Bias: true}}, Bound: 1, MaxRecords: 60000})
		if err != nil {
			b.Fatal(err)
		}
		weights := make([]float32, n)
		for i := range weights {
			weights[i] = 1e-3
		}
		all := upTo(n)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				clear(s.added)
				if err := s.Add(all, []kernel.Factors[float32]{f}, weights); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
