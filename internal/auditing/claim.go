package auditing

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/curve"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Claim is a claim with its trade-off curve and in words.
type Claim struct {
	audit.Claim
	// Words are the claim in words.
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
		c.Curve = scaled(append(append(all, curve.Statement{Epsilon: epsilon, Delta: delta}), rare(e, n)...))
	}
	return c, nil
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

// line is a lower bound on false positives: rise·r - drop at the rate r of true positives.
type line struct{ rise, drop float64 }

// scaled returns the curves of statements whose ε are multiplied by a scale. Each statement is a bound in
// both directions, so a curve is the largest of two lines a statement and 0: e^-ε·(r-δ) and
// 1-δ-e^ε·(1-r) (Dong, Roth & Su, "Gaussian Differential Privacy", 2022, proposition 2.4). They fall as the
// scale grows.
func scaled(all []curve.Statement) func(scale float64) audit.Curve {
	return func(scale float64) audit.Curve {
		lines := []line{{}}
		for _, s := range all {
			grow := math.Exp(scale * s.Epsilon)
			if math.IsInf(grow, 1) || s.Delta >= 1 {
				continue
			}
			lines = append(lines, line{1 / grow, s.Delta / grow}, line{grow, grow - 1 + s.Delta})
		}
		envelope := upperEnvelope(lines)
		return func(r float64) float64 {
			i, _ := slices.BinarySearchFunc(envelope, r, func(p piece, r float64) int { return cmp.Compare(p.until, r) })
			l := envelope[min(i, len(envelope)-1)].line
			// Rounded down by more than the units of rounding of both terms.
			return max(0, l.rise*r-l.drop-1e-15*(l.rise*r+l.drop))
		}
	}
}

// piece is the part of an envelope, up to a rate, on which one line is the largest.
type piece struct {
	line
	until float64
}

// upperEnvelope returns the largest of lines, piece by piece, from rate 0 on.
func upperEnvelope(lines []line) []piece {
	slices.SortFunc(lines, func(a, b line) int { return cmp.Or(cmp.Compare(a.rise, b.rise), cmp.Compare(b.drop, a.drop)) })
	var out []piece
	for _, l := range lines {
		for len(out) > 0 {
			last := &out[len(out)-1]
			if l.rise == last.rise {
				out = out[:len(out)-1] // the same slope, and this line is no lower
				continue
			}
			meet := (l.drop - last.drop) / (l.rise - last.rise)
			if len(out) > 1 && meet <= out[len(out)-2].until {
				out = out[:len(out)-1]
				continue
			}
			last.until = meet
			break
		}
		out = append(out, piece{l, math.Inf(1)})
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
