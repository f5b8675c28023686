package predict

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const precision = 2200 // bits, for arguments from 2^-1074 to 2^1024

// bigExp returns the exponential of a number in many bits.
func bigExp(x *big.Float, bits uint) *big.Float {
	const halvings = 30
	small := new(big.Float).SetPrec(bits).SetMantExp(x, -halvings)
	sum, term := big.NewFloat(1).SetPrec(bits), big.NewFloat(1).SetPrec(bits)
	for n := 1.0; n < 20; n++ {
		term.Quo(term.Mul(term, small), big.NewFloat(n))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog1p returns the logarithm of 1 + x, by Newton's method.
func bigLog1p(x float64, bits uint) *big.Float {
	if x < 0x1p-100 {
		return big.NewFloat(x)
	}
	target := new(big.Float).SetPrec(precision).Add(big.NewFloat(1), big.NewFloat(x).SetPrec(precision))
	y := big.NewFloat(math.Log1p(x)).SetPrec(bits)
	for range 3 { // y + (1+x)/exp(y) - 1
		step := new(big.Float).SetPrec(bits).Quo(target, bigExp(y, bits))
		y.Add(y, step.Sub(step, big.NewFloat(1)))
	}
	return y
}

// ulps returns the distance of a float64 from an exact number, in units of the last place of the float64 nearest to it.
func ulps(got float64, exact *big.Float) float64 {
	near, _ := exact.Float64()
	if math.IsInf(got, 0) || math.IsInf(near, 0) {
		return map[bool]float64{true: 0, false: math.Inf(1)}[got == near]
	}
	near = math.Abs(near)
	unit := near - math.Nextafter(near, 0)
	if unit < 0x1p-1074 {
		unit = 0x1p-1074
	}
	d := new(big.Float).SetPrec(precision).Sub(exact, big.NewFloat(got))
	d.Quo(d, big.NewFloat(unit))
	out, _ := d.Float64()
	return math.Abs(out)
}

// TestElementaryFunctions compares the functions with results of many bits.
func TestElementaryFunctions(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	positive := func() float64 { return math.Abs(math.Float64frombits(random.Uint64() &^ (1 << 62))) } // below 2
	any := func() float64 { return math.Float64frombits(random.Uint64() >> 1) }
	for _, c := range []struct {
		name  string
		of    func(float64) float64
		exact func(float64) *big.Float
		draw  []func() float64
		most  float64
	}{
		{"exp", exp, func(x float64) *big.Float { return bigExp(big.NewFloat(x), 400) }, []func() float64{
			func() float64 { return 1500*random.Float64() - 760 }, func() float64 { return 2*random.Float64() - 1 }, func() float64 { return 60*random.Float64() - 30 },
			func() float64 { return -708 - 38*random.Float64() }, func() float64 { return (float64(random.IntN(2000)-1000) + 0.5) * math.Ln2 }, func() float64 { return -positive() },
			func() float64 { return 709 + random.Float64() },
		}, 0.9},
		{"log1p", log1p, func(x float64) *big.Float { return bigLog1p(x, 400) }, []func() float64{
			random.Float64, positive, func() float64 { return 1e6 * random.Float64() }, func() float64 { return 0.3 + 0.3*random.Float64() },
			func() float64 { return math.Exp(88 * random.Float64()) }, func() float64 { return math.Exp(709 * random.Float64()) },
		}, 0.9},
		{"sqrt", sqrt, func(x float64) *big.Float { return new(big.Float).SetPrec(200).Sqrt(big.NewFloat(x).SetPrec(200)) }, []func() float64{
			any, positive, random.Float64, func() float64 { return 4 * random.Float64() }, func() float64 { return float64(random.IntN(1e6)) },
		}, 1},
	} {
		worst, at := 0.0, 0.0
		for i := range 12000 {
			x := c.draw[i%len(c.draw)]()
			if x-x != 0 {
				continue
			}
			if d := ulps(c.of(x), c.exact(x)); d > worst {
				worst, at = d, x
			}
		}
		if t.Logf("%s: at most %.3f units in the last place, at %v", c.name, worst, at); worst > c.most {
			t.Errorf("%s(%v) errs by %g units in the last place, want at most %g", c.name, at, worst, c.most)
		}
	}
}

// TestNearPackageMath compares more arguments with package math, whose errors are below 2 units in the last place. On some
// processors its exponential is infinite above 709.4, and 0 for subnormal results.
func TestNearPackageMath(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 300_000 {
		x := math.Float64frombits(random.Uint64() >> 1)
		for _, c := range []struct {
			name    string
			of, its func(float64) float64
			x       float64
		}{
			{"exp", exp, math.Exp, 1480*random.Float64() - 750}, {"exp", exp, math.Exp, x}, {"exp", exp, math.Exp, -x},
			{"log1p", log1p, math.Log1p, x}, {"sqrt", sqrt, math.Sqrt, x},
		} {
			got, its := c.of(c.x), c.its(c.x)
			if c.name == "exp" && (got > 0x1p1023 || got < 0x1p-1022) {
				continue
			}
			if apart := int64(math.Float64bits(got)) - int64(math.Float64bits(its)); (apart < -2 || apart > 2) && !(got != got && its != its) {
				t.Fatalf("%s(%v): got %v, want %v within 2 units in the last place", c.name, c.x, got, its)
			}
		}
	}
}

// TestElementaryEdges wants exact results at the edges.
func TestElementaryEdges(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name          string
		of            func(float64) float64
		argument, own float64
	}{
		{"exp", exp, 0, 1}, {"exp", exp, inf, inf}, {"exp", exp, -inf, 0}, {"exp", exp, math.NaN(), math.NaN()}, {"exp", exp, 1e300, inf}, {"exp", exp, -1e300, 0}, {"exp", exp, 5e-324, 1}, {"exp", exp, -5e-324, 1},
		{"exp", exp, 709.782712893384, 1.7976931348622732e+308}, {"exp", exp, 709.7827128933841, inf}, {"exp", exp, -745.1332191019411, 5e-324}, {"exp", exp, -745.1332191019412, 0},
		{"log1p", log1p, 0, 0}, {"log1p", log1p, inf, inf}, {"log1p", log1p, math.NaN(), math.NaN()}, {"log1p", log1p, 5e-324, 5e-324}, {"log1p", log1p, 1e-17, 1e-17}, {"log1p", log1p, math.MaxFloat64, math.Log(math.MaxFloat64)},
		{"sqrt", sqrt, 0, 0}, {"sqrt", sqrt, inf, inf}, {"sqrt", sqrt, -1, math.NaN()}, {"sqrt", sqrt, -inf, math.NaN()}, {"sqrt", sqrt, math.NaN(), math.NaN()}, {"sqrt", sqrt, 4, 2}, {"sqrt", sqrt, 0x1p-1074, 0x1p-537}, {"sqrt", sqrt, 0x1p1022, 0x1p511}, {"sqrt", sqrt, 144, 12},
	} {
		if got := c.of(c.argument); fmt.Sprint(got) != fmt.Sprint(c.own) {
			t.Errorf("%s(%v): got %v, want %v", c.name, c.argument, got, c.own)
		}
	}
	if infinity != inf || nan == nan {
		t.Errorf("got %v and %v, want Inf and NaN", infinity, nan)
	}
	for n := -1022; n <= 1023; n++ {
		if twoTo(n) != math.Ldexp(1, n) {
			t.Errorf("2 to the power of %d is %v", n, twoTo(n))
		}
	}
}
