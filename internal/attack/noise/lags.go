package noise

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/ditherml/dither/internal/special"
)

// sequence is a function of each number of a series, between -1 and 1. Given all numbers before,
// it has mean 0 under the claim, and at most this variance.
type sequence struct {
	name     string
	of       func(x float64, v int64) float64 // x is the number over its scale
	variance float64
}

// sequences are what lags are looked at in.
func sequences(l law) []sequence {
	all := []sequence{
		{"values", func(x float64, _ int64) float64 { return 2*l.cdf(x) - 1 }, 1.0 / 3},
		{"magnitudes", func(x float64, _ int64) float64 { return 4*math.Abs(l.cdf(x)-0.5) - 1 }, 1.0 / 3},
		{"lowest bits", func(_ float64, v int64) float64 { return float64(2*(v&1) - 1) }, 1},
	}
	if l.noBits {
		return all[:2]
	}
	return all
}

// checkLags looks for correlation in each of three sequences: of one series at every lag if b is
// nil, else of two series at every shift. The products of a lag are differences of a martingale.
// Each is at most 1, with conditional variance at most v. So n of them have a sum of at least t with
// probability at most exp(-t²/(2·(n·v + t/3))) (D. A. Freedman, "On tail probabilities for
// martingales", 1975, theorem 1.6). For two series all numbers of one of them are given.
func checkLags(a, b []int64, l law, scale float64) Finding {
	test, n, same := "correlation of two at any shift", min(len(a), len(b)), b == nil
	if same {
		test, n, b = "correlation at any lag", len(a), a
	}
	tests := 12 * n // of three sequences, two signs, and lags of two signs
	f := Finding{Test: test, Numbers: len(a)}
	for _, s := range sequences(l) {
		x, y := valuesOf(s, a[:n], scale), valuesOf(s, b[:n], scale)
		products := correlations(x, y)
		for lag, sum := range products {
			if same && lag == 0 {
				continue
			}
			t := max(0, math.Abs(sum)-1e-6*float64(n)) // rounding of the transform and of the law
			logP := logUnion(-t*t/(2*(float64(n)*s.variance+t/3)), tests)
			if logP <= f.LogP {
				shift := lag
				if lag > len(products)/2 {
					shift -= len(products)
				}
				f.LogP, f.Seen = logP, fmt.Sprintf("%s: correlation %.2g at lag %d", s.name, sum/(float64(n)*s.variance), shift)
			}
		}
	}
	f.Detects = fmt.Sprintf("a correlation of %.2g", 1.2*math.Sqrt(2*(scaleNats+math.Log(float64(tests)))*3/float64(n)))
	return f
}

// valuesOf returns a sequence of numbers.
func valuesOf(s sequence, numbers []int64, scale float64) []float64 {
	out := make([]float64, len(numbers))
	for i, v := range numbers {
		out[i] = s.of(float64(v)/scale, v)
	}
	return out
}

// correlations returns Σ_i x_i·y_{i+lag} for every lag: negative ones count from the end.
func correlations(x, y []float64) []float64 {
	length := 1 << bits.Len(uint(2*len(x)-1))
	fft := special.NewFFT(length)
	transform := func(x []float64) []complex128 {
		out := make([]complex128, length/2)
		fft.Forward(out, append(x, make([]float64, length-len(x))...))
		return out
	}
	f, g := transform(x), transform(y)
	for i := range f {
		if i == 0 { // two real numbers
			f[0] = complex(real(f[0])*real(g[0]), imag(f[0])*imag(g[0]))
			continue
		}
		f[i] = complex(real(f[i]), -imag(f[i])) * g[i]
	}
	out := make([]float64, length)
	fft.Inverse(out, f)
	return out
}
