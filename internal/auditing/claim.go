package auditing

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/curve"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Claim is a claim with its trade-off curve and its words.
type Claim struct {
	audit.Claim
	// Words state the claim in words.
	Words string
	trade account.TradeOff
}

// StatementClaim returns the claim of (epsilon, delta)-differential privacy alone.
func StatementClaim(epsilon, delta float64) Claim {
	return Claim{
		Claim: audit.Claim{Epsilon: epsilon, Delta: delta},
		Words: fmt.Sprintf("epsilon %s at delta %s", display.Plain(epsilon), display.Plain(delta)),
		trade: account.TradeOff{}.With(epsilon, delta),
	}
}

// EventClaim returns the claim that an event has the price and the trade-off curve of the accountants. It is
// an error if the event has no finite price at delta.
func EventClaim(e mechanism.Event, n privacy.Neighboring, delta float64) (Claim, error) {
	prices := curve.Ask(e, n, account.All(), func(a account.Accountant) (account.Interval, error) { return a.Epsilon(e, delta, n) })
	last := len(prices.Intervals) - 1
	if err := prices.Refusals[last]; err != nil {
		return Claim{}, err
	}
	epsilon := prices.Intervals[last].Upper
	if math.IsInf(epsilon, 1) {
		return Claim{}, fmt.Errorf("the event promises nothing at delta %s, want a finite epsilon; a larger delta may have one", display.Plain(delta))
	}
	trade, all, err := prices.Statements(epsilon, delta)
	if err != nil {
		return Claim{}, err
	}
	c := Claim{
		Claim: audit.Claim{Epsilon: epsilon, Delta: delta},
		Words: fmt.Sprintf("epsilon %s at delta %s under %v, by %s", display.Rounded(epsilon, 6, true), display.Plain(delta), n, e),
		trade: trade.With(epsilon, delta),
	}
	if mu, failure := account.Mu(e, n); failure == nil {
		c.Mu = mu
	} else {
		own := newFamily(append(append(all, curve.Statement{Epsilon: epsilon, Delta: delta}), rare(e, n)...), epsilon, delta)
		c.Curve, c.EpsilonAt = own.curve, own.epsilonAt
	}
	return c, nil
}

// Certified returns the claim with the epsilon of a certificate and these words. The epsilon of a
// certificate includes the difference between the drawn and the accounted noise.
func (c Claim) Certified(epsilon float64, words string) Claim {
	c.Words, c.Epsilon = words, max(c.Epsilon, epsilon)
	return c
}

// rare returns statements at small δ, which decide about rare outputs: where confidence is high, guesses are
// compared with these. A δ without a price has none.
func rare(e mechanism.Event, n privacy.Neighboring) []curve.Statement {
	var out []curve.Statement
	for exponent := -2.0; exponent >= -14; exponent -= 0.5 {
		delta := math.Pow(10, exponent)
		if v, err := account.ForDelta(e, delta).Epsilon(e, delta, n); err == nil && !math.IsInf(v.Upper, 1) {
			out = append(out, curve.Statement{Epsilon: v.Upper, Delta: delta})
		}
	}
	return out
}

// curvePoints is the number of points of the picture of a curve.
const curvePoints = 81

// rates returns points of the claim's curve, more of them where it is steep.
func (c Claim) rates() []Rates {
	out := make([]Rates, curvePoints)
	for i := range out {
		x := float64(i) / (curvePoints - 1)
		fp := x * x * x
		out[i] = Rates{fp, c.trade.FalseNegatives(fp)}
	}
	return out
}
