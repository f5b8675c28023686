package erm

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// objectivePlan is the section of objective perturbation (Redberg, Koskela & Wang, "Improving the
// Privacy and Practicality of Objective Perturbation for Differentially Private Linear Learners",
// NeurIPS 2023, https://arxiv.org/abs/2401.00583).
type objectivePlan struct {
	// Ridge is Λ in the penalty (Λ/2)·‖w‖², which is added to the sum of losses.
	Ridge float64 `json:"ridge"`
	// Smoothness is a bound on the second derivative of one record's loss, divided by Ridge. It is
	// below 1.
	Smoothness float64 `json:"smoothness"`
	// NoiseMultiplier is the standard deviation of the random linear term, divided by the bound on
	// one record's gradient. The bound is for the weights of one score.
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// OutputNoiseMultiplier is the standard deviation of the noise on the result, divided by
	// Distance.
	OutputNoiseMultiplier float64 `json:"output-noise-multiplier"`
	// Distance is a bound on the L2 distance that rounding and the solver's tolerance add between
	// neighboring results.
	Distance float64 `json:"distance"`
}

func (o objectivePlan) heads(columns int) mechanism.Event {
	one := mechanism.ObjectivePerturbation{NoiseMultiplier: o.NoiseMultiplier, Smoothness: o.Smoothness}
	if columns == 1 {
		return one
	}
	return mechanism.Repeat{Event: one, Count: columns}
}

func (o objectivePlan) event(columns int) mechanism.Sequence {
	return mechanism.Sequence{o.heads(columns), mechanism.Gaussian{NoiseMultiplier: o.OutputNoiseMultiplier}}
}

const (
	// outputShare is the noise multiplier of the result, in units of the multiplier at which the
	// result alone would cost the budget. That noise takes about 1/outputShare² of the budget.
	outputShare = 30
	// nearGaussian is the largest ratio of the linear term's noise to the noise of a normal release
	// with the same budget. The default ridge is the smallest that keeps this ratio.
	nearGaussian = 1.3
)

type objectivePerturbation struct{}

var _ method = objectivePerturbation{}

func (objectivePerturbation) name() string { return option.MethodObjective }

func (objectivePerturbation) summary() string {
	return "the minimizer with a ridge and a random linear term"
}

// centers returns true, because the proof is for a positive delta.
func (objectivePerturbation) centers(Request) bool { return true }

// covered returns the plan's problem with a ridge of 1. It returns an error for problems that the
// theorem does not cover: other relations, losses with a second derivative of rank above one or
// with kinks, and baselines.
func (objectivePerturbation) covered(r Request, p Plan) (release.Problem, error) {
	switch {
	case p.NonPrivate:
		return release.Problem{}, fmt.Errorf("erm: objective perturbation is asked for without privacy, want a finite epsilon; %s has a baseline with the same minimizer", option.MethodOutput)
	case r.Delta == 0:
		return release.Problem{}, fmt.Errorf("erm: delta is 0, want more for objective perturbation, whose proof is for a positive delta; %s has one for 0", option.MethodOutput)
	case r.Neighboring == privacy.ReplaceOne:
		return release.Problem{}, fmt.Errorf("erm: neighboring is %v, want %v or %v for objective perturbation, whose proof is for these", r.Neighboring, privacy.AddOrRemoveOne, privacy.ZeroOut)
	case r.Noise != "":
		return release.Problem{}, fmt.Errorf("erm: noise is %q with objective perturbation, want none named; it is normal", r.Noise)
	}
	base, err := p.problem(1)
	if err != nil {
		return base, err
	}
	some := base
	some.Ridge = 4 * base.Curvature()
	if err = release.CheckObjective(mechanism.ObjectivePerturbation{NoiseMultiplier: 1, Smoothness: 0.5}, some); err != nil {
		return base, fmt.Errorf("erm: %w", err)
	}
	return base, nil
}

func (m objectivePerturbation) plan(r Request, s *Setup) error {
	base, err := m.covered(r, s.Plan)
	if err != nil {
		return err
	}
	target, err := r.target(s.Plan, 2*s.Plan.Dim*s.Plan.Columns)
	if err != nil {
		return err
	}
	o := objectivePlan{Ridge: r.SumRidge, OutputNoiseMultiplier: outputShare / account.MuOf(target)}
	if o.Ridge == 0 {
		if o.Ridge, err = o.leastRidge(target, base.Curvature(), s.Plan); err != nil {
			return err
		}
	}
	if o.Smoothness = base.Curvature() / o.Ridge * (1 + 0x1p-40); !(o.Smoothness < 1) {
		return fmt.Errorf("erm: ridge of the sum is %v, want more than the curvature %v of one record's loss", o.Ridge, base.Curvature())
	}
	if o.NoiseMultiplier, err = o.calibrate(target, s.Plan); err != nil {
		return err
	}
	base.Ridge = o.Ridge
	o.Distance = release.ObjectiveDistance(o.one(), base, s.Plan.Dim)
	s.Plan.Objective = &o
	return nil
}

func (o objectivePlan) one() mechanism.ObjectivePerturbation {
	return mechanism.ObjectivePerturbation{NoiseMultiplier: o.NoiseMultiplier, Smoothness: o.Smoothness}
}

// with returns the plan with another noise.
func (o objectivePlan) with(multiplier float64) objectivePlan {
	o.NoiseMultiplier = multiplier
	return o
}

// calibrate returns the least noise multiplier of the linear term at which the plan meets a target.
func (o objectivePlan) calibrate(target privacy.Guarantee, p Plan) (float64, error) {
	whole := func(z float64) mechanism.Event { return p.afterCenter(o.with(z).event(p.Columns)) }
	return account.Calibrate(account.For(whole(1)), target, whole)
}

// leastRidge returns approximately the least ridge at which the linear term needs little noise. Its
// noise is at most nearGaussian times the noise of a normal release with the same budget. Both are
// priced by Rényi divergences.
func (o objectivePlan) leastRidge(target privacy.Guarantee, curvature float64, p Plan) (float64, error) {
	most := nearGaussian * math.Sqrt(float64(p.Columns)) / account.MuOf(target)
	for ridge := 2 * curvature / target.Epsilon(); ridge < 1e12*curvature; ridge *= 1.1 {
		if o.Smoothness = curvature / ridge; o.Smoothness >= 0.99 {
			continue
		}
		cost, err := account.RDP{}.Epsilon(p.afterCenter(o.with(most).event(p.Columns)), target.Delta(), target.Neighboring())
		if err != nil {
			return 0, err
		}
		if cost.Upper <= target.Epsilon() {
			return ridge, nil
		}
	}
	return 0, fmt.Errorf("erm: no ridge keeps epsilon %v at delta %v, want a larger budget", target.Epsilon(), target.Delta())
}

func (m objectivePerturbation) validate(p Plan) error {
	if err := p.only(p.Objective != nil); err != nil {
		return err
	}
	o := p.Objective
	problem, err := p.problem(o.Ridge)
	if err != nil {
		return err
	}
	if p.NonPrivate {
		return fmt.Errorf("erm: objective perturbation is planned without privacy, want noise")
	}
	if err = release.CheckObjective(o.one(), problem); err != nil {
		return err
	}
	if want := release.ObjectiveDistance(o.one(), problem, p.Dim); o.Distance != want {
		return fmt.Errorf("erm: distance is %v, want %v, which follows from the other numbers", o.Distance, want)
	}
	return nil
}

func (m objectivePerturbation) event(p Plan) mechanism.Event { return p.Objective.event(p.Columns) }

func (objectivePerturbation) draws(p Plan) int { return 2 * p.Dim * p.Columns }

func (objectivePerturbation) steps(p Plan) []step {
	e := p.Objective.event(p.Columns)
	return []step{{"minimizer", e[0]}, {"noise on it", e[1]}}
}

func (objectivePerturbation) facts(p Plan) []fact {
	o := p.Objective
	return []fact{
		{"ridge", fmt.Sprintf("%.4g beside the sum of losses, %.4g times the curvature of one record's loss", o.Ridge, 1/o.Smoothness)},
		{"linear term", fmt.Sprintf("of a standard deviation of %.4g times the gradient of one record", o.NoiseMultiplier)},
		{"noise on the result", fmt.Sprintf("of a standard deviation of %.4g, against rounding", o.OutputNoiseMultiplier*o.Distance)},
	}
}

func (m objectivePerturbation) fit(ctx context.Context, f *fitting) ([]float64, error) {
	o := f.Plan.Objective
	problem, err := f.Plan.problem(o.Ridge)
	if err != nil {
		return nil, err
	}
	noisy, err := release.SolveObjective(ctx, f.grant, o.one(), problem, f.rows, mechanism.Gaussian{NoiseMultiplier: o.OutputNoiseMultiplier})
	return noisy.Values(), err
}
