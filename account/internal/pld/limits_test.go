package pld

import (
	"errors"
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
)

// TestRareLargeLosses is a million steps of which about one has a large loss. The truth, 0.94868, is that of
// a high-precision integration of the exact moment generating function. Without near the upper bound is 1.1e-3 too high.
func TestRareLargeLosses(t *testing.T) {
	c, err := Compose([]Term{{pair.Sampled(pair.Normal, 0.5, 1e-6), 1000000}}, AtDelta(1e-10), Options{MaxNodes: 1 << 18})
	if err != nil {
		t.Fatal(err)
	}
	if b := c.Epsilon(1e-10); !(b.Lower <= 0.94868 && b.Upper >= 0.94867 && b.Upper < 0.94868*1.001) {
		t.Errorf("got %v, want the truth 0.94868 between the bounds and the upper one near it", b)
	}
}

// TestLatticesAreLimited: no lattice of one release is larger than allowed, and no plan asks for one.
func TestLatticesAreLimited(t *testing.T) {
	p := pair.Sampled(pair.Normal, 0.002, 0.01)
	g := grid{step: 1e-6, tilt: 1, top: 1e-10, bottom: 1e-10, faint: 1e-20, floor: math.Inf(-1), most: 1 << 12}
	if _, err := discretize(p, g); !errors.Is(err, ErrLarge) {
		t.Errorf("a lattice of more than 2^12 nodes: got %v, want %v", err, ErrLarge)
	}
	const most = 1 << 14
	for _, z := range []float64{0.002, 0.02, 0.2} {
		s, err := newSketch([]Term{{pair.Sampled(pair.Normal, z, 0.01), 1000}}, 1e-12)
		if err != nil {
			t.Fatal(err)
		}
		planner := newPlanner(s, 1, most)
		planner.noisy = 1000
		for noise := 1e-12; noise < 1e6; noise *= 10 {
			if q := planner.choose(noise); q != nil && planner.span/q.step > 2*most {
				t.Errorf("noise multiplier %v: a release on %v nodes, want at most %v", z, planner.span/q.step, 2*most)
			}
		}
	}
	if _, err := Compose([]Term{{p, 1000}}, AtDelta(1e-6), Options{MaxNodes: most}); err != nil && !errors.Is(err, ErrLarge) {
		t.Errorf("a composition that is too large: got %v, want %v", err, ErrLarge)
	}
}

// TestRoundingOfPowers compares what is charged for a factor near 1 with the plain charge, which it must not exceed.
func TestRoundingOfPowers(t *testing.T) {
	for _, size := range []float64{0, 1e-9, 1e-3, 0.25, 0.3, 2} {
		if got := rounding(size); got > 12*unit || got < 4*unit*min(size, 1) {
			t.Errorf("size %v: charged %v units, want 4 to 16 for each unit of it and at most 12", size, got/unit)
		}
	}
}

// TestRoundingOfMassesIsCharged: masses beside the loss 0 are known to many units, each of which counts.
func TestRoundingOfMassesIsCharged(t *testing.T) {
	g := grid{step: 0.01, tilt: 2, top: 1e-12, bottom: 1e-12, faint: 1e-20, floor: math.Inf(-1)}
	r, err := discretize(pair.Sampled(pair.Normal, 1, 0.5), g)
	if err != nil || r.err < 60*unit {
		t.Errorf("the masses err by %v units, %v, want at least 60", r.err/unit, err)
	}
}

// TestErrorsAddUpInComposition holds that a fold counts what each of its releases errs by.
func TestErrorsAddUpInComposition(t *testing.T) {
	const count = 1000
	l := &lattice{step: 0.1, tilt: 1, mass: []float64{0.9, 0.1}, err: 1e-7, shift: 1e-9, noise: 1e-3}
	got := fold([]item{{lattice: l, count: count}}, l.step, window{up: 0.5, down: -0.5, tail: 1e-12, most: 1 << 14})
	if got == nil {
		t.Fatal("the window is too small")
	}
	if got.err < count*l.err || got.shift < count*l.shift*(1-1e-9) || got.noise < count*l.noise*(1-1e-9) {
		t.Errorf("got an error of %v, a shift of %v and a noise of %v for %d releases", got.err, got.shift, got.noise, count)
	}
}
