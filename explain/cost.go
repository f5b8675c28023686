package explain

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
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Question is what is asked about an event.
type Question struct {
	Event       mechanism.Event
	Neighboring privacy.Neighboring
	// ForDelta says that the smallest delta at Epsilon is asked for, not the smallest
	// epsilon at Delta.
	ForDelta       bool
	Epsilon, Delta float64
	// Accountants are asked in this order; where there are several, the last is account.Best.
	Accountants []account.Accountant
	// Rows is how many rows together are priced too; 0 for none.
	Rows int
}

// Cost is the answer to a Question, in full precision.
type Cost struct {
	Event       string              `json:"event"`
	Neighboring privacy.Neighboring `json:"neighboring"`
	// Asked is "epsilon", the smallest at Delta, or "delta", the smallest at Epsilon.
	Asked       string               `json:"asked"`
	Epsilon     *certificate.Epsilon `json:"epsilon,omitempty"`
	Delta       *certificate.Epsilon `json:"delta,omitempty"`
	Accountants []Price              `json:"accountants"`
	// Claim is the guarantee that may be claimed.
	Claim Claim `json:"claim"`
	// Stated is the epsilon in the certificate, at the same terms.
	Stated   *certificate.Epsilon `json:"stated-epsilon,omitempty"`
	Group    *GroupCost           `json:"group,omitempty"`
	Attacker *Attacker            `json:"attacker,omitempty"`
	// Textbook is nil unless it was asked for.
	Textbook []Lesson `json:"textbook,omitempty"`
	Next     string   `json:"next,omitempty"`
}

// Price is what one accountant says: proven bounds with an estimate between them, or why it
// has none.
type Price struct {
	Accountant string               `json:"accountant"`
	Lower      *certificate.Epsilon `json:"lower,omitempty"`
	Estimate   *certificate.Epsilon `json:"estimate,omitempty"`
	Upper      *certificate.Epsilon `json:"upper,omitempty"`
	Refused    string               `json:"refused,omitempty"`
}

// Claim is a guarantee and the accountant that proves it.
type Claim struct {
	Accountant  string              `json:"accountant"`
	Epsilon     certificate.Epsilon `json:"epsilon"`
	Delta       float64             `json:"delta"`
	Neighboring privacy.Neighboring `json:"neighboring"`
}

// ClaimOf returns what a certificate claims.
func ClaimOf(c certificate.Certificate) Claim {
	return Claim{Accountant: c.Accountant, Epsilon: c.Epsilon, Delta: c.Delta, Neighboring: c.Neighboring}
}

// GroupCost is the epsilon of several rows together.
type GroupCost struct {
	Rows       int                 `json:"rows"`
	Epsilon    certificate.Epsilon `json:"epsilon"`
	Accountant string              `json:"accountant"`
}

func epsilonOf(v float64) *certificate.Epsilon {
	n := certificate.Epsilon(v)
	return &n
}

// Answer returns what every accountant says, what may be claimed, what several rows cost together and what an
// attacker can do at most, with the trade-off curve behind it. Stated, Textbook and Next are left to the caller. An
// error says that no accountant has a bound.
func (q Question) Answer() (Cost, account.TradeOff, error) {
	out := Cost{Event: q.Event.String(), Neighboring: q.Neighboring, Asked: "epsilon", Delta: epsilonOf(q.Delta)}
	if q.ForDelta {
		out.Asked, out.Epsilon, out.Delta = "delta", epsilonOf(q.Epsilon), nil
	}
	var trade account.TradeOff
	var err error
	if out.Accountants, out.Claim, err = q.prices(); err != nil {
		return out, trade, err
	}
	if out.Group, err = q.group(); err != nil {
		return out, trade, err
	}
	if trade, err = q.tradeOff(out.Accountants, out.Claim); err != nil {
		return out, trade, err
	}
	out.Attacker = newAttacker(trade, out.Claim)
	return out, trade, nil
}

// ask asks one accountant.
func (q Question) ask(a account.Accountant) (account.Interval, error) {
	if q.ForDelta {
		return a.Delta(q.Event, q.Epsilon, q.Neighboring)
	}
	return a.Epsilon(q.Event, q.Delta, q.Neighboring)
}

// prices asks all accountants, at the same time. The last one that answers makes the claim:
// Best is the last of all. That none answers is an error.
func (q Question) prices() ([]Price, Claim, error) {
	intervals, errs := make([]account.Interval, len(q.Accountants)), make([]error, len(q.Accountants))
	asked := len(q.Accountants)
	if asked > 1 { // Best, the last, would ask all others again
		asked--
	}
	parallel.Items(asked, func(i int) { intervals[i], errs[i] = q.ask(q.Accountants[i]) })
	if asked < len(q.Accountants) {
		intervals[asked], errs[asked] = bestOf(intervals[:asked], errs[:asked])
	}
	prices := make([]Price, len(q.Accountants))
	claimed := Claim{Delta: q.Delta, Neighboring: q.Neighboring}
	for i, a := range q.Accountants {
		prices[i] = Price{Accountant: a.Name()}
		if errs[i] != nil {
			prices[i].Refused = reason(errs[i])
			continue
		}
		v := intervals[i]
		prices[i].Lower, prices[i].Estimate, prices[i].Upper = epsilonOf(v.Lower), epsilonOf(v.Estimate), epsilonOf(v.Upper)
		claimed.Accountant, claimed.Epsilon = a.Name(), certificate.Epsilon(v.Upper)
		if q.ForDelta {
			claimed.Epsilon, claimed.Delta = certificate.Epsilon(q.Epsilon), v.Upper
		}
	}
	if claimed.Accountant == "" {
		return nil, Claim{}, fmt.Errorf("no accountant that was asked has a bound: %w", distinct(errs[:asked]))
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
func (q Question) group() (*GroupCost, error) {
	if q.Rows < 1 || q.ForDelta {
		return nil, nil
	}
	asked := q.Accountants
	if len(asked) > 1 { // Best, the last, only asks the others
		asked = asked[:len(asked)-1]
	}
	epsilons, errs := make([]float64, len(asked)), make([]error, len(asked))
	parallel.Items(len(asked), func(i int) {
		epsilons[i], errs[i] = account.EpsilonGroup(asked[i], q.Event, q.Delta, q.Neighboring, q.Rows)
	})
	least := GroupCost{Rows: q.Rows, Epsilon: certificate.Epsilon(math.Inf(1))}
	for i, a := range asked {
		if v := certificate.Epsilon(epsilons[i]); errs[i] == nil && (least.Accountant == "" || v < least.Epsilon) {
			least.Epsilon, least.Accountant = v, a.Name()
		}
	}
	if least.Accountant == "" {
		return nil, fmt.Errorf("no accountant that was asked has a bound for %d rows: %w", q.Rows, distinct(errs))
	}
	return &least, nil
}
