package account

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/contour"
	"github.com/ditherml/dither/account/internal/pld"
	"github.com/ditherml/dither/privacy"
)

// TestExtremePlans compares two methods far from common plans: the lattice at a narrow width, whose
// bounds are proven, and the contour integral, which knows nothing of lattices. They agree to 1e-6
// where the lattice can be that fine; at 10⁹ steps the integral lies within the proven bounds.
func TestExtremePlans(t *testing.T) {
	skipShort(t)
	for i, c := range []struct {
		q, z, delta float64
		steps       int
		fine        bool
	}{
		{0.01, 0.2, 1e-5, 1000, true}, {0.01, 0.2, 1e-15, 1000, true}, {0.01, 200, 1e-15, 1000000, true}, {0.5, 1, 1e-15, 1000, true},
		{1e-3, 5, 1e-5, 100, true}, {1e-6, 0.2, 1e-12, 1000000, false}, {0.01, 200, 1e-6, 1000000000, false}, {1e-6, 200, 1e-9, 1000000000, false},
	} {
		if !thorough && i%4 != 0 {
			continue
		}
		e := repeated(c.steps, sampled(c.q, c.z))
		v, err := lossDistributions{}.Epsilon(e, c.delta, privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		all, err := compose(e, privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		integral := 0.0
		for i := range all.directions {
			one, failed := all.contour(i, func(k *contour.Integral) (float64, error) { return k.Epsilon(c.delta) })
			if failed != nil {
				t.Errorf("%+v: %v", c, failed)
			}
			integral = max(integral, one)
		}
		if integral < v.Lower || integral > v.Upper {
			t.Errorf("%+v: the integral %v is outside the proven bounds %v", c, integral, v)
		}
		if c.steps == 1000000000 && c.z == 200 {
			// So many so quiet steps are normal: μ = q·√(T·(e^(1/z²)-1)), up to 1e-6 here.
			if limit := epsilonOf(c.q*math.Sqrt(float64(c.steps)*math.Expm1(1/(c.z*c.z))), c.delta); math.Abs(limit/integral-1) > 1e-6 {
				t.Errorf("%+v: the integral %v, the limit of many steps %v", c, integral, limit)
			}
		}
		if !c.fine {
			continue
		}
		b, err := all.bounds(pld.AtDelta(c.delta), pld.Options{Relative: 3e-6, Absolute: 1e-9}, func(k *pld.Composed) pld.Bounds { return k.Epsilon(c.delta) })
		if err != nil || math.Abs(middle(b)/integral-1) > 1e-6 {
			t.Errorf("%+v: the lattice has %v (%v), the integral %v", c, b, err, integral)
		}
	}
	if v, err := (lossDistributions{}).Epsilon(repeated(1000, sampled(1e-4, 2)), 1e-3, privacy.AddOrRemoveOne); err != nil || v != (Interval{}) {
		t.Errorf("a plan that costs nothing at this delta: %v, %v", v, err)
	}
}
