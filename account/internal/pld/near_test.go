package pld

import (
	"math"
	"testing"
)

// TestNearMassesAreExact folds releases of which nearly all mass lies at three nodes, and compares with repeated
// convolution, which adds positive numbers alone: the distance is within the bound, and the bound is close.
func TestNearMassesAreExact(t *testing.T) {
	const count = 1 << 10
	release := &lattice{step: 1e-3, tilt: 2, low: -1, mass: []float64{3e-3, 0, 2.9e-3, 0, 0, 0, 1e-6}}
	release.mass[1] = 1 - sum(release.mass)
	if nearOf(release, count) == (near{}) || nearOf(release, manyReleases-1) != (near{}) {
		t.Fatal("the masses beside 0 are not told apart from the others, or for few releases")
	}
	want, low := release.mass, release.low
	for n := 1; n < count; n *= 2 {
		want, low = convolved(want, want), 2*low
	}
	got := fold([]item{{lattice: release, count: count}}, release.step, window{up: 600, down: -600, tail: 1e-25, most: 1 << 12})
	if got == nil {
		t.Fatal("no lattice")
	}
	apart := 0.0
	for i, v := range want {
		at, mass := low+i-got.low, 0.0
		if at >= 0 && at < len(got.mass) {
			mass = got.mass[at]
		}
		apart += math.Abs(mass - v)
	}
	// The transform of all masses errs by 100 units of their sum, 0.012, for each of 1024 releases: 1.3e-13 a coefficient.
	if !(apart <= got.err+1e-13) || !(got.err < 4e-13) {
		t.Errorf("apart by %.3g, bound %.3g, want at most 4e-13", apart, got.err)
	}
}

func convolved(a, b []float64) []float64 {
	out := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		if x < 1e-30 {
			continue
		}
		for j, y := range b {
			out[i+j] += x * y
		}
	}
	return out
}

// TestNearTransform compares coefficients of many angles with their definition.
func TestNearTransform(t *testing.T) {
	v := near{below: 0.3, above: 0.2}
	for i := range 1000 {
		x := math.Pi / 2 * float64(i) / 1000
		re, im, bound := v.transform(x)
		wantRe, wantIm := v.both()*(math.Cos(2*x)-1), (v.below-v.above)*math.Sin(2*x)
		if math.Abs(re-wantRe) > 1e-15 || math.Abs(im-wantIm) > 1e-15 || bound > v.most() || bound < 8*unit*math.Abs(re) {
			t.Fatalf("x %v: got %v, %v (%v), want %v, %v", x, re, im, bound, wantRe, wantIm)
		}
	}
}
