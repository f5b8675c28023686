package pair

import "math"

// Disclosure is the probability 1 - Π(1-δ)^k that at least one of several independent releases
// discloses everything. Each release discloses everything with probability δ, and k releases have
// the same δ. The zero value is the probability for no release.
//
// The error is bounded as follows, with u = 2^-53. The results of math.Log1p and math.Expm1 have
// relative errors of at most 2u, and a product has u. A sum of n numbers of one sign adds (n-1)u.
// So the logarithm S of Π has a relative error of (n+2)u. The relative error of 1-e^S is no larger,
// since |S|·e^S ≤ 1-e^S. Each bound is moved outward by a relative (n+8)u, and by n+1 times the
// least number of float64 for small results.
type Disclosure struct {
	least, most float64 // Σ k·log(1-δ) of the lower and of the upper bounds on δ
	low, high   float64 // the δ of the release, if there is only one
	terms       float64
	releases    float64
}

// Add adds count releases. Each of them discloses everything with probability delta.
func (d *Disclosure) Add(delta, count float64) { d.AddBetween(delta, delta, count) }

// AddBetween adds count releases. Each of them discloses everything with a probability from low to
// high.
func (d *Disclosure) AddBetween(low, high, count float64) {
	if count == 0 || !(high > 0) {
		return
	}
	d.low, d.high = low, high
	d.least += count * math.Log1p(-low)
	d.most += count * math.Log1p(-min(high, 1))
	d.terms++
	d.releases += count
}

// Bounds returns a lower and an upper bound on the probability. For a single release it returns the
// two numbers that were added.
func (d Disclosure) Bounds() (lower, upper float64) {
	if d.releases <= 1 {
		return d.low, min(d.high, 1)
	}
	share, faint := 0x1p-53*(d.terms+8), (d.terms+1)*math.SmallestNonzeroFloat64
	lower, upper = -math.Expm1(d.least)*(1-share), -math.Expm1(d.most)*(1+share)
	if lower < 1e-290 {
		lower -= faint
	}
	if upper < 1e-290 {
		upper += faint
	}
	return max(0, lower), min(1, upper)
}

// Infinite returns bounds on the probability of an infinite loss of a pair.
func Infinite(p Pair) (low, high float64) {
	const unit = 0x1p-53
	switch p := p.(type) {
	case Atoms:
		count := 0.0
		for _, a := range p {
			if a.P > 0 && a.Q == 0 {
				count++
				high += a.P
			}
		}
		if count > 1 { // the rounding of a sum
			return high * (1 - 2*count*unit), high * (1 + 2*count*unit)
		}
		return high, high
	case Choice:
		for _, v := range p {
			a, b := Infinite(v.Pair)
			low, high = low+v.Weight*a, high+v.Weight*b
		}
		margin := float64(2*len(p)+4) * unit
		return low * (1 - margin), high * (1 + margin)
	case Glued:
		return Infinite(p.Above)
	}
	return 0, 0
}
