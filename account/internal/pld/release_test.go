package pld

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
)

// releases are pairs of every kind.
func releases() map[string]pair.Pair {
	group := pair.Mixture{Law: pair.Normal, Scale: 1, P: []pair.Component{{Weight: 0.7, Mean: 0}, {Weight: 0.2, Mean: 1}, {Weight: 0.1, Mean: 2}}, Q: []pair.Component{{Weight: 1, Mean: 0}}}
	list := map[string]pair.Pair{
		"shift": pair.Shift(pair.Normal, 0.7), "sampled": sampled(0.6, 0.01), "replaced": replaced(0.9, 0.1),
		"laplace": pair.Shift(pair.Laplace, 0.7), "sampled laplace": pair.Sampled(pair.Laplace, 0.8, 0.3),
		"group": group, "atoms": pair.Atoms{{P: 0.6, Q: 0.35}, {P: 0.1, Q: 0.55}, {P: 0.28, Q: 0.1}, {P: 0.02, Q: 0}},
		"glued": withoutReplacement(0.8, 0.1), "range": pair.BoundedRange{Epsilon: 0.9},
		"choice": pair.Choice{{Weight: 0.25, Pair: sampled(0.8, 0.1)}, {Weight: 0.6, Pair: withoutReplacement(1, 0.3)}, {Weight: 0.15, Pair: pair.Atoms{{P: 0.7, Q: 0.4}, {P: 0.29, Q: 0.6}, {P: 0.01, Q: 0}}}},
		"glued choice": pair.Glued{
			Above: pair.Choice{{Weight: 0.5, Pair: sampled(0.8, 0.1)}, {Weight: 0.5, Pair: sampled(0.8, 0.3)}},
			Below: pair.Choice{{Weight: 0.5, Pair: sampled(0.8, 0.1).Swap()}, {Weight: 0.5, Pair: sampled(0.8, 0.3).Swap()}}},
	}
	for name, p := range list {
		if name[0] != '-' {
			list["-"+name] = pair.Reverse(p)
		}
	}
	return list
}

// One release on a lattice, however coarse and however much is cut off, dominates the
// exact one, and is below it times what the split may add.
func TestDiscretizeDominates(t *testing.T) {
	for name, p := range releases() {
		for _, h := range []float64{0.3, 0.05, 0.0037} {
			g := grid{step: h, tilt: 1.3, scale: 0.2, top: 1e-4, bottom: 1e-4, faint: 1e-18, floor: math.Inf(-1)}
			r, err := discretize(p, g)
			if err != nil {
				t.Fatal(err)
			}
			if r.infinite > r.beyond || r.beyond > r.infinite+1.01e-4 {
				t.Errorf("%s at %g: infinite mass %v and %v, want at most 1e-4 between", name, h, r.infinite, r.beyond)
			}
			if total := math.Exp(r.log+r.logMoment(-r.tilt)) + r.beyond; math.Abs(total-1) > 1e-11 {
				t.Errorf("%s at %g: mass under P is %v, want 1", name, h, total)
			}
			for epsilon := 0.0; epsilon < 3; epsilon += 0.0371 {
				exact, bound, err := pair.Profile(p, epsilon)
				if err != nil {
					t.Fatal(err)
				}
				got := profile(r.lattice, epsilon) + r.beyond
				if got < exact-bound-1e-15 {
					t.Errorf("%s at %g: δ(%g) is %v, want at least %v", name, h, epsilon, got, exact)
				}
				if got > exact+1e-4+1e-4+h*h*exact*40+math.Tanh(h/4) {
					t.Errorf("%s at %g: δ(%g) is %v, want about %v", name, h, epsilon, got, exact)
				}
			}
		}
	}
}

// Errors move the bounds the way they should.
func TestErrorsWidenTheBounds(t *testing.T) {
	plain := &Composed{lattice: small(0.03, 1.7, -23, 61), top: 10}
	plain.finish()
	moved, wrong := *plain, *plain
	l, w := *plain.lattice, *plain.lattice
	l.shift, w.err = 0.01, 1e-3
	moved.lattice, wrong.lattice = &l, &w
	for epsilon := 0.0; epsilon < 1; epsilon += 0.05 {
		if got, want := moved.over(epsilon), plain.over(epsilon-0.01); math.Abs(got-want) > 1e-15 {
			t.Errorf("shift: upper bound %v, want %v", got, want)
		}
		if got, want := moved.under(epsilon), plain.under(epsilon+0.01); math.Abs(got-want) > 1e-15 {
			t.Errorf("shift: lower bound %v, want %v", got, want)
		}
		// The worst place for wrong mass is the x that makes e^{-1.7x}(1-e^{-x}) largest.
		x := math.Log1p(1 / 1.7)
		extra := 1e-3 * math.Exp(-1.7*(epsilon+x)) * -math.Expm1(-x)
		if got := wrong.over(epsilon) - plain.over(epsilon); math.Abs(got-extra) > 1e-12 {
			t.Errorf("wrong mass: upper bound rises by %v, want %v", got, extra)
		}
		if got := plain.under(epsilon) - wrong.under(epsilon); math.Abs(got-extra) > 1e-12 {
			t.Errorf("wrong mass: lower bound falls by %v, want %v", got, extra)
		}
	}
}

// The tail term is K·E e^{-tY} over Y below -ws, here by the midpoint rule.
func TestLeftTail(t *testing.T) {
	c := &Composed{lattice: &lattice{tilt: 3, log: 0.4}, kernel: 0.2}
	for _, s := range []float64{0.01, 0.2} {
		for _, w := range []float64{1, 5} {
			want := 0.0
			const width = 1e-3
			for i := range 12000 {
				y := -w - width*(float64(i)+0.5)
				z := y + s/2 // Y = y·s = -s²/2 + s·z
				want += width * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * math.Exp(-3*s*y)
			}
			want *= 0.2 * math.Exp(0.4-3*0.7)
			if got := c.leftTail(0.7, s, w); math.Abs(got/want-1) > 1e-5 {
				t.Errorf("s %g w %g: got %v, want %v", s, w, got, want)
			}
		}
	}
}

// Every plan, with one stage or two, contains the truth: 1024 normal pairs on lattices so
// coarse that the noise of each stage matters.
func TestStages(t *testing.T) {
	mu := 2.0
	j := &job{aim: AtDelta(1e-6), options: Options{direct: true}.withDefaults()}
	if err := j.take([]Term{{pair.Shift(pair.Normal, 32/mu), 1024}}); err != nil {
		t.Fatal(err)
	}
	if err := j.look(); err != nil {
		t.Fatal(err)
	}
	p, _ := j.planner()
	truth := gaussianEpsilon(mu, 1e-6)
	for _, v := range []plan{{step: 0.01, blocks: 1}, {step: 0.01, blocks: 64, ratio: 4}, {step: 0.002, blocks: 64, ratio: 40}, {step: 0.002, blocks: 1000, ratio: 20}} {
		v.inner, _ = p.window(1/float64(v.blocks), 1e-14)
		v.outer, _ = p.window(1, 1e-12)
		c, err := j.run(&v)
		if err != nil || c == nil {
			t.Fatalf("%+v: %v, error %v", v, c, err)
		}
		contains(t, "plan", c.Epsilon(1e-6), truth, 1e-11, truth)
		if c.Epsilon(1e-6).Lower > truth*(1-1e-3) {
			t.Errorf("%+v: lower bound %v is too good for so coarse a lattice", v, c.Epsilon(1e-6).Lower)
		}
	}
}
