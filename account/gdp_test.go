package account

import (
	"errors"
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

func gaussian(z float64) mechanism.Event { return mechanism.Gaussian{NoiseMultiplier: z} }

// TestEpsilonInverse holds the inverse against Φ(-ε/μ+μ/2) - e^ε·Φ(-ε/μ-μ/2) evaluated
// by scipy 1.11 and solved by its brentq: μ of (ε, δ).
func TestEpsilonInverse(t *testing.T) {
	for _, c := range []struct{ delta, epsilon, mu float64 }{
		{1e-5, 0.1, 0.03252}, {1e-5, 0.5, 0.14221}, {1e-5, 1, 0.26805}, {1e-5, 2, 0.50155},
		{1e-5, 3, 0.71912}, {1e-5, 4.6, 1.04375}, {1e-5, 8, 1.66603}, {1e-5, 17, 3.04496},
		{1e-6, 0.5, 0.12411}, {1e-6, 1, 0.23670}, {1e-6, 3, 0.64773},
	} {
		target, _ := privacy.NewGuarantee(c.epsilon, c.delta, privacy.AddOrRemoveOne, privacy.Unit{})
		if got := MuOf(target); math.Abs(got-c.mu) > 6e-6 {
			t.Errorf("mu of (%v, %v): got %.6f, want %.5f", c.epsilon, c.delta, got, c.mu)
		}
		z, err := Calibrate(gaussianDP{}, target, func(z float64) mechanism.Event { return gaussian(z) })
		if err != nil || math.Abs(1/z-c.mu) > 6e-6 {
			t.Errorf("noise for (%v, %v): got 1/z %.6f (%v), want %.5f", c.epsilon, c.delta, 1/z, err, c.mu)
		}
		v, err := gaussianDP{}.Epsilon(gaussian(z), c.delta, privacy.AddOrRemoveOne)
		if err != nil || !(v.Upper <= c.epsilon) || v.Upper < c.epsilon*(1-1e-7) {
			t.Errorf("epsilon of the calibrated noise: got %v (%v), want just below %v", v, err, c.epsilon)
		}
	}
}

// TestDeltaDirect compares with the plain formula where it does not cancel.
func TestDeltaDirect(t *testing.T) {
	phi := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	for _, mu := range []float64{0.05, 0.3, 1, 3, 10, 30} {
		for _, epsilon := range []float64{0, 0.05, 0.3, 1, 4, 20} {
			want := phi(mu/2-epsilon/mu) - math.Exp(epsilon)*phi(-mu/2-epsilon/mu)
			got, err := gaussianDP{}.Delta(gaussian(1/mu), epsilon, privacy.AddOrRemoveOne)
			if err != nil {
				t.Fatal(err)
			}
			if want > 1e-9 && math.Abs(got.Upper/want-1) > 1e-6 || got.Upper < want-1e-15 {
				t.Errorf("delta of mu %v at %v: got %v, want %v", mu, epsilon, got, want)
			}
			if !(got.Lower <= got.Estimate && got.Estimate <= got.Upper) {
				t.Errorf("interval %v is out of order", got)
			}
		}
	}
}

func TestCourseExampleTenSteps(t *testing.T) {
	// Ten releases of multiplier 48.448 have μ 0.065272, ε 0.2140 at 1e-5 and 0.1705
	// at 1e-4 (scipy).
	e := mechanism.Repeat{Event: gaussian(48.448), Count: 10}
	for delta, want := range map[float64]float64{1e-5: 0.2140, 1e-4: 0.1705} {
		v, err := gaussianDP{}.Epsilon(e, delta, privacy.AddOrRemoveOne)
		if err != nil || math.Abs(v.Upper-want) > 6e-5 {
			t.Errorf("delta %v: got %v (%v), want %v", delta, v.Upper, err, want)
		}
	}
}

func TestLaws(t *testing.T) {
	const delta = 1e-6
	eps := func(e mechanism.Event, n privacy.Neighboring) float64 {
		v, err := gaussianDP{}.Epsilon(e, delta, n)
		if err != nil {
			t.Fatal(err)
		}
		return v.Upper
	}
	add, replace := privacy.AddOrRemoveOne, privacy.ReplaceOne
	a, b := gaussian(3), gaussian(7)
	if got, want := eps(mechanism.Repeat{Event: a, Count: 3}, add), eps(mechanism.Sequence{a, a, a}, add); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("repeat: got %v, in sequence %v", got, want)
	}
	if got, want := eps(mechanism.Sequence{a, b}, add), eps(mechanism.Sequence{b, a}, add); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("order: got %v and %v", got, want)
	}
	if got, want := eps(gaussian(4), replace), eps(gaussian(2), add); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("replace-one of 4: got %v, add-or-remove-one of 2: %v", got, want)
	}
	if got := eps(mechanism.Repeat{Event: a}, add); got != 0 {
		t.Errorf("zero uses: got %v, want 0", got)
	}
	if got := eps(mechanism.Sequence{a, mechanism.NonPrivate{}}, add); !math.IsInf(got, 1) {
		t.Errorf("non-private: got %v, want +Inf", got)
	}
	if !(eps(gaussian(3), add) > eps(gaussian(3.1), add)) {
		t.Error("more noise does not cost less")
	}
	five, err := gaussianDP{}.epsilonGroup(gaussian(10), delta, add, 5)
	if want := eps(gaussian(2), add); err != nil || math.Abs(five/want-1) > 1e-9 {
		t.Errorf("five records: got %v (%v), want %v", five, err, want)
	}
}

func TestRefusals(t *testing.T) {
	nan := math.NaN()
	for name, call := range map[string]func() error{
		"no relation":  func() error { _, err := gaussianDP{}.Epsilon(gaussian(1), 1e-6, 0); return err },
		"delta one":    func() error { _, err := gaussianDP{}.Epsilon(gaussian(1), 1, privacy.ReplaceOne); return err },
		"delta NaN":    func() error { _, err := gaussianDP{}.Epsilon(gaussian(1), nan, privacy.ReplaceOne); return err },
		"epsilon NaN":  func() error { _, err := gaussianDP{}.Delta(gaussian(1), nan, privacy.ReplaceOne); return err },
		"noise zero":   func() error { _, err := Mu(gaussian(0), privacy.ReplaceOne); return err },
		"noise NaN":    func() error { _, err := Mu(gaussian(nan), privacy.ReplaceOne); return err },
		"no event":     func() error { _, err := Mu(nil, privacy.ReplaceOne); return err },
		"hidden event": func() error { _, err := Mu(mechanism.Sequence{gaussian(1), nil}, privacy.ReplaceOne); return err },
		"group of 0": func() error {
			_, err := gaussianDP{}.epsilonGroup(gaussian(1), 1e-6, privacy.AddOrRemoveOne, 0)
			return err
		},
	} {
		if call() == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	target, _ := privacy.NewGuarantee(1e-9, 0, privacy.AddOrRemoveOne, privacy.Unit{})
	if _, err := Calibrate(gaussianDP{}, target, func(z float64) mechanism.Event { return gaussian(z) }); !errors.Is(err, ErrUnreachable) {
		t.Errorf("delta 0: got %v, want ErrUnreachable", err)
	}
}

func TestExtremes(t *testing.T) {
	for _, mu := range []float64{1e-8, 1e-3, 1, 40, 500, 1e5} {
		for _, delta := range []float64{1e-300, 1e-15, 1e-6, 0.3, 0.999} {
			v, err := gaussianDP{}.Epsilon(gaussian(1/mu), delta, privacy.AddOrRemoveOne)
			if err != nil || math.IsNaN(v.Upper) || v.Upper < 0 || v.Lower > v.Upper {
				t.Errorf("mu %v delta %v: got %v, %v", mu, delta, v, err)
			}
		}
	}
}
