package optimizer

import (
	"math"

	"github.com/ditherml/dither/internal/release"
)

// Adam divides the mean of the gradients by the root of the mean of their squares, coordinate by
// coordinate (Kingma & Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, algorithm 1,
// https://arxiv.org/abs/1412.6980). Let m and v be the moving averages of the gradient and its
// square, both corrected for their start at zero. Then w ← prox(w - rate·m/(√v + ξ)). L1 shrinks
// each weight by its own rate/(√v + ξ).
type Adam struct {
	Objective
	// MeanDecay and SquareDecay are the shares of themselves that the moving averages keep in a
	// step, in [0, 1).
	MeanDecay, SquareDecay float64
	// NoiseVariance, if positive, is the public variance of the noise in a coordinate of the
	// gradient, in the gradient's units. It is subtracted from v; at least adamFloor of v remains
	// (Tang, Shpilevskiy & Lécuyer, "DP-AdamBC: Your DP-Adam Is Actually DP-SGD (Unless You Apply
	// Bias Correction)", AAAI 2024, algorithm 1, https://arxiv.org/abs/2312.14334).
	NoiseVariance float64
	mean, square  []float64
}

var _ Optimizer = (*Adam)(nil)

const (
	// SquareDecay and adamRoot are the values that the authors of Adam propose. The first is the
	// share of the mean square that a step keeps. The second keeps steps finite if the mean square
	// is 0.
	SquareDecay, adamRoot = 0.999, 1e-8
	// adamFloor is the least remaining variance. It prevents division by a number that noise made
	// small.
	adamFloor = 0.1
)

// Step makes one step.
func (a *Adam) Step(weights []float64, sum release.Noisy) {
	if a.mean == nil {
		a.mean, a.square = make([]float64, len(weights)), make([]float64, len(weights))
	}
	rate := a.Next()
	meanBias, squareBias := 1-math.Pow(a.MeanDecay, float64(a.taken)), 1-math.Pow(a.SquareDecay, float64(a.taken))
	EachPart(len(weights), func(from, to int) {
		for j := from; j < to; j++ {
			g := a.Gradient(sum.Values()[j], weights[j])
			a.mean[j] = a.MeanDecay*a.mean[j] + (1-a.MeanDecay)*g
			a.square[j] = a.SquareDecay*a.square[j] + (1-a.SquareDecay)*g*g
			v := max(a.square[j]/squareBias-a.NoiseVariance, adamFloor*a.NoiseVariance)
			own := rate / (math.Sqrt(v) + adamRoot)
			weights[j] = a.Shrink(weights[j]-own*a.mean[j]/meanBias, own)
		}
	})
}
