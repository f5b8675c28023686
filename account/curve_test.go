package account

import (
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestCurve compares a curve with single questions: never below a proven lower bound, and close above.
func TestCurve(t *testing.T) {
	for _, text := range []string{"repeat(1000, poisson(0.01, gaussian(1)))", "repeat(50, laplace(10))", "gaussian(1.5)"} {
		e := parsed(t, text)
		v, err := lossDistributions{}.Curve(e, privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		last := 1.0
		for _, epsilon := range []float64{0, 0.1, 0.5, 1, 2, 3} {
			want, failed := lossDistributions{width: rough}.Delta(e, epsilon, privacy.AddOrRemoveOne)
			if failed != nil {
				t.Fatal(failed)
			}
			got, failed := v.Delta(epsilon)
			if failed != nil || got < want.Lower || got > want.Upper*1.05+1e-12 || got > last {
				t.Errorf("%s: δ(%v) is %v (%v), want just above %v, at most %v", text, epsilon, got, failed, want, last)
			}
			last = got
		}
		for _, delta := range []float64{1e-1, 1e-3, 1e-6, 1e-10} {
			want, failed := lossDistributions{width: rough}.Epsilon(e, delta, privacy.AddOrRemoveOne)
			if failed != nil {
				t.Fatal(failed)
			}
			if got, wrong := v.Epsilon(delta); wrong != nil || got < want.Lower || got > want.Upper*1.02+1e-3 {
				t.Errorf("%s: ε(%v) is %v (%v), want just above %v", text, delta, got, wrong, want)
			}
		}
	}
	open, err := lossDistributions{}.Curve(parsed(t, "non-private()"), privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	if d, failed := open.Delta(3); failed != nil || d != 1 {
		t.Errorf("without protection: δ(3) is %v, %v", d, failed)
	}
	if e, failed := open.Epsilon(0.5); failed != nil || !math.IsInf(e, 1) {
		t.Errorf("without protection: ε(0.5) is %v, %v", e, failed)
	}
	if _, err = open.Delta(-1); err == nil {
		t.Error("epsilon -1 was answered")
	}
	if _, err = open.Epsilon(1); err == nil {
		t.Error("delta 1 was answered")
	}
	if _, err = (lossDistributions{}).Curve(parsed(t, "repeat-and-select(1, 3, gaussian(4))"), privacy.AddOrRemoveOne); err == nil {
		t.Error("private tuning has a curve")
	}
}

// TestJLClipping compares one release at noise 4 and ε = 1 with a mean: the normal profile averaged
// over the length of a gradient. Numerical integration over the chi-square distribution gives 0.12,
// 2.4e-3, 3.3e-4, 6.1e-5 and 6.6e-6 for 1 to 100 projections. Rounding lengths up costs a few
// percent.
func TestJLClipping(t *testing.T) {
	for r, want := range map[int]float64{5: 2.4e-3, 10: 3.3e-4, 20: 6.1e-5, 100: 6.6e-6} {
		e := mechanism.JLClipping{NoiseMultiplier: 4, Projections: r, Cap: 1e3, Probability: 1}
		v, err := lossDistributions{}.Delta(e, 1, privacy.AddOrRemoveOne)
		if err != nil || v.Upper < want*0.98 || v.Upper > want*1.2 {
			t.Errorf("%d projections: got %v (%v), want about %v", r, v, err, want)
		}
	}
	capped, err := lossDistributions{}.Delta(mechanism.JLClipping{NoiseMultiplier: 4, Projections: 5, Cap: 1.5, Probability: 1}, 1, privacy.AddOrRemoveOne)
	whole, failed := lossDistributions{}.Delta(mechanism.Gaussian{NoiseMultiplier: 4 / 1.5}, 1, privacy.AddOrRemoveOne)
	if err != nil || failed != nil || capped.Upper > whole.Upper || capped.Upper < whole.Upper/10 {
		t.Errorf("capped at 1.5: got %v (%v), want below %v (%v)", capped, err, whole, failed)
	}
}
