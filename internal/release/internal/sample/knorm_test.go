package sample

import (
	"math"
	"math/big"
	"testing"
)

// maximumLaw is the law of LInfinity in d dimensions at scale t, on the cube [-c, c]^d that is
// numbered line by line, and with the number (2c+1)^d for all vectors outside of it. There are
// (2r+1)^d - (2r-1)^d vectors of norm r ≥ 1.
func maximumLaw(d int, c int64, t float64) func(x int64) float64 {
	side := 2*c + 1
	size := int64(math.Pow(float64(side), float64(d)))
	outside := 0.0
	for r := float64(c + 1); r < 2000*t; r++ {
		outside += (math.Pow(2*r+1, float64(d)) - math.Pow(2*r-1, float64(d))) * math.Exp(-r/t)
	}
	return tableCDF(size, func(x int64) float64 {
		if x < 0 {
			return 0
		} else if x == size {
			return outside
		}
		norm := int64(0)
		for range d {
			norm = max(norm, x%side-c, c-x%side)
			x /= side
		}
		return math.Exp(-float64(norm) / t)
	})
}

// number is the place of a vector in the numbering of maximumLaw.
func number(x []int64, c int64) int64 {
	size, at := int64(1), int64(0)
	outside := false
	for _, v := range x {
		outside = outside || max(v, -v) > c
		at += (v + c) * size
		size *= 2*c + 1
	}
	if outside {
		return size
	}
	return at
}

func TestLInfinityIsLaplaceInOneDimension(t *testing.T) {
	for i, c := range [][2]uint64{{1, 3}, {3, 2}, {1 << 40, 3}} {
		scale, step := scaleOf(c)
		draws, s := make([]int64, 100000), fixed(byte(70+i))
		for k := range draws {
			s.LInfinity(draws[k:k+1], c[0], c[1])
		}
		if m := misfit(draws, laplaceCDF(scale), 40*step, step); !(m < 1) {
			t.Errorf("scale %d/%d: chi-square over its limit is %.2f, want below 1", c[0], c[1], m)
		}
	}
}

// TestLInfinityLaw holds the joint law in two and three dimensions to enumeration, every vector
// of a cube being a cell of its own. Radii that are always kept, radii for another dimension and
// vectors on a sphere must be convicted.
func TestLInfinityLaw(t *testing.T) {
	for _, d := range []int{2, 3} {
		const c = 3
		x, s, law := make([]int64, d), fixed(byte(80+d)), maximumLaw(d, c, 1.5)
		for _, v := range []struct {
			name string
			n    int
			draw func()
		}{
			{"as it is", 100000, func() { s.LInfinity(x, 3, 2) }},
			{"always kept", 20000, func() { s.cube(x, s.geometricSum(uint64(d)+1, 3, 2)) }},
			{"one dimension short", 20000, func() { s.cube(x, s.cubeRadius(uint64(d)-1, 3, 2)) }},
			{"one dimension the same", 20000, func() { s.LInfinity(x, 3, 2); x[0] = x[1] }},
		} {
			draws := make([]int64, v.n)
			for i := range draws {
				v.draw()
				draws[i] = number(x, c)
			}
			m := misfit(draws, law, int64(math.Pow(2*c+1, float64(d))), 1)
			if right := v.name == "as it is"; (m < 1) != right {
				t.Errorf("d = %d, %s: chi-square over its limit is %.2f", d, v.name, m)
			}
		}
	}
}

// TestLInfinityNorm holds the norm in three dimensions to its law, and a scale 2 % off must be
// convicted.
func TestLInfinityNorm(t *testing.T) {
	law := tableCDF(100, func(r int64) float64 {
		if r < 0 {
			return 0
		} else if r == 0 {
			return 1
		}
		return (math.Pow(float64(2*r+1), 3) - math.Pow(float64(2*r-1), 3)) * math.Exp(-float64(r)/1.5)
	})
	draws, x, s := make([]int64, 100000), make([]int64, 3), fixed(85)
	for _, percent := range []uint64{98, 100, 102} {
		for i := range draws {
			s.LInfinity(x, 3*percent, 2*100)
			draws[i] = max(x[0], -x[0], x[1], -x[1], x[2], -x[2])
		}
		if m := misfit(draws, law, 60, 1); (m < 1) != (percent == 100) {
			t.Errorf("at %d %% of the scale the chi-square over its limit is %.2f", percent, m)
		}
	}
}

// TestRadiusIdentity checks the step of the proof that the acceptance rests on, in integers:
// (2r+1)^d = C(r+d, d) · 2^d·d! · Π (2r+1)/(2r+2k). And radiusKept has that product as its
// exact probability, by enumeration.
func TestRadiusIdentity(t *testing.T) {
	product := func(r, d int64) *big.Rat {
		p := big.NewRat(1, 1)
		for k := int64(1); k <= d; k++ {
			p.Mul(p, big.NewRat(2*r+1, 2*r+2*k))
		}
		return p
	}
	for d := int64(1); d < 8; d++ {
		for r := range int64(20) {
			got := new(big.Rat).SetInt(new(big.Int).Binomial(r+d, d))
			got.Mul(got, product(r, d))
			got.Mul(got, new(big.Rat).SetInt(new(big.Int).MulRange(1, d)))
			got.Mul(got, big.NewRat(1<<d, 1))
			want := new(big.Int).Exp(big.NewInt(2*r+1), big.NewInt(d), nil)
			if got.Cmp(new(big.Rat).SetInt(want)) != 0 {
				t.Errorf("d = %d, r = %d: got %v, want %v", d, r, got, want)
			}
		}
	}
	for _, c := range []struct{ r, d, parts int64 }{{0, 3, 12}, {1, 3, 24}, {2, 2, 24}} {
		law := enumerate(c.parts, 3, func(s *Stream) string { return outcome(s.radiusKept(uint64(c.r), uint64(c.d))) })
		if got, want := law["true"], product(c.r, c.d); got == nil || got.Cmp(want) != 0 {
			t.Errorf("d = %d, r = %d: kept with probability %v, want %v", c.d, c.r, got, want)
		}
	}
}

// TestRadiiAreKeptOftenEnough sums the probability of keeping a radius over all radii and holds
// it to the lower bound exp(-d/(2t)), and counts it once within 6.2 standard errors, which
// fresh keys would miss with probability 6e-10.
func TestRadiiAreKeptOftenEnough(t *testing.T) {
	kept := func(d int, scale float64) float64 {
		sum, c := 0.0, math.Pow(-math.Expm1(-1/scale), float64(d+1))
		for k := 1; k <= d; k++ {
			c /= float64(2 * k)
		}
		for r := 0.0; r < 200*scale*float64(d); r++ {
			sum += c * math.Pow(2*r+1, float64(d)) * math.Exp(-r/scale)
		}
		return sum
	}
	for _, d := range []int{1, 2, 3, 8, 20} {
		for _, dimensions := range []float64{0.1, 1, 4, maxDimensions} {
			scale := float64(d) / dimensions
			if got, want := kept(d, scale), math.Exp(-dimensions/2); got < want*(1-1e-9) || got > 1+1e-9 {
				t.Errorf("d = %d, t = %v: kept with probability %v, want within [%v, 1]", d, scale, got, want)
			}
		}
	}
	const draws = 50000
	s, hits := fixed(90), 0.0
	for range draws {
		if s.radiusKept(s.geometricSum(4, 3, 2), 3) {
			hits++
		}
	}
	p := kept(3, 1.5)
	if z := (hits - draws*p) / math.Sqrt(draws*p*(1-p)); math.Abs(z) > 6.2 {
		t.Errorf("%v of %d radii are kept, z is %.2f, want within 6.2", hits, draws, z)
	}
}

func TestLInfinityLimits(t *testing.T) {
	s := fixed(91)
	for name, draw := range map[string]func(){
		"17 dimensions at scale 1":             func() { s.LInfinity(make([]int64, 17), 1, 1) },
		"a numerator past 2^52 per dimension":  func() { s.LInfinity(make([]int64, 3), 1<<50+1, 1) },
		"a product past 64 bits":               func() { s.LInfinity(make([]int64, 1<<12), 1<<53, 1) },
		"a denominator past 64 bits in all":    func() { s.LInfinity(make([]int64, 4), 1<<40, 1<<63) },
		"more dimensions than 16·t by a bit":   func() { s.LInfinity(make([]int64, 16), 100, 101) },
		"a scale of 2^-63 in a single one too": func() { s.LInfinity(make([]int64, 1), 1, 1<<63) },
	} {
		if !panics(draw) {
			t.Errorf("%s: no panic", name)
		}
	}
	s.LInfinity(nil, 1, 1)
	s.LInfinity(make([]int64, 16), 1, 1)
	s.LInfinity(make([]int64, 3), 1<<50, 1)
	x := make([]int64, 3)
	for range 1000 {
		s.LInfinity(x, 1<<50, 1)
	}
	if max(x[0], -x[0], x[1], -x[1], x[2], -x[2]) < 1<<40 {
		t.Errorf("at scale 2^50 got %v, want larger numbers", x) // probability about 2^-30
	}
}
