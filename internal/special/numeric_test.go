package special

import (
	"math"
	"math/big"
	"testing"
)

// millsBig integrates ∫₀^∞ exp(-x·t - t²/2) dt, the Mills ratio, by Simpson's rule
// summed in 200-bit arithmetic; the step makes the rule's error below 1e-13.
func millsBig(x float64) float64 {
	const prec = 200
	steps, width := 40000, 45/math.Max(x, 2.5)
	if x < 0 {
		width = 20 - x
	}
	h := width / float64(steps)
	sum := new(big.Float).SetPrec(prec)
	for i := 0; i <= steps; i++ {
		t := h * float64(i)
		weight := 4.0
		if i%2 == 0 {
			weight = 2
		}
		if i == 0 || i == steps {
			weight = 1
		}
		v := new(big.Float).SetPrec(prec).SetFloat64(math.Exp(-x*t - t*t/2))
		sum.Add(sum, v.Mul(v, big.NewFloat(weight)))
	}
	sum.Mul(sum, big.NewFloat(h/3))
	v, _ := sum.Float64()
	return v
}

func TestMillsRatio(t *testing.T) {
	for _, x := range []float64{-5, -1, 0, 0.5, 1, 3, 7.9, 8, 8.1, 12, 40} {
		got, want := MillsRatio(x), millsBig(x)
		if math.Abs(got/want-1) > 2e-12 {
			t.Errorf("MillsRatio(%v): got %v, want %v", x, got, want)
		}
	}
	if got := MillsRatio(math.Inf(1)); got != 0 {
		t.Errorf("at +Inf: got %v, want 0", got)
	}
}

func TestMillsSlopeIsTheDerivative(t *testing.T) {
	for _, x := range []float64{-3, 0, 1, 5, 7.99, 8.01, 20} {
		h := 1e-4
		want := (MillsRatio(x-h) - MillsRatio(x+h)) / (2 * h)
		if got := millsSlope(x); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("slope at %v: got %v, want %v", x, got, want)
		}
	}
}

// TestMillsSlopesAreThoseOfEach wants the same bits, on both sides of 8 and across it.
func TestMillsSlopesAreThoseOfEach(t *testing.T) {
	for _, x := range []float64{-3, 2, 7.9, 8, 8.3, 50, 1e8, math.Inf(1)} {
		var at, got [15]float64
		for i := range at {
			at[i] = x + 0.03*float64(i-7)
		}
		millsSlopes(&got, &at)
		for i, v := range at {
			if got[i] != millsSlope(v) {
				t.Errorf("slope at %v: got %v, by itself %v", v, got[i], millsSlope(v))
			}
		}
	}
}

func TestMillsDifferenceAgreesAcrossTheSwitch(t *testing.T) {
	for _, x := range []float64{-2, 0, 1, 4, 9, 30} {
		for _, h := range []float64{0.05, 0.2, 0.25} {
			plain := MillsRatio(x-h) - MillsRatio(x+h)
			if got := MillsDifference(x, h); math.Abs(got/plain-1) > 1e-10 {
				t.Errorf("x %v h %v: got %v, plain difference %v", x, h, got, plain)
			}
		}
	}
}

func TestLegendreRule(t *testing.T) {
	total := legendreWeights[0]
	for i := 1; i < 8; i++ {
		total += 2 * legendreWeights[i]
	}
	if math.Abs(total-2) > 1e-15 {
		t.Errorf("weights sum to %v, want 2", total)
	}
	for degree := 2; degree <= 28; degree += 2 {
		got := 0.0
		for i := 1; i < 8; i++ {
			got += 2 * legendreWeights[i] * math.Pow(legendreNodes[i], float64(degree))
		}
		if want := 2 / float64(degree+1); math.Abs(got-want) > 1e-14 {
			t.Errorf("degree %d: got %v, want %v", degree, got, want)
		}
	}
}

func TestNormalCDF(t *testing.T) {
	for x, want := range map[float64]float64{0: 0.5, 1.6448536269514722: 0.95, -1.6448536269514722: 0.05} {
		if got := NormalCDF(x); math.Abs(got-want) > 1e-15 {
			t.Errorf("NormalCDF(%v): got %v, want %v", x, got, want)
		}
	}
	if got := NormalDensity(0); math.Abs(got-0.3989422804014327) > 1e-16 {
		t.Errorf("NormalDensity(0): got %v", got)
	}
}

func TestBisectLogEndsOnTheTrueSide(t *testing.T) {
	ok := func(x float64) bool { return x*x <= 2 }
	got := BisectLog(1e-9, 1e9, 1e-14, ok)
	if !ok(got) || math.Abs(got/math.Sqrt2-1) > 1e-13 {
		t.Errorf("got %v, want just below √2", got)
	}
}

// TestCrossing wants an end on the side of at most 0, within the tolerance of the crossing, in few calls where
// the function is smooth and in no more than three times those of halving where it is not.
func TestCrossing(t *testing.T) {
	cases := []struct {
		name            string
		inside, outside float64
		f               func(float64) float64
		at              float64
		calls           int
	}{
		{"nearly straight", 0, 3, func(x float64) float64 { return math.Exp(x/4) - math.Exp(0.3) }, 1.2, 9},
		{"curved, falling", 4, 0.5, func(x float64) float64 { return 1/x - 0.5 }, 2, 10},
		{"flat at its zero", -1, 2, func(x float64) float64 { return x * x * x }, 0, 126},
		{"a step", 0, 1, func(x float64) float64 { return math.Copysign(1, x-0.3) }, 0.3, 126},
		{"infinite outside", 1, 9, func(x float64) float64 { return 4 * math.Log(max(0, 3-x)) * -1 }, 2, 126},
		{"not a number outside", 1, 9, func(x float64) float64 { return math.Sqrt(2-x) * 0 }, 2, 126},
	}
	const tolerance = 0x1p-40
	for _, c := range cases {
		calls := 0
		got := Crossing(c.inside, c.outside, tolerance, func(x float64) float64 { calls++; return c.f(x) })
		if !(c.f(got) <= 0) || math.Abs(got-c.at) > tolerance || calls > c.calls {
			t.Errorf("%s: got %v with the value %v in %d calls, want %v within %v at no more than 0 in %d", c.name, got, c.f(got), calls, c.at, tolerance, c.calls)
		}
	}
	calls := 0
	if got := Crossing(1, math.Nextafter(1, 2), 0, func(x float64) float64 { calls++; return x - 1 }); got != 1 || calls > 3 {
		t.Errorf("between neighbors: got %v in %d calls, want 1 in no more than 3", got, calls)
	}
}

func TestGoldenSection(t *testing.T) {
	calls := 0
	got := GoldenSection(-3, 7, 40, func(x float64) float64 { calls++; return (x-1.25)*(x-1.25) - 2 })
	if math.Abs(got+2) > 1e-14 || calls != 42 {
		t.Errorf("got %v in %d calls, want -2 in 42", got, calls)
	}
	if got = GoldenSection(0, 1, 3, func(x float64) float64 { return -x }); got > -0.9 {
		t.Errorf("a falling function: got %v, want near -1", got)
	}
}
