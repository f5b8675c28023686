package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/privacy"
)

// number is a JSON number, or "infinity".
type number = certificate.Epsilon

// accounted is what dither account prints: everything in full precision as JSON.
type accounted struct {
	Event       string              `json:"event"`
	Neighboring privacy.Neighboring `json:"neighboring"`
	// Asked is "epsilon", the smallest at Delta, or "delta", the smallest at Epsilon.
	Asked       string  `json:"asked"`
	Epsilon     *number `json:"epsilon,omitempty"`
	Delta       *number `json:"delta,omitempty"`
	Accountants []price `json:"accountants"`
	// Claim is the guarantee that may be claimed.
	Claim claim `json:"claim"`
	// Stated is the epsilon in the certificate, at the same terms.
	Stated   *number    `json:"stated-epsilon,omitempty"`
	Group    *groupCost `json:"group,omitempty"`
	Attacker *attacker  `json:"attacker,omitempty"`
	// Textbook is nil unless it was asked for.
	Textbook []textbookRow `json:"textbook,omitempty"`
	Next     string        `json:"next,omitempty"`
}

// price is what one accountant says: proven bounds with an estimate between them, or why it
// has none.
type price struct {
	Accountant string  `json:"accountant"`
	Lower      *number `json:"lower,omitempty"`
	Estimate   *number `json:"estimate,omitempty"`
	Upper      *number `json:"upper,omitempty"`
	Refused    string  `json:"refused,omitempty"`
}

// claim is a guarantee and the accountant that proves it.
type claim struct {
	Accountant  string              `json:"accountant"`
	Epsilon     number              `json:"epsilon"`
	Delta       float64             `json:"delta"`
	Neighboring privacy.Neighboring `json:"neighboring"`
}

// groupCost is the epsilon of several rows together.
type groupCost struct {
	Rows       int    `json:"rows"`
	Epsilon    number `json:"epsilon"`
	Accountant string `json:"accountant"`
}

func numberOf(v float64) *number {
	n := number(v)
	return &n
}

// answer computes everything that is to be printed, and the trade-off curve behind it.
func (a *accountCommand) answer(s subject, q question) (accounted, account.TradeOff, error) {
	out := accounted{Event: q.event.String(), Neighboring: q.neighboring, Asked: "epsilon", Delta: numberOf(q.delta)}
	if q.forDelta {
		out.Asked, out.Epsilon, out.Delta = "delta", numberOf(q.epsilon), nil
	}
	var trade account.TradeOff
	var err error
	if out.Accountants, out.Claim, err = q.prices(); err != nil {
		return out, trade, err
	}
	if s.stated != nil && q.delta == s.delta && q.neighboring == s.neighboring && !q.forDelta {
		out.Stated = s.stated
	}
	if out.Group, err = q.group(); err != nil {
		return out, trade, err
	}
	if trade, err = q.tradeOff(out.Accountants, out.Claim); err != nil {
		return out, trade, err
	}
	out.Attacker = newAttacker(trade, out.Claim)
	if a.textbook {
		if out.Textbook, err = q.lessons(out.Claim); err != nil {
			return out, trade, err
		}
	}
	out.Next = a.nextStep(q, out.Claim)
	return out, trade, nil
}

// ask asks one accountant.
func (q question) ask(a account.Accountant) (account.Interval, error) {
	if q.forDelta {
		return a.Delta(q.event, q.epsilon, q.neighboring)
	}
	return a.Epsilon(q.event, q.delta, q.neighboring)
}

// prices asks all accountants, at the same time. The last one that answers makes the claim:
// Best is the last of all. That none answers is an error.
func (q question) prices() ([]price, claim, error) {
	intervals, errs := make([]account.Interval, len(q.accountants)), make([]error, len(q.accountants))
	asked := len(q.accountants)
	if asked > 1 { // Best, the last, would ask all others again
		asked--
	}
	parallel.Items(asked, func(i int) { intervals[i], errs[i] = q.ask(q.accountants[i]) })
	if asked < len(q.accountants) {
		intervals[asked], errs[asked] = bestOf(intervals[:asked], errs[:asked])
	}
	prices := make([]price, len(q.accountants))
	claimed := claim{Delta: q.delta, Neighboring: q.neighboring}
	for i, a := range q.accountants {
		prices[i] = price{Accountant: a.Name()}
		if errs[i] != nil {
			prices[i].Refused = reason(errs[i])
			continue
		}
		v := intervals[i]
		prices[i].Lower, prices[i].Estimate, prices[i].Upper = numberOf(v.Lower), numberOf(v.Estimate), numberOf(v.Upper)
		claimed.Accountant, claimed.Epsilon = a.Name(), number(v.Upper)
		if q.forDelta {
			claimed.Epsilon, claimed.Delta = number(q.epsilon), v.Upper
		}
	}
	if claimed.Accountant == "" {
		return nil, claim{}, fmt.Errorf("no accountant that was asked has a bound: %w", distinct(errs[:asked]))
	}
	return prices, claimed, nil
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
		return best, distinct(errs)
	}
	best.Estimate = max(best.Lower, min(best.Upper, best.Estimate))
	return best, nil
}

// distinct joins errors, each text once: accountants often refuse for one reason.
func distinct(errs []error) error {
	var list []error
	for _, err := range errs {
		if err != nil && !slices.ContainsFunc(list, func(known error) bool { return known.Error() == err.Error() }) {
			list = append(list, err)
		}
	}
	return errors.Join(list...)
}

// reason is why an accountant refused, in a few words.
func reason(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	text = packagePrefix.ReplaceAllString(text, "")
	return strings.Replace(text, "has no proof for", "no proof for", 1)
}

// packagePrefix is what an error starts with that the line of an accountant says already.
var packagePrefix = regexp.MustCompile(`^(account: |pld: )*(accountant [a-z]+ )?`)

// group is the least proven epsilon of the rows together, by any of the accountants. Where
// the file declares no rows and none are asked for, it is left out.
func (q question) group() (*groupCost, error) {
	if q.rows < 1 || q.forDelta {
		return nil, nil
	}
	asked := q.accountants
	if len(asked) > 1 { // Best, the last, only asks the others
		asked = asked[:len(asked)-1]
	}
	epsilons, errs := make([]float64, len(asked)), make([]error, len(asked))
	parallel.Items(len(asked), func(i int) {
		epsilons[i], errs[i] = account.EpsilonGroup(asked[i], q.event, q.delta, q.neighboring, q.rows)
	})
	least := groupCost{Rows: q.rows, Epsilon: number(math.Inf(1))}
	for i, a := range asked {
		if v := number(epsilons[i]); errs[i] == nil && (least.Accountant == "" || v < least.Epsilon) {
			least.Epsilon, least.Accountant = v, a.Name()
		}
	}
	if least.Accountant == "" {
		return nil, fmt.Errorf("no accountant that was asked has a bound for %d rows: %w", q.rows, distinct(errs))
	}
	return &least, nil
}
