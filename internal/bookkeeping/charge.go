package bookkeeping

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/together"
)

// ChargeLeft is the charge of a run that may take all that its ledger has left.
const ChargeLeft = "left"

// AnyEpsilon is the largest epsilon of a run that is limited only by its charge.
var AnyEpsilon = math.Inf(1)

// widestOwn is the largest epsilon that Within tries, in multiples of the epsilon of Gaussian noise that fits. A plan
// with a smaller delta than the ledger may be charged less than its own epsilon.
const widestOwn = 16

// SetCharge sets the charge of a run. The text must be a percentage or ChargeLeft; other texts are
// errors.
func (w *Wish) SetCharge(text string) error {
	w.Charge = text
	_, err := w.charge()
	return err
}

// Most returns the largest epsilon of a run. It is AnyEpsilon if a charge but no epsilon is given,
// otherwise the argument epsilon.
func (w Wish) Most(epsilon float64, given bool) float64 {
	if w.Charge != "" && !given {
		return AnyEpsilon
	}
	return epsilon
}

// charge returns the share of a budget that a charge is: +Inf for ChargeLeft.
func (w Wish) charge() (float64, error) {
	if w.Charge == ChargeLeft {
		return math.Inf(1), nil
	}
	number, percent := strings.CutSuffix(w.Charge, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !percent || !(v > 0 && v <= 100) {
		return 0, fmt.Errorf("--charge is %q, want a share of the ledger's budget of more than 0%% and at most 100%%, such as 25%%, or %s for all that is left", w.Charge, ChargeLeft)
	}
	return v / 100, nil
}

// Within plans a run so that the filter of its ledger charges at most a share of the budget. If
// necessary, the run gets more noise. The share is w.Charge. Without w.Charge, the share is most
// divided by the epsilon of the ledger. Releases then fit into an empty ledger if their epsilons
// add up to at most the epsilon of the ledger.
//
// The function plan returns a run with this epsilon and the draft of its certificate. The charge of
// the run grows with the epsilon. The argument most is the largest epsilon. It may be AnyEpsilon if
// there is a w.Charge. The result words describes what was changed, or is "". Within reads no
// records and reserves nothing. If no plan has so small a charge, the error wraps
// ledger.ErrOverBudget.
//
// Without w.Charge, Within changes no plan in three cases: no ledger can be opened, the noise is
// given, or plan returns no draft. The filter basic also charges the delta of a plan, and more
// noise does not change the delta.
//
// If several ranks run the command, the root decides, and the others plan with its epsilon.
func Within[R any](ctx context.Context, w Wish, s *data.Schema, most float64, plan func(epsilon float64) (R, *certificate.Certificate, error)) (run R, words string, err error) {
	of := together.From(ctx)
	if !of.Root() {
		epsilon, failed := of.TellNumber(0)
		if failed != nil {
			return run, "", failed
		}
		run, _, err = plan(epsilon)
		return run, "", err
	}
	chosen := most // by the last plan, which is the one that is returned
	run, words, err = withinAlone(ctx, w, s, most, func(epsilon float64) (R, *certificate.Certificate, error) {
		chosen = epsilon
		return plan(epsilon)
	})
	if err == nil {
		_, err = of.TellNumber(chosen)
	}
	return run, words, err
}

// withinAlone is Within for one process.
func withinAlone[R any](ctx context.Context, w Wish, s *data.Schema, most float64, plan func(epsilon float64) (R, *certificate.Certificate, error)) (run R, words string, err error) {
	if w.Charge != "" {
		return charged(ctx, w, s, most, plan)
	}
	run, c, err := plan(most)
	if err != nil || c == nil || c.Asked == 0 {
		return run, "", err
	}
	p, err := w.Purse(ctx, s)
	if p == nil || err != nil {
		return run, "", nil // Pay says what is wrong
	}
	defer p.ledger.Close()
	t := p.ledger.Terms()
	share := most / t.Epsilon
	q, failed := p.quote(ctx, w, s, *c)
	if failed != nil || share > 1 || q.Within(share) { // Pay refuses what is beyond the budget
		return run, "", nil
	}
	why := "and --charge takes more"
	says := func() string {
		return fmt.Sprintf("%s; --epsilon %v is %s of the epsilon %v of the ledger, %s", chargeWords(q), most, budget.Percent(share), t.Epsilon, why)
	}
	if t.Filter.Name == budget.Basic && q.Charge <= most*(1+1e-6) { // the rest is delta
		why = "and the filter also charges the delta of the plan, so a smaller --delta takes less"
		return run, says(), nil
	}
	epsilon, ask, err := fitting(ctx, p, w, s, most, share, false, plan)
	switch {
	case err == nil:
		q, err = p.ledger.Quote(ctx, ask)
	case ctx.Err() == nil:
		why, epsilon, err = "and no other noise of the plan is charged so little", most, nil
	}
	if err == nil {
		run, _, err = plan(epsilon)
	}
	return run, says(), err
}

// charged is Within for a given charge.
func charged[R any](ctx context.Context, w Wish, s *data.Schema, most float64, plan func(epsilon float64) (R, *certificate.Certificate, error)) (run R, words string, err error) {
	share, err := w.charge()
	if err != nil {
		return run, "", err
	}
	p, err := w.Purse(ctx, s)
	switch {
	case err != nil:
		return run, "", err
	case p == nil:
		return run, "", errors.New("--charge is given without --ledger, want the ledger that charges")
	}
	defer p.ledger.Close()
	left, err := p.ledger.Left(w.Population)
	switch {
	case err != nil:
		return run, "", err
	case !(most > 0):
		return run, "", fmt.Errorf("--epsilon is %v with --charge, want more than 0", most)
	case !(left.Epsilon > 0):
		return run, "", p.refused(fmt.Errorf("budget: %w: nothing is left, want a larger budget", budget.ErrOverBudget))
	case math.IsInf(most, 1):
		most = widestOwn * left.Epsilon
	}
	epsilon, ask, err := fitting(ctx, p, w, s, most, share, true, plan)
	if err != nil {
		return run, "", err
	}
	q, err := p.ledger.Quote(ctx, ask)
	if err == nil {
		run, _, err = plan(epsilon)
	}
	return run, chargeWords(q), err
}

// fitting is Fit of the ledger for the plans of a run. The error of a plan says nothing about the ledger.
func fitting[R any](ctx context.Context, p *Purse, w Wish, s *data.Schema, most, share float64, left bool,
	plan func(epsilon float64) (R, *certificate.Certificate, error)) (epsilon float64, ask budget.Ask, err error) {
	var unplanned error
	epsilon, ask, err = p.ledger.Fit(ctx, most, share, left, func(epsilon float64) (budget.Ask, error) {
		_, c, failed := plan(epsilon)
		if failed != nil {
			unplanned = failed
			return budget.Ask{}, failed
		}
		return p.ask(w, s, *c)
	})
	if err != nil && (unplanned == nil || !errors.Is(err, unplanned) || errors.Is(err, budget.ErrOverBudget)) {
		err = p.refused(err)
	}
	return epsilon, ask, err
}

// ask returns what the run of a draft asks of the ledger.
func (p *Purse) ask(w Wish, s *data.Schema, c certificate.Certificate) (budget.Ask, error) {
	a, err := askOf(c)
	a.Population, a.Data = w.Population, s.Name
	return a, err
}

// quote returns what the ledger would charge for the run of a draft.
func (p *Purse) quote(ctx context.Context, w Wish, s *data.Schema, c certificate.Certificate) (budget.Quote, error) {
	a, err := p.ask(w, s, c)
	if err != nil {
		return budget.Quote{}, err
	}
	return p.ledger.Quote(ctx, a)
}

// chargeWords is the line of a run about its charge.
func chargeWords(q budget.Quote) string {
	return fmt.Sprintf("charge     %s of the ledger's budget; the plan's own guarantee has epsilon %s", budget.Percent(max(q.Share, q.ShareAfter-q.ShareBefore)), display.Rounded(q.Own.Epsilon, 4, true))
}
