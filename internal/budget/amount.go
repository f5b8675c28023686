package budget

import (
	"math"
	"math/big"
)

// unitBits: sums count in units of 2^-unitBits, in which every price of use is many.
const unitBits = 256

// unitsOf returns a price in units, rounded upward. The price is finite and not negative.
func unitsOf(price float64) *big.Int {
	f := new(big.Float).SetMantExp(big.NewFloat(price), unitBits)
	units, accuracy := f.Int(nil)
	if accuracy == big.Below {
		units.Add(units, big.NewInt(1))
	}
	return units
}

// room returns a capacity in units, rounded downward.
func room(capacity float64) *big.Int {
	f := new(big.Float).SetMantExp(big.NewFloat(capacity), unitBits)
	units, _ := f.Int(nil)
	return units
}

// float returns the sum, rounded upward.
func float(units *big.Int) float64 {
	f := new(big.Float).SetMode(big.ToPositiveInf).SetPrec(53).SetInt(units)
	v, accuracy := f.SetMantExp(f, -unitBits).Float64()
	if accuracy == big.Below {
		v = math.Nextafter(v, math.Inf(1))
	}
	return v
}

// sums are exact sums, one for each number of a price.
type sums []big.Int

func newSums(n int) sums { return make(sums, n) }

// plus returns the sums of s and t.
func (s sums) plus(t sums) sums {
	out := newSums(len(s))
	for i := range s {
		out[i].Add(&s[i], &t[i])
	}
	return out
}

// add adds a price in place, sub takes it away.
func (s sums) add(price []float64) {
	for i, v := range price {
		s[i].Add(&s[i], unitsOf(v))
	}
}

func (s sums) sub(price []float64) {
	for i, v := range price {
		s[i].Sub(&s[i], unitsOf(v))
	}
}

// floats returns the sums, rounded upward.
func (s sums) floats() []float64 {
	out := make([]float64, len(s))
	for i := range s {
		out[i] = float(&s[i])
	}
	return out
}

// above returns a number above what a few roundings to nearest made of a price of 0 or more.
func above(v float64) float64 {
	if v == 0 || math.IsInf(v, 1) {
		return v
	}
	return math.Nextafter(v*(1+1e-15), math.Inf(1))
}

// below returns a number below what a few roundings to nearest made of a capacity of 0 or more.
func below(v float64) float64 {
	if v == 0 {
		return 0
	}
	return math.Nextafter(v*(1-1e-15), 0)
}
