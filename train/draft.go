package train

import (
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
)

// Defaults returns the request and the options that `dither train` uses if it is given no flags.
func Defaults() (Request, Options) {
	return Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, ClippingMode: option.ClipGradient, Accounting: option.AccountingComposition},
		Options{Momentum: option.DefaultMomentum, FeatureBits: 16, Optimizer: option.OptimizerMomentum, Schedule: option.ScheduleConstant}
}

// Draft returns a plan that costs at most the epsilon of the request, and the plan's certificate.
// The certificate contains only the assumptions that follow from the plan. Its fields for the
// program, the time and the hashes are empty. Draft reads no record. If no plan meets the epsilon,
// the error wraps ledger.ErrOverBudget.
func Draft(r Request, s *data.Schema) (Setup, certificate.Certificate, error) {
	var setup Setup
	asked := r.Epsilon
	if r.PerStep {
		asked = 0
	}
	draft, err := draft.Within(asked, func(epsilon float64) (certificate.Certificate, error) {
		attempt := r
		if !attempt.PerStep {
			attempt.Epsilon = epsilon
		}
		var failed error
		if setup, failed = NewPlan(attempt, s); failed != nil {
			return certificate.Certificate{}, failed
		}
		return setup.Plan.Certificate()
	})
	return setup, draft, err
}
