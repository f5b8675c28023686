package network_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/network"
)

// descend takes steps of gradient descent on the squared error of one output, by the passes and the
// sum of a tape. It returns the final mean squared error.
func descend(n *network.Network, x, want []float32, steps int, rate float32) float64 {
	records := len(want)
	weights, sum, ones := make([]float32, n.Weights()), make([]float32, n.Weights()), make([]float32, records)
	n.Init(weights, 5)
	for i := range ones {
		ones[i] = 1 / float32(records)
	}
	tape, w := network.NewTape[float32](n, records), network.Workspace[float32]{Serial: true}
	residuals := make([]float32, records)
	var loss float64
	for range steps {
		loss = 0
		for i, v := range tape.Forward(x, records, weights) {
			residuals[i] = v - want[i]
			loss += float64(residuals[i]) * float64(residuals[i]) / float64(records)
		}
		clear(sum)
		first := 0
		for _, f := range tape.Backward(residuals) {
			w.AddSum(sum[first:][:f.Numbers()], f, ones)
			first += f.Numbers()
		}
		for j, g := range sum {
			weights[j] -= rate * g
		}
	}
	return loss
}

// TestNetworksLearn checks that steps against the sum of the factors go down, on problems that no linear model
// solves: exclusive or, and bars of two directions in images of 8 × 8 at any place.
func TestNetworksLearn(t *testing.T) {
	or := must(network.New(network.Shape{2}, network.MLP(1, 8)...))
	if loss := descend(or, []float32{-1, -1, -1, 1, 1, -1, 1, 1}, []float32{-1, 1, 1, -1}, 500, 0.3); !(loss < 0.01) {
		t.Errorf("the mean squared error of exclusive or is %v, want nearly 0; that of the best linear model is 1", loss)
	}
	bars := must(network.New(network.Shape{8, 8, 1}, network.Conv{Channels: 4, Kernel: 3, Padding: 1}, network.GroupNorm{Groups: 2},
		network.Activation{Function: "relu"}, network.MaxPool{Kernel: 2}, network.Residual{Layers: network.Layers{
			network.Conv{Channels: 4, Kernel: 3, Padding: 1}, network.Activation{Function: "tanh"}}}, network.GlobalAveragePool{}, network.Linear{Outputs: 1}))
	r := rand.New(rand.NewPCG(14, 15))
	x, want := make([]float32, 64*64), make([]float32, 64)
	for i := range want {
		place, along := r.IntN(8), i%2
		want[i] = float32(2*along - 1)
		for k := range 8 {
			x[i*64+[]int{place*8 + k, k*8 + place}[along]] = 1
		}
	}
	if loss := descend(bars, x, want, 200, 0.3); !(loss < 0.1) {
		t.Errorf("the mean squared error of bars is %v, want nearly 0; that of a constant is 1", loss)
	}
}
