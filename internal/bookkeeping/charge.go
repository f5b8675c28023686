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
)

// ChargeLeft is the charge of a run that takes all that its ledger has left.
const ChargeLeft = "left"

// AnyEpsilon is the largest epsilon of a run that only its charge bounds.
var AnyEpsilon = math.Inf(1)

// widestOwn is the largest epsilon that Fitting tries, in multiples of the epsilon of Gaussian noise that fits. A plan
// with a smaller delta than the ledger may be charged less than its own epsilon.
const widestOwn = 16

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

// Fitting returns the largest epsilon of a run's own guarantee whose charge keeps within w.Charge, to a thousandth,
// and the charge in words. The function plan drafts the certificate of the run for an epsilon. most is the largest
// epsilon that is tried, or AnyEpsilon. Nothing is read from the records or reserved. The error wraps
// ledger.ErrOverBudget where no plan fits.
func (w Wish) Fitting(ctx context.Context, s *data.Schema, most float64, plan func(epsilon float64) (certificate.Certificate, error)) (epsilon float64, words string, err error) {
	share, err := w.charge()
	if err != nil {
		return 0, "", err
	}
	p, err := w.Purse(ctx, s)
	switch {
	case err != nil:
		return 0, "", err
	case p == nil:
		return 0, "", errors.New("--charge is given without --ledger, want the ledger that charges")
	}
	defer p.ledger.Close()
	left, err := p.ledger.Left(w.Population)
	if err != nil {
		return 0, "", err
	}
	switch {
	case !(most > 0):
		return 0, "", fmt.Errorf("--epsilon is %v with --charge, want more than 0", most)
	case !(left.Epsilon > 0):
		return 0, "", p.refused(fmt.Errorf("budget: %w: nothing is left, want a larger budget", budget.ErrOverBudget))
	case math.IsInf(most, 1):
		most = widestOwn * left.Epsilon
	}
	epsilon, ask, err := p.ledger.Fit(ctx, most, share, func(epsilon float64) (budget.Ask, error) {
		c, failed := plan(epsilon)
		if failed != nil {
			return budget.Ask{}, failed
		}
		a, failed := askOf(c)
		a.Population, a.Data = w.Population, s.Name
		return a, failed
	})
	if err != nil {
		return 0, "", p.refused(err)
	}
	q, err := p.ledger.Quote(ctx, ask)
	return epsilon, fmt.Sprintf("charge     %s of the ledger's budget; the plan's own guarantee has epsilon %s", budget.Percent(max(q.Share, q.ShareAfter-q.ShareBefore)), display.Rounded(epsilon, 4, true)), err
}
