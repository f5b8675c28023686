package optimizer

import (
	"math"

	"github.com/ditherml/dither/internal/release"
)

// Optimizer turns released sums of gradients into steps. It accepts released values only, so it
// costs no privacy.
type Optimizer interface {
	// Step updates weights with one released sum.
	Step(weights []float64, sum release.Noisy)
}

// Objective is the function that every optimizer minimizes along released sums of gradients, step
// after step. It is the sum divided by Divisor, plus (Ridge/2)·‖w‖² and L1·Σ|w_j| over every
// weight. The penalties are public, so they are added outside the noise. Ridge is added to the
// gradient. L1 enters by its proximal step, which moves each weight toward zero by at most the
// step's rate times L1 (Daubechies, Defrise & De Mol, "An iterative thresholding algorithm for
// linear inverse problems with a sparsity constraint", CPAM 2004,
// https://arxiv.org/abs/math/0307152).
type Objective struct {
	Divisor, Ridge, L1 float64
	// Rates has the learning rate of each step.
	Rates Rates
	taken int
}

// Next counts a new step and returns its learning rate.
func (o *Objective) Next() float64 {
	o.taken++
	return o.Rates.At(o.taken - 1)
}

// Gradient returns the gradient of one weight from the released sum.
func (o *Objective) Gradient(sum, weight float64) float64 { return sum/o.Divisor + o.Ridge*weight }

// Shrink returns a weight after the proximal step of L1 at a rate.
func (o *Objective) Shrink(weight, rate float64) float64 {
	by := rate * o.L1
	switch {
	case by == 0:
		return weight
	case math.Abs(weight) <= by:
		return 0
	}
	return weight - math.Copysign(by, weight)
}

// Momentum is gradient descent with heavy-ball momentum (Polyak, "Some methods of speeding up the
// convergence of iteration methods", 1964): v ← Momentum·v + gradient, w ← w - rate·v. With L1 the
// velocity is the step after the proximal step, as in iPiano (Ochs, Chen, Brox & Pock, SIAM Journal
// on Imaging Sciences 2014, algorithm 1, https://arxiv.org/abs/1404.4805).
type Momentum struct {
	Objective
	Momentum float64
	velocity []float64
}

var _ Optimizer = (*Momentum)(nil)

// Step makes one step.
func (m *Momentum) Step(weights []float64, sum release.Noisy) {
	if m.velocity == nil {
		m.velocity = make([]float64, len(weights))
	}
	rate := m.Next()
	EachPart(len(weights), func(from, to int) {
		for j, g := range sum.Values()[from:to] {
			weight, velocity := &weights[from+j], &m.velocity[from+j]
			*velocity = m.Momentum*(*velocity) + m.Gradient(g, *weight)
			next := m.Shrink(*weight-rate*(*velocity), rate)
			if m.L1 > 0 && rate > 0 {
				*velocity = (*weight - next) / rate
			}
			*weight = next
		}
	})
}

// Nesterov is gradient descent with Nesterov's momentum (Nesterov, "A method for solving the convex
// programming problem with convergence rate O(1/k²)", 1983), with a constant coefficient. It sets
// x' = prox(w - rate·gradient(w)), w ← x' + Momentum·(x' - x), x ← x'. The weights are the points
// w, at which gradients are taken.
type Nesterov struct {
	Objective
	Momentum float64
	last     []float64
}

var _ Optimizer = (*Nesterov)(nil)

// Step makes one step.
func (n *Nesterov) Step(weights []float64, sum release.Noisy) {
	if n.last == nil {
		n.last = append(n.last, weights...)
	}
	rate := n.Next()
	EachPart(len(weights), func(from, to int) {
		for j := from; j < to; j++ {
			x := n.Shrink(weights[j]-rate*n.Gradient(sum.Values()[j], weights[j]), rate)
			weights[j] = x + n.Momentum*(x-n.last[j])
			n.last[j] = x
		}
	})
}
