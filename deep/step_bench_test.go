package deep

import (
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/network"
)

// BenchmarkStep is one step as Fit runs it: sample, passes forward and backward, norms, verified exact sum, noise,
// update. The records are like images of 28 × 28.
func BenchmarkStep(b *testing.B) {
	const batch = 2048
	labels := make([]float32, batch)
	rows, err := mechanism.NewRows(batch, mechanism.RowsOptions{Dim: 784, Step: 1.0 / 255, Type: mechanism.Uint8, Labels: labels}, func(dst []float64, first, _ int) {
		r := rand.New(rand.NewPCG(3, uint64(first)))
		for j := range dst {
			dst[j] = max(0, 1.2*r.Float64()-0.7)
		}
		for i := range labels[first:min(batch, first+64)] {
			labels[first+i] = float32((first + i) % 10)
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	for name, request := range map[string]Request{"mlp-784-1000-10": {Layers: network.MLP(10, 1000)}, "cnn": {Input: network.Shape{28, 28, 1}, Layers: network.CNN(10)}} {
		b.Run(name, func(b *testing.B) {
			r := testRun(b, request, ClippingRequest{}, rows)
			r.Plan.NonPrivate, r.noises[0] = false, mechanism.Gaussian{NoiseMultiplier: 1}
			b.ReportAllocs()
			for b.Loop() {
				if err := r.step(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*batch/b.Elapsed().Seconds(), "examples/s")
		})
	}
}
