package model

import (
	"fmt"
	"math"
)

// Poisson returns the loss of Poisson regression. The target is a count with a declared range [low,
// high], where low is at least 0. Let y be the count in units of half the width of the range, and M
// the middle of the range in the same units. The loss of score z is M·exp(z) - y·z, the negative
// log-likelihood of a count with mean M·exp(z). M is 1 until LossFor sets the range.
//
// The mean reaches high at some score. For larger scores the loss continues along its tangent at
// that score. So its derivative is bounded, and no mean exceeds the declared range. Source:
// McCullagh and Nelder, "Generalized Linear Models", 2nd edition 1989, chapter 6. A convex loss
// that continues by its tangent stays convex with bounded slope: Song, Steinke, Thakkar and
// Thakurta, "Evading the Curse of Dimensionality in Unconstrained Private GLMs", AISTATS 2021,
// http://proceedings.mlr.press/v130/song21a.html, section 3.
func Poisson() Loss { return poisson{1} }

// poisson is the loss that Poisson returns.
type poisson struct{ Middle float64 }

var _ Loss = poisson{}

// Name returns "poisson".
func (poisson) Name() string { return "poisson" }

// Columns returns 1 for a numeric target.
func (poisson) Columns(classes int) int { return oneForNumbers(classes) }

// Value returns the loss of one score.
func (p poisson) Value(scores []float64, label float64) float64 {
	z, y := scores[0], p.Middle+label
	top := p.top()
	inside := min(z, top)
	return p.Middle*math.Exp(inside) - y*inside + (p.Middle+1-y)*(z-inside)
}

// top returns the score at which the mean is the largest of the declared range.
func (p poisson) top() float64 { return math.Log1p(1 / p.Middle) }

// mean returns M·exp(z), limited to the declared range.
func (p poisson) mean(z float64) float64 {
	if z >= p.top() {
		return p.Middle + 1
	}
	return p.Middle * math.Exp(z)
}

// Residuals writes the mean minus the count.
func (p poisson) Residuals(dst, scores []float64, label float64) {
	dst[0] = p.mean(scores[0]) - (p.Middle + label)
}

// Lipschitz returns M + 1, the derivative at a mean of 0 and the largest count.
func (p poisson) Lipschitz(int) float64 { return p.Middle + 1 }

// Smoothness returns M + 1, the largest mean.
func (p poisson) Smoothness() float64 { return p.Middle + 1 }

// Predict replaces the score by the mean, scaled like the target.
func (p poisson) Predict(scores []float64) { scores[0] = p.mean(scores[0]) - p.Middle }

func (p poisson) with(s LossSpec) (Loss, error) {
	if s.Middle != 0 {
		p.Middle = s.Middle
	}
	if !(p.Middle >= 1) || math.IsInf(p.Middle, 1) {
		return nil, fmt.Errorf("model: middle of the poisson loss is %v, want 1 or more and finite; counts are not negative, so declare a range of the target that begins at 0 or above", p.Middle)
	}
	return p, nil
}

func (p poisson) describe(s *LossSpec) { s.Middle = p.Middle }

func (p poisson) over(low, high float64) (Loss, error) {
	if !(low >= 0 && high > low) {
		return nil, fmt.Errorf("model: loss poisson over a target from %v to %v, want counts; declare a range that begins at 0 or above", low, high)
	}
	return poisson{(low + high) / (high - low)}, nil
}
