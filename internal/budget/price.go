package budget

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Summary is how a ledger stands.
type Summary struct {
	Ledger string
	Terms  Terms
	// Head is the last record.
	Head Anchor
	// Spent is the epsilon that all charges would prove at the delta of the ledger, had their plans been
	// fixed in advance; +Inf for none. What holds for plans that depend on outputs is the cap.
	Spent float64
	Left  Left
	// Fits is whether all that is counted keeps the cap. Releases that were imported may not.
	Fits bool
	// Parts are the populations in their order, each with its share.
	Parts []Part
	// Releases are reservations and imports, oldest first, and Open how many of them have not ended.
	Releases []Release
	Open     int
	// Forfeited is whether all that was left is given up.
	Forfeited bool
	Anchors   []Anchor
}

// Part is what plans about one population have left.
type Part struct {
	Population
	Left Left
}

// Summary returns how the ledger stands, as far as it was read.
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

// Left returns what is left for plans about a population, "" for all.
func (b *Book) Left(population string) (Left, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at, err := b.state.terms.population(population)
	if err != nil {
		return Left{}, err
	}
	return b.state.left(at), b.dead
}

// Quote is what a plan would cost. Nothing is reserved.
type Quote struct {
	// Own is the plan's own guarantee.
	Own Guarantee
	// Charge is the epsilon that the filter charges for the plan alone, at the delta of the ledger.
	Charge float64
	// Share is the part of the ledger's capacity that the plan takes.
	Share float64
	// Before and After are the epsilons at which the ledger stands without the plan and with it.
	Before, After float64
	// ShareBefore and ShareAfter are the parts of the capacity that are taken without the plan and with it.
	ShareBefore, ShareAfter float64
	// Fits is whether it could be reserved now, and Left what would be left then.
	Fits bool
	Left Left
}

// Quote prices a plan against the ledger as far as it was read.
func (b *Book) Quote(ctx context.Context, a Ask) (Quote, error) {
	p, err := b.quote(ctx, a)
	if err != nil {
		return Quote{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.state
	out := Quote{Own: p.record.Own, Charge: s.filter.epsilon(p.price.Near), Share: s.filter.share(p.price.Near), Before: s.spent.epsilon(s.filter), ShareBefore: s.spent.share(s.filter), Fits: s.admits(p) == nil}
	s.spent.add(p.population, p.price)
	defer s.spent.take(p.population, p.price)
	out.After, out.ShareAfter, out.Left = s.spent.epsilon(s.filter), s.spent.share(s.filter), s.left(p.population)
	return out, nil
}

// fitTries bounds how many plans Fit makes, and fitShare is how near to the largest epsilon it comes. fitLeast is the
// least epsilon that it tries, as a part of most.
const (
	fitTries = 20
	fitShare = 1e-3
	fitLeast = 1e-5
)

// Fit returns the plan of the largest epsilon, at most most, that fits and takes at most this share of the capacity.
// make plans for an epsilon, and costs more as it grows. An epsilon for which make fails does not fit. The result is
// within a thousandth of the largest that fits. Fit wraps ErrOverBudget where not even a hundred-thousandth of most
// fits.
func (b *Book) Fit(ctx context.Context, most, share float64, make func(epsilon float64) (Ask, error)) (epsilon float64, best Ask, err error) {
	if !(most > 0) || math.IsInf(most, 1) || !(share > 0) {
		return 0, Ask{}, fmt.Errorf("budget: largest epsilon is %v and share %v, want a positive finite number and a positive number", most, share)
	}
	var unmade error // of the last plan
	fits := func(epsilon float64) (bool, error) {
		a, failed := make(epsilon)
		if failed != nil {
			unmade = failed
			return false, ctx.Err()
		}
		unmade = nil
		q, failed := b.Quote(ctx, a)
		fit := q.Fits && max(q.Share, q.ShareAfter-q.ShareBefore) <= share
		if fit {
			best = a
		}
		if errors.Is(failed, ErrOverBudget) {
			return false, nil
		}
		return fit, failed
	}
	low, high := most*fitLeast, most
	if fit, failed := fits(high); fit || failed != nil {
		return high, best, failed
	}
	if fit, failed := fits(low); !fit {
		if failed == nil && unmade != nil {
			failed = unmade
		}
		if failed == nil {
			failed = fmt.Errorf("budget: %w: no plan of epsilon %.4g fits, want a larger budget, or a plan of a smaller delta", ErrOverBudget, low)
		}
		return 0, Ask{}, failed
	}
	for try := 0; try < fitTries && high > low*(1+fitShare); try++ {
		mid := math.Sqrt(low) * math.Sqrt(high)
		fit, failed := fits(mid)
		switch {
		case failed != nil:
			return 0, Ask{}, failed
		case fit:
			low = mid
		default:
			high = mid
		}
	}
	return low, best, nil
}
