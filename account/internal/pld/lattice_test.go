package pld

import (
	"math"
	"math/big"
	"testing"
)

// small is a lattice of uneven tilted masses that sum to 1.
func small(step, tilt float64, low, n int) *lattice {
	l := &lattice{step: step, tilt: tilt, low: low, mass: make([]float64, n)}
	for i := range l.mass {
		l.mass[i] = 1 + math.Sin(float64(i*i+3*low)) + 0.01
	}
	l.normalize()
	l.log, l.err = 0, 0
	return l
}

// convolve multiplies polynomials in 200-bit arithmetic.
func convolve(a, b []*big.Float) []*big.Float {
	c := make([]*big.Float, len(a)+len(b)-1)
	for i := range c {
		c[i] = new(big.Float).SetPrec(200)
	}
	t := new(big.Float).SetPrec(200)
	for i, x := range a {
		for j, y := range b {
			c[i+j].Add(c[i+j], t.Mul(x, y))
		}
	}
	return c
}

// exactly converts masses, scaled to sum to 1 in 200-bit arithmetic as fold takes them.
func exactly(mass []float64, at0 int) []*big.Float {
	v := make([]*big.Float, len(mass))
	rest := new(big.Float).SetPrec(200).SetInt64(1)
	for i, m := range mass {
		v[i] = new(big.Float).SetPrec(200).SetFloat64(m)
		if i != at0 {
			rest.Sub(rest, v[i])
		}
	}
	if at0 >= 0 && at0 < len(v) {
		v[at0] = rest
	}
	return v
}

// The composition agrees with direct convolution in 200 bits to within its own bound,
// and the bound is not much larger than the rounding of float64 allows.
func TestFoldAgainstLongArithmetic(t *testing.T) {
	for _, v := range []struct{ n, count, others int }{{2, 1, 0}, {5, 40, 0}, {9, 30, 3}, {3, 300, 1}, {20, 2, 2}} {
		a, b := small(0.01, 1, -1, v.n), small(0.01, 1, -3, 7)
		items := []item{{lattice: a, count: int64(v.count)}}
		want := []*big.Float{new(big.Float).SetPrec(200).SetInt64(1)}
		low := 0
		for range v.count {
			want, low = convolve(want, exactly(a.mass, 1)), low+a.low
		}
		if v.others > 0 {
			items = append(items, item{lattice: b, count: int64(v.others)})
			for range v.others {
				want, low = convolve(want, exactly(b.mass, 3)), low+b.low
			}
		}
		deviation := 0.01 * float64(v.n) * math.Sqrt(float64(v.count+v.others))
		got := fold(items, 0.01, window{up: 7 / deviation, down: -7 / deviation, tail: 1e-14, most: 1 << 16})
		if got == nil {
			t.Fatalf("%+v: no composition", v)
		}
		difference := 0.0
		for i, x := range want {
			w, _ := x.Float64()
			at := low + i - got.low
			if at >= 0 && at < len(got.mass) {
				w -= got.mass[at]
			}
			difference += math.Abs(w)
		}
		if difference > got.err {
			t.Errorf("%+v: total difference %g, want at most %g", v, difference, got.err)
		}
		if got.err > 1e-10 {
			t.Errorf("%+v: bound %g, want at most 1e-10", v, got.err)
		}
	}
}

// Mass that does not fit into the window is counted.
func TestFoldCountsWhatIsOutside(t *testing.T) {
	a := small(0.01, 1, 0, 40)
	w := window{up: 0.01, down: -0.01, tail: 0.999, most: 1 << 16}
	got := fold([]item{{lattice: a, count: 1000}}, 0.01, w)
	if got.err < 0.5 {
		t.Errorf("error %g with much of the mass possibly outside, want at least 0.5", got.err)
	}
	if fold([]item{{lattice: a, count: 10}}, 0.01, window{up: 1, down: -1, tail: 1e-9, most: 1 << 8}) != nil {
		t.Error("a window larger than allowed was used")
	}
}

// profile is E(1-αe^{-L})⁺ of a lattice by definition.
func profile(l *lattice, epsilon float64) float64 {
	total := 0.0
	for i, m := range l.mass {
		loss := l.step * float64(l.low+i)
		total += m * math.Exp(l.log-l.tilt*loss) * math.Max(0, -math.Expm1(epsilon-loss))
	}
	return total
}

func TestCoarsenDominatesAndKeepsBothMasses(t *testing.T) {
	for _, k := range []int{1, 2, 5, 16} {
		fine := small(0.03, 1.7, -23, 61)
		coarse := fine.coarsen(k)
		if h := 0.03 * float64(k); k > 1 && math.Abs(coarse.noise-fine.noise-h*h) > 1e-15 {
			t.Errorf("k %d: noise grows from %v to %v, want by %v", k, fine.noise, coarse.noise, h*h)
		}
		for _, s := range []float64{0, -1} { // P-mass and Q-mass
			a, b := fine.log+fine.logMoment(s-fine.tilt), coarse.log+coarse.logMoment(s-coarse.tilt)
			if math.Abs(a-b) > 1e-12 {
				t.Errorf("k %d: log of E e^{%gL} goes from %v to %v, want no change", k, s, a, b)
			}
		}
		for epsilon := -1.0; epsilon < 1.5; epsilon += 0.011 {
			a, b := profile(fine, epsilon), profile(coarse, epsilon)
			if b < a*(1-1e-12) {
				t.Errorf("k %d epsilon %g: δ falls from %v to %v", k, epsilon, a, b)
			}
		}
	}
}

func TestSumsOverTheLatticeAreTheProfile(t *testing.T) {
	c := &Composed{lattice: small(0.03, 1.7, -23, 61), top: 10}
	c.finish()
	for epsilon := -1.0; epsilon < 1.5; epsilon += 0.011 {
		got, want := c.finite(epsilon), profile(c.lattice, epsilon)
		if math.Abs(got-want) > 1e-13*want {
			t.Errorf("epsilon %g: got %v, want %v", epsilon, got, want)
		}
	}
}

func TestSplitKeepsCounts(t *testing.T) {
	a, b, c := &lattice{}, &lattice{}, &lattice{}
	items := []item{{lattice: a, count: 1000}, {lattice: b, count: 7}, {lattice: c, count: 129}}
	for _, n := range []int64{2, 8, 64, 512} {
		count := map[*lattice]int64{}
		for _, v := range split(items, n) {
			for _, i := range v.items {
				count[i.lattice] += i.count * v.count
			}
		}
		for _, v := range items {
			if count[v.lattice] != v.count {
				t.Errorf("%d blocks: %d releases, want %d", n, count[v.lattice], v.count)
			}
		}
	}
}
