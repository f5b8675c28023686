package explain

import (
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
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
		delta := certificate.Epsilon(1e-6)
		a := Cost{Asked: "epsilon", Delta: &delta, Neighboring: privacy.AddOrRemoveOne, Claim: claim{Accountant: "pld", Epsilon: c.upper, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}}
		a.Accountants = []price{{Accountant: "rdp", Refused: "no"}, {Accountant: "pld", Lower: &c.lower, Estimate: &c.upper, Upper: &c.upper}}
		text, err := a.Text("")
		if err != nil || !strings.Contains(string(text), c.want) || strings.Contains(string(text), "width ") != (c.want != "") {
			t.Errorf("%v to %v: got %q (%v), want %q in it", c.lower, c.upper, text, err, c.want)
		}
	}
}
