package account

import (
	"math"
	"testing"

	"github.com/ditherml/dither/privacy"
)

// TestCurve compares a curve with single questions: never below a proven lower bound, and close above.
func TestCurve(t *testing.T) {
	for _, text := range []string{"repeat(1000, poisson(0.01, gaussian(1)))", "repeat(50, laplace(10))", "gaussian(1.5)"} {
		e := parsed(t, text)
		v, err := PLD{}.Curve(e, privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		last := 1.0
		for _, epsilon := range []float64{0, 0.1, 0.5, 1, 2, 3} {
			want, failed := PLD{}.Delta(e, epsilon, privacy.AddOrRemoveOne)
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
			want, failed := PLD{}.Epsilon(e, delta, privacy.AddOrRemoveOne)
			if failed != nil {
				t.Fatal(failed)
			}
			if got, wrong := v.Epsilon(delta); wrong != nil || got < want.Lower || got > want.Upper*1.02+1e-3 {
				t.Errorf("%s: ε(%v) is %v (%v), want just above %v", text, delta, got, wrong, want)
			}
		}
	}
	open, err := PLD{}.Curve(parsed(t, "non-private()"), privacy.AddOrRemoveOne)
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
	if _, err = (PLD{}).Curve(parsed(t, "repeat-and-select(1, 3, gaussian(4))"), privacy.AddOrRemoveOne); err == nil {
		t.Error("private tuning has a curve")
	}
}
