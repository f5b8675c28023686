package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// won is what a record of the second level in bin i wins against one of the first in bin j.
func won(i, j int) float64 {
	switch {
	case i > j:
		return 1
	case i == j:
		return 0.5
	}
	return 0
}

// plainArea is the area, the reach of its interval and its resolution by plain sums over pairs of cells. With θ
// the area, the error is that of Σ (won_ij - θ)·one_i·zero_j over Σone·Σzero, to first order in the denominator: a
// count errs by its sampling (rows times the count, as a Poisson variable) and by noise, and the products of two
// noises have a variance of (won_ij - θ)²·noise² each. What the noise adds has the fourth cumulant of its Laplace
// variables, 3·single² each, times their fourth powers.
func plainArea(c counts) (area, reach, resolution float64) {
	n := len(c.cells) / 2
	zero, one := c.cells[:n], c.cells[n:]
	zeros, ones, tied := 0.0, 0.0, 0.0
	for j := range n {
		zeros, ones = zeros+zero[j], ones+one[j]
		if zero[j] > 0 && one[j] > 0 {
			tied += zero[j] * one[j]
		}
	}
	for i := range n {
		for j := range n {
			area += won(i, j) * one[i] * zero[j] / zeros / ones
		}
	}
	sampling, noise, fourth := 0.0, 0.0, 0.0
	for k := range n {
		ofOne, ofZero := 0.0, 0.0
		for l := range n {
			ofOne += (won(k, l) - area) * zero[l] / zeros / ones
			ofZero += (won(l, k) - area) * one[l] / zeros / ones
			noise += math.Pow((won(k, l)-area)*c.noise/zeros/ones, 2)
		}
		sampling += ofOne*ofOne*one[k] + ofZero*ofZero*zero[k]
		noise += (ofOne*ofOne + ofZero*ofZero) * c.noise
		fourth += math.Pow(ofOne, 4) + math.Pow(ofZero, 4)
	}
	if c.plan.Person != nil || min(zeros, ones) < 8*math.Sqrt(float64(n)*c.noise) {
		return area, math.NaN(), min(0.5, tied/(2*zeros*ones))
	}
	variance := max(0, sampling) + noise
	cumulant := min(3, 3*c.single*c.noise*fourth/variance/variance)
	const q = 1.959963984540054
	return area, (q + (q*q*q-3*q)*cumulant/24) * math.Sqrt(variance), min(0.5, tied/(2*zeros*ones))
}

// TestAreaErrsByPlainSums compares the interval of the area with plainArea, for rows and for persons, with much
// noise and with little, with groups and without, and with counts below 0.
func TestAreaErrsByPlainSums(t *testing.T) {
	r, narrow, wide, none, negative := rand.New(rand.NewPCG(6, 2)), 0, 0, 0, 0
	for _, name := range []string{"two levels", "groups", "two levels, persons", "groups, persons"} {
		for _, multiplier := range []float64{0.1, 2, 6} {
			for _, law := range []string{NoiseLaplace, NoiseGaussian} {
				p := testPlans()[name]
				p.NoiseMultiplier, p.Noise = multiplier, law
				for range 50 {
					numbers := make([]float64, p.Numbers())
					for j := range numbers {
						if numbers[j] = 300 * r.Float64() * r.Float64(); r.IntN(6) == 0 {
							numbers[j] = -6 * r.Float64()
							negative++
						}
					}
					all, groups := p.countsOf(numbers)
					for _, c := range append(groups, all) {
						if sum := total(c.cells[:p.bins()]); !(sum > 20) || !(total(c.cells[p.bins():]) > 20) {
							continue
						}
						area, reach, resolution := plainArea(c)
						got := c.auc()
						if math.IsNaN(reach) {
							if none++; got.Low.Defined() || got.High.Defined() || math.Abs(float64(got.Value)-max(0, min(1, area))) > 1e-9 {
								t.Fatalf("%s, %s of %v: got %+v, want %v without an interval", name, law, multiplier, got, area)
							}
							continue
						}
						low, high := max(0, min(1, area-reach)), max(0, min(1, area+reach))
						if math.Abs(float64(got.Low)-low) > 1e-9 || math.Abs(float64(got.High)-high) > 1e-9 || math.Abs(float64(got.Resolution)-resolution) > 1e-12 {
							t.Fatalf("%s, %s of %v: got %+v, want %v to %v and %v", name, law, multiplier, got, low, high, resolution)
						}
						if low > 0 && high < 1 {
							narrow++
						} else {
							wide++
						}
					}
				}
			}
		}
	}
	if narrow < 1000 || wide < 10 || none < 500 || negative < 1000 {
		t.Errorf("%d intervals inside the range, %d cut, none in %d, %d counts below 0", narrow, wide, none, negative)
	}
}
