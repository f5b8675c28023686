package explain

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/curve"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/textbook"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Question asks for the privacy cost of an event.
type Question struct {
	// Event is the event to price.
	Event mechanism.Event
	// Neighboring is the relation under which the event is priced.
	Neighboring privacy.Neighboring
	// ForDelta selects what is asked for. If it is true, the question asks for the smallest delta
	// at Epsilon. Otherwise it asks for the smallest epsilon at Delta.
	ForDelta bool
	// Epsilon is the given epsilon, in nats, if ForDelta is true. Delta is the given delta if
	// ForDelta is false. The other number is not used.
	Epsilon, Delta float64
	// Accountants are the accountants to use, in this order. If there are several, the last must be
	// account.Best. Nil means account.All.
	Accountants []account.Accountant
	// Rows is the number of rows of one person. If it is not 0, the answer also states the cost of
	// this many rows together. 0 means that only single rows are priced.
	Rows int
	// Textbook adds the results of textbook formulas to the answer. The formulas need a delta
	// between 0 and 1.
	Textbook bool
	// Stated is the epsilon in a certificate of the same event, delta and relation. It is nil if
	// there is no certificate.
	Stated *certificate.Epsilon
}

// Cost is the answer to a Question. Its numbers are not rounded.
type Cost struct {
	// Event is the priced event as text.
	Event string `json:"event"`
	// Neighboring is the relation under which the event was priced.
	Neighboring privacy.Neighboring `json:"neighboring"`
	// Asked states what the question asked for. It is "epsilon" for the smallest epsilon at a given
	// delta, or "delta" for the smallest delta at a given epsilon.
	Asked string `json:"asked"`
	// Epsilon is the given epsilon, in nats. It is nil if Asked is "epsilon".
	Epsilon *certificate.Epsilon `json:"epsilon,omitempty"`
	// Delta is the given delta. It is nil if Asked is "delta".
	Delta *certificate.Epsilon `json:"delta,omitempty"`
	// Accountants are the answers of the accountants, in the order of Question.Accountants. Each
	// answer has proven bounds and an estimate, or the reason why the accountant has no bound.
	Accountants []price `json:"accountants"`
	// Claim is the guarantee that may be claimed, and the name of the accountant that proves it.
	Claim claim `json:"claim"`
	// Stated is the epsilon in a certificate of the same event, delta and relation. It is nil if
	// there is no certificate.
	Stated *certificate.Epsilon `json:"stated-epsilon,omitempty"`
	// Group is the cost of several rows of one person together (see Question.Rows), as an epsilon
	// in nats. It is nil if Question.Rows is 0.
	Group *groupCost `json:"group,omitempty"`
	// Attacker contains bounds on the success of attackers.
	Attacker *attacker `json:"attacker,omitempty"`
	// Textbook contains the results of textbook formulas. It is empty if Question.Textbook is
	// false.
	Textbook []textbook.Lesson `json:"textbook,omitempty"`
	// Next is a command that the reader may run next. Only callers set it.
	Next string `json:"next,omitempty"`

	asked curve.Prices
	trade account.TradeOff
}

// price is the answer of one accountant: proven bounds with an estimate between them, or the reason
// why it has none.
type price struct {
	Accountant string               `json:"accountant"`
	Lower      *certificate.Epsilon `json:"lower,omitempty"`
	Estimate   *certificate.Epsilon `json:"estimate,omitempty"`
	Upper      *certificate.Epsilon `json:"upper,omitempty"`
	Refused    string               `json:"refused,omitempty"`
}

// claim is a guarantee and the accountant that proves it.
type claim struct {
	Accountant  string              `json:"accountant"`
	Epsilon     certificate.Epsilon `json:"epsilon"`
	Delta       float64             `json:"delta"`
	Neighboring privacy.Neighboring `json:"neighboring"`
}

// claimOf returns the claim of a certificate.
func claimOf(c certificate.Certificate) claim {
	return claim{Accountant: c.Accountant, Epsilon: c.Epsilon, Delta: c.Delta, Neighboring: c.Neighboring}
}

// groupCost is the epsilon of several rows together.
type groupCost struct {
	Rows       int                 `json:"rows"`
	Epsilon    certificate.Epsilon `json:"epsilon"`
	Accountant string              `json:"accountant"`
}

func epsilonOf(v float64) *certificate.Epsilon {
	n := certificate.Epsilon(v)
	return &n
}

// Answer returns the result of each accountant and the guarantee that may be claimed. The answer
// also contains the cost of several rows together (see Question.Rows), and bounds on the success of
// attackers. It is an error if no accountant has a bound for the event.
func (q Question) Answer() (Cost, error) {
	out := Cost{Event: q.Event.String(), Neighboring: q.Neighboring, Asked: "epsilon", Delta: epsilonOf(q.Delta), Stated: q.Stated}
	if q.ForDelta {
		out.Asked, out.Epsilon, out.Delta = "delta", epsilonOf(q.Epsilon), nil
	}
	if q.Accountants == nil {
		q.Accountants = account.All()
	}
	out.asked = curve.Ask(q.Event, q.Neighboring, q.Accountants, q.ask)
	var err error
	if out.Accountants, out.Claim, err = q.prices(out.asked); err != nil {
		return out, err
	}
	if out.Group, err = q.group(); err != nil {
		return out, err
	}
	if out.trade, err = out.asked.TradeOff(float64(out.Claim.Epsilon), out.Claim.Delta); err != nil {
		return out, err
	}
	out.Attacker = newAttacker(out.trade, out.Claim)
	if q.Textbook && out.Claim.Delta > 0 && out.Claim.Delta < 1 { // the formulas divide by it
		out.Textbook, err = textbook.Of(q.Event, out.Claim.Delta, q.Neighboring)
	}
	return out, err
}

// ask asks one accountant.
func (q Question) ask(a account.Accountant) (account.Interval, error) {
	if q.ForDelta {
		return a.Delta(q.Event, q.Epsilon, q.Neighboring)
	}
	return a.Epsilon(q.Event, q.Delta, q.Neighboring)
}

// WritePlot writes an SVG plot. The plot shows epsilon against the number of steps. It also shows
// the error rates of an attacker. The Cost must come from Question.Answer.
func (a Cost) WritePlot(w io.Writer) error { return a.plot().WriteSVG(w) }

func (a Cost) plot() report.CostPlot {
	var claimed *account.Interval
	for i, p := range a.Accountants {
		if a.Asked == "epsilon" && p.Accountant == a.Claim.Accountant && p.Refused == "" {
			claimed = &a.asked.Intervals[i]
		}
	}
	return a.asked.Plot(a.Claim.Delta, claimed, a.trade)
}

// prices returns the answers of the accountants. The last one that has a bound makes the claim,
// since Best is the last of all. It is an error if none has a bound.
func (q Question) prices(asked curve.Prices) ([]price, claim, error) {
	prices := make([]price, len(q.Accountants))
	claimed := claim{Delta: q.Delta, Neighboring: q.Neighboring}
	for i, a := range q.Accountants {
		prices[i] = price{Accountant: a.Name()}
		if err := asked.Refusals[i]; err != nil {
			prices[i].Refused = reason(err)
			continue
		}
		v := asked.Intervals[i]
		prices[i].Lower, prices[i].Estimate, prices[i].Upper = epsilonOf(v.Lower), epsilonOf(v.Estimate), epsilonOf(v.Upper)
		claimed.Accountant, claimed.Epsilon = a.Name(), certificate.Epsilon(v.Upper)
		if q.ForDelta {
			claimed.Epsilon, claimed.Delta = certificate.Epsilon(q.Epsilon), v.Upper
		}
	}
	if claimed.Accountant == "" {
		return nil, claim{}, fmt.Errorf("no accountant that was asked has a bound: %w", curve.Distinct(asked.Refusals[:max(1, len(prices)-1)]))
	}
	return prices, claimed, nil
}

// reason returns why an accountant refused, in a few words.
func reason(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	text = packagePrefix.ReplaceAllString(text, "")
	return strings.Replace(text, "has no proof for", "no proof for", 1)
}

// packagePrefix matches the start of an error that the line of an accountant shows already.
var packagePrefix = regexp.MustCompile(`^(account: |pld: )*(accountant [a-z]+ )?`)

// group returns the least proven epsilon of the rows together, by any of the accountants. It is
// left out where the file declares no rows and none are asked for.
func (q Question) group() (*groupCost, error) {
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
	least := groupCost{Rows: q.Rows, Epsilon: certificate.Epsilon(math.Inf(1))}
	for i, a := range asked {
		if v := certificate.Epsilon(epsilons[i]); errs[i] == nil && (least.Accountant == "" || v < least.Epsilon) {
			least.Epsilon, least.Accountant = v, a.Name()
		}
	}
	if least.Accountant == "" {
		return nil, fmt.Errorf("no accountant that was asked has a bound for %d rows: %w", q.Rows, curve.Distinct(errs))
	}
	return &least, nil
}
