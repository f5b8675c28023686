package explain

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
)

// Attacker is what any attacker can do at most, given the claim and what else is proven.
type Attacker struct {
	TruePositiveAt1        float64             `json:"true-positives-at-0.01-false-positives"`
	TruePositiveAt01       float64             `json:"true-positives-at-0.001-false-positives"`
	Advantage              float64             `json:"advantage"`
	BayesFactor            certificate.Epsilon `json:"factor-of-odds"`
	PosteriorFromHalf      float64             `json:"posterior-from-0.5"`
	PosteriorFromHundredth float64             `json:"posterior-from-0.01"`
	Reconstruction         float64             `json:"guess-of-one-in-a-million"`
	Words                  []string            `json:"words"`
}

// newAttacker derives risks from the trade-off curve; nil where nothing is claimed.
func newAttacker(t account.TradeOff, c Claim) *Attacker {
	if math.IsInf(float64(c.Epsilon), 1) || c.Delta >= 1 {
		return nil
	}
	r := account.RiskOf(t, float64(c.Epsilon), c.Delta)
	return &Attacker{
		TruePositiveAt1: r.TruePositiveAt1, TruePositiveAt01: r.TruePositiveAt01, Advantage: r.Advantage, BayesFactor: certificate.Epsilon(r.BayesFactor),
		PosteriorFromHalf: r.PosteriorFromHalf, PosteriorFromHundredth: r.PosteriorFromHundredth, Reconstruction: r.Reconstruction,
		Words: r.Words(),
	}
}

// SlowEvent is the name of an event of which a curve takes seconds.
const SlowEvent = "jl-clipping"

// AttackerCurve returns what is proven about everyone who attacks one record of a certificate: by the event's own
// curve, and by its epsilon and delta. It is zero where nothing is claimed. An error says that the event has no
// price.
func AttackerCurve(c certificate.Certificate) (account.TradeOff, error) {
	epsilon := float64(c.Epsilon)
	if math.IsInf(epsilon, 1) || c.Delta >= 1 {
		return account.TradeOff{}, nil
	}
	if strings.Contains(c.Event, SlowEvent) {
		return account.TradeOff{}.With(epsilon, c.Delta), nil
	}
	event, err := mechanism.ParseEvent(c.Event)
	if err != nil {
		return account.TradeOff{}, err
	}
	q := Question{Event: event, Neighboring: c.Neighboring, Delta: c.Delta, Accountants: account.All()}
	prices, _, err := q.prices()
	if err != nil {
		return account.TradeOff{}, err
	}
	// The slack of the noise, below 1e-20, is within the margin that the trade-off keeps.
	trade, err := q.tradeOff(prices, ClaimOf(c))
	return trade.With(epsilon, c.Delta), err
}

// attackerText writes the sentences as a list.
func (a Cost) attackerText(b *bytes.Buffer) {
	if a.Attacker == nil {
		return
	}
	fmt.Fprintf(b, "\nwhat that means, for one %s\n", protected(a))
	for _, sentence := range a.Attacker.Words {
		fmt.Fprint(b, display.Bullet(sentence))
	}
}

// protected names what the claim protects.
func protected(a Cost) string {
	if a.Group != nil && a.Group.Rows > 1 {
		return "row (not for all rows of one person)"
	}
	return "row"
}
