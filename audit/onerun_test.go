package audit

import (
	"math"
	"testing"
)

// TestPublishedOneRunBounds compares with the values of the authors' own program.
func TestPublishedOneRunBounds(t *testing.T) {
	for _, c := range []struct {
		g           Guesses
		delta, want float64
	}{{Guesses{1000, 600, 600}, 1e-5, 5.2704}, {Guesses{100, 100, 100}, 1e-5, 3.4902}} {
		got, err := c.g.Epsilon(c.delta, 0.95)
		if err != nil || math.Abs(got-c.want) > 5e-5 {
			t.Errorf("%+v: got %v, %v, want %v", c.g, got, err, c.want)
		}
	}
}
