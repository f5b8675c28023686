package bookkeeping

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
)

// Priced is the cost of plans in a ledger, and what they would leave. Nothing is reserved.
type Priced struct {
	Fits bool `json:"fits"`
	// Epsilon, at OwnDelta, is the guarantee of the plans alone. Charge is the epsilon that the
	// filter charges for them alone.
	Epsilon    certificate.Epsilon `json:"epsilon"`
	OwnDelta   float64             `json:"own-delta"`
	Accountant string              `json:"accountant"`
	Charge     certificate.Epsilon `json:"charge"`
	// Share is the part of the budget that the plans take. A share above 1 never fits.
	Share float64 `json:"share"`
	// ShareBefore and ShareAfter are the parts of the budget that are spent without the plans and
	// with them.
	ShareBefore float64 `json:"share-spent"`
	ShareAfter  float64 `json:"share-spent-after"`
	// Before is the spent epsilon without the plans, and After with them. Delta is the delta of the
	// ledger, and Cap is its epsilon.
	Before certificate.Epsilon `json:"epsilon-spent"`
	After  certificate.Epsilon `json:"epsilon-spent-after"`
	Left   float64             `json:"epsilon-left"`
	// LeftAfter is the epsilon that would be left. It is 0 if the plans do not fit.
	LeftAfter float64 `json:"epsilon-left-after"`
	Cap       float64 `json:"cap"`
	Delta     float64 `json:"delta"`
	// Fitting is a plan that fits if the given one does not. It is nil if none was found.
	Fitting *Fitting `json:"fitting,omitempty"`
}

// Fitting is a plan with more noise that fits.
type Fitting struct {
	// Noise is the factor by which all noise is multiplied. Epsilon is then the plan's own
	// guarantee.
	Noise   float64             `json:"noise-factor"`
	Epsilon certificate.Epsilon `json:"epsilon"`
	Charge  certificate.Epsilon `json:"charge"`
}

// Price returns the price of all subjects together, for plans about a population. A subject is a
// plan, a certificate, a model folder or an event.
func (l *Ledger) Price(ctx context.Context, population string, subjects ...string) (Priced, error) {
	a, err := l.together(subjects)
	if err != nil {
		return Priced{}, err
	}
	a.Population = population
	before, err := l.Left(population)
	if err != nil {
		return Priced{}, err
	}
	q, err := l.Quote(ctx, a)
	if err != nil {
		return Priced{}, fmt.Errorf("%s: %w", display.OneLine(l.Where), err)
	}
	t := l.Terms()
	out := Priced{Fits: q.Fits, Epsilon: certificate.Epsilon(q.Own.Epsilon), OwnDelta: q.Own.Delta,
		Accountant: q.Own.Accountant, Charge: certificate.Epsilon(q.Charge), Share: q.Share,
		ShareBefore: q.ShareBefore, ShareAfter: q.ShareAfter,
		Before: certificate.Epsilon(q.Before), After: certificate.Epsilon(q.After), Left: before.Epsilon, Cap: t.Epsilon, Delta: t.Delta}
	if q.Fits {
		out.LeftAfter = q.Left.Epsilon
		return out, nil
	}
	out.Fitting = l.fitting(ctx, a)
	return out, nil
}

// together returns several subjects as one plan.
func (l *Ledger) together(subjects []string) (budget.Ask, error) {
	var all budget.Ask
	events := mechanism.Sequence{}
	for i, name := range subjects {
		a, err := l.subject(name)
		if err != nil {
			return a, err
		}
		events = append(events, a.Event)
		if i == 0 {
			all = a
			continue
		}
		if a.Neighboring != all.Neighboring || a.Unit != all.Unit {
			return a, fmt.Errorf("%s protects %q under %v, want %q under %v like those before it", name, a.Unit.Row, a.Neighboring, all.Unit.Row, all.Neighboring)
		}
		all.Event, all.Delta, all.Own, all.Purpose = events, all.Delta+a.Delta, budget.Guarantee{}, "the plans"
		if all.Draws += a.Draws; a.Draws == 0 {
			all.Draws = 0
		}
	}
	return all, nil
}

// fitting returns the least noise at which a plan fits, to a thousandth. It is nil where the event
// has no noise to multiply, or nothing fits.
func (l *Ledger) fitting(ctx context.Context, a budget.Ask) *Fitting {
	a.Own = budget.Guarantee{}
	plain := a.Event
	try := func(by float64) (budget.Quote, bool) {
		var known bool
		if a.Event, known = louder(plain, by); !known {
			return budget.Quote{}, false
		}
		q, err := l.Quote(ctx, a)
		return q, err == nil && q.Fits
	}
	low, high := 1.0, 2.0
	for _, fits := try(high); !fits; _, fits = try(high) {
		if low, high = high, 2*high; high > 1e4 {
			return nil
		}
	}
	for high > low*1.001 {
		if mid := math.Sqrt(low * high); mid > low && mid < high {
			if _, fits := try(mid); fits {
				high = mid
			} else {
				low = mid
			}
		}
	}
	high = display.Parse(display.Rounded(high, 4, true))
	q, fits := try(high)
	if !fits {
		return nil
	}
	return &Fitting{high, certificate.Epsilon(q.Own.Epsilon), certificate.Epsilon(q.Charge)}
}

// louder returns an event with all of its noise multiplied. It reports false for an event whose
// noise is not one number.
func louder(e mechanism.Event, by float64) (mechanism.Event, bool) {
	switch e := e.(type) {
	case mechanism.Gaussian:
		return mechanism.Gaussian{NoiseMultiplier: e.NoiseMultiplier * by}, true
	case mechanism.Laplace:
		return mechanism.Laplace{NoiseMultiplier: e.NoiseMultiplier * by}, true
	case mechanism.DiscreteGaussian:
		e.StandardDeviation *= by
		return e, true
	case mechanism.DiscreteLaplace:
		e.Scale *= by
		return e, true
	case mechanism.KNorm:
		return mechanism.KNorm{NoiseMultiplier: e.NoiseMultiplier * by}, true
	case mechanism.PoissonSampled:
		inner, known := louder(e.Event, by)
		e.Event = inner
		return e, known
	case mechanism.WithoutReplacement:
		inner, known := louder(e.Event, by)
		e.Event = inner
		return e, known
	case mechanism.Repeat:
		inner, known := louder(e.Event, by)
		return mechanism.Repeat{Event: inner, Count: e.Count}, known
	case mechanism.Sequence:
		out := mechanism.Sequence{}
		for _, part := range e {
			inner, known := louder(part, by)
			if !known {
				return nil, false
			}
			out = append(out, inner)
		}
		return out, true
	}
	return nil, false
}

// Text returns the price as text for a terminal.
func (p Priced) Text() ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "alone     epsilon %s at delta %s, by %s\n", p.Epsilon.Rounded(), display.Plain(p.OwnDelta), p.Accountant)
	fmt.Fprintf(&b, "spent     %s of the budget, and %s with it\n", budget.Percent(p.ShareBefore), budget.Percent(p.ShareAfter))
	fmt.Fprintf(&b, "proves    epsilon %s for all together, and %s with it; the cap is %s at delta %s\n", p.Before.Rounded(), p.After.Rounded(), display.Plain(p.Cap), display.Plain(p.Delta))
	if p.Fits {
		fmt.Fprintf(&b, "left      epsilon %s for one more plan, and %s after it\nfits      yes; nothing was reserved\n", leftNumber(p.Left), leftNumber(p.LeftAfter))
		return []byte(b.String()), nil
	}
	fmt.Fprintf(&b, "left      epsilon %s for one more plan\nfits      no: %s\n", leftNumber(p.Left), p.advice())
	return []byte(b.String()), nil
}

// advice says what would fit.
func (p Priced) advice() string {
	switch {
	case p.Left == 0:
		return "nothing is left"
	case p.Fitting == nil:
		return fmt.Sprintf("Gaussian noise of epsilon %s or less would fit", leftNumber(p.Left))
	}
	return fmt.Sprintf("with %s times the noise it would fit, at epsilon %s alone", display.Plain(p.Fitting.Noise), p.Fitting.Epsilon.Rounded())
}

// Err returns an error that wraps ledger.ErrOverBudget if the plans do not fit.
func (p Priced) Err() error {
	if p.Fits {
		return nil
	}
	return fmt.Errorf("%w: the plan would bring the ledger from %s to %s of its budget; %s", ledger.ErrOverBudget, budget.Percent(p.ShareBefore), budget.Percent(p.ShareAfter), p.advice())
}
