package certificate

import (
	"math"
	"testing"
)

// TestNearRefusesForgeries holds the comparison of prices to what two machines may differ by: neither an infinity nor
// NaN passes for a number, nor the reverse, and a price that is lower by a millionth is another price.
func TestNearRefusesForgeries(t *testing.T) {
	infinity, nan := math.Inf(1), math.NaN()
	for _, accountant := range []string{"pld", "gdp"} {
		for _, c := range []struct {
			got, want float64
			same      bool
		}{
			{1, 1, true}, {0, 0, true}, {infinity, infinity, true}, {1e-300, 1e-300, true}, {1 + 1e-10, 1, true}, {1 - 1e-10, 1, true},
			{2.5, infinity, false}, {infinity, 2.5, false}, {0, infinity, false}, {-infinity, infinity, false}, {infinity, -infinity, false}, {math.MaxFloat64, infinity, false},
			{nan, 1, false}, {1, nan, false}, {nan, nan, false}, {nan, infinity, false}, {infinity, nan, false},
			{0, 1, false}, {1, 0, false}, {-1, 1, false}, {1e-300, 0, false},
			{0.95, 1, false}, {1.05, 1, false}, {1 - 2e-4, 1, false}, {1 - 1e-6, 1, false}, {1 + 1e-6, 1, false},
		} {
			if got := near("epsilon", c.got, c.want, accountant) == nil; got != c.same {
				t.Errorf("%v beside %v under %s: taken %v, want %v", c.got, c.want, accountant, got, c.same)
			}
		}
	}
	if near("epsilon", 1-1e-8, 1, "gdp") == nil {
		t.Error("a formula's price that is lower by 1e-8 was taken")
	}
}

// TestAskedIsAtLeastSpent holds the budget of a certificate to what the run spent.
func TestAskedIsAtLeastSpent(t *testing.T) {
	for asked, want := range map[float64]bool{0: true, 2: true, math.Inf(1): false, 0.001: false, -1: false, math.NaN(): false, math.Inf(-1): false} {
		c := made(t, `{"steps":60,"noise":33}`)
		c.Asked = Epsilon(asked)
		if got := c.VerifyPlan(methods) == nil; got != want {
			t.Errorf("epsilon %v with %v asked for: taken %v, want %v", float64(c.Epsilon), asked, got, want)
		}
	}
	c := made(t, `{"steps":60,"noise":33}`)
	if c.Charge() <= 0 || c.Charge() > float64(c.Epsilon) || (Certificate{Epsilon: 3}).Charge() != 3 {
		t.Errorf("the charge is %v at epsilon %v", c.Charge(), float64(c.Epsilon))
	}
}
