package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/report"
)

// attacker is what any attacker can do at most, given the claim and what else is proven.
type attacker struct {
	TruePositiveAt1        float64  `json:"true-positives-at-0.01-false-positives"`
	TruePositiveAt01       float64  `json:"true-positives-at-0.001-false-positives"`
	Advantage              float64  `json:"advantage"`
	BayesFactor            number   `json:"factor-of-odds"`
	PosteriorFromHalf      float64  `json:"posterior-from-0.5"`
	PosteriorFromHundredth float64  `json:"posterior-from-0.01"`
	Reconstruction         float64  `json:"guess-of-one-in-a-million"`
	Words                  []string `json:"words"`
}

// attacker derives risks from the trade-off curve; nil where nothing is claimed.
func newAttacker(t account.TradeOff, c claim) *attacker {
	if math.IsInf(float64(c.Epsilon), 1) || c.Delta >= 1 {
		return nil
	}
	r := account.RiskOf(t, float64(c.Epsilon), c.Delta)
	return &attacker{
		TruePositiveAt1: r.TruePositiveAt1, TruePositiveAt01: r.TruePositiveAt01, Advantage: r.Advantage, BayesFactor: number(r.BayesFactor),
		PosteriorFromHalf: r.PosteriorFromHalf, PosteriorFromHundredth: r.PosteriorFromHundredth, Reconstruction: r.Reconstruction,
		Words: r.Words(),
	}
}

// slowEvent is the name of an event of which a curve takes seconds.
const slowEvent = "jl-clipping"

// attackerCurve is what is proven about everyone who attacks one record of a certificate: by the event's own curve, and by
// its epsilon and delta. Explanations and pages take it alike. Zero where nothing is claimed.
func attackerCurve(c certificate.Certificate) (account.TradeOff, error) {
	epsilon := float64(c.Epsilon)
	if math.IsInf(epsilon, 1) || c.Delta >= 1 {
		return account.TradeOff{}, nil
	}
	if strings.Contains(c.Event, slowEvent) {
		return account.TradeOff{}.With(epsilon, c.Delta), nil
	}
	event, err := mechanism.ParseEvent(c.Event)
	if err != nil {
		return account.TradeOff{}, err
	}
	q := question{event: event, neighboring: c.Neighboring, delta: c.Delta, accountants: account.All()}
	prices, _, err := q.prices()
	if err != nil {
		return account.TradeOff{}, err
	}
	// The slack of the noise, below 1e-20, is within the margin that the trade-off keeps.
	trade, err := q.tradeOff(prices, claim{c.Accountant, c.Epsilon, c.Delta, c.Neighboring})
	return trade.With(epsilon, c.Delta), err
}

// pageAttacker is attackerCurve for a page: nil where there is none to show, and the page goes by epsilon and delta.
func pageAttacker(c certificate.Certificate) report.Attacker {
	if !c.Private {
		return nil
	}
	trade, err := attackerCurve(c)
	if err != nil {
		return nil
	}
	return trade
}

// keptAttacker is the attacker of the page that was made last. A run makes its page twice, once to try it, and the curve
// of an event takes up to seconds.
type keptAttacker struct {
	event    string
	claim    claim
	attacker report.Attacker
}

// of returns what pageAttacker returns.
func (k *keptAttacker) of(c certificate.Certificate) report.Attacker {
	if !c.Private {
		return nil
	}
	of := claim{c.Accountant, c.Epsilon, c.Delta, c.Neighboring}
	if k.attacker == nil || k.event != c.Event || k.claim != of {
		*k = keptAttacker{c.Event, of, pageAttacker(c)}
	}
	return k.attacker
}

// attackerText writes the sentences as a list.
func (a accounted) attackerText(b *bytes.Buffer) {
	if a.Attacker == nil {
		return
	}
	fmt.Fprintf(b, "\nwhat that means, for one %s\n", protected(a))
	for _, sentence := range a.Attacker.Words {
		fmt.Fprint(b, display.Bullet(sentence))
	}
}

// protected names what the claim protects.
func protected(a accounted) string {
	if a.Group != nil && a.Group.Rows > 1 {
		return "row (not for all rows of one person)"
	}
	return "row"
}
