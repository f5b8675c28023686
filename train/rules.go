package train

import (
	"cmp"
	"math"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
)

// These constants define the step rule without tuning. In full batch, the noise that accumulates
// freely in a score of a row of norm 1 is s = τ·C/(μ·N). Here τ = learning rate·steps/(1-momentum),
// C is the clipping bound, μ = √steps/NoiseMultiplier and N is the number of records. Learning rate
// and steps enter through τ alone. So s sets τ, and τ sets the learning rate, up to the largest
// stable one.
const (
	// noiseInScore is s for most requests. If rows are scaled by frequencies, they have thousands of
	// weak directions, in which long descents also fit chance in the records. Then s is the declared
	// number of records divided by one of the following numbers, within bounds.
	noiseInScore = 1
	// recordsOfScore is for a target with levels. There s is at least leastInScore and at most 1.
	recordsOfScore = 30000
	leastInScore   = 0.5
	// recordsOfNumber is for a numeric target, whose range is [-1, 1].
	recordsOfNumber             = 120000
	leastInNumber, mostInNumber = 0.05, 0.25
	// stabilityMargin is the share of the largest stable learning rate that is used.
	stabilityMargin = 0.8
	// centeredCurvature is the assumed curvature of centered rows of norm 1 in their strongest
	// direction. If the true curvature is larger, the iterates oscillate, which their average evens
	// out.
	centeredCurvature = 0.4
	// tailAverageShare is the share of the last iterates that is averaged.
	tailAverageShare = 0.4
	// tailAverageSteps is the smallest number of steps at which a private run averages by default.
	// Averaging removes part of the noise at no cost.
	tailAverageSteps = 20
)

// curvature bounds or estimates the largest eigenvalue of the mean of x·xᵀ over rows.
func curvature(m *feature.Map, whitened spread) float64 {
	bound := m.RowBound()
	if m.Norm != feature.NormNone && whitened.directions == 0 && hasTexts(m.Pipeline) {
		return max(textCurvature, m.Intercept*m.Intercept/(1+m.Intercept*m.Intercept)) * bound * bound
	}
	if m.Norm == feature.NormNone || m.Center == nil && !whitened.frequent {
		return bound * bound
	}
	if whitened.directions == 0 {
		return centeredCurvature * bound * bound
	}
	// Whitened directions have second moment λ/(λ+γ) ≤ 1, and a row's squared norm is their sum on
	// average. Scaling rows to norm 1 divides by that norm. The intercept is a direction of its
	// own.
	radius := m.PreparedBound()
	return max(m.Intercept*m.Intercept, radius*radius*2/max(1, whitened.directions)) * bound * bound / (radius*radius + m.Intercept*m.Intercept)
}

// learningRate returns the learning rate of the rule above.
func (s Setup) learningRate(o Options, divisor, curvature float64) float64 {
	p := s.Plan
	stable := stabilityMargin * 2 * (1 + o.Momentum) / (s.Model.Loss.Smoothness()*curvature + o.Ridge)
	if p.NonPrivate {
		return stable
	}
	mu := math.Sqrt(float64(p.Steps)) / p.NoiseMultiplier
	divisor *= p.Share()
	tau := s.noiseInScores() * mu * divisor / p.Clipping.Bound
	warm := float64(p.Steps) - 1/(1-o.Momentum)
	return min(stable, tau*(1-o.Momentum)/max(warm, float64(p.Steps)/2))
}

// noiseInScores returns s for the plan. It depends on declarations alone.
func (s Setup) noiseInScores() float64 {
	p := s.Plan
	records := float64(cmp.Or(p.Records, p.MaxRecords))
	switch {
	case p.alike(option.FrequencyStatistic) == 0:
		return noiseInScore
	case s.Schema.Target.Regression():
		return min(mostInNumber, max(leastInNumber, records/recordsOfNumber))
	}
	return min(noiseInScore, max(leastInScore, records/recordsOfScore))
}

// averages reports whether the tail of the iterates is averaged.
func (s Setup) averages(o Options) bool {
	if o.Average != Auto {
		return o.Average == Yes
	}
	return !s.Plan.NonPrivate && s.Plan.Steps >= tailAverageSteps
}
