package explain

import (
	"bytes"
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/wording"
)

// attacker is the most that any attacker can do, given the claim and the proven trade-off.
type attacker struct {
	TruePositiveAt1        float64             `json:"true-positives-at-0.01-false-positives"`
	TruePositiveAt01       float64             `json:"true-positives-at-0.001-false-positives"`
	Advantage              float64             `json:"advantage"`
	BayesFactor            certificate.Epsilon `json:"factor-of-odds"`
	PosteriorFromHalf      float64             `json:"posterior-from-0.5"`
	PosteriorFromHundredth float64             `json:"posterior-from-0.01"`
	Reconstruction         float64             `json:"guess-of-one-in-a-million"`
	Words                  []string            `json:"words"`
}

// newAttacker returns the risks that follow from the trade-off curve; nil where nothing is claimed.
func newAttacker(t account.TradeOff, c claim) *attacker {
	if math.IsInf(float64(c.Epsilon), 1) || c.Delta >= 1 {
		return nil
	}
	r := account.RiskOf(t, float64(c.Epsilon), c.Delta)
	return &attacker{
		TruePositiveAt1: r.TruePositiveAt1, TruePositiveAt01: r.TruePositiveAt01, Advantage: r.Advantage, BayesFactor: certificate.Epsilon(r.BayesFactor),
		PosteriorFromHalf: r.PosteriorFromHalf, PosteriorFromHundredth: r.PosteriorFromHundredth, Reconstruction: r.Reconstruction,
		Words: wording.Risk(r),
	}
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

// protected returns what the claim protects.
func protected(a Cost) string {
	if a.Group != nil && a.Group.Rows > 1 {
		return "row (not for all rows of one person)"
	}
	return "row"
}
