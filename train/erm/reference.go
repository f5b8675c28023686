package erm

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
)

// referencePlan is the section of the baseline.
type referencePlan struct {
	// SumRidge is Λ in the penalty (Λ/2)·‖w‖², which is added to the sum of losses. The
	// intercept is not penalized.
	SumRidge float64 `json:"sum-ridge"`
}

const (
	// referenceRidge is the default of Λ. It corresponds to C = 1 in scikit-learn.
	referenceRidge = 1
	// referenceGradient is the magnitude below which all entries of the gradient of the mean loss
	// end the search.
	referenceGradient = 1e-9
	// referenceLoose is the magnitude that also counts as the end if rounding ends the search
	// earlier.
	referenceLoose = 1e-6
)

// lbfgs is the method that minimizes the losses plus a ridge without privacy, for comparison with
// other programs. Source: Liu & Nocedal, "On the Limited Memory BFGS Method for Large Scale
// Optimization", Mathematical Programming 1989.
type lbfgs struct{}

func (lbfgs) name() string { return option.MethodLBFGS }

func (lbfgs) summary() string {
	return "the exact minimizer without privacy, for comparison: with --non-private only"
}

func (lbfgs) plan(r Request, s *Setup) error {
	if !s.Plan.NonPrivate {
		return fmt.Errorf("erm: method %s has no noise, want a baseline without privacy (an infinite Request.Epsilon) or another method", option.MethodLBFGS)
	}
	ridge := r.SumRidge
	if ridge == 0 {
		ridge = referenceRidge
	}
	s.Plan.Reference = &referencePlan{ridge}
	return nil
}

func (m lbfgs) validate(p Plan) error {
	if p.Reference == nil || !positive(p.Reference.SumRidge) || !p.NonPrivate {
		return fmt.Errorf("erm: the plan of method %s has no section of its own, a ridge that is not positive, or claims privacy; want a baseline with a positive ridge", option.MethodLBFGS)
	}
	return nil
}

func (lbfgs) event(Plan) mechanism.Event { return mechanism.NonPrivate{} }
func (lbfgs) draws(Plan) int             { return 0 }

func (m lbfgs) steps(p Plan) []step { return []step{{"exact weights", m.event(p)}} }

func (lbfgs) facts(p Plan) []fact {
	return []fact{{"ridge of the sum", fmt.Sprintf("%.4g, not on the intercept", p.Reference.SumRidge)}}
}

func (lbfgs) fit(ctx context.Context, f *fitting) ([]float64, error) {
	if err := f.grant.Pay(mechanism.NonPrivate{}); err != nil {
		return nil, err
	}
	if f.rows.Len() == 0 {
		return make([]float64, f.Model.Weights()), nil
	}
	o := newObjective(f)
	s := newSearch(make([]float64, f.Model.Weights()), func(gradient, w []float64) (float64, error) {
		o.move(w)
		copy(gradient, o.slope)
		if o.err != nil {
			return 0, o.err
		}
		return o.loss, ctx.Err()
	})
	if err := s.run(referenceGradient); err != nil {
		return nil, fmt.Errorf("erm: %s failed: %w", option.MethodLBFGS, err)
	}
	if !(s.least <= referenceLoose) {
		return nil, fmt.Errorf("erm: %s ended where the gradient of the mean loss is %v, want at most %v; a larger Request.SumRidge helps", option.MethodLBFGS, s.least, referenceLoose)
	}
	return s.best, nil
}
