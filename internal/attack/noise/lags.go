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

// checkLags looks for correlation in each of three sequences of one series at every lag. The products
// of a lag are differences of a martingale. Each is at most 1, with conditional variance at most v. So
// n of them have a sum of at least t with probability at most exp(-t²/(2·(n·v + t/3))) (D. A.
// Freedman, "On tail probabilities for martingales", 1975, theorem 1.6).
func checkLags(numbers []int64, l law, scale float64) Finding {
	f := newLagged("correlation at any lag", len(numbers))
	for _, s := range sequences(l) {
		x := spectrumOf(s, numbers, scale)
		products := correlations(x, x)
		products[0] = 0 // the numbers with themselves
		f.look(s, products)
	}
	return f.Finding
}

// checkShifts is checkLags for two series of one length at every shift, given the spectra of their
// sequences. All numbers of one of them are given.
func checkShifts(a, b []spectrum) Finding {
	f := newLagged("correlation of two at any shift", a[0].numbers)
	for i := range a {
		f.look(a[i].sequence, correlations(a[i], b[i]))
	}
	return f.Finding
}

// lagged is the finding about the largest correlation.
type lagged struct {
	Finding
	tests int
}

// newLagged returns the finding before anything is looked at.
func newLagged(test string, n int) *lagged {
	tests := 12 * n // of three sequences, two signs, and lags of two signs
	return &lagged{tests: tests, Finding: Finding{Test: test, Numbers: n,
		Detects: fmt.Sprintf("a correlation of %.2g", 1.2*math.Sqrt(2*(scaleNats+math.Log(float64(tests)))*3/float64(n)))}}
}

// look looks at the products of a sequence at every lag. The largest sum is the rarest one.
func (f *lagged) look(s sequence, products []float64) {
	lag, n := 0, float64(f.Numbers)
	for i, sum := range products {
		if math.Abs(sum) > math.Abs(products[lag]) {
			lag = i
		}
	}
	sum := products[lag]
	t := max(0, math.Abs(sum)-1e-6*n) // rounding of the transform and of the law
	logP := logUnion(-t*t/(2*(n*s.variance+t/3)), f.tests)
	if logP > f.LogP {
		return
	}
	if lag > len(products)/2 {
		lag -= len(products)
	}
	f.LogP, f.Seen = logP, fmt.Sprintf("%s: correlation %.2g at lag %d", s.name, sum/(n*s.variance), lag)
}

// spectrum is a sequence of some numbers, transformed.
type spectrum struct {
	sequence
	numbers     int
	transformed []complex128
}

// spectraOf returns the spectra of all sequences of numbers.
func spectraOf(numbers []int64, l law, scale float64) (all []spectrum) {
	for _, s := range sequences(l) {
		all = append(all, spectrumOf(s, numbers, scale))
	}
	return all
}

// spectrumOf returns the spectrum of a sequence of numbers. It appends zeros, so that no lag meets
// the begin of the series again.
func spectrumOf(s sequence, numbers []int64, scale float64) spectrum {
	length := 1 << bits.Len(uint(2*len(numbers)-1))
	values := make([]float64, length)
	for i, v := range numbers {
		values[i] = s.of(float64(v)/scale, v)
	}
	out := spectrum{sequence: s, numbers: len(numbers), transformed: make([]complex128, length/2)}
	special.NewFFT(length).Forward(out.transformed, values)
	return out
}

// correlations returns Σ_i x_i·y_{i+lag} for every lag: negative ones count from the end. The series
// have one length.
func correlations(x, y spectrum) []float64 {
	f := make([]complex128, len(x.transformed))
	for i, g := range y.transformed {
		f[i] = complex(real(x.transformed[i]), -imag(x.transformed[i])) * g
	}
	// the first holds two real numbers
	f[0] = complex(real(x.transformed[0])*real(y.transformed[0]), imag(x.transformed[0])*imag(y.transformed[0]))
	out := make([]float64, 2*len(f))
	special.NewFFT(len(out)).Inverse(out, f)
	return out
}
