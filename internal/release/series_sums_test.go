package release

import (
	"github.com/ditherml/dither/mechanism"
	"math"
	"math/big"
	"testing"
)

// TestSeriesOfSeveralSums releases two sums a step, one of vectors by record and one of vectors by group of
// records, with next to no noise: each comes back as what it was.
func TestSeriesOfSeveralSums(t *testing.T) {
	const records, z = 100, 1e-5
	s, err := OpenSeries(free{}, mechanism.BandedMatrix{NoiseMultiplier: z, Bands: 3, Steps: 7, Probability: 1}, records, SeriesOptions{Coefficients: []int64{8, 4, 3}, NoiseMultipliers: []float64{z * math.Sqrt2, z * math.Sqrt2}, MaxRecords: records})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for step := range 7 {
		sample := mustDraw(t, s)
		divided, members, failed := sample.Divide(4)
		if failed != nil {
			t.Fatal(failed)
		}
		one := VectorOptions{Noise: s.Noise(0), Norm: L2(), Dim: 2, Bound: 5, MaxRecords: records}
		two := VectorOptions{Noise: s.Noise(1), Norm: L2(), Dim: 1, Bound: float64(3 + step), MaxRecords: records} // of a bound that moves
		a := sumOf(t, sample, one, func(int) []float64 { return []float64{1, 2} })
		b := sumOf(t, divided, two, func(group int) []float64 { return []float64{min(1, float64(len(members[group])))} })
		if _, err = s.Release(b, a); err == nil {
			t.Fatal("sums were released in each other's place")
		}
		if _, err = s.Release(a); err == nil {
			t.Fatal("a step was released without one of its sums")
		}
		noisy, failed := s.Release(a, b)
		if failed != nil {
			t.Fatal(failed)
		}
		n, groups := float64(len(sample.Indices())), 0.0
		for _, m := range members {
			groups += min(1, float64(len(m)))
		}
		seen += int(n)
		if v := noisy[0].Values(); math.Abs(v[0]-n) > 0.05 || math.Abs(v[1]-2*n) > 0.05 || math.Abs(noisy[1].Values()[0]-groups) > 0.05 {
			t.Errorf("step %d: got %v and %v, want %v, %v and %v", step, v, noisy[1].Values(), n, 2*n, groups)
		}
	}
	if seen < 2*records {
		t.Errorf("%d records took part in 7 steps of 3 parts, want at least %d", seen, 2*records)
	}
}

// TestSumsOfAStepCostNoMoreThanTheEvent computes in exact numbers that one record moves the rows of a participation
// by at most 1/multiplier, in units of the noise of each sum: Σ Σc²·Δ_k²/S_k² ≤ 1/multiplier².
func TestSumsOfAStepCostNoMoreThanTheEvent(t *testing.T) {
	for _, shares := range [][]float64{{1}, {0.5, 0.5}, {0.1, 0.2, 0.7}, {1.0 / 3, 1.0 / 3, 1.0 / 3}, {1e-6, 1 - 1e-6}, {0.3}} {
		for _, z := range []float64{0.3, 1.7, 40} {
			multipliers := make([]float64, len(shares))
			for k, share := range shares {
				multipliers[k] = z / math.Sqrt(share)
			}
			s, err := bandedSeries(mechanism.BandedMatrix{NoiseMultiplier: z, Bands: 4, Steps: 10, Probability: 1}, SeriesOptions{Coefficients: []int64{64, 32, 24, 20}, NoiseMultipliers: multipliers, MaxRecords: 1000})
			if err != nil {
				t.Fatal(err)
			}
			sum := new(big.Rat)
			for k := range shares {
				g, failed := fitNoise(s.Noise(k), fit{maxRecords: 1000, norm: L2(), dim: 9})
				if failed != nil {
					t.Fatal(failed)
				}
				move := big.NewRat(g.bound, 1<<g.bits)
				move.Mul(move, move)
				sum.Add(sum, move.Mul(move, big.NewRat(64*64+32*32+24*24+20*20, 1)))
			}
			most := new(big.Rat).SetFloat64(z)
			most.Inv(most.Mul(most, most))
			if sum.Cmp(most) > 0 {
				t.Errorf("shares %v of multiplier %v: moved by √%v, want at most √%v", shares, z, sum.FloatString(20), most.FloatString(20))
			}
		}
	}
}

func TestSumsThatCostTooMuchAreRefused(t *testing.T) {
	for name, multipliers := range map[string][]float64{
		"twice the cost": {1, 1}, "a little more": {1 - 1e-6}, "none": {}, "no noise": {2, 0}, "negative": {2, -2}, "not a number": {2, math.NaN()},
		"infinite": {2, math.Inf(1)}, "too many": func() []float64 {
			all := make([]float64, maxSeriesSums+1)
			for k := range all {
				all[k] = 1e3
			}
			return all
		}(),
	} {
		o := SeriesOptions{NoiseMultipliers: multipliers, MaxRecords: 10}
		p := &purse{left: 1}
		if s, err := OpenSeries(p, mechanism.TreeAggregation{NoiseMultiplier: 1, Steps: 5}, 3, o); err == nil || s != nil || len(p.paid) != 0 {
			t.Errorf("%s: opened, %v", name, err)
		}
		if err := CheckSeries(mechanism.TreeAggregation{NoiseMultiplier: 1, Steps: 5}, o); err == nil {
			t.Errorf("%s: passed the check", name)
		}
	}
}
