package draft

import (
	"errors"
	"math"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/ledger"
)

// TestWithinTriesLess: a plan that costs a little more than it was asked for is made again for less, a few times.
func TestWithinTriesLess(t *testing.T) {
	dear := func(factor float64, asked *[]float64) func(epsilon float64) (certificate.Certificate, error) {
		return func(epsilon float64) (certificate.Certificate, error) {
			*asked = append(*asked, epsilon)
			return certificate.Certificate{Epsilon: certificate.Epsilon(max(factor*epsilon, 0.5))}, nil
		}
	}
	for _, c := range []struct {
		asked, factor, price float64
		tries                int
	}{{1, 1, 1, 1}, {1, 1.25, 1, 2}, {0, 3, 0.5, 1}, {math.Inf(1), 1, math.Inf(1), 1}} {
		var asked []float64
		got, err := Within(c.asked, dear(c.factor, &asked))
		if err != nil || math.Abs(float64(got.Epsilon)-c.price) > 1e-9 || len(asked) != c.tries {
			t.Errorf("%v at %v times: epsilon %v after %v, %v, want %v after %d plans", c.asked, c.factor, got.Epsilon, asked, err, c.price, c.tries)
		}
		if finite := c.asked > 0 && !math.IsInf(c.asked, 1); finite && !(float64(got.Epsilon) <= c.asked && float64(got.Asked) == c.asked) {
			t.Errorf("asked for %v: the plan costs %v and notes %v", c.asked, got.Epsilon, got.Asked)
		}
	}
	var asked []float64
	if _, err := Within(0.1, dear(1, &asked)); !errors.Is(err, ledger.ErrOverBudget) || len(asked) != mostAttempts {
		t.Errorf("a plan of at least 0.5 for 0.1: %v after %d plans, want ErrOverBudget after %d", err, len(asked), mostAttempts)
	}
}
