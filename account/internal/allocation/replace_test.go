package allocation

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
)

// TestReplaceTwoSteps writes out the laws of two steps for several contributions of a record and of the one
// that takes its place; none are farther apart than the pair.
func TestReplaceTwoSteps(t *testing.T) {
	const noise, step = 1.3, 0.1
	_, upper := pairsOf(t, 2, noise)
	proven := Replace(upper)
	density := func(v, x, y float64) float64 {
		normal := func(a, b float64) float64 {
			return math.Exp(-((x-a)*(x-a)+(y-b)*(y-b))/(2*noise*noise)) / (2 * math.Pi * noise * noise)
		}
		return (normal(v, 0) + normal(0, v)) / 2
	}
	for _, v := range []float64{1, 0.5, 0} {
		for _, w := range []float64{-1, -0.5, 0, 1} {
			for _, epsilon := range []float64{0, 0.3, 1} {
				truth := 0.0
				for x := -9.0; x < 9; x += step {
					for y := -9.0; y < 9; y += step {
						truth += max(0, density(v, x, y)-math.Exp(epsilon)*density(w, x, y)) * step * step
					}
				}
				got := delta(t, proven, epsilon)
				if got < truth-1e-6 || v == 1 && w == -1 && got > 2.5*truth {
					t.Errorf("from %v to %v, ε %v: proven %v, true %v", v, w, epsilon, got, truth)
				}
			}
		}
	}
}

// TestReplaceIsAPair holds that the pair is its own reverse, that its columns sum to 1, and that its profile lies above
// those of removal and adding and at most at the bound that it is made of.
func TestReplaceIsAPair(t *testing.T) {
	for _, noise := range []float64{0.5, 20} {
		_, upper := pairsOf(t, 20, noise)
		got := Replace(upper)
		p, q := 0.0, 0.0
		for _, v := range got {
			p, q = p+v.P, q+v.Q
		}
		if math.Abs(p-1) > 1e-12 || math.Abs(q-1) > 1e-12 {
			t.Errorf("noise %v: atoms sum to %v and %v", noise, p, q)
		}
		for _, epsilon := range []float64{0, 0.03 / noise, 0.3 / noise, 1 / noise, 3 / noise} {
			d, back := delta(t, got, epsilon), delta(t, pair.Atoms(got).Swap(), epsilon)
			one, other := delta(t, upper.Remove, epsilon), delta(t, upper.Add, epsilon)
			half := delta(t, upper.Remove, epsilon/2) + math.Exp(epsilon/2)*delta(t, upper.Add, epsilon/2)
			if math.Abs(d-back) > 1e-12*d || d < max(one, other) || d > half*(1+1e-3) {
				t.Errorf("noise %v, ε %v: got %v, reversed %v, want at least %v and %v and at most %v", noise, epsilon, d, back, one, other, half)
			}
		}
	}
}

// TestHull holds the hull of bounds that are no profile: it is at most each of them, and its own mirror image.
func TestHull(t *testing.T) {
	at, bound := []float64{1, 1.2, 1.5, 2, 4}, []float64{0.5, 0.1, 0.2, 0.05, 0.01}
	atoms := hull(at, bound)
	for i, a := range at {
		d := delta(t, atoms, math.Log(a))
		if d > bound[i]*(1+1e-12) || i == 4 && math.Abs(d-0.01) > 1e-12 || i == 1 && math.Abs(d-0.1) > 1e-12 {
			t.Errorf("at %v: got %v, want at most %v", a, d, bound[i])
		}
	}
	// Between the third and fourth the chord from 1.2 to 2 counts, not the third bound.
	if d := delta(t, atoms, math.Log(1.6)); math.Abs(d-0.075) > 1e-12 {
		t.Errorf("on the chord: got %v, want 0.075", d)
	}
}
