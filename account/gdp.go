package account

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// GDP is the accountant of Gaussian differential privacy. It is exact for every composition of
// events that are equivalent to Gaussian releases. NonPrivate costs +Inf. All other events are
// errors.
//
// A release is μ-Gaussian-differentially private, or μ-GDP, if it is at least as private as a
// Gaussian release whose sensitivity is μ standard deviations. Dong, Roth & Su, "Gaussian
// Differential Privacy", JRSS B 2022, corollary 2.13 (the (ε, δ) profile) and corollary 3.3 (μ²
// adds up), https://arxiv.org/abs/1905.02383. Balle & Wang, 2018, theorem 8,
// https://arxiv.org/abs/1805.06530, has the same profile. μ² also adds up if releases are chosen
// after earlier outputs. So a limit on μ² is a valid filter (Smith & Thakurta, "Fully Adaptive
// Composition for Gaussian Differential Privacy", 2022, https://arxiv.org/abs/2210.17520).
var GDP gaussianDP

// gaussianDP is the type of GDP.
type gaussianDP struct{}

var _ Accountant = gaussianDP{}

const (
	// muError bounds the relative error of a computed μ: one square root and sums of at most 10^5
	// non-negative terms.
	muError = 1e-10
	// deltaError bounds the relative error of a computed δ for μ ≤ maxMu.
	deltaError = 1e-9
	// maxMu is the μ beyond which ε is reported as +Inf; there ε is above 4·10^5 for every δ < 1/2.
	maxMu = 900
)

// Name returns "gdp".
func (gaussianDP) Name() string { return "gdp" }

// Mu returns a μ for which the event is μ-Gaussian-differentially private under the relation. It is
// an upper bound on the smallest such μ, with a relative error of at most 1e-10. An event that the
// accountant GDP does not price is an error.
func Mu(e mechanism.Event, n privacy.Neighboring) (float64, error) {
	if v, several, err := severalWays(e, func(w mechanism.Event) (Interval, error) { return alone(Mu(w, n)) }); several {
		return v.Upper, err
	}
	all, err := terms(e, n)
	if err != nil {
		return 0, err
	}
	square, err := muSquare(all)
	if err != nil || square == 0 {
		return 0, err
	}
	return n.Movement() * math.Sqrt(square) * (1 + muError), nil
}

// muSquare returns the sum of 1/NoiseMultiplier².
func muSquare(all []term) (float64, error) {
	sum := 0.0
	for _, t := range all {
		switch e := t.event.(type) {
		case mechanism.Gaussian:
			sum += muSquareOf(e, t.count)
		default:
			if !disclosesAll(e) {
				return 0, unsupported("gdp", e)
			}
			sum = math.Inf(1)
		}
	}
	return sum, nil
}

// leastMu is the μ below which lower bounds are 0: there the square may have been raised to a
// number that float64 holds.
const leastMu = 1e-150

// muSquareOf returns count/NoiseMultiplier², rounded up where float64 holds few of its digits or
// none.
func muSquareOf(e mechanism.Gaussian, count float64) float64 {
	return notFaint(count / e.NoiseMultiplier / e.NoiseMultiplier)
}

// notFaint returns a positive number raised where float64 has rounded off some of its digits, or
// all.
func notFaint(x float64) float64 {
	if x < 1e-290 {
		return x + 2*math.SmallestNonzeroFloat64
	}
	return x
}

// Delta returns δ(ε) = Φ(μ/2 - ε/μ) - e^ε·Φ(-μ/2 - ε/μ), with Φ the normal distribution function.
// Epsilon must be at least 0.
func (g gaussianDP) Delta(e mechanism.Event, epsilon float64, n privacy.Neighboring) (Interval, error) {
	if v, several, err := severalWays(e, func(w mechanism.Event) (Interval, error) { return g.Delta(w, epsilon, n) }); several {
		return v, err
	}
	epsilon = within(epsilon)
	mu, err := Mu(e, n)
	if err != nil {
		return Interval{}, err
	}
	if !(epsilon >= 0) {
		return Interval{}, fmt.Errorf("account: epsilon is %v, want at least 0", epsilon)
	}
	return gaussianDeltas(mu, epsilon), nil
}

// lessMu returns a μ for lower bounds. Mu returned an upper bound on the true μ; lessMu is below
// the true μ, and has a finite ε.
func lessMu(mu float64) float64 { return min(mu*(1-3*muError), maxMu) }

// gaussianDeltas returns the interval of δ(ε) for a μ that Mu returned.
func gaussianDeltas(mu, epsilon float64) Interval {
	if mu == 0 || math.IsInf(epsilon, 1) {
		return Interval{}
	}
	upper := min(1, upward(gaussianDelta(mu, epsilon)*(1+deltaError)))
	lower := gaussianDelta(lessMu(mu), epsilon) * (1 - deltaError)
	if lower < faintest || mu < leastMu {
		lower = 0
	}
	return Interval{lower, max(lower, min(upper, gaussianDelta(mu, epsilon))), upper}
}

// gaussianDelta returns δ(ε) for μ-GDP. Let x = ε/μ and h = μ/2. Then φ(x-h) = e^ε·φ(x+h), so both
// terms share that factor and δ = φ(x-h)·(m(x-h) - m(x+h)), with m the Mills ratio. Nothing
// overflows and nothing cancels.
func gaussianDelta(mu, epsilon float64) float64 {
	if mu > maxMu {
		return 1
	}
	x, h := epsilon/mu, mu/2
	if x-h < -8 { // the Mills ratio would lose digits: 1 - δ is the small quantity
		return min(1, special.NormalCDF(h-x))
	}
	return special.NormalDensity(x-h) * special.MillsDifference(x, h)
}

// Epsilon returns the inverse of Delta. Delta must be in [0, 1).
func (g gaussianDP) Epsilon(e mechanism.Event, delta float64, n privacy.Neighboring) (Interval, error) {
	if v, several, err := severalWays(e, func(w mechanism.Event) (Interval, error) { return g.Epsilon(w, delta, n) }); several {
		return v, err
	}
	mu, err := Mu(e, n)
	if err != nil {
		return Interval{}, err
	}
	if err = checkDelta(delta); err != nil {
		return Interval{}, err
	}
	return gaussianEpsilon(mu, delta), nil
}

// gaussianEpsilon returns the interval of ε(δ) for a μ that Mu returned.
func gaussianEpsilon(mu, delta float64) Interval {
	upper := epsilonOf(mu, delta)
	if mu < leastMu {
		return Interval{0, upper, upper}
	}
	return Interval{epsilonOf(lessMu(mu), min(delta*(1+2*deltaError), 0.999999999999)) * (1 - 1e-12), upper, upper}
}

// epsilonGroup returns an upper bound on epsilon for neighbors that differ in this many records: a
// μ-GDP event is records·μ-GDP for them (Dong, Roth & Su, theorem 2.14).
func (gaussianDP) epsilonGroup(e mechanism.Event, delta float64, n privacy.Neighboring, records int) (float64, error) {
	if records < 1 {
		return 0, fmt.Errorf("account: group size is %d, want at least 1", records)
	}
	mu, err := Mu(e, n)
	if err != nil {
		return 0, err
	}
	if err = checkDelta(delta); err != nil {
		return 0, err
	}
	return epsilonOf(float64(records)*mu, delta), nil
}

// epsilonOf returns the ε, rounded up, at which the inflated δ of μ-GDP meets delta.
func epsilonOf(mu, delta float64) float64 {
	holds := func(epsilon float64) bool { return gaussianDelta(mu, epsilon)*(1+deltaError) <= delta }
	switch {
	case mu == 0 || holds(0):
		return 0
	case delta == 0 || mu > maxMu:
		return math.Inf(1)
	}
	low, high := 0.0, 1.0
	if mu < 1e-9 { // start near Chernoff's bound: halving from 1 would not come near in 200 steps
		high = min(1, max(mu*(mu+math.Sqrt(-2*special.Log(delta))), math.SmallestNonzeroFloat64))
	}
	for !holds(high) {
		if low, high = high, 2*high; high > 1e12 {
			return math.Inf(1)
		}
	}
	for i := 0; i < 200 && high-low > 1e-14*high; i++ {
		if mid := low + (high-low)/2; holds(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// MuOf returns the largest μ, rounded down, for which μ-Gaussian differential privacy implies the
// target. It is +Inf for a target of infinite epsilon.
func MuOf(target privacy.Guarantee) float64 {
	if !target.Private() {
		return math.Inf(1)
	}
	if target.Delta() == 0 {
		return 0
	}
	return special.BisectLog(1e-9, maxMu, 1e-13, func(mu float64) bool {
		return gaussianDelta(mu, target.Epsilon())*(1+deltaError) <= target.Delta()
	})
}
