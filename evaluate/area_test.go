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

// plainArea is the area and its resolution by plain sums over pairs of cells, and plainExcess by how much the square of
// what is tested at θ is above what it may be. Tested is Σ (won_ij - θ)·one_i·zero_j. A count errs by its sampling (the
// count, as a Poisson variable) and by noise, and the products of two noises have a variance of (won_ij - θ)²·noise²
// each. Squares of the weights of a count have noise too, whose mean is taken off. What the noise adds has the fourth
// cumulant of its Laplace variables, 3·single² each, times their fourth powers. The quantile is Student's for
// the degrees of freedom of the two parts, to first order.
func plainArea(c counts) (area, resolution float64) {
	n := len(c.cells) / 2
	zero, one := c.cells[:n], c.cells[n:]
	pairs, tied := total(zero)*total(one), 0.0
	for i := range n {
		for j := range n {
			area += won(i, j) * one[i] * zero[j] / pairs
		}
		tied += max(0, zero[i]) * max(0, one[i])
	}
	return area, min(0.5, tied/(2*pairs))
}

func plainExcess(c counts, theta float64) float64 {
	n := len(c.cells) / 2
	zero, one := c.cells[:n], c.cells[n:]
	tested, samplingOne, samplingZero, noise, least, fourth := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for k := range n {
		ofOne, ofZero, noiseOne, noiseZero := 0.0, 0.0, 0.0, 0.0
		for l := range n {
			ofOne += (won(k, l) - theta) * zero[l]
			ofZero += (won(l, k) - theta) * one[l]
			noiseOne += math.Pow(won(k, l)-theta, 2) * c.noise
			noiseZero += math.Pow(won(l, k)-theta, 2) * c.noise
		}
		tested += ofOne * one[k]
		samplingOne += (ofOne*ofOne - noiseOne) * one[k]
		samplingZero += (ofZero*ofZero - noiseZero) * zero[k]
		noise += (ofOne*ofOne + ofZero*ofZero - noiseOne) * c.noise
		least += noiseOne * c.noise
		fourth += math.Pow(ofOne, 4) + math.Pow(ofZero, 4)
	}
	variance := max(0, samplingOne+samplingZero) + max(noise, least)
	freedom := variance * variance / (samplingOne*samplingOne/max(1, total(one)-1) + samplingZero*samplingZero/max(1, total(zero)-1))
	cumulant := min(3, 3*c.single*c.noise*fourth/variance/variance)
	const q = 1.959963984540054
	return tested*tested/variance - math.Pow(q+(q*q*q-3*q)*cumulant/24+(q*q*q+q)/(4*freedom), 2)
}

// TestAreaErrsByPlainSums compares the interval of the area with plainExcess, for rows and for persons, with much
// noise and with little, with groups and without, and with counts below 0: an end inside of the range is where the
// excess is 0, and on a grid it is positive outside of the interval alone.
func TestAreaErrsByPlainSums(t *testing.T) {
	r, seen := rand.New(rand.NewPCG(6, 2)), map[string]int{}
	for _, name := range []string{"two levels", "groups", "two levels, persons", "groups, persons"} {
		for _, multiplier := range []float64{0.1, 2, 6, 30} {
			for _, law := range []string{NoiseLaplace, NoiseGaussian} {
				p := testPlans()[name]
				p.NoiseMultiplier, p.Noise = multiplier, law
				for range 20 {
					numbers := make([]float64, p.Numbers())
					for j := range numbers {
						if numbers[j] = 300 * r.Float64() * r.Float64(); r.IntN(6) == 0 {
							numbers[j] = -6 * r.Float64()
							seen["count below 0"]++
						}
					}
					all, groups := p.countsOf(numbers)
					for _, c := range append(groups, all) {
						checkArea(t, c, seen)
					}
				}
			}
		}
	}
	for _, kind := range []string{"count below 0", "none", "inside", "whole", "an end"} {
		if seen[kind] < 50 {
			t.Errorf("%s: %d times, want at least 50 of %v", kind, seen[kind], seen)
		}
	}
}

func checkArea(t *testing.T, c counts, seen map[string]int) {
	t.Helper()
	got := c.auc()
	if !(total(c.cells[:c.plan.bins()]) > 0) || !(total(c.cells[c.plan.bins():]) > 0) {
		if got.Value.Defined() || c.pairs == nil && (got.Low != 0 || got.High != 1) {
			t.Fatalf("without a level: got %+v", got)
		}
		return
	}
	area, resolution := plainArea(c)
	if math.Abs(float64(got.Value)-max(0, min(1, area))) > 1e-9 || math.Abs(float64(got.Resolution)-resolution) > 1e-12 {
		t.Fatalf("got %+v, want %v and %v", got, area, resolution)
	}
	if c.pairs != nil {
		if seen["none"]++; got.Low.Defined() || got.High.Defined() {
			t.Fatalf("got %+v, want no interval of persons", got)
		}
		return
	}
	if got.Low == got.High || len(got.Gap) > 0 {
		return
	}
	inside := 0
	for _, end := range []float64{float64(got.Low), float64(got.High)} {
		if end > 0 && end < 1 {
			if inside++; math.Abs(plainExcess(c, end)) > 1e-6 {
				t.Fatalf("the excess at an end of %+v is %v, want 0", got, plainExcess(c, end))
			}
		}
	}
	seen[[]string{"whole", "an end", "inside"}[inside]]++
	for theta := 0.005; theta < 1; theta += 0.01 {
		if within := theta > float64(got.Low) && theta < float64(got.High); within != (plainExcess(c, theta) <= 0) {
			t.Fatalf("the excess at %v is %v, with the interval %+v", theta, plainExcess(c, theta), got)
		}
	}
}
