package calibration

import (
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestWideIntervalsAreSaid: how much too high a claim may be is said beyond a width of a thousandth, where a lower bound is
// proven.
func TestWideIntervalsAreSaid(t *testing.T) {
	for _, c := range []struct {
		lower, upper certificate.Epsilon
		want         string
	}{
		{0.197678, 0.949724, "proven between 0.197678 and 0.949724, 79 % apart"},
		{1, 1.0011, "proven between 1 and 1.0011, 0.11 % apart"}, {1, 1.0009, ""}, {0, 1, ""}, {1, certificate.Epsilon(math.Inf(1)), ""},
	} {
		text, err := Calibrated{Lower: c.lower, Estimate: c.upper, Upper: c.upper, Neighboring: privacy.AddOrRemoveOne}.Text()
		if err != nil || !strings.Contains(string(text), c.want) || strings.Contains(string(text), "width ") != (c.want != "") {
			t.Errorf("%v to %v: got %q (%v), want %q in it", c.lower, c.upper, text, err, c.want)
		}
	}
}

// TestNoiseMeetsTheTargetWithItsSlack prices what was found as a certificate does, with the slack of many draws: epsilon
// stays within the target, and little noise less would not do.
func TestNoiseMeetsTheTargetWithItsSlack(t *testing.T) {
	plan := func(z float64) mechanism.Event { return mechanism.Gaussian{NoiseMultiplier: z} }
	target, err := privacy.NewGuarantee(1, 1e-39, privacy.AddOrRemoveOne, privacy.Unit{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := LeastNoise(account.GDP, target, plan)
	if err != nil {
		t.Fatal(err)
	}
	price := func(z float64) float64 {
		p, failed := certificate.New("", nil, certificate.Claim{Event: plan(z), Delta: 1e-39, Neighboring: privacy.AddOrRemoveOne, NoiseDraws: mostDraws})
		if failed != nil {
			t.Fatal(failed)
		}
		return float64(p.Epsilon)
	}
	if at, less := price(found), price(found*(1-1e-6)); !(at <= 1) || !(less > 1) {
		t.Errorf("got noise %v at epsilon %v and with a millionth less %v, want at most 1 and more", found, at, less)
	}
}

// TestNoSlackWithoutRoundedNoise: at a delta that the slack would use up, normal noise is refused and Laplace noise is not.
func TestNoSlackWithoutRoundedNoise(t *testing.T) {
	target, err := privacy.NewGuarantee(1, 1e-60, privacy.AddOrRemoveOne, privacy.Unit{})
	if err != nil {
		t.Fatal(err)
	}
	normal := func(z float64) mechanism.Event { return mechanism.Gaussian{NoiseMultiplier: z} }
	if _, err = LeastNoise(account.GDP, target, normal); err == nil || !strings.Contains(err.Error(), "slack") {
		t.Errorf("normal noise: got %v, want a refusal for its slack", err)
	}
	pure := func(z float64) mechanism.Event { return mechanism.Laplace{NoiseMultiplier: z} }
	if z, refused := LeastNoise(account.Best, target, pure); refused != nil || !(z >= 1 && z < 1.001) {
		t.Errorf("Laplace noise: got %v, %v, want 1", z, refused)
	}
}
