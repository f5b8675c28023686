package neural

import (
	"math"

	"github.com/ditherml/dither/internal/optimizer"
	"github.com/ditherml/dither/internal/release"
)

// adagrad is the optimizer that divides each gradient by the root of the sum of all squared
// gradients so far, coordinate by coordinate (Duchi, Hazan & Singer, "Adaptive Subgradient Methods
// for Online Learning and Stochastic Optimization", JMLR 2011, figure 1 with the diagonal matrix).
// It sets s ← s + g² and w ← prox(w - rate·g/(√s + ξ)). L1 shrinks each weight by its own rate.
type adagrad struct {
	optimizer.Objective
	squares []float64
}

var _ optimizer.Resumable = (*adagrad)(nil)

// adagradRoot keeps steps finite if all gradients were 0.
const adagradRoot = 1e-10

// Step makes one step.
func (a *adagrad) Step(weights []float64, sum release.Noisy) {
	if a.squares == nil {
		a.squares = make([]float64, len(weights))
	}
	rate := a.Next()
	for j, v := range sum.Values() {
		g := a.Gradient(v, weights[j])
		a.squares[j] += g * g
		own := rate / (math.Sqrt(a.squares[j]) + adagradRoot)
		weights[j] = a.Shrink(weights[j]-own*g, own)
	}
}

// State returns the sums of squares.
func (a *adagrad) State() optimizer.State {
	return optimizer.State{Taken: a.Taken(), Vectors: [][]float64{a.squares}}
}

// Resume restores the sums of squares from State.
func (a *adagrad) Resume(s optimizer.State, weights int) error {
	return a.ResumeVectors(s, weights, &a.squares)
}
