package account

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

func sampled(q, z float64) mechanism.Event {
	return mechanism.PoissonSampled{Probability: q, Event: mechanism.Gaussian{NoiseMultiplier: z}}
}

// TestIntegerAndFractionalOrdersAgree compares the binomial sum with the integral.
func TestIntegerAndFractionalOrdersAgree(t *testing.T) {
	for _, q := range []float64{1e-6, 1e-3, 0.01, 0.1, 0.5, 0.99} {
		for _, z := range []float64{0.4, 0.7, 1, 2, 8, 50} {
			for _, order := range []int{2, 3, 5, 16, 40} {
				exact, integral := sampledInteger(q, z, order), sampledFractional(q, z, float64(order))
				if math.Abs(integral/exact-1) > 3e-10 {
					t.Errorf("q %v z %v order %d: sum %v, integral %v", q, z, order, exact, integral)
				}
			}
		}
	}
}

// TestRDPReference compares with divergences that mpmath evaluated, where they are at hand.
func TestRDPReference(t *testing.T) {
	path := filepath.Join("..", "..", "shared", "reference", "accounting.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skip("the reference values are absent")
	}
	var file struct {
		Exact []struct {
			Kind            string `json:"kind"`
			Q, Sigma, Alpha float64
			Exact           any `json:"exact"`
		} `json:"exact_values"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, row := range file.Exact {
		value, isText := row.Exact.(string)
		if row.Kind != "rdp_poisson_gaussian" || !isText {
			continue
		}
		want, err := strconv.ParseFloat(value, 64)
		if err != nil {
			continue
		}
		curve, err := RDP{Orders: []float64{row.Alpha}}.Curve(sampled(row.Q, row.Sigma), privacy.AddOrRemoveOne)
		if err != nil || math.Abs(curve[0]/want-1) > 2.1e-9 || curve[0] < want*(1-1e-12) {
			t.Errorf("q %v z %v order %v: got %v (%v), want %v", row.Q, row.Sigma, row.Alpha, curve, err, want)
		}
		compared++
	}
	t.Logf("%d divergences compared", compared)
	if compared == 0 {
		t.Error("the file has no divergences of the sampled Gaussian")
	}
}

// TestRDPIsNeverBelowTheTruth holds epsilon against the exact accountant where there is one,
// and against values of the privacy loss distribution (contour integration, mpmath).
func TestRDPIsNeverBelowTheTruth(t *testing.T) {
	for _, z := range []float64{0.5, 1, 4, 40} {
		for _, delta := range []float64{1e-3, 1e-6, 1e-10} {
			e := mechanism.Repeat{Event: gaussian(z), Count: 10}
			exact, err := gaussianDP{}.Epsilon(e, delta, privacy.AddOrRemoveOne)
			if err != nil {
				t.Fatal(err)
			}
			got, err := RDP{}.Epsilon(e, delta, privacy.AddOrRemoveOne)
			if err != nil || got.Upper < exact.Upper*(1-1e-9) || got.Upper > exact.Upper*1.35+0.02 {
				t.Errorf("z %v delta %v: rdp %v (%v), exact %v", z, delta, got.Upper, err, exact.Upper)
			}
		}
	}
	// One step at q 0.01, z 1, delta 1e-5 has epsilon 0.19945 exactly.
	got, err := RDP{}.Epsilon(sampled(0.01, 1), 1e-5, privacy.AddOrRemoveOne)
	if err != nil || got.Upper < 0.19945 || got.Upper > 1 {
		t.Errorf("one sampled step: got %v, %v", got, err)
	}
}

func TestSamplingAmplifies(t *testing.T) {
	last := 0.0
	for _, q := range []float64{1e-4, 1e-3, 0.01, 0.1, 0.5, 0.999} {
		v, err := RDP{}.Epsilon(mechanism.Repeat{Event: sampled(q, 2), Count: 100}, 1e-6, privacy.AddOrRemoveOne)
		if err != nil || !(v.Upper > last) {
			t.Errorf("probability %v: epsilon %v (%v), want more than %v", q, v.Upper, err, last)
		}
		last = v.Upper
	}
	full, err := RDP{}.Epsilon(mechanism.Repeat{Event: gaussian(2), Count: 100}, 1e-6, privacy.AddOrRemoveOne)
	if err != nil || !(full.Upper >= last) {
		t.Errorf("the full batch costs %v (%v), less than %v", full.Upper, err, last)
	}
}

func TestRDPLaws(t *testing.T) {
	const delta = 1e-6
	eps := func(e mechanism.Event, n privacy.Neighboring) float64 {
		v, err := RDP{}.Epsilon(e, delta, n)
		if err != nil {
			t.Fatal(err)
		}
		return v.Upper
	}
	add := privacy.AddOrRemoveOne
	a, b := sampled(0.01, 1.3), gaussian(9)
	if got, want := eps(mechanism.Repeat{Event: a, Count: 3}, add), eps(mechanism.Sequence{a, a, a}, add); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("repeat: %v, in sequence %v", got, want)
	}
	if got, want := eps(mechanism.Sequence{a, b}, add), eps(mechanism.Sequence{b, a}, add); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("order: %v and %v", got, want)
	}
	if got, want := eps(gaussian(4), privacy.ReplaceOne), eps(gaussian(2), add); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("replace-one: %v, want %v", got, want)
	}
	if got := eps(mechanism.Repeat{Event: a}, add); got != 0 {
		t.Errorf("zero uses: %v", got)
	}
	if got := eps(mechanism.PoissonSampled{Probability: 0.1, Event: mechanism.NonPrivate{}}, add); !math.IsInf(got, 1) {
		t.Errorf("non-private: %v", got)
	}
	if eps(sampled(0.01, 1.3), add) != eps(sampled(0.01, 1.3), privacy.ZeroOut) {
		t.Error("zero-out and add-or-remove-one differ")
	}
	v, err := RDP{}.Delta(mechanism.Repeat{Event: a, Count: 50}, eps(mechanism.Repeat{Event: a, Count: 50}, add), add)
	if err != nil || math.Abs(v.Upper/delta-1) > 1e-6 {
		t.Errorf("delta of epsilon: got %v (%v), want %v", v.Upper, err, delta)
	}
}

func TestRDPRefusals(t *testing.T) {
	for name, call := range map[string]func() error{
		"without replacement, add or remove": func() error {
			_, err := RDP{}.Epsilon(mechanism.WithoutReplacement{Records: 10, Batch: 2, Event: gaussian(1)}, 1e-6, privacy.AddOrRemoveOne)
			return err
		},
		"order one": func() error {
			_, err := RDP{Orders: []float64{1}}.Epsilon(gaussian(1), 1e-6, privacy.AddOrRemoveOne)
			return err
		},
		"delta one":   func() error { _, err := RDP{}.Epsilon(gaussian(1), 1, privacy.AddOrRemoveOne); return err },
		"epsilon NaN": func() error { _, err := RDP{}.Delta(gaussian(1), math.NaN(), privacy.AddOrRemoveOne); return err },
		"probability 2": func() error {
			_, err := RDP{}.Epsilon(sampled(2, 1), 1e-6, privacy.AddOrRemoveOne)
			return err
		},
		"gdp of sampled": func() error {
			_, err := gaussianDP{}.Epsilon(sampled(0.1, 1), 1e-6, privacy.AddOrRemoveOne)
			return err
		},
	} {
		if call() == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

func TestRDPExtremes(t *testing.T) {
	for i, q := range []float64{1e-300, 1e-9, 0.5, math.Nextafter(1, 0)} {
		for j, z := range []float64{1e-3, 0.05, 1, 1e6} {
			for k, delta := range []float64{0, 1e-15, 0.5} {
				if !thorough && (i+j+k)%3 != 0 {
					continue
				}
				v, err := RDP{}.Epsilon(mechanism.Repeat{Event: sampled(q, z), Count: 1 << 30}, delta, privacy.AddOrRemoveOne)
				if err != nil || math.IsNaN(v.Upper) || v.Upper < 0 {
					t.Errorf("q %v z %v delta %v: got %v, %v", q, z, delta, v, err)
				}
			}
		}
	}
}

func BenchmarkRDP(b *testing.B) {
	e := mechanism.Repeat{Event: sampled(0.01, 1), Count: 10000}
	for b.Loop() {
		_, _ = RDP{}.Epsilon(e, 1e-5, privacy.AddOrRemoveOne)
	}
}

// TestDivergencesOutOfReach holds that a divergence that cannot be computed counts as infinite, never as
// nothing.
func TestDivergencesOutOfReach(t *testing.T) {
	for text, least := range map[string]float64{"laplace(0.001)": 970, "repeat(1000, laplace(0.001))": 9e4, "laplace(1e-308)": 1e9, "poisson(0.1, laplace(0.0001))": 0} {
		e := parsed(t, text)
		v, err := RDP{}.Epsilon(e, 0.5, privacy.AddOrRemoveOne)
		if err != nil || v.Upper < least {
			t.Errorf("%s: got %v (%v), want at least %v", text, v, err, least)
		}
		curve, err := RDP{}.Curve(e, privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range curve {
			if !(v > 0) || i > 0 && v < curve[i-1]*(1-1e-6) {
				t.Errorf("%s: divergence %v at order %v", text, v, RDP{}.orders()[i])
			}
		}
	}
}

// TestSampledOrdersAreFound holds that the best order is found where one in momentStride is computed: by it a sampled
// release costs no more than by the best of all default orders, each by itself, which are all computed when named.
func TestSampledOrdersAreFound(t *testing.T) {
	epsilon := func(a RDP, e mechanism.Event) float64 {
		v, err := a.Epsilon(e, 1e-6, privacy.AddOrRemoveOne)
		if err != nil {
			t.Errorf("%v: %v", e, err)
		}
		return v.Upper
	}
	for i, q := range []float64{1e-4, 0.01, 0.3} {
		for j, z := range []float64{0.6, 1, 4} {
			for k, steps := range []int{1, 100, 10000} {
				if !thorough && (i+j+k)%3 != 0 {
					continue
				}
				e, least := repeated(steps, sampled(q, z)), math.Inf(1)
				for _, order := range defaultOrders {
					least = min(least, epsilon(RDP{Orders: []float64{order}}, e))
				}
				found, named := epsilon(RDP{}, e), epsilon(RDP{Orders: defaultOrders}, e)
				if !(found <= least*(1+1e-6)) || named != least {
					t.Errorf("%v: found %v, of named orders %v, want no more than %v", e, found, named, least)
				}
			}
		}
	}
}
