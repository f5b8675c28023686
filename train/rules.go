package train

import (
	"math"

	"github.com/ditherml/dither/feature"
)

// The step rule without tuning. In full batch the noise that accumulates freely in a score of a row
// of norm 1 is s = τ·C/(μ·N). Here τ = learning rate·steps/(1-momentum), C is the clipping bound,
// μ = √steps/NoiseMultiplier and N the number of records: it depends on learning rate and steps
// through τ alone. So τ is set by s, and the learning rate by τ, up to what is stable.
const (
	// noiseInScore is s.
	noiseInScore = 1
	// stabilityMargin is how much of the largest stable learning rate is used.
	stabilityMargin = 0.8
	// centeredCurvature is what centered rows of norm 1 are taken to have in their strongest
	// direction. A larger one makes the iterates swing, which their average forgives.
	centeredCurvature = 0.4
	// tailAverageShare is the share of the last iterates that is averaged.
	tailAverageShare = 0.4
	// tailAverageSteps is the number of steps from which on a private run returns the
	// average by default: it takes off part of the noise for nothing.
	tailAverageSteps = 20
)

// curvature bounds or estimates the largest eigenvalue of the mean of x·xᵀ over rows.
func curvature(m *feature.Map, whitened spread) float64 {
	bound := m.RowBound()
	if m.Norm != feature.NormNone && whitened.directions == 0 && hasTexts(m.Pipeline) {
		return max(textCurvature, m.Intercept*m.Intercept/(1+m.Intercept*m.Intercept)) * bound * bound
	}
	if m.Norm == feature.NormNone || m.Center == nil {
		return bound * bound
	}
	if whitened.directions == 0 {
		return centeredCurvature * bound * bound
	}
	// Whitened directions have second moment λ/(λ+γ) ≤ 1, and a row's squared norm is their
	// sum on average; scaling rows to norm 1 divides by it. The intercept is a direction of
	// its own.
	radius := m.PreparedBound()
	return max(m.Intercept*m.Intercept, radius*radius*2/max(1, whitened.directions)) * bound * bound / (radius*radius + m.Intercept*m.Intercept)
}

// learningRate is the rule above.
func (s Setup) learningRate(o Options, divisor, curvature float64) float64 {
	p := s.Plan
	stable := stabilityMargin * 2 * (1 + o.Momentum) / (s.Model.Loss.Smoothness()*curvature + o.Ridge)
	if p.NonPrivate {
		return stable
	}
	mu := math.Sqrt(float64(p.Steps)) / p.NoiseMultiplier
	divisor *= p.Share()
	tau := noiseInScore * mu * divisor / p.Clipping.Bound
	warm := float64(p.Steps) - 1/(1-o.Momentum)
	return min(stable, tau*(1-o.Momentum)/max(warm, float64(p.Steps)/2))
}

// averages decides whether the tail of the iterates is averaged.
func (s Setup) averages(o Options) bool {
	if o.Average != Auto {
		return o.Average == Yes
	}
	return !s.Plan.NonPrivate && s.Plan.Steps >= tailAverageSteps
}
