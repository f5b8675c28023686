package planaudit

import (
	"context"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// smallRate is a learning rate that leaves weights near 0, where canaries have the gradients that
// their scores suppose.
const smallRate = 1e-6

// purseOf returns a purse for runs by a certificate, each within its epsilon. Made-up records are
// nobody's.
func purseOf(c certificate.Certificate) (*auditing.Purse, error) {
	limit, err := privacy.NewGuarantee(float64(c.Epsilon)*(1+1e-9), c.Delta, c.Neighboring, privacy.Unit{Row: c.Unit})
	return auditing.NewPurse(limit), err
}

// descentOptions returns the settings of a training whose every released number can be read from
// its result: one small rate, so that weights are sums of what was released. Where the last iterate
// alone is released, its plan has the settings.
func descentOptions(p train.Plan) train.Options {
	if l := p.LastIterate; l != nil {
		return train.Options{Ridge: l.Ridge}
	}
	return train.Options{LearningRate: smallRate, Schedule: option.ScheduleConstant, Output: option.OutputAllIterates}
}

// run trains once on a table of canaries and scores them.
func (w *world) run(ctx context.Context, purse *auditing.Purse) (audit.Scores, error) {
	d, included := w.draw()
	var fitted *train.Result
	err := purse.Train(func(l *ledger.Ledger) (failed error) {
		fitted, failed = train.Fit(ctx, l, w.setup, d, descentOptions(w.setup.Plan))
		return failed
	})
	if err != nil {
		return audit.Scores{}, failure.Running(err)
	}
	return divide(w.scores(fitted), included), nil
}

// divide divides scores by the coins of their canaries.
func divide(scores []float64, included []bool) (s audit.Scores) {
	for i, in := range included {
		if in {
			s.Included = append(s.Included, scores[i])
		} else {
			s.LeftOut = append(s.LeftOut, scores[i])
		}
	}
	return s
}

// join adds scores to others.
func join(all *audit.Scores, more audit.Scores) {
	all.Included, all.LeftOut = append(all.Included, more.Included...), append(all.LeftOut, more.LeftOut...)
}

// scores returns the score of every canary.
func (w *world) scores(r *train.Result) []float64 {
	out := make([]float64, w.canaries)
	if w.setup.Plan.LastIterate != nil {
		weights := r.Model.Weights()
		for i := range out {
			out[i] = w.along(weights, i, w.step) * -1 // a step moves against the gradient
		}
		return out
	}
	p := w.setup.Plan
	unit := r.Divisor * p.Share() / (r.LearningRate * p.Clipping.Bound)
	taking := sampling{kind: p.Sampling, share: w.share(), parts: p.Parts}
	with, without := make([]float64, len(r.Iterates)), make([]float64, len(r.Iterates))
	square, squareInstead := w.square(w.step), w.square(w.instead)
	for i := range out {
		for t, iterate := range r.Iterates {
			z := w.multiplier(t)
			with[t] = ratio(w.moved(r, t, i, w.step, iterate)*unit/(z*z), square/(z*z))
			if w.instead != nil {
				without[t] = ratio(w.moved(r, t, i, w.instead, iterate)*unit/(z*z), squareInstead/(z*z))
			}
		}
		if out[i] = taking.score(with); w.instead != nil {
			out[i] -= taking.score(without)
		}
	}
	return out
}

// share returns the probability that a record is in the sample of a step that is its turn.
func (w *world) share() float64 {
	if p := w.setup.Plan; p.Sampling == option.SamplingPoisson || p.Sampling == option.SamplingFixedSize {
		return p.Share()
	}
	return 1
}

// multiplier returns the noise multiplier of a step. Steps beyond the plan, which no plan has,
// count as its last.
func (w *world) multiplier(step int) float64 {
	if all := w.setup.Plan.NoiseMultipliers; len(all) > 0 {
		return all[min(step, len(all)-1)]
	}
	return w.setup.Plan.NoiseMultiplier
}

// moved returns how far a step moved the weights of a canary against a gradient.
func (w *world) moved(r *train.Result, step, i int, gradient []float64, iterate []float64) float64 {
	before := 0.0
	if step > 0 {
		before = w.along(r.Iterates[step-1], i, gradient)
	}
	return before - w.along(iterate, i, gradient)
}

// along returns the product of weights and the gradient of a canary.
func (w *world) along(weights []float64, i int, gradient []float64) float64 {
	sum, dim := 0.0, w.setup.Plan.Dim
	for c, g := range gradient {
		for k := range w.blocks {
			sum += g * weights[c*dim+k*w.canaries+i]
		}
	}
	return sum
}

// square returns the squared length of a gradient.
func (w *world) square(gradient []float64) float64 {
	n := norm(gradient)
	return n * n * float64(w.blocks)
}
