package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const bigPrecision = 160

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(bigPrecision).SetFloat64(x) }

func bigNew() *big.Float { return new(big.Float).SetPrec(bigPrecision) }

// bigLn2 is ln 2 = 2·artanh(1/3) = 2·Σ (1/3)^(2n+1)/(2n+1).
func bigLn2() *big.Float {
	sum, power := bigNew(), bigNew().Quo(bigOf(1), bigOf(3))
	for n := 1.0; n < 120; n += 2 {
		sum.Add(sum, bigNew().Quo(power, bigOf(n)))
		power.Quo(power, bigOf(9))
	}
	return sum.Mul(sum, bigOf(2))
}

// bigExp is e^x to about 150 bits: x = n·ln 2 + 256·r, the series for r, eight squares.
func bigExp(x, ln2 *big.Float) *big.Float {
	n, _ := bigNew().Quo(x, ln2).Int64()
	r := bigNew().Sub(x, bigNew().Mul(bigOf(float64(n)), ln2))
	r.SetMantExp(r, -8)
	sum, term := bigOf(1), bigOf(1)
	for i := 1.0; i < 20; i++ {
		term.Mul(term, r).Quo(term, bigOf(i))
		sum.Add(sum, term)
	}
	for range 8 {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, int(n))
}

// errorUlp64 is the distance in units in the last place that want has as float64. One unit
// beyond the largest number stands for infinity.
func errorUlp64(got float64, want *big.Float) float64 {
	exponent := want.MantExp(nil)
	g := bigNew()
	if math.IsInf(got, 0) {
		if exponent > 1024 {
			return 0
		}
		g.SetMantExp(bigOf(1), 1024)
	} else {
		g.SetFloat64(got)
	}
	e := g.Sub(g, want)
	e.SetMantExp(e, -max(exponent-53, -1074))
	f, _ := e.Float64()
	return math.Abs(f)
}

// TestDoubleFunctionsKeepTheirBounds takes random arguments of all sizes that matter, and
// compares with numbers of 160 bits.
func TestDoubleFunctionsKeepTheirBounds(t *testing.T) {
	r, ln2 := rand.New(rand.NewPCG(35, 35)), bigLn2()
	var worstExp, worstSigmoid, atExp, atSigmoid float64
	for i := range doubleArguments {
		x := (2*r.Float64() - 1) * 746
		if i%2 == 0 {
			x = math.Ldexp(x, -r.IntN(20))
		}
		y := [2]float64{x, x}
		Exp64(y[:1], y[:1])
		Sigmoid64(y[1:], y[1:])
		e := bigExp(bigOf(x), ln2)
		if u := errorUlp64(y[0], e); u > worstExp {
			worstExp, atExp = u, x
		}
		if u := errorUlp64(y[1], bigNew().Quo(e, bigNew().Add(e, bigOf(1)))); u > worstSigmoid {
			worstSigmoid, atSigmoid = u, x
		}
	}
	t.Logf("the largest errors: Exp64 %.3f ulp at %v, Sigmoid64 %.3f ulp at %v", worstExp, atExp, worstSigmoid, atSigmoid)
	if worstExp >= 1.1 || worstSigmoid >= 2.5 {
		t.Errorf("Exp64(%v): error %.3f ulp, want less than 1.1; Sigmoid64(%v): error %.3f ulp, want less than 2.5", atExp, worstExp, atSigmoid, worstSigmoid)
	}
}

// anyDoubles returns n float64 of all kinds at an arbitrary place of a longer slice.
func anyDoubles(r *rand.Rand, n int) []float64 {
	offset := r.IntN(9)
	x := make([]float64, offset+n)[offset:]
	for j := range x {
		if x[j] = 200 * r.NormFloat64(); r.IntN(3) == 0 {
			x[j] = math.Float64frombits(r.Uint64())
		}
	}
	return x
}

// TestDoubleFunctionsOfOneEntryOrMany holds that the result for an entry is what it is when the
// entry stands alone, and that nothing beyond the entries is written.
func TestDoubleFunctionsOfOneEntryOrMany(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(36, 36))
		for n := range 400 {
			x := anyDoubles(r, n%60)
			for f, one := range map[function]func(float64) float64{exponential: expOne64, sigmoid: sigmoidOne64} {
				got, inPlace := make([]float64, len(x)+9), append([]float64(nil), x...)
				applyDouble(set, f, got, x)
				applyDouble(set, f, inPlace, inPlace)
				for j, v := range x {
					if b := math.Float64bits(one(v)); math.Float64bits(got[j]) != b || math.Float64bits(inPlace[j]) != b {
						t.Fatalf("function %d of %v at %d of %d: got %v, in place %v, alone %v", f, v, j, len(x), got[j], inPlace[j], one(v))
					}
				}
				for j, v := range got[len(x):] {
					if v != 0 {
						t.Fatalf("function %d of %d entries: wrote %v at entry %d", f, len(x), v, len(x)+j)
					}
				}
			}
		}
	})
}

func TestDoubleFunctionsOfSpecialArguments(t *testing.T) {
	inf, zero, tiny := math.Inf(1), math.Copysign(0, -1), math.SmallestNonzeroFloat64
	nan := math.Float64frombits(nanBits64)
	x := []float64{0, zero, inf, -inf, 710, math.Nextafter(709.782712893384, inf), -746, 1e300, -1e300, tiny, -745.133219101941, nan, math.Float64frombits(0xfff0000000000001)}
	exp := []float64{1, 1, inf, 0, inf, inf, 0, inf, 0, 1, tiny, nan, nan}
	sigmoids := []float64{0.5, 0.5, 1, 0, 1, 1, 0, 1, 0, 0.5, tiny, nan, nan}
	eachSet(t, func(t *testing.T, set instructions) {
		got := make([]float64, len(x))
		for f, want := range map[function][]float64{exponential: exp, sigmoid: sigmoids} {
			applyDouble(set, f, got, x)
			for j := range x {
				if math.Float64bits(got[j]) != math.Float64bits(want[j]) {
					t.Errorf("function %d of %v: got %v, want %v", f, x[j], got[j], want[j])
				}
			}
		}
	})
}

// TestExpPolynomial64IsTheFit computes the coefficients anew, by Newton's divided differences
// with 160 bits.
func TestExpPolynomial64IsTheFit(t *testing.T) {
	n := len(expPolynomial64)
	x, d, c := make([]*big.Float, n), make([]*big.Float, n), make([]*big.Float, n)
	for i := range x {
		x[i] = bigOf(math.Ln2 / 2 * math.Cos(math.Pi*float64(2*i+1)/float64(2*n)))
		d[i], c[i] = bigNew(), bigNew()
		term := bigOf(0.5)
		for k := 3.0; k < 40; k++ { // (e^x - 1 - x)/x²
			d[i].Add(d[i], term)
			term.Mul(term, x[i]).Quo(term, bigOf(k))
		}
	}
	for j := 1; j < n; j++ {
		for i := n - 1; i >= j; i-- {
			d[i] = bigNew().Quo(bigNew().Sub(d[i], d[i-1]), bigNew().Sub(x[i], x[i-j]))
		}
	}
	for i := n - 1; i >= 0; i-- {
		for k := n - 1; k > 0; k-- {
			c[k] = bigNew().Sub(c[k-1], bigNew().Mul(c[k], x[i]))
		}
		c[0] = bigNew().Sub(d[i], bigNew().Mul(c[0], x[i]))
	}
	for i, v := range c {
		// The points are rounded, which moves the last coefficients a little.
		want, _ := v.Float64()
		if math.Abs(expPolynomial64[i]-want) > 1e-12*want {
			t.Errorf("expPolynomial64[%d]: got %v, want %v", i, expPolynomial64[i], want)
		}
	}
	inverse, _ := bigNew().Quo(bigOf(1), bigLn2()).Float64()
	if low, _ := bigNew().Sub(bigLn2(), bigOf(ln2High64)).Float64(); low != ln2Low64 || inverse != log2E64 {
		t.Errorf("parts of ln 2: got %v and %v, want a rest of %v", ln2High64, ln2Low64, low)
	}
}
