package budget

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Summary states how much of a ledger is spent and left.
type Summary struct {
	Ledger string
	Terms  Terms
	// Head is the head of the chain at the last record.
	Head Anchor
	// Spent is the epsilon that all charges would prove at the delta of the ledger, had their plans been
	// fixed in advance; +Inf for none. What holds for plans that depend on outputs is the cap.
	Spent float64
	Left  Left
	// Fits reports whether everything that is counted keeps the cap. Imported releases may exceed
	// it.
	Fits bool
	// Parts are the populations, in order, each with its share.
	Parts []Part
	// Releases are reservations and imports, oldest first, and Open how many of them have not ended.
	Releases []Release
	Open     int
	// Forfeited reports whether everything that was left is given up.
	Forfeited bool
	Anchors   []Anchor
}

// Part states what is left for plans about one population.
type Part struct {
	Population
	Left Left
}

// Summary returns how much of the ledger is spent and left, up to the last record that was read.
func (b *Book) Summary() Summary {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.state
	out := Summary{Ledger: s.create.Ledger, Terms: s.terms, Head: s.head(), Spent: s.spent.epsilon(s.filter), Left: s.left(-1), Fits: s.spent.fits(s.filter), Forfeited: s.forfeit,
		Anchors: append([]Anchor(nil), s.anchors...)}
	for i, p := range s.terms.Populations {
		out.Parts = append(out.Parts, Part{p, s.left(i)})
	}
	charges := map[string]float64{} // of equal prices
	for _, h := range s.list {
		r, key := h.Release, fmt.Sprint(h.plan.price.Near)
		charge, known := charges[key]
		if !known {
			charge = s.filter.epsilon(h.plan.price.Near)
			charges[key] = charge
		}
		r.Charge = charge
		out.Releases = append(out.Releases, r)
		if h.Outcome == "" {
			out.Open++
		}
	}
	return out
}

// Left returns what is left for plans about a population. "" means all populations.
func (b *Book) Left(population string) (Left, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at, err := b.state.terms.population(population)
	if err != nil {
		return Left{}, err
	}
	return b.state.left(at), b.dead
}

// Quote states what a plan would cost. A quote reserves nothing.
type Quote struct {
	// Own is the plan's own guarantee.
	Own Guarantee
	// Charge is the epsilon that the filter charges for the plan alone, at the delta of the ledger.
	Charge float64
	// Share is the part of the ledger's capacity that the plan needs.
	Share float64
	// Before is the spent epsilon of the ledger without the plan, and After is the spent epsilon
	// with the plan.
	Before, After float64
	// ShareBefore is the used part of the capacity without the plan, and ShareAfter is the used
	// part with the plan.
	ShareBefore, ShareAfter float64
	// Fits reports whether the plan could be reserved now. Left is what would then be left.
	Fits bool
	Left Left
}

// Quote returns the price of a plan against the ledger, up to the last record that was read.
func (b *Book) Quote(ctx context.Context, a Ask) (Quote, error) {
	p, err := b.quote(ctx, a)
	if err != nil {
		return Quote{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.state
	out := Quote{Own: p.record.Own, Charge: s.filter.epsilon(p.price.Near), Share: s.filter.share(p.price.Near),
		Before: s.spent.epsilon(s.filter), ShareBefore: s.spent.share(s.filter), Fits: s.admits(p) == nil}
	s.spent.add(p.population, p.price)
	defer s.spent.take(p.population, p.price)
	out.After, out.ShareAfter, out.Left = s.spent.epsilon(s.filter), s.spent.share(s.filter), s.left(p.population)
	return out, nil
}

// fitTries bounds how many plans Fit makes, and fitShare is how near to the largest epsilon it comes. fitLeast is the
// least epsilon that it tries, as a part of most.
const (
	fitTries = 40
	fitShare = 1e-3
	fitLeast = 1e-5
)

// Within reports whether a plan takes at most this share of the capacity, by itself and after what
// is spent. A plan may be within a share that is not left.
func (q Quote) Within(share float64) bool {
	return max(q.Share, q.ShareAfter-q.ShareBefore) <= share*(1+shareSlack)
}

// shareSlack is the relative rounding error that Within lets pass. It decides between plans, and not what they are
// charged.
const shareSlack = 1e-9

// Fit returns the plan of the largest epsilon, at most most, that takes at most this share of the
// capacity. With left the plan also fits into what is left. make plans for an epsilon, and costs
// more as it grows. An epsilon for which make fails does not fit. The result is within a thousandth
// of the largest that fits. Fit wraps ErrOverBudget where not even a hundred-thousandth of most
// fits.
func (b *Book) Fit(ctx context.Context, most, share float64, left bool, make func(epsilon float64) (Ask, error)) (epsilon float64, best Ask, err error) {
	if !(most > 0) || math.IsInf(most, 1) || !(share > 0) {
		return 0, Ask{}, fmt.Errorf("budget: largest epsilon is %v and share %v, want a positive finite number and a positive number", most, share)
	}
	var unmade error // of the last plan
	// over returns what the plan of an epsilon is charged, divided by what it may be charged
	over := func(epsilon float64) (float64, error) {
		a, failed := make(epsilon)
		if failed != nil {
			unmade = failed
			return math.Inf(1), ended(ctx, failed)
		}
		unmade = nil
		q, failed := b.Quote(ctx, a)
		if errors.Is(failed, ErrOverBudget) {
			return math.Inf(1), nil
		}
		if failed != nil {
			return 0, failed
		}
		ratio := max(q.Share, q.ShareAfter-q.ShareBefore) / share
		if left {
			ratio = max(ratio, (q.ShareAfter-q.ShareBefore)/(1-min(q.ShareBefore, 1)))
		}
		if !q.Within(share) || left && !q.Fits {
			return max(ratio, 1+fitShare), nil
		}
		best = a
		return min(ratio, 1), nil
	}
	high, least := most, most*fitLeast
	above, err := over(high)
	if err != nil || above <= 1 {
		return high, best, err
	}
	// The root of the logarithm of over in the logarithm of epsilon is found by the Illinois method (Dowell and
	// Jarratt 1971): a bound that stays twice counts half at the next step.
	raised, lowered := false, false // by the step before
	low, below := 0.0, math.Inf(-1)
	above = math.Log(above)
	for try, next := 0, nextBelow(high, above); try < fitTries && (low == 0 || high > low*(1+fitShare)); try++ {
		if low == 0 {
			next = max(next, least)
		}
		ratio, failed := over(next)
		switch {
		case failed != nil:
			return 0, Ask{}, failed
		case ratio <= 1:
			if raised {
				above /= 2
			}
			low, below, raised, lowered = next, math.Log(ratio), true, false
		case low == 0 && next == least:
			if unmade != nil {
				return 0, Ask{}, unmade
			}
			return 0, Ask{}, fmt.Errorf("budget: %w: no plan of epsilon %.4g fits, want a larger budget, or a plan of a smaller delta", ErrOverBudget, least)
		default:
			if lowered {
				below /= 2
			}
			high, above, raised, lowered = next, math.Log(ratio), false, low > 0
		}
		middle := math.Sqrt(low) * math.Sqrt(high)
		switch {
		case low == 0:
			next = nextBelow(high, above)
		case math.IsInf(above, 0) || math.IsInf(below, 0) || try%8 == 7:
			next = middle
		default:
			next = low * math.Pow(high/low, below/(below-above))
			next = min(max(next, low*(1+fitShare*0.9)), high*(1-fitShare*0.9))
		}
	}
	if low == 0 {
		return 0, Ask{}, fmt.Errorf("budget: %w: no plan of epsilon %.4g or more fits, want a larger budget", ErrOverBudget, high)
	}
	return low, best, nil
}

// ended returns an error if the context has ended, else nil.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return nil
	}
	return err
}

// nextBelow returns the epsilon that Fit tries after one whose charge is too large, by this logarithm. The charge of
// Gaussian noise is about a square of epsilon.
func nextBelow(epsilon, over float64) float64 {
	return epsilon * math.Exp(-min(max(over, 1.4), 6)/2) * (1 - fitShare)
}
