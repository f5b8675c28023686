package noise

import (
	"testing"

	"github.com/ditherml/dither/internal/special"
)

// TestStatedProbabilitiesAreFound holds that counts with a mean that is stated as found give the wanted
// evidence in all but 1 of 1,000 runs, by exact probabilities.
func TestStatedProbabilitiesAreFound(t *testing.T) {
	for _, c := range []struct {
		n     int
		p     float64
		tests int
	}{{800, 0.02, 5000}, {8000, 0.02, 5000}, {800, 0.08, 1}, {2000, 0.1, 1}, {80000, 0.0003, 40}, {80000, 0.5, 1}, {2000000, 0.0004, 1}} {
		mean := float64(c.n) * c.p
		needed := foundMean(c.n, c.p, c.tests)
		alarms := func(k int) bool { return binomial("", c.n, c.p, k, c.tests).LogP <= -scaleNats }
		up, down := c.n, 0
		for k := int(mean); k <= c.n; k++ {
			if alarms(k) {
				up = k
				break
			}
		}
		for k := int(mean); k > 0; k-- {
			if alarms(k) {
				down = k
				break
			}
		}
		if found := special.BinomialTail(c.n, needed/float64(c.n), up); found < 0.999 {
			t.Errorf("%+v: a mean of %.0f instead of %.0f is found with probability %.4f", c, needed, mean, found)
		}
		if lower := 2*mean - needed; lower > 0 {
			if found := special.BinomialHead(c.n, lower/float64(c.n), down); found < 0.999 {
				t.Errorf("%+v: a mean of %.0f instead of %.0f is found with probability %.4f", c, lower, mean, found)
			}
		}
	}
	for want, got := range map[string]string{
		"a probability that is 5.79 times as high": detects(800, 0.02, 5000),
		"a probability that is 5 % off":            detects(80000, 0.4, 1),
		"no other probability in nearly every run": detects(8, 0.02, 5000),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
