package erm

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
)

// zerothPlan is the section of zeroth-order descent. In every step each record adds one vector of
// differences
//
//	c_k = (loss(w + ρ·u_k) - loss(w - ρ·u_k))/(2ρ), k = 1 … Directions,
//
// along public random directions u_k. The whole vector is clipped to ClippingNorm. The sum over
// records is released with noise. The weights move by -Rate/(N·Directions)·Σ_k sum_k·u_k, for the
// public number N of records. One record moves the sum by at most ClippingNorm, whatever the loss
// is.
//
// Sources: Zhang, Li, Thekumparampil, Oh & He, "DPZero: Private Fine-Tuning of Language Models
// without Backpropagation", ICML 2024, https://arxiv.org/abs/2310.09639, algorithm 2 (one direction
// a step). Tang and others, "Private Fine-tuning of Large Language Models with Zeroth-order
// Optimization", TMLR 2025, https://arxiv.org/abs/2401.04343 (Laplace noise). Here, unlike in these
// sources, the differences of several directions are clipped together.
type zerothPlan struct {
	Steps      int `json:"steps"`
	Directions int `json:"directions"`
	// Radius is ρ, the distance from w at which losses are compared.
	Radius float64 `json:"radius"`
	// Noise is "gaussian" or "l1". "l1" is Laplace noise, whose epsilon is the same at every delta.
	Noise string `json:"noise"`
	// ClippingNorm is the largest norm of the vector of one record. The norm is L2 for "gaussian"
	// and L1 for "l1".
	ClippingNorm float64 `json:"clipping-norm"`
	// NoiseMultiplier is the standard deviation of the noise in each step, divided by ClippingNorm.
	// For Laplace noise it is the scale divided by ClippingNorm. It is 0 in a plan without privacy.
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// Rate is the size of a step.
	Rate float64 `json:"rate"`
}

const (
	// zerothReach is ρ for rows of norm 1. It is about the change of a row's score between w and w
	// + ρ·u_k.
	zerothReach = 0.1
	// zerothClipping is the default clipping norm, divided by the typical length of the vector of
	// differences for the largest gradient.
	zerothClipping = 0.5
	// zerothLogits limits the noise of all steps together at the default rate. It limits the
	// standard deviation of the score of a row of the largest norm.
	zerothLogits = 0.5
	// maxZerothSteps and maxDirections bound a plan. They are far above any use.
	maxZerothSteps, maxDirections = 1 << 14, 64
)

type zeroth struct{}

var _ method = zeroth{}

func (zeroth) name() string { return option.MethodZeroth }

func (zeroth) summary() string {
	return "descent by differences of losses along public random directions, without gradients"
}

// zerothNoise returns the noise of a request. At delta 0 the default is Laplace noise, which has
// pure ε.
func (r Request) zerothNoise() string {
	switch {
	case r.Noise != "":
		return r.Noise
	case r.Delta == 0:
		return option.NoiseL1
	}
	return option.NoiseGaussian
}

// centers reports whether the noise is normal, which allows a noisy mean in addition.
func (zeroth) centers(r Request) bool { return r.zerothNoise() == option.NoiseGaussian }

func (m zeroth) plan(r Request, s *Setup) error {
	if r.SumRidge != 0 {
		return fmt.Errorf("erm: ridge of the sum is %v with method %s, want none; it stops early in its place", r.SumRidge, option.MethodZeroth)
	}
	z := zerothPlan{Steps: r.Steps, Directions: r.Directions, Radius: r.Smoothing, ClippingNorm: r.ClippingNorm, Rate: r.StepSize, Noise: r.zerothNoise()}
	if z.Steps == 0 {
		z.Steps = option.DefaultZerothSteps
	}
	if z.Directions == 0 {
		z.Directions = option.DefaultDirections
	}
	if z.Radius == 0 {
		z.Radius = zerothReach / s.Plan.RowBound
	}
	if err := z.check(); err != nil {
		return err
	}
	if !s.Plan.NonPrivate {
		var err error
		if z.NoiseMultiplier, err = r.calibrate(s.Plan, z.draws(), func(multiplier float64) mechanism.Event { return z.with(multiplier).event() }); err != nil {
			return err
		}
	}
	z.fill(s.Plan, s.Model.Loss)
	s.Plan.Zeroth = &z
	return nil
}

// fill sets the clipping norm and the rate if the request leaves them open. Both follow from the
// loss.
func (z *zerothPlan) fill(p Plan, loss model.Loss) {
	if slope := loss.Lipschitz(p.Columns); z.ClippingNorm == 0 {
		if math.IsInf(slope, 1) {
			slope = 1 // for a residual as large as the largest target
		}
		z.ClippingNorm = zerothClipping * slope * p.RowBound * z.length()
	}
	if z.Rate == 0 {
		z.Rate = z.defaultRate(p, loss.Smoothness())
	}
}

// length returns the typical length of a vector of independent standard normal numbers, one for
// each direction, in the norm of the noise. The directions turn a gradient of norm 1 into about
// such a vector.
func (z zerothPlan) length() float64 {
	k := float64(z.Directions)
	if z.Noise == option.NoiseL1 {
		return k * math.Sqrt(2/math.Pi)
	}
	return math.Sqrt(k)
}

// defaultRate returns the smaller of two rates. The first is the largest rate at which a step
// without noise decreases the loss on average. At the second, the noise of all steps together is
// zerothLogits.
//
// For the first rate, take random signs u with E[u·uᵀ] = I and the average v of K products (g·u)·u.
// Then E[vᵀHv] ≤ tr(H)·‖g‖²/K + (1+1/K)·gᵀHg. The trace of the second derivative H, divided by
// Columns, and the eigenvalues of H are at most curvature·RowBound². So the rate does not depend on
// the number of weights, as in theorem 3 of DPZero.
func (z zerothPlan) defaultRate(p Plan, curvature float64) float64 {
	k := float64(z.Directions)
	rate := 1 / (curvature * p.RowBound * p.RowBound * (1 + (1+float64(p.Columns))/k))
	if p.NonPrivate {
		return rate
	}
	return min(rate, zerothLogits/(z.noiseOfSteps()/p.records()*p.RowBound))
}

// noiseOfSteps returns the standard deviation of the noise in each weight after all steps at rate
// 1, times the number of records.
func (z zerothPlan) noiseOfSteps() float64 {
	deviation := z.NoiseMultiplier * z.ClippingNorm
	if z.Noise == option.NoiseL1 {
		deviation *= math.Sqrt2
	}
	return deviation * math.Sqrt(float64(z.Steps)/float64(z.Directions))
}

// with returns the plan with another noise.
func (z zerothPlan) with(multiplier float64) zerothPlan {
	z.NoiseMultiplier = multiplier
	return z
}

func (z zerothPlan) event() mechanism.Event {
	return mechanism.Repeat{Event: noiseOf(z.Noise, z.NoiseMultiplier), Count: z.Steps}
}

func (z zerothPlan) draws() int { return noiseDraws(z.Noise, z.Steps*z.Directions) }

// check returns an error if a number of the section is out of range for a request.
func (z zerothPlan) check() error {
	switch {
	case z.Steps < 1 || z.Steps > maxZerothSteps || z.Directions < 1 || z.Directions > maxDirections:
		return fmt.Errorf("erm: method %s has %d steps of %d directions, want 1 to %d steps and 1 to %d directions", option.MethodZeroth, z.Steps, z.Directions, maxZerothSteps, maxDirections)
	case z.Noise != option.NoiseGaussian && z.Noise != option.NoiseL1:
		return fmt.Errorf("erm: noise is %q with method %s, want %s or %s", z.Noise, option.MethodZeroth, option.NoiseGaussian, option.NoiseL1)
	case !positive(z.Radius) || !(z.ClippingNorm >= 0) || math.IsInf(z.ClippingNorm, 1) || !(z.Rate >= 0) || math.IsInf(z.Rate, 1):
		return fmt.Errorf("erm: radius of differences is %v, clipping norm %v, rate %v, want positive finite numbers", z.Radius, z.ClippingNorm, z.Rate)
	}
	return nil
}

func (m zeroth) validate(p Plan) error {
	if err := p.only(p.Zeroth != nil); err != nil {
		return err
	}
	z := p.Zeroth
	if err := z.check(); err != nil {
		return err
	}
	if !positive(z.ClippingNorm) || !positive(z.Rate) || !p.NonPrivate && !positive(z.NoiseMultiplier) {
		return fmt.Errorf("erm: clipping norm is %v, rate %v, noise multiplier %v, want positive finite numbers", z.ClippingNorm, z.Rate, z.NoiseMultiplier)
	}
	return nil
}

func (zeroth) event(p Plan) mechanism.Event {
	if p.NonPrivate {
		return mechanism.Repeat{Event: mechanism.NonPrivate{}, Count: p.Zeroth.Steps}
	}
	return p.Zeroth.event()
}

func (zeroth) draws(p Plan) int { return p.Zeroth.draws() }

func (m zeroth) steps(p Plan) []step { return []step{{"differences of losses", m.event(p)}} }

func (zeroth) facts(p Plan) []fact {
	z := p.Zeroth
	return []fact{
		{"steps", fmt.Sprintf("%d of rate %.4g, along %d random directions each", z.Steps, z.Rate, z.Directions)},
		{"differences", fmt.Sprintf("of losses %.4g to both sides, bounded at %.4g a record", z.Radius, z.ClippingNorm)},
		{"noise", fmt.Sprintf("%s, of %.4g times that bound", z.Noise, z.NoiseMultiplier)},
		{"output", "average of the last half of the iterates"},
	}
}

func (m zeroth) fit(ctx context.Context, f *fitting) ([]float64, error) {
	run := newZerothRun(f)
	for step := range run.plan.Steps {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("erm: stopped after step %d of %d: %w", step, run.plan.Steps, context.Cause(ctx))
		}
		if err := run.step(step); err != nil {
			return nil, err
		}
	}
	return run.average, nil
}
