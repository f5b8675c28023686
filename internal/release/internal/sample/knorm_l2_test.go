package sample

import (
	"math"
	"math/big"
	"testing"
)

// fine is a scale at which rounding does not show in these statistics.
const fine = 1 << 40

// vectors returns n vectors of RoundedL2 in d dimensions at the scale fine, in units of it.
func vectors(key byte, n, d int) [][]float64 {
	s, x := fixed(key), make([]int64, d)
	return collect(n, d, func() []int64 {
		s.RoundedL2(x, fine, 1)
		return x
	})
}

func collect(n, d int, draw func() []int64) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, d)
		for j, v := range draw() {
			out[i][j] = float64(v) / fine
		}
	}
	return out
}

func length(x []float64) float64 {
	square := 0.0
	for _, v := range x {
		square += v * v
	}
	return math.Sqrt(square)
}

// steps cuts a function of each vector into integers: ⌊f·parts⌋.
func steps(x [][]float64, parts float64, f func(x []float64) float64) []int64 {
	out := make([]int64, len(x))
	for i := range x {
		out[i] = int64(math.Floor(f(x[i]) * parts))
	}
	return out
}

// uniformOn is the distribution function of ⌊u·parts⌋, u uniform on [from, to).
func uniformOn(from, to, parts float64) func(x int64) float64 {
	return func(x int64) float64 { return math.Min(1, math.Max(0, (float64(x+1)/parts-from)/(to-from))) }
}

// erlang is the distribution function of ⌊20·r⌋, r a Gamma number of shape d:
// P(r > x) = Σ over k < d of exp(-x)·x^k/k!.
func erlang(d int) func(x int64) float64 {
	return func(n int64) float64 {
		x, term, sum := math.Max(0, float64(n+1)/20), 1.0, 0.0
		for k := 1; k <= d; k++ {
			sum += term
			term *= x / float64(k)
		}
		return 1 - math.Exp(-x)*sum
	}
}

// roundedLaplaceCDF is the distribution function of a rounded Laplace number of scale t.
func roundedLaplaceCDF(t float64) func(x int64) float64 {
	return func(x int64) float64 {
		z := (float64(x) + 0.5) / t
		if z < 0 {
			return math.Exp(z) / 2
		}
		return 1 - math.Exp(-z)/2
	}
}

// TestRoundedL2IsRoundedLaplaceInOneDimension also covers scales where rounding is coarse.
func TestRoundedL2IsRoundedLaplaceInOneDimension(t *testing.T) {
	for i, c := range [][2]uint64{{1, 3}, {3, 2}, {1 << 40, 3}} {
		scale, step := scaleOf(c)
		draws, s := make([]int64, 20000), fixed(byte(110+i))
		for k := range draws {
			s.RoundedL2(draws[k:k+1], c[0], c[1])
		}
		if m := misfit(draws, roundedLaplaceCDF(scale), 40*step, step); !(m < 1) {
			t.Errorf("scale %d/%d: chi-square over its limit is %.2f, want below 1", c[0], c[1], m)
		}
		if m := misfit(draws, laplaceCDF(scale), 40*step, step); i == 0 && !(m > 1) {
			t.Errorf("scale %d/%d: the discrete Laplace law passes with %.2f", c[0], c[1], m)
		}
	}
}

// TestRoundedL2Radius holds the length to the Gamma law of shape d, in dimensions of both
// parities. A W of one degree of freedom less must be convicted.
func TestRoundedL2Radius(t *testing.T) {
	for _, d := range []int{1, 2, 3, 4} {
		if m := misfit(steps(vectors(byte(120+d), 8000, d), 20, length), erlang(d), 2000, 10); !(m < 1) {
			t.Errorf("d = %d: chi-square over its limit is %.2f, want below 1", d, m)
		}
		if d == 1 {
			continue // there W has two degrees of freedom, one exponential number at least
		}
		s, x := fixed(130), make([]int64, d)
		short := collect(4000, d, func() []int64 {
			var v radial
			v.begin(s, d, fine, 1)
			v.fill(s, x)
			return x
		})
		if m := misfit(steps(short, 20, length), erlang(d), 2000, 10); !(m > 1) {
			t.Errorf("d = %d: a degree of freedom less passes, chi-square over its limit is %.2f", d, m)
		}
	}
}

// TestRoundedL2Scale compares the mean length in 32 dimensions with 32·t: the length has variance
// 32·t². Fresh keys would miss 6.2 standard errors with probability 6e-10. Lengths 3 % off, which
// a scale 3 % off gives, miss by 9.
func TestRoundedL2Scale(t *testing.T) {
	const n, d = 2900, 32
	sum := 0.0
	for _, x := range vectors(140, n, d) {
		sum += length(x)
	}
	for _, factor := range []float64{0.97, 1, 1.03} {
		if z := (sum*factor - n*d) / math.Sqrt(n*d); (math.Abs(z) < 6.2) != (factor == 1) {
			t.Errorf("at %v times the length z is %.2f", factor, z)
		}
	}
}

// TestRoundedL2Direction holds the direction to the uniform law on the sphere by figures that are
// uniform numbers: the angle in the plane; a coordinate in space (Archimedes); the square of the
// first two coordinates in four dimensions, by their beta law of parameters 1 and 1. And the
// direction is not correlated with the length: z within 6.2, probability 6e-10.
func TestRoundedL2Direction(t *testing.T) {
	const n = 10000
	angle := func(x []float64) float64 { return math.Atan2(x[0], x[1]) }
	check := func(name string, draws []int64, cdf func(int64) float64, right bool) {
		t.Helper()
		if m := misfit(draws, cdf, 100, 1); (m < 1) != right {
			t.Errorf("%s: chi-square over its limit is %.2f", name, m)
		}
	}
	check("angle", steps(vectors(150, n, 2), 8, angle), uniformOn(-math.Pi, math.Pi, 8), true)
	space := vectors(151, n, 3)
	for j := range 3 {
		check("coordinate", steps(space, 16, func(x []float64) float64 { return x[j] / length(x) }), uniformOn(-1, 1, 16), true)
	}
	check("pair", steps(vectors(152, n, 4), 32, func(x []float64) float64 { return (x[0]*x[0] + x[1]*x[1]) / length(x) / length(x) }), uniformOn(0, 1, 32), true)
	s, square := fixed(153), [2]float64{}
	check("angle of a point of the square", steps(collect(n, 2, func() []int64 {
		var x, y big.Int
		s.middle(&x)
		s.middle(&y)
		return []int64{scaled(&x, 40), scaled(&y, 40)}
	}), 8, angle), uniformOn(-math.Pi, math.Pi, 8), false)
	covariance := 0.0
	for _, x := range space {
		u := x[0] / length(x)
		covariance += (length(x) - 3) * (u*u - 1.0/3)
		square[0] += (length(x) - 3) * (length(x) - 3)
		square[1] += (u*u - 1.0/3) * (u*u - 1.0/3)
	}
	if z := covariance * math.Sqrt(n) / math.Sqrt(square[0]*square[1]); math.Abs(z) > 6.2 {
		t.Errorf("length and direction: z is %.2f, want within 6.2", z)
	}
}
