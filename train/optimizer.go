package train

import "github.com/ditherml/dither/mechanism"

// Optimizer turns released sums of gradients into steps. It accepts nothing but what was
// released, so whatever it does costs no privacy.
type Optimizer interface {
	// Step updates weights with one released sum.
	Step(weights []float64, sum mechanism.Noisy)
}

// Momentum is gradient descent with heavy-ball momentum and ridge (Polyak, "Some methods of
// speeding up the convergence of iteration methods", 1964): v ← Momentum·v + sum/Divisor +
// Ridge·w, w ← w - LearningRate·v.
type Momentum struct {
	LearningRate, Momentum, Ridge, Divisor float64
	velocity                               []float64
}

var _ Optimizer = (*Momentum)(nil)

// Step makes one step.
func (m *Momentum) Step(weights []float64, sum mechanism.Noisy) {
	if m.velocity == nil {
		m.velocity = make([]float64, len(weights))
	}
	for j, g := range sum.Values() {
		m.velocity[j] = m.Momentum*m.velocity[j] + g/m.Divisor + m.Ridge*weights[j]
		weights[j] -= m.LearningRate * m.velocity[j]
	}
}

// TailAverage returns the mean of the last iterates it was shown, from step First on.
type TailAverage struct {
	First int
	sum   []float64
	count int
}

// Add shows the weights after step (from 0).
func (a *TailAverage) Add(step int, weights []float64) {
	if step < a.First {
		return
	}
	if a.sum == nil {
		a.sum = make([]float64, len(weights))
	}
	for j, w := range weights {
		a.sum[j] += w
	}
	a.count++
}

// Mean returns the average, or nil when nothing was added.
func (a *TailAverage) Mean() []float64 {
	if a.count == 0 {
		return nil
	}
	out := make([]float64, len(a.sum))
	for j, v := range a.sum {
		out[j] = v / float64(a.count)
	}
	return out
}
