package pld

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
)

// withoutReplacement is the pair of a fixed-size sample under replace-one.
func withoutReplacement(scale, q float64) pair.Pair {
	p := pair.Sampled(pair.Normal, scale, q)
	return pair.Glued{Above: p, Below: p.Swap()}
}

func epsilon(t *testing.T, terms []Term, delta float64, o Options) Bounds {
	t.Helper()
	b, err := Epsilon(terms, delta, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Upper bounds from pairs put on lattices of width 1e-4 by another program: dp_accounting
// 0.6.0, and the reference accountant for samples without replacement (file accounting.json,
// rows OT002, OT006, OT011, OT015, OT017, OT018, OT077, OT083, OT086, XT000, XT003).
func TestOtherPrograms(t *testing.T) {
	laplace := func(b float64) pair.Mixture { return pair.Shift(pair.Laplace, b) }
	decay := []Term{}
	for k := range 20 {
		decay = append(decay, Term{sampled(2-0.05*float64(k), 0.01), 100})
	}
	ramp := []Term{}
	for k := range 10 {
		ramp = append(ramp, Term{sampled(1.2, 0.002*float64(k+1)), 300})
	}
	for _, v := range []struct {
		name              string
		terms             []Term
		delta, want, near float64
	}{
		{"laplace", []Term{{laplace(0.5), 100}}, 1e-5, 161.24300201803828, 1e-4},
		{"laplace", []Term{{laplace(1), 100}}, 1e-5, 68.25295109156812, 1e-4},
		{"laplace", []Term{{laplace(2), 1000}}, 1e-5, 166.22092742067025, 1e-4},
		{"laplace", []Term{{laplace(10), 1000}}, 1e-5, 17.4236520785819, 1e-4},
		{"sampled laplace", []Term{{pair.Sampled(pair.Laplace, 0.5, 0.1), 100}}, 1e-6, 11.528839140731115, 1e-4},
		{"sampled laplace", []Term{{pair.Sampled(pair.Laplace, 1, 0.5), 10}}, 1e-6, 6.160439699153765, 1e-4},
		{"two", []Term{{sampled(1, 0.01), 500}, {sampled(1.5, 0.02), 500}}, 1e-5, 1.8974829561425517, 1e-4},
		{"decay", decay, 1e-5, 1.4711122863526267, 1e-4},
		{"ramp", ramp, 1e-8, 4.078756625462606, 1e-4},
		{"without replacement", []Term{{withoutReplacement(1, 0.01), 1000}}, 1e-5, 2.198914007058828, 1e-4},
		{"without replacement", []Term{{withoutReplacement(4, 256.0/60000), 3525}}, 1e-5, 0.2325103370752957, 7e-4},
	} {
		b := epsilon(t, v.terms, v.delta, Options{})
		if b.Lower > v.want*(1+1e-6) || b.Upper < v.want*(1-v.near) || b.Upper-b.Lower > 1.3e-4*v.want+2e-6 {
			t.Errorf("%s: got %v, want about %v", v.name, b, v.want)
		}
	}
}

// Bounds at any accuracy contain the truth, so that all of them overlap; and closer ones
// are closer.
func TestBoundsOverlapAndClose(t *testing.T) {
	for _, p := range []pair.Pair{sampled(1, 0.01), sampled(1, 0.01).Swap(), replaced(0.8, 0.05), withoutReplacement(2, 0.02)} {
		last := Bounds{0, math.Inf(1)}
		for _, relative := range []float64{0.1, 1e-2, 1e-3, 1e-4, 1e-5} {
			b := epsilon(t, []Term{{p, 300}}, 1e-6, Options{Relative: relative})
			if b.Lower > last.Upper || b.Upper < last.Lower {
				t.Errorf("%v at %g does not overlap %v", b, relative, last)
			}
			if !(b.Upper-b.Lower <= 1.3*relative*b.Upper) {
				t.Errorf("%v is wider than %g of it", b, relative)
			}
			last = Bounds{math.Max(b.Lower, last.Lower), math.Min(b.Upper, last.Upper)}
		}
	}
}

// A composition is the same however its terms are written down.
func TestOrderAndGroupingDoNotMatter(t *testing.T) {
	a, b := sampled(1, 0.02), replaced(1.5, 0.01)
	want := epsilon(t, []Term{{a, 300}, {b, 57}}, 1e-6, Options{})
	for _, terms := range [][]Term{
		{{b, 57}, {a, 300}},
		{{a, 1}, {b, 50}, {a, 299}, {b, 0}, {b, 7}},
		{{a, 100}, {a, 100}, {a, 100}, {b, 57}},
	} {
		got := epsilon(t, terms, 1e-6, Options{})
		if got.Lower > want.Upper || got.Upper < want.Lower || math.Abs(got.Upper-want.Upper) > 1e-4*want.Upper {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// One composition serves the whole curve, with bounds that agree with those made for
// each place.
func TestCurve(t *testing.T) {
	terms := []Term{{sampled(1, 0.01), 1000}}
	both, err := ComposeBoth(terms, AtDelta(1e-6), Options{})
	if err != nil {
		t.Fatal(err)
	}
	last := Bounds{1, 1}
	for e := 0.0; e < 3; e += 1 {
		got := both.Delta(e)
		want, err := DeltaBoth(terms, e, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Lower > want.Upper || got.Upper < want.Lower || got.Upper-got.Lower > 0.02*got.Upper {
			t.Errorf("epsilon %g: got %v, want %v", e, got, want)
		}
		if got.Upper >= last.Upper {
			t.Errorf("epsilon %g: δ of %v does not fall from %v", e, got, last)
		}
		last = got
		if back := both.Epsilon(got.Upper); back.Upper > e*(1+1e-9)+1e-12 {
			t.Errorf("epsilon of δ(%g) is %v", e, back)
		}
	}
}

func TestEdges(t *testing.T) {
	sub, lap, answer := sampled(1, 0.01), pair.Shift(pair.Laplace, 2), response(0.5)
	inf := math.Inf(1)
	for _, v := range []struct {
		name  string
		terms []Term
		delta float64
		want  float64 // NaN: only that it is finite and positive
	}{
		{"nothing", nil, 1e-5, 0},
		{"count 0", []Term{{sub, 0}}, 0, 0},
		{"delta 1", []Term{{sub, 5}}, 1, 0},
		{"delta 0, unbounded loss", []Term{{sub, 5}}, 0, inf},
		{"delta 0, one normal", []Term{{pair.Shift(pair.Normal, 1), 1}}, 0, inf},
		{"delta 0, bounded loss", []Term{{lap, 3}, {answer, 2}}, 0, 2.5},
		{"delta 0, added record", []Term{{sub.Swap(), 7}}, 0, -7 * math.Log1p(-0.01)},
		{"large delta", []Term{{sub, 10}}, 0.9, 0},
		{"tiny delta", []Term{{sub, 10}}, 1e-40, math.NaN()},
		{"tiny noise", []Term{{sampled(0.2, 0.01), 10}}, 1e-6, math.NaN()},
		{"large noise", []Term{{sampled(200, 0.01), 10}}, 1e-6, math.NaN()},
	} {
		b := epsilon(t, v.terms, v.delta, Options{})
		switch {
		case math.IsNaN(v.want):
			if !(b.Lower > 0 && b.Upper-b.Lower <= 1.3e-4*b.Upper+2e-6) {
				t.Errorf("%s: got %v, want close and positive bounds", v.name, b)
			}
		case b.Lower != v.want || b.Upper != v.want:
			if !(math.Abs(b.Lower-v.want) <= 1e-12*v.want && math.Abs(b.Upper-v.want) <= 1e-12*v.want) {
				t.Errorf("%s: got %v, want %v", v.name, b, v.want)
			}
		}
	}
}

// A count of 10^9 must give valid bounds with bounded memory.
func TestHugeCount(t *testing.T) {
	b := epsilon(t, []Term{{sampled(50, 1e-5), 1e9}}, 1e-6, Options{Relative: 1e-2})
	// As many releases of so little loss each are close to one normal release of the same
	// variance of loss, (q/z)²·T = 0.00632²: within a percent at the central limit.
	want := gaussianEpsilon(1e-5/50*math.Sqrt(1e9), 1e-6)
	if b.Lower > 1.01*want || b.Upper < 0.99*want || b.Upper > 1.1*want {
		t.Errorf("got %v, want about %v", b, want)
	}
}

func TestRefusals(t *testing.T) {
	good := []Term{{sampled(1, 0.01), 5}}
	for name, f := range map[string]func() error{
		"negative count":   func() error { _, err := Epsilon([]Term{{sampled(1, 0.01), -1}}, 0.1, Options{}); return err },
		"negative delta":   func() error { _, err := Epsilon(good, -1, Options{}); return err },
		"no delta":         func() error { _, err := Epsilon(good, math.NaN(), Options{}); return err },
		"negative epsilon": func() error { _, err := Delta(good, -1, Options{}); return err },
		"no pair":          func() error { _, err := Epsilon([]Term{{nil, 1}}, 0.1, Options{}); return err },
		"no scale":         func() error { _, err := Epsilon([]Term{{sampled(0, 0.5), 1}}, 0.1, Options{}); return err },
		"bad atoms":        func() error { _, err := Epsilon([]Term{{pair.Atoms{{P: 1, Q: 0.5}}, 3}}, 0.1, Options{}); return err },
		"bad options":      func() error { _, err := Epsilon(good, 0.1, Options{Relative: -1}); return err },
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// With many different terms lattices are not kept; the result is the same as when they
// are. One term after another is written down, so that both need the same plan.
func TestManyTerms(t *testing.T) {
	var terms []Term
	for i := range 40 {
		terms = append(terms, Term{sampled(1+float64(i)/40, 0.01), 3})
	}
	kept, err := Compose(terms, AtDelta(1e-5), Options{})
	if err != nil {
		t.Fatal(err)
	}
	built, err := Compose(terms, AtDelta(1e-5), Options{forget: true})
	if err != nil {
		t.Fatal(err)
	}
	a, b := kept.Epsilon(1e-5), built.Epsilon(1e-5)
	if math.Abs(a.Upper-b.Upper) > 1e-6*a.Upper || math.Abs(a.Lower-b.Lower) > 1e-6*a.Lower {
		t.Errorf("kept %v, built where needed %v", a, b)
	}
}
