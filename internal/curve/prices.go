// Package curve computes what an event costs: prices by all accountants, epsilon as steps grow, and
// the errors of an attacker.
package curve

import (
	"errors"
	"math"
	"slices"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Prices are the answers of accountants for an event under a relation: an interval or a refusal
// each.
type Prices struct {
	Event       mechanism.Event
	Neighboring privacy.Neighboring
	Accountants []account.Accountant
	Intervals   []account.Interval
	Refusals    []error
}

// Ask returns the answers of all accountants, asked at the same time. Where there are several, the
// last is account.Best, whose price follows from the others.
func Ask(e mechanism.Event, n privacy.Neighboring, accountants []account.Accountant, ask func(account.Accountant) (account.Interval, error)) Prices {
	p := Prices{e, n, accountants, make([]account.Interval, len(accountants)), make([]error, len(accountants))}
	asked := len(accountants)
	if asked > 1 { // Best, the last, would ask all others again
		asked--
	}
	parallel.Items(asked, func(i int) { p.Intervals[i], p.Refusals[i] = ask(accountants[i]) })
	if asked < len(accountants) {
		p.Intervals[asked], p.Refusals[asked] = bestOf(p.Intervals[:asked], p.Refusals[:asked])
	}
	return p
}

// bestOf is what account.Best says, given what the others say: the least upper bound, the
// largest lower bound, and the first estimate.
func bestOf(intervals []account.Interval, errs []error) (account.Interval, error) {
	best, found := account.Interval{Upper: math.Inf(1)}, false
	for i, v := range intervals {
		if errs[i] != nil {
			continue
		}
		best.Lower, best.Upper = max(best.Lower, v.Lower), min(best.Upper, v.Upper)
		if !found {
			best.Estimate, found = v.Estimate, true
		}
	}
	if !found {
		return best, Distinct(errs)
	}
	best.Estimate = max(best.Lower, min(best.Upper, best.Estimate))
	return best, nil
}

// Distinct returns errors joined, each text once: accountants often refuse for the same reason.
func Distinct(errs []error) error {
	var list []error
	for _, err := range errs {
		if err != nil && !slices.ContainsFunc(list, func(known error) bool { return known.Error() == err.Error() }) {
			list = append(list, err)
		}
	}
	return errors.Join(list...)
}

// tightest is the first accountant whose bound is next to the least, with this width of its
// intervals where it has one.
func (p Prices) tightest(width float64) account.Accountant {
	least := math.Inf(1)
	for i, v := range p.Intervals {
		if p.Refusals[i] == nil {
			least = min(least, v.Upper)
		}
	}
	for i, v := range p.Intervals {
		if p.Refusals[i] != nil || v.Upper > 1.01*least {
			continue
		}
		if p.Accountants[i] == account.PLD {
			return account.PLD.WithWidth(width)
		}
		return p.Accountants[i]
	}
	return p.Accountants[len(p.Accountants)-1]
}
