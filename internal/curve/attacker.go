package curve

import (
	"math"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// SlowEvent is the name of an event whose curve takes seconds.
const SlowEvent = "jl-clipping"

// Attacker returns the proven bounds on every attack on one record of a certificate. They follow
// from the event's own curve, and from its epsilon and delta. It is zero where nothing is claimed.
// It is an error if the event has no price.
func Attacker(c certificate.Certificate) (account.TradeOff, error) {
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
	prices := Ask(event, c.Neighboring, account.All(), func(a account.Accountant) (account.Interval, error) {
		return a.Epsilon(event, c.Delta, c.Neighboring)
	})
	if err = prices.Refusals[len(prices.Refusals)-1]; err != nil {
		return account.TradeOff{}, err
	}
	// The slack of the noise, below 1e-20, is within the margin that the trade-off keeps.
	trade, err := prices.TradeOff(epsilon, c.Delta)
	return trade.With(epsilon, c.Delta), err
}

// ForPage returns the attacker of a page. It is nil where there is none to show: then the page uses
// epsilon and delta.
func ForPage(c certificate.Certificate) *account.TradeOff {
	if !c.Private {
		return nil
	}
	trade, err := Attacker(c)
	if err != nil {
		return nil
	}
	return &trade
}

// claim is what a curve depends on.
type claim struct {
	event, accountant string
	epsilon           certificate.Epsilon
	delta             float64
	neighboring       privacy.Neighboring
}

// Kept is the attacker of the last page. A run makes its page twice, once to test it, and the curve
// of an event takes up to seconds.
type Kept struct {
	of       claim
	attacker *account.TradeOff
}

// ForPage returns the result of the function ForPage, from memory if the claim is the same.
func (k *Kept) ForPage(c certificate.Certificate) *account.TradeOff {
	if !c.Private {
		return nil
	}
	of := claim{c.Event, c.Accountant, c.Epsilon, c.Delta, c.Neighboring}
	if k.attacker == nil || k.of != of {
		*k = Kept{of, ForPage(c)}
	}
	return k.attacker
}
