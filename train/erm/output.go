package erm

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// outputPlan is the section of output perturbation. One record moves the minimizer by at most the
// sensitivity that release.Problem computes (Chaudhuri, Monteleoni & Sarwate, "Differentially
// Private Empirical Risk Minimization", JMLR 2011, theorem 6,
// https://www.jmlr.org/papers/v12/chaudhuri11a.html).
type outputPlan struct {
	// Ridge is Λ in the penalty (Λ/2)·‖w‖², which is added to the sum of losses.
	// For gradient descent it may be 0.
	Ridge float64 `json:"ridge"`
	// Solver is nil for the exact minimizer.
	Solver *solverPlan `json:"solver,omitempty"`
	// Noise is "gaussian", "l1", "l2" or "l-infinity". With the last three, epsilon is the
	// same at every delta, and delta may be 0.
	Noise string `json:"noise"`
	// NoiseMultiplier is the standard deviation of Gaussian noise, divided by the bound of one
	// record in the norm of the noise. For noise with density ∝ exp(-‖z‖/(b·bound)) it is the
	// scale b.
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// Sensitivity is the largest distance in L2 norm by which one record moves the result.
	Sensitivity float64 `json:"sensitivity"`
}

// noiseNorm returns the norm in which a kind of noise bounds a record.
func noiseNorm(noise string) (release.Norm, error) {
	switch noise {
	case option.NoiseGaussian, option.NoiseL2:
		return release.L2(), nil
	case option.NoiseL1:
		return release.L1(), nil
	case option.NoiseLInfinity:
		return release.LInfinity(), nil
	}
	return release.Norm{}, fmt.Errorf("erm: noise is %q, want %s, %s, %s or %s", noise, option.NoiseGaussian, option.NoiseL1, option.NoiseL2, option.NoiseLInfinity)
}

// noiseOf returns the noise with this name and multiplier.
func noiseOf(noise string, multiplier float64) mechanism.Noise {
	if noise == option.NoiseGaussian {
		return mechanism.Gaussian{NoiseMultiplier: multiplier}
	}
	return mechanism.KNorm{NoiseMultiplier: multiplier}
}

// noiseDraws returns the number of inexact draws that noise on this many weights needs. Noise in
// the norms L1 and L∞ is exact, so it needs none.
func noiseDraws(noise string, weights int) int {
	if noise == option.NoiseL1 || noise == option.NoiseLInfinity {
		return 0
	}
	return weights
}

// chosenNoise returns the noise of a request. At delta 0 the default is "l1". It is exact, and of
// the two exact kinds it has the smaller standard deviation of each weight (see perWeight).
func (r Request) chosenNoise() string {
	switch {
	case r.Noise != "":
		return r.Noise
	case r.Delta == 0:
		return option.NoiseL1
	}
	return option.NoiseGaussian
}

// perWeight returns the standard deviation of a noise of multiplier 1 on each of d weights, divided
// by the L2 sensitivity.
//
//   - Laplace noise is in the norm L1, in which a record moves by up to √d times its L2 distance.
//     It has scale √d and standard deviation √(2d).
//   - A density ∝ exp(-‖z‖) in the norm L∞ is uniform in a cube whose half side is a Gamma variable
//     of shape d+1. The mean square of a coordinate is (d+1)(d+2)/3, which is never less than 2d.
//   - In L2 norm a direction takes a share of 1/d of the mean square of the radius, a Gamma
//     variable of shape d.
func perWeight(noise string, weights int) float64 {
	d := float64(weights)
	switch noise {
	case option.NoiseL1:
		return math.Sqrt(2 * d)
	case option.NoiseLInfinity:
		return math.Sqrt((d + 1) * (d + 2) / 3)
	case option.NoiseL2:
		return math.Sqrt(d + 1)
	}
	return 1
}

// outputRidge is the coefficient of the default ridge.
const outputRidge = 0.25

// defaultRidge returns the Λ at which noise and ridge cost about the same. Let n be the number of
// records, z the noise multiplier and G the bound on a gradient. The noise in every weight, and so
// in every score of a unit row, has standard deviation z·G/Λ. It costs about n·(z·G/Λ)²/8, and the
// ridge costs (Λ/2)·‖w‖². So the best Λ is proportional to (n·z²·G²)^(1/3) for rows of norm 1. The
// coefficient was chosen on one public table, with normal noise.
func defaultRidge(p Plan, lipschitz, z float64) float64 {
	if p.NonPrivate {
		return 1
	}
	return outputRidge * p.RowBound * p.RowBound * math.Cbrt(p.records()*z*z*lipschitz*lipschitz)
}

type outputPerturbation struct{}

var _ method = outputPerturbation{}

func (outputPerturbation) name() string { return option.MethodOutput }

func (outputPerturbation) summary() string {
	return "the minimizer with a ridge, or where descent ends, plus noise"
}

// centers reports whether the noise is normal, which allows a noisy mean in addition.
func (outputPerturbation) centers(r Request) bool { return r.chosenNoise() == option.NoiseGaussian }

func (m outputPerturbation) plan(r Request, s *Setup) error {
	noise, z := r.chosenNoise(), 1.0
	if _, err := noiseNorm(noise); err != nil {
		return err
	}
	weights := s.Plan.Dim * s.Plan.Columns
	if !s.Plan.NonPrivate {
		var err error
		z, err = r.calibrate(s.Plan, noiseDraws(noise, weights), func(z float64) mechanism.Event { return noiseOf(noise, z) })
		if err != nil {
			return err
		}
	}
	o := outputPlan{Noise: noise, NoiseMultiplier: z}
	var err error
	if o.Solver, o.Ridge, err = r.solver().plan(s.Plan, r.SumRidge, defaultRidge(s.Plan, s.Model.Loss.Lipschitz(s.Plan.Columns), z*perWeight(noise, weights))); err != nil {
		return err
	}
	s.Plan.Output = &o
	solver, err := s.Plan.solver()
	if err != nil {
		return err
	}
	o.Sensitivity, err = solver.Sensitivity(s.Plan.Dim)
	return err
}

func (m outputPerturbation) validate(p Plan) error {
	if err := p.only(p.Output != nil); err != nil {
		return err
	}
	solver, err := p.solver()
	if err != nil {
		return err
	}
	if _, err = noiseNorm(p.Output.Noise); err != nil {
		return err
	}
	want, err := solver.Sensitivity(p.Dim)
	if err != nil {
		return err
	}
	if p.Output.Sensitivity != want {
		return fmt.Errorf("erm: sensitivity is %v, want %v, which follows from the other numbers", p.Output.Sensitivity, want)
	}
	return mechanism.CheckEvent(noiseOf(p.Output.Noise, p.Output.NoiseMultiplier))
}

func (m outputPerturbation) event(p Plan) mechanism.Event {
	return p.noise(noiseOf(p.Output.Noise, p.Output.NoiseMultiplier))
}

func (outputPerturbation) draws(p Plan) int { return noiseDraws(p.Output.Noise, p.Dim*p.Columns) }

func (m outputPerturbation) steps(p Plan) []step { return []step{{"weights", m.event(p)}} }

func (outputPerturbation) facts(p Plan) []fact {
	o := p.Output
	return []fact{
		{"solver", o.Solver.words()},
		{"ridge", fmt.Sprintf("%.4g beside the sum of losses", o.Ridge)},
		{"sensitivity", fmt.Sprintf("one record moves the weights by at most %.4g", o.Sensitivity)},
		{"noise", fmt.Sprintf("%s, of %.4g times the most that one record can move", o.Noise, o.NoiseMultiplier)},
	}
}

func (m outputPerturbation) fit(ctx context.Context, f *fitting) ([]float64, error) {
	solver, err := f.Plan.solver()
	if err != nil {
		return nil, err
	}
	norm, err := noiseNorm(f.Plan.Output.Noise)
	if err != nil {
		return nil, err
	}
	noise := f.Plan.noise(noiseOf(f.Plan.Output.Noise, f.Plan.Output.NoiseMultiplier))
	sealed, err := solver.Run(ctx, f.rows, noise, norm)
	if err != nil {
		return nil, err
	}
	noisy, err := release.Release(f.grant, noise, sealed)
	return noisy.Values(), err
}
