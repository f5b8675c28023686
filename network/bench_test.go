package network_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/network"
)

// BenchmarkStep measures the parts of a step for a batch of records, on one goroutine. The parts
// are the forward pass, the backward pass, the squared norms and the weighted sum.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name           string
		in             network.Shape
		layers         network.Layers
		records, batch int
	}{
		{"MLP-784-1000-10", network.Shape{784}, network.MLP(10, 1000), 2048, 2048},
		{"CNN", network.Shape{28, 28, 1}, network.CNN(10), 64, 512},
	} {
		n, err := network.New(c.in, c.layers...)
		if err != nil {
			b.Fatal(err)
		}
		weights, x, dy := make([]float32, n.Weights()), make([]float32, c.batch*c.in.Size()), make([]float32, c.batch*10)
		n.Init(weights, 1)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		for i := range dy {
			dy[i] = float32(r.NormFloat64())
		}
		tape := network.NewTape[float32](n, c.records)
		tape.Serial(true)
		chunks := func(b *testing.B, visit func(x, dy []float32)) {
			b.ReportAllocs()
			for b.Loop() {
				for i := 0; i < c.batch; i += c.records {
					visit(x[i*c.in.Size():(i+c.records)*c.in.Size()], dy[i*10:(i+c.records)*10])
				}
			}
			b.ReportMetric(float64(b.N)*float64(c.batch)/b.Elapsed().Seconds(), "examples/s")
		}
		b.Run(c.name+"/forward", func(b *testing.B) {
			chunks(b, func(x, _ []float32) { tape.Forward(x, c.records, weights) })
		})
		b.Run(c.name+"/backward", func(b *testing.B) {
			chunks(b, func(x, dy []float32) {
				tape.Forward(x, c.records, weights)
				tape.Backward(dy)
			})
		})
		w := network.Workspace[float32]{Serial: true}
		norms, ones, sum := make([]float64, c.records), make([]float32, c.records), make([]float32, n.Weights())
		for i := range ones {
			ones[i] = 1
		}
		b.Run(c.name+"/norms", func(b *testing.B) {
			chunks(b, func(x, dy []float32) {
				tape.Forward(x, c.records, weights)
				for _, f := range tape.Backward(dy) {
					w.SquaredNorms(norms, f)
				}
			})
		})
		b.Run(c.name+"/sum", func(b *testing.B) {
			chunks(b, func(x, dy []float32) {
				tape.Forward(x, c.records, weights)
				for _, f := range tape.Backward(dy) {
					w.SquaredNorms(norms, f)
					w.AddSum(sum[:f.Numbers()], f, ones)
				}
			})
		})
	}
}
