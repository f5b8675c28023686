package optimizer

import (
	"math"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
)

const (
	// lbfgsPairs is the number of displacements that estimate the curvature.
	lbfgsPairs = 10
	// lbfgsSearch is the largest number of gradients of a search along a line.
	lbfgsSearch = 20
	// lbfgsFlatter and lbfgsRising bound the slope at which a search along a line ends, in units of
	// the first slope. At the end the slope is flatter than the first, or rises slightly.
	lbfgsFlatter, lbfgsRising = 0.9, 0.1
)

// LBFGS minimizes a convex objective from gradients without noise. Source: Liu and Nocedal, "On the
// Limited Memory BFGS Method for Large Scale Optimization", Mathematical Programming 1989. Its
// searches along lines use slopes alone. For a convex objective, the slope at a point decides on
// which side the minimum lies.
type LBFGS struct {
	Objective
	start, gradient []float64 // of the line
	direction       []float64
	slope           float64 // at its start, negative
	step            float64 // to the point of the next gradient
	below, above    float64 // steps with a known negative and positive slope; above is 0 if none is known
	searched        int
	moves, changes  [][]float64 // of weights and gradients, the latest last
	done            bool
}

var _ Optimizer = (*LBFGS)(nil)

// Converged reports whether further steps would leave the weights unchanged.
func (l *LBFGS) Converged() bool { return l.done }

// Step moves the weights to the point of the next gradient, or to the end of the search.
func (l *LBFGS) Step(weights []float64, sum release.Noisy) {
	gradient := make([]float64, len(weights))
	for j, v := range sum.Values() {
		gradient[j] = l.Gradient(v, weights[j])
	}
	l.Follow(weights, gradient)
}

// Follow is Step with the gradient of the whole objective. It keeps the gradient.
func (l *LBFGS) Follow(weights, gradient []float64) {
	if l.done {
		return
	}
	largest := 0.0
	for _, g := range gradient {
		largest = max(largest, math.Abs(g))
	}
	if l.Next(); largest <= option.ConvergedGradient {
		l.done = true
		return
	}
	if l.start != nil && !l.accepts(gradient) {
		if l.searched < lbfgsSearch && l.shift() {
			l.place(weights)
			return
		}
		l.giveUp(weights)
		return
	}
	l.learn(weights, gradient)
	l.turn(weights, gradient)
}

// accepts reports whether a gradient ends the search along the line. It records on which side of
// the minimum the point is.
func (l *LBFGS) accepts(gradient []float64) bool {
	slope := kernel.Dot(gradient, l.direction)
	l.searched++
	switch {
	case slope < lbfgsFlatter*l.slope:
		l.below = l.step
	case slope > -lbfgsRising*l.slope || slope != slope:
		l.above = l.step
	default:
		return true
	}
	return false
}

// shift chooses the next point of the line, between the known points or twice as far. It reports
// whether there is one.
func (l *LBFGS) shift() bool {
	last := l.step
	if l.above == 0 {
		l.step *= 2
	} else {
		l.step = (l.below + l.above) / 2
	}
	return l.step != last && !math.IsInf(l.step, 1)
}

// place moves the weights to the point of the line.
func (l *LBFGS) place(weights []float64) {
	for j, d := range l.direction {
		weights[j] = l.start[j] + l.step*d
	}
}

// giveUp returns to the start of a line on which no better point was found. The search continues
// without its estimate of the curvature. Without an estimate it ends, because rounding hides the
// slope.
func (l *LBFGS) giveUp(weights []float64) {
	copy(weights, l.start)
	if l.done = len(l.moves) == 0; !l.done {
		l.moves, l.changes = nil, nil
		l.turn(weights, l.gradient)
	}
}

// learn keeps the displacement from the start of the line to a point that ended a search.
func (l *LBFGS) learn(weights, gradient []float64) {
	if l.start == nil {
		return
	}
	move, change := make([]float64, len(weights)), make([]float64, len(weights))
	for j := range weights {
		move[j], change[j] = weights[j]-l.start[j], gradient[j]-l.gradient[j]
	}
	if !(kernel.Dot(move, change) > 0) {
		return
	}
	l.moves, l.changes = append(l.moves, move), append(l.changes, change)
	if len(l.moves) > lbfgsPairs {
		l.moves, l.changes = l.moves[1:], l.changes[1:]
	}
}

// turn begins a line at the weights.
func (l *LBFGS) turn(weights, gradient []float64) {
	l.start, l.gradient = append([]float64(nil), weights...), gradient
	l.direction = l.descend(gradient)
	l.slope, l.step, l.below, l.above, l.searched = kernel.Dot(gradient, l.direction), 1, 0, 0, 0
	l.place(weights)
}

// descend returns the downward step: the gradient times the estimate of the inverse curvature, by
// the two loops of the source. Before the first estimate, the first point of a line is the learning
// rate away, or one unit.
func (l *LBFGS) descend(gradient []float64) []float64 {
	out, factors := make([]float64, len(gradient)), make([]float64, len(l.moves))
	for j, g := range gradient {
		out[j] = -g
	}
	for i := len(l.moves) - 1; i >= 0; i-- {
		factors[i] = kernel.Dot(l.moves[i], out) / kernel.Dot(l.moves[i], l.changes[i])
		add(out, l.changes[i], -factors[i])
	}
	scale := l.Rates.LearningRate
	if last := len(l.moves) - 1; last >= 0 {
		scale = kernel.Dot(l.moves[last], l.changes[last]) / kernel.Dot(l.changes[last], l.changes[last])
	} else if !(scale > 0 && !math.IsInf(scale, 1)) {
		scale = 1 / kernel.Norm(gradient)
	}
	for j := range out {
		out[j] *= scale
	}
	for i, move := range l.moves {
		add(out, move, factors[i]-kernel.Dot(l.changes[i], out)/kernel.Dot(move, l.changes[i]))
	}
	return out
}

// add adds a multiple of a vector.
func add(dst, v []float64, factor float64) {
	for j, x := range v {
		dst[j] += factor * x
	}
}

// End sets the weights to the end of the last finished search.
func (l *LBFGS) End(weights []float64) {
	if !l.done && l.start != nil {
		copy(weights, l.start)
	}
}
