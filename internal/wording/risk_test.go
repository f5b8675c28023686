package wording

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestWordsRoundUp holds that a bound in words is no less than the number.
func TestWordsRoundUp(t *testing.T) {
	for p := 1e-7; p < 1; p *= 1.0371 {
		var v float64
		if _, err := fmt.Sscanf(percent(p), "%g%%", &v); err != nil || v < 100*p*(1-1e-9) || v > 100*p+0.1 {
			t.Errorf("%v is written %s (%v)", p, percent(p), err)
		}
		if p < 0.1 {
			if _, err := fmt.Sscanf(chance(p), "1 in %g", &v); err != nil || 1/v < p*(1-1e-9) || 1/v > 1.12*p {
				t.Errorf("%v is written %s (%v)", p, chance(p), err)
			}
		}
	}
	if got := chance(1e-300); got != "1 in 9.9e+299" {
		t.Errorf("1e-300 is written %s", got)
	}
	if got := chance(1e-323); got != "1 in 1.78e+308" { // of which 1/p is no float64
		t.Errorf("1e-323 is written %s", got)
	}
	text := strings.Join(Risk(account.RiskOf(account.TradeOff{}, 1, 0)), " ")
	for _, want := range []string{"2.72%", "0.28%", "73.2%", "no exceptions", "1 in 360000"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not hold %q", text, want)
		}
	}
	if got := Risk(account.RiskOf(account.TradeOff{}, math.Inf(1), 1e-6)); len(got) != 1 {
		t.Errorf("no guarantee: got %q", got)
	}
}

func ExampleRisk() {
	// One release with noise of twice the clipping norm, at delta 1e-6.
	e := mechanism.Gaussian{NoiseMultiplier: 2}
	profile := func(epsilon float64) (float64, error) {
		v, err := account.GDP.Delta(e, epsilon, privacy.AddOrRemoveOne)
		return v.Upper, err
	}
	o, err := account.NewTradeOff(profile)
	if err != nil {
		panic(err)
	}
	for _, sentence := range Risk(account.RiskOf(o, 2.26, 1e-6)) {
		fmt.Println(sentence)
	}
	// Output:
	// An attacker names records that may be in the data. If they name 1 in 100 of the records that are not in the data, they name at most 3.4% of the records that are. If they name 1 in 1000, they name at most 0.48%.
	// An attacker who chooses between "in the data" and "not in the data", equally likely beforehand, is right at most 59.9% of the time. Blind guesses are right 50% of the time.
	// The result raises an attacker's belief of 50% that a record is in the data to at most 90.6%, and a belief of 1% to at most 8.83%. This is by epsilon alone: results may say more, but the probability by which all of them together exceed the factor e^epsilon is at most 1 in 1000000.
	// An attacker guesses a secret with a million equally likely values with a chance of at most 1 in 94000. Without the result the chance is 1 in 1000000.
	// These limits hold for all attackers, whatever else they know, and however long they compute.
}
