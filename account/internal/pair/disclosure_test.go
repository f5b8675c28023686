package pair

import (
	"math"
	"math/big"
	"testing"
)

// disclosedExactly is 1 - Π(1-δ)^k in 2000 bits.
func disclosedExactly(deltas []float64, counts []int64) *big.Float {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(x) }
	kept := number(1)
	for i, delta := range deltas {
		base := new(big.Float).SetPrec(2000).Sub(number(1), number(delta))
		for k := counts[i]; k > 0; k >>= 1 {
			if k&1 == 1 {
				kept.Mul(kept, base)
			}
			base.Mul(base, base)
		}
	}
	return number(1).Sub(number(1), kept)
}

// TestDisclosureHoldsTheTruth compares bounds with math/big: they hold the truth, and are as near as rounding lets them be.
func TestDisclosureHoldsTheTruth(t *testing.T) {
	type releases struct {
		deltas []float64
		counts []int64
	}
	var all []releases
	for _, delta := range []float64{0, 5e-324, 1e-310, 1e-300, 3e-17, 1e-9, 1e-6, 0.1, 1.0 / 3, 0.9, 1 - 1e-9, 1} {
		for _, count := range []int64{0, 1, 2, 3, 7, 1000, 123456789} {
			all = append(all, releases{[]float64{delta}, []int64{count}})
		}
		all = append(all, releases{[]float64{delta, 1e-7, delta / 3}, []int64{3, 1, 20}}, releases{[]float64{delta, 1e-300, 2e-310}, []int64{1, 3, 1}})
	}
	for i := range 400 { // as many numbers as show the error of one unit
		all = append(all, releases{[]float64{1e-6 * (1 + float64(i)/7)}, []int64{int64(2 + i%5)}})
	}
	wrong := 0
	for _, r := range all {
		var d Disclosure
		for i, delta := range r.deltas {
			d.Add(delta, float64(r.counts[i]))
		}
		low, high := d.Bounds()
		want := disclosedExactly(r.deltas, r.counts)
		if big.NewFloat(low).Cmp(want) > 0 || big.NewFloat(high).Cmp(want) < 0 {
			t.Errorf("%v: got %v to %v, want about %v between them", r, low, high, want)
		}
		if near, _ := want.Float64(); high-near > 3e-15*near+5e-323 || near-low > 3e-15*near+5e-323 {
			t.Errorf("%v: got %v to %v, want both near %v", r, low, high, near)
		}
		if plain := -math.Expm1(float64(r.counts[0]) * math.Log1p(-r.deltas[0])); len(r.deltas) == 1 && plain > 0 && big.NewFloat(plain).Cmp(want) < 0 {
			wrong++
		}
	}
	if wrong < 50 {
		t.Errorf("the plain formula is too small %d times, want examples in which it is", wrong)
	}
}

// TestInfiniteLossesAreBounded holds bounds on the probability of an infinite loss of each kind of pair.
func TestInfiniteLossesAreBounded(t *testing.T) {
	lost := Atoms{{P: 0.1}, {P: 0.9, Q: 1}}
	for name, c := range map[string]struct {
		pair Pair
		want float64
	}{
		"one":    {lost, 0.1},
		"none":   {lost.Swap(), 0},
		"two":    {Atoms{{P: 0.1}, {P: 0.2}, {P: 0.7, Q: 1}}, 0.3},
		"choice": {Choice{{0.5, lost}, {0.5, Sampled(Normal, 1, 0.1)}}, 0.05},
		"glued":  {Glued{lost, lost.Swap()}, 0.1},
		"normal": {Shift(Normal, 1), 0},
		"range":  {BoundedRange{1}, 0},
	} {
		low, high := Infinite(c.pair)
		if !(low <= c.want && c.want <= high && high-low <= 1e-14*c.want) {
			t.Errorf("%s: got %v to %v, want %v", name, low, high, c.want)
		}
	}
}
