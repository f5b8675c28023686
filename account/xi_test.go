package account

import (
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestXi adds ξ to the divergence at every order. Without ξ the statement equals that of ρ. Basic
// composition and zcdp charge ξ.
func TestXi(t *testing.T) {
	const n = privacy.AddOrRemoveOne
	orders := []float64{1.5, 2, 30}
	curve, err := RDP{Orders: orders}.Curve(parsed(t, "repeat(3, assumed-xi-zcdp(0.2, 0.05, add-or-remove-one))"), n)
	for i, order := range orders {
		if want := 3 * (0.2 + 0.05*order); err != nil || math.Abs(curve[i]/want-1) > 1e-8 {
			t.Errorf("order %v: got %v, %v, want %v", order, curve, err, want)
		}
	}
	if rho, failed := (concentratedDP{}).Rho(parsed(t, "assumed-xi-zcdp(0.2, 0.05, add-or-remove-one)"), n); failed != nil || math.Abs(rho-0.25) > 1e-9 {
		t.Errorf("ρ: got %v, %v, want 0.25", rho, failed)
	}
	for _, a := range []Accountant{RDP{}, concentratedDP{}, basicComposition{}, advancedComposition{}} {
		plain, err := a.Epsilon(mechanism.AssumedZCDP{Rho: 0.1, Neighboring: n}, 1e-5, n)
		none, failed := a.Epsilon(mechanism.AssumedXiZCDP{Rho: 0.1, Neighboring: n}, 1e-5, n)
		some, wrong := a.Epsilon(mechanism.AssumedXiZCDP{Xi: 0.3, Rho: 0.1, Neighboring: n}, 1e-5, n)
		if err != nil || failed != nil || wrong != nil || math.Abs(none.Upper/plain.Upper-1) > 1e-9 || some.Upper < plain.Upper+0.3-1e-9 {
			t.Errorf("%s: ξ 0 %v, ξ 0.3 %v, without %v (%v, %v, %v)", a.Name(), none, some, plain, err, failed, wrong)
		}
	}
}
