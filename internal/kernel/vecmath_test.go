package kernel

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// vectorFunction names a function of one variable, its exact values and its error bound in
// ulp.
type vectorFunction struct {
	name     string
	f        function
	exported func(dst, x []float32)
	exact    func(float64) float64
	bound    float64
}

// vectorFunctions are all of them. The exact values come from float64 functions of package
// math, whose error of a few ulp of float64 is less than 2^-26 ulp of float32.
var vectorFunctions = []vectorFunction{
	{"Exp", exponential, Exp, math.Exp, 1.1},
	{"Log", logarithm, Log, math.Log, 0.9},
	{"Sigmoid", sigmoid, Sigmoid, exactSigmoid, 2.5},
	{"Tanh", tanh, Tanh, math.Tanh, 2.6},
}

func exactSigmoid(x float64) float64 {
	if x < 0 {
		return math.Exp(x) / (1 + math.Exp(x))
	}
	return 1 / (1 + math.Exp(-x))
}

// errorUlp is the distance of got from want in units in the last place that want has as
// float32. It is 0 where want is NaN and got is the NaN, and +Inf where one of them is
// infinite and the other does not round to it.
func errorUlp(got float32, want float64) float64 {
	if want != want && math.Float32bits(got) == nanBits || float64(got) == want {
		return 0
	}
	if math.IsInf(float64(got), 0) && math.Signbit(want) == math.Signbit(float64(got)) && math.Abs(want) < math.Inf(1) {
		// One unit beyond the largest number stands for infinity.
		return max(0, 0x1p128-math.Abs(want)) / 0x1p104
	}
	if got != got || want != want || math.IsInf(want, 0) || math.IsInf(float64(got), 0) {
		return math.Inf(1)
	}
	_, exponent := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(exponent-24, -149))
}

// firstDifference is the first entry whose bits differ, or -1.
func firstDifference(a, b []float32) int {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return i
		}
	}
	return -1
}

// scanVectorFunctions takes every step-th of the 2^32 arguments from the given one on: the
// portable results must be within the bound, and those of every set of instructions must
// have the same bits.
func scanVectorFunctions(t *testing.T, f vectorFunction, from, to, step uint64) {
	t.Helper()
	const chunk = 1 << 12
	x, want, got := make([]float32, 0, chunk), make([]float32, chunk), make([]float32, chunk)
	worst, at := 0.0, float32(0)
	for bits := from; bits < to; {
		for x = x[:0]; len(x) < chunk && bits < to; bits += step {
			x = append(x, math.Float32frombits(uint32(bits)))
		}
		apply(portable, f.f, want, x)
		for i, v := range x {
			if e := errorUlp(want[i], f.exact(float64(v))); e > worst {
				worst, at = e, v
			}
		}
		for set := portable + 1; set <= available; set++ {
			apply(set, f.f, got, x)
			if i := firstDifference(got[:len(x)], want); i >= 0 {
				t.Fatalf("%s(%v) with %v: got %v, want %v as the portable code has it", f.name, x[i], set, got[i], want[i])
			}
		}
	}
	if t.Logf("%s: the largest error is %.4f ulp at %v", f.name, worst, at); worst >= f.bound {
		t.Errorf("%s(%v): error %.4f ulp, want less than %v", f.name, at, worst, f.bound)
	}
}

// TestVectorFunctionsKeepTheirBounds takes one argument in 3001. All are taken under the
// tag long.
func TestVectorFunctionsKeepTheirBounds(t *testing.T) {
	for _, f := range vectorFunctions {
		scanVectorFunctions(t, f, 0, 1<<32, 3001)
	}
}

func TestVectorFunctionsOfSpecialArguments(t *testing.T) {
	inf, nan := float32(math.Inf(1)), math.Float32frombits(nanBits)
	zero, tiny := math.Float32frombits(signBit), float32(math.SmallestNonzeroFloat32)
	// Where a NaN comes from must not show: other NaN, quiet or signaling, of either sign.
	others := []float32{math.Float32frombits(0x7f800001), math.Float32frombits(0xffffffff), math.Float32frombits(0xffc00000)}
	cases := []struct {
		f       vectorFunction
		x, want []float32
	}{
		{vectorFunctions[0], []float32{0, zero, inf, -inf, 89, 88.72284, -104, -1e30, 1e30, tiny, -tiny, -103.97207, 1}, []float32{1, 1, inf, 0, inf, inf, 0, 0, inf, 1, 1, tiny, math.E}},
		{vectorFunctions[1], []float32{0, zero, inf, -inf, 1, -1, -tiny, tiny, math.MaxFloat32}, []float32{-inf, -inf, inf, nan, 0, nan, nan, -149 * math.Ln2, 128 * math.Ln2}},
		{vectorFunctions[2], []float32{0, zero, inf, -inf, 104, -104, 20}, []float32{0.5, 0.5, 1, 0, 1, 0, 1}},
		{vectorFunctions[3], []float32{0, zero, inf, -inf, tiny, -tiny, 1e-30, -10, 10}, []float32{0, zero, 1, -1, tiny, -tiny, 1e-30, -1, 1}},
	}
	eachSet(t, func(t *testing.T, set instructions) {
		for _, c := range cases {
			x, want := append(c.x, others...), append(c.want, nan, nan, nan)
			got := make([]float32, len(x))
			apply(set, c.f.f, got, x)
			for i := range x {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
					t.Errorf("%s(%v): got %v (%x), want %v (%x)", c.f.name, x[i], got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
				}
			}
		}
	})
}

// anyFloats returns n float32 of all kinds at an arbitrary place of a longer slice.
func anyFloats(r *rand.Rand, n int) []float32 {
	offset := r.IntN(17)
	x := make([]float32, offset+n)[offset:]
	for j := range x {
		if x[j] = float32(20 * r.NormFloat64()); r.IntN(3) == 0 {
			x[j] = math.Float32frombits(r.Uint32())
		}
	}
	return x
}

// sameAlone holds that the result for an entry is what it is when the entry stands alone,
// in place or not, and that nothing beyond the entries is written.
func sameAlone(t *testing.T, set instructions, f vectorFunction, x []float32) {
	t.Helper()
	n := len(x)
	got, inPlace := make([]float32, n+17), append([]float32(nil), x...)
	for j := range got {
		got[j] = 12345
	}
	apply(set, f.f, got, x)
	apply(set, f.f, inPlace, inPlace)
	for j, v := range x {
		one := [1]float32{v}
		apply(portable, f.f, one[:], one[:])
		if b := math.Float32bits(one[0]); math.Float32bits(got[j]) != b || math.Float32bits(inPlace[j]) != b {
			t.Fatalf("%s(%v) at %d of %d: got %v, in place %v, alone %v", f.name, v, j, n, got[j], inPlace[j], one[0])
		}
	}
	for j, v := range got[n:] {
		if v != 12345 {
			t.Fatalf("%s of %d entries: wrote %v at entry %d", f.name, n, v, n+j)
		}
	}
}

func TestVectorFunctionsOfOneEntryOrMany(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(31, 31))
		for n := range 100 {
			for _, f := range vectorFunctions {
				sameAlone(t, set, f, anyFloats(r, n))
			}
		}
	})
}

func TestVectorFunctionsRefuseShortResults(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		for _, f := range vectorFunctions {
			dst := make([]float32, 40)
			func() {
				defer func() {
					if recover() == nil || dst[0] != 0 {
						t.Errorf("%s: want a panic and nothing written, got %v", f.name, dst[0])
					}
				}()
				apply(set, f.f, dst[:39:39], make([]float32, 40))
			}()
		}
	})
}

// chebyshevFit returns the coefficients, ascending, of the polynomial that agrees with f in
// the n Chebyshev points of the interval, by Newton's divided differences.
func chebyshevFit(f func(float64) float64, low, high float64, n int) []float64 {
	x, d := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = (low+high)/2 + (high-low)/2*math.Cos(math.Pi*float64(2*i+1)/float64(2*n))
		d[i] = f(x[i])
	}
	for j := 1; j < n; j++ {
		for i := n - 1; i >= j; i-- {
			d[i] = (d[i] - d[i-1]) / (x[i] - x[i-j])
		}
	}
	c := make([]float64, n)
	for i := n - 1; i >= 0; i-- { // c(t)·(t - x[i]) + d[i]
		for k := n - 1; k > 0; k-- {
			c[k] = c[k-1] - c[k]*x[i]
		}
		c[0] = d[i] - c[0]*x[i]
	}
	return c
}

// TestPolynomialsAreTheFits computes the coefficients anew. The last bit may differ, for the
// fit is computed in float64.
func TestPolynomialsAreTheFits(t *testing.T) {
	expSeries := func(r float64) float64 { // (e^r - 1 - r)/r²
		sum, term := 0.0, 0.5
		for n := 3.0; n < 30; n++ {
			sum += term
			term *= r / n
		}
		return sum
	}
	logQuotient := func(f float64) float64 { // (log(1+f) - f + f²/2)/f³
		if math.Abs(f) > 0.05 {
			return (math.Log1p(f) - f + f*f/2) / (f * f * f)
		}
		sum, term := 0.0, 1.0
		for n := 3.0; n < 40; n++ {
			sum += term / n
			term *= -f
		}
		return sum
	}
	for _, c := range []struct {
		name string
		got  []float32
		want []float64
	}{
		{"expPolynomial", expPolynomial[:], chebyshevFit(expSeries, -math.Ln2/2, math.Ln2/2, 5)},
		{"logPolynomial", logPolynomial[:], chebyshevFit(logQuotient, math.Sqrt2/2-1, math.Sqrt2-1, 9)},
	} {
		for i := range c.got {
			if e := errorUlp(c.got[i], c.want[i]); e > 0.6 {
				t.Errorf("%s[%d]: got %v, want %v", c.name, i, c.got[i], c.want[i])
			}
		}
	}
	if low := math.Ln2 - ln2High; errorUlp(ln2Low, low) > 0.5 || errorUlp(log2E, math.Log2E) > 0.5 {
		t.Errorf("parts of ln 2: got %v and %v, want a rest of %v", ln2High, ln2Low, low)
	}
	if b := math.Float32bits(math.Sqrt2 / 2); b != sqrtHalfBits {
		t.Errorf("bits of √½: got %x, want %x", sqrtHalfBits, b)
	}
}

// FuzzVectorFunctions compares the kernels on arguments of any bits.
func FuzzVectorFunctions(f *testing.F) {
	f.Add([]byte("\x00\x00\x80\x7f\x00\x00\x80\xff\x01\x00\x00\x00\x00\x00\x00\x80"), uint8(0))
	f.Add(make([]byte, 300), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		x := make([]float32, len(data)/4)
		for j := range x {
			x[j] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*j:]))
		}
		for set := portable; set <= available; set++ {
			sameAlone(t, set, vectorFunctions[int(which)%len(vectorFunctions)], x)
			sameRows(t, set, x[:len(x)/(int(which)+1)*(int(which)+1)], int(which)+1)
		}
	})
}
