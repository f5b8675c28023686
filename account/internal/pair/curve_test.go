package pair

import (
	"math"
	"testing"
)

// density is the density of a mixture at x, from its definition.
func density(m Mixture, components []Component, x float64) float64 {
	total := 0.0
	for _, c := range components {
		y := (x - c.Mean) / m.Scale
		if m.Law == Normal {
			total += c.Weight * math.Exp(-y*y/2) / (m.Scale * math.Sqrt(2*math.Pi))
		} else {
			total += c.Weight * math.Exp(-math.Abs(y)) / (2 * m.Scale)
		}
	}
	return total
}

// mixtures are pairs of every form, whose first mean is 0 as a Curve has it.
func mixtures() map[string]Mixture {
	group := Mixture{Normal, 1, []Component{{0.7, 0}, {0.2, 1}, {0.1, 2}}, []Component{{1, 0}}}
	moved := Mixture{Normal, 0.8, []Component{{0.9, 1}, {0.1, 2}}, []Component{{0.9, 1}, {0.1, 0}}}
	list := map[string]Mixture{
		"shift": Shift(Normal, 0.7), "laplace": Shift(Laplace, 0.7),
		"sampled": Sampled(Normal, 0.6, 0.01), "sampled laplace": Sampled(Laplace, 0.6, 0.2),
		"replace": moved, "group": group,
		"sampled backward":         {Normal, 0.6, []Component{{0.9, 1}, {0.1, 0}}, []Component{{1, 1}}},
		"sampled backward laplace": {Laplace, 0.6, []Component{{0.9, 1}, {0.1, 0}}, []Component{{1, 1}}},
		"replace laplace":          {Laplace, 0.8, []Component{{0.9, 1}, {0.1, 2}}, []Component{{0.9, 1}, {0.1, 0}}},
	}
	for name, m := range list {
		if name[0] != '-' {
			list["-"+name] = m.Swap()
		}
	}
	return list
}

func newCurve(t *testing.T, m Mixture) *Curve {
	t.Helper()
	c, err := NewCurve(m)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLossIsTheLogarithmOfTheRatio(t *testing.T) {
	for name, m := range mixtures() {
		c := newCurve(t, m)
		last := math.NaN()
		for x := -4.0; x <= 6; x += 0.173 {
			got, want := c.Loss(x), math.Log(density(m, m.P, x)/density(m, m.Q, x))
			if math.Abs(got-want) > 1e-13*(1+math.Abs(want)) {
				t.Errorf("%s: loss at %g: got %v, want %v", name, x, got, want)
			}
			const slack = 1e-14
			if got > c.High+slack || got < c.Low-slack || got > last+slack && !c.Rising || got < last-slack && c.Rising {
				t.Errorf("%s: loss %v at %g after %v, want rising %v between %v and %v", name, got, x, last, c.Rising, c.Low, c.High)
			}
			last = got
		}
	}
}

func TestInverseReturnsTheLoss(t *testing.T) {
	for name, m := range mixtures() {
		c := newCurve(t, m)
		low, high := math.Max(c.Low, -30), math.Min(c.High, 30)
		for _, share := range []float64{1e-9, 1e-3, 0.2, 0.5, 0.77, 1 - 1e-6} {
			l := low + share*(high-low)
			x, residual := c.Inverse(l, 0)
			if e := math.Abs(c.Loss(x) - l); e > residual+2*c.LossError(c.Distance(x)) || residual > 1e-12 {
				t.Errorf("%s: loss of the inverse of %v is off by %g, residual %g", name, l, e, residual)
			}
		}
		left, right := math.Inf(-1), math.Inf(1)
		if !c.Rising {
			left, right = right, left
		}
		if x, _ := c.Inverse(c.Low-1, 0); x != left {
			t.Errorf("%s: inverse below the range: got %v, want %v", name, x, left)
		}
		if x, _ := c.Inverse(c.High+1, 0); x != right {
			t.Errorf("%s: inverse above the range: got %v, want %v", name, x, right)
		}
	}
}

// The mass of an interval is the sum of those of 64 parts, whose series converge far
// faster, and of a part of the density by definition.
func TestMassesAddUp(t *testing.T) {
	for name, m := range mixtures() {
		c := newCurve(t, m)
		for _, width := range []float64{1e-6, 0.01, 0.03, 0.1, 0.7, 3} {
			for a := -5.0; a < 6; a += 0.61 {
				p, q := c.Masses(a, a+width)
				var pParts, qParts float64
				for i := range 64 {
					from, to := a+width*float64(i)/64, a+width*float64(i+1)/64
					dp, dq := c.Masses(from, to)
					pParts, qParts = pParts+dp, qParts+dq
				}
				if math.Abs(p/pParts-1) > 1e-9*math.Min(1, 1e-3+1e-6/width) || math.Abs(q/qParts-1) > 1e-9*math.Min(1, 1e-3+1e-6/width) {
					t.Errorf("%s [%g, %g]: got %v and %v, parts add up to %v and %v", name, a, a+width, p, q, pParts, qParts)
				}
			}
		}
		x := 0.3
		p, q := c.Masses(x, x+1e-7)
		if math.Abs(p/1e-7/density(m, m.P, x)-1) > 1e-5 || math.Abs(q/1e-7/density(m, m.Q, x)-1) > 1e-5 {
			t.Errorf("%s: density at %g: got %v and %v", name, x, p/1e-7, q/1e-7)
		}
		p, q = c.Masses(math.Inf(-1), math.Inf(1))
		if math.Abs(p-1) > 1e-15 || math.Abs(q-1) > 1e-15 {
			t.Errorf("%s: mass of the line: got %v and %v, want 1 and 1", name, p, q)
		}
	}
}

// Nodes and what is between them are Inverse and Masses.
func TestNodes(t *testing.T) {
	for name, m := range mixtures() {
		c := newCurve(t, m)
		for _, h := range []float64{1e-4, 0.02, 0.5} {
			for l := -2.0; l < 2; l += 0.0917 {
				a, b := c.NodeAt(l, math.Exp(l), 0), c.NodeAt(l+h, math.Exp(l+h), 0)
				x, residual := c.Inverse(l, 0)
				if x != a.X && math.Abs(c.Loss(x)-c.Loss(a.X)) > 4*c.LossError(c.Distance(x))+residual {
					t.Errorf("%s: node at %g is %v, want %v", name, l, a.X, x)
				}
				p, q := c.Between(a, b)
				wantP, wantQ := c.Masses(math.Min(a.X, b.X), math.Max(a.X, b.X))
				if tolerance := 1e-13; math.Abs(p-wantP) > tolerance*wantP || math.Abs(q-wantQ) > tolerance*wantQ {
					t.Errorf("%s: between %g and %g: got %v and %v, want %v and %v", name, l, l+h, p, q, wantP, wantQ)
				}
			}
		}
	}
}

// The series at the widest that it is used for, against its parts, to a few units.
func TestSeriesOfNormalMass(t *testing.T) {
	for m := 0.0; m < 12; m += 0.37 {
		w := 0.5 / (m + 6)
		want := 0.0
		for i := range 32 {
			a := m - w/2 + w*float64(i)/32
			want += normalMass(a, a+w/32, w/32)
		}
		if got := normalMass(m-w/2, m+w/2, w); math.Abs(got/want-1) > MassError(m+1) {
			t.Errorf("around %g: got %v, want %v", m, got, want)
		}
	}
}

func TestTails(t *testing.T) {
	for name, m := range mixtures() {
		c := newCurve(t, m)
		for x := -6.0; x < 7; x += 0.7 {
			for _, left := range []bool{false, true} {
				a, b := x, math.Inf(1)
				if left {
					a, b = math.Inf(-1), x
				}
				p, q := c.Masses(a, b)
				logP, logQ := c.LogTails(x, left)
				if math.Abs(logP-math.Log(p)) > 1e-12 || math.Abs(logQ-math.Log(q)) > 1e-12 {
					t.Errorf("%s: tails at %g: got %v and %v, want %v and %v", name, x, logP, logQ, math.Log(p), math.Log(q))
				}
			}
		}
	}
	if got, want := logNormalTail(50), -1254.8313611394; math.Abs(got-want) > 1e-9 { // -x²/2 - log(x√(2π)) - 1/x² + 5/(2x⁴)
		t.Errorf("logarithm of the normal tail at 50: got %v, want %v", got, want)
	}
}

// δ is the integral of (P-e^ε·Q)⁺, here by the midpoint rule on a fine grid.
func TestProfileIsTheIntegral(t *testing.T) {
	for name, m := range mixtures() {
		for _, epsilon := range []float64{0, 0.2, 1} {
			const width = 1e-4
			want := 0.0
			for x := -8.0; x < 9; x += width {
				want += width * math.Max(0, density(m, m.P, x+width/2)-math.Exp(epsilon)*density(m, m.Q, x+width/2))
			}
			got, bound, err := Profile(m, epsilon)
			if err != nil || math.Abs(got-want) > 3e-5 || bound > 1e-12 {
				t.Errorf("%s at %g: got %v ± %g, want %v; error %v", name, epsilon, got, bound, want, err)
			}
		}
	}
	got, _, _ := Profile(Atoms{{0.5, 0.1}, {0.3, 0.9}, {0.2, 0}}, math.Ln2)
	if math.Abs(got-0.5) > 1e-15 { // 0.5-2·0.1 + 0.2
		t.Errorf("atoms: got %v, want 0.5", got)
	}
	if _, _, err := Profile(nil, 1); err == nil {
		t.Error("no pair: no error")
	}
}

func TestReverse(t *testing.T) {
	a := Atoms{{0.9, 0.2}, {0.1, 0.8}}
	g := Glued{Above: a, Below: Shift(Normal, 1)}
	r := Reverse(g).(Glued)
	if v := r.Below.(Atoms); v[0] != (Atom{0.2, 0.9}) {
		t.Errorf("below the reverse: got %v, want atoms with columns exchanged", v)
	}
	if v := r.Above.(Mixture); v.P[0].Mean != 0 || v.Q[0].Mean != 1 {
		t.Errorf("above the reverse: got %v, want the shift exchanged", v)
	}
}

func TestCurveRefuses(t *testing.T) {
	for name, m := range map[string]Mixture{
		"law": {0, 1, []Component{{1, 0}}, []Component{{1, 1}}}, "scale": Shift(Normal, 0),
		"weights": {Normal, 1, []Component{{0.5, 0}}, []Component{{1, 1}}}, "mean": {Normal, 1, []Component{{1, math.NaN()}}, []Component{{1, 1}}},
		"negative": {Normal, 1, []Component{{1.5, 0}, {-0.5, 1}}, []Component{{1, 1}}},
	} {
		if _, err := NewCurve(m); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
