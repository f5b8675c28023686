package account

import (
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/mechanism"
)

// objectiveDelta returns an upper bound on the privacy profile of objective perturbation at ε ≥ 0
// (Redberg, Koskela & Wang 2023, theorem 3.1). Let κ = -log(1-β/Λ) and μ = 1/NoiseMultiplier. Then
// δ = 2·H(ε-κ) for ε > κ + μ²/2, and otherwise 1 - e^x + 2·e^x·H(μ²/2) with x = ε-κ-μ²/2. H is the
// profile of a normal release.
func objectiveDelta(e mechanism.ObjectivePerturbation, epsilon float64) float64 {
	mu, kappa := 1/e.NoiseMultiplier, -math.Log1p(-e.Smoothness)
	half := mu * mu / 2
	if epsilon > kappa+half {
		return min(1, 2*gaussianDelta(mu, epsilon-kappa)*(1+deltaError))
	}
	x := epsilon - kappa - half
	return min(1, -math.Expm1(x)+2*math.Exp(x)*gaussianDelta(mu, half)*(1+deltaError))
}

// profileNodes is the number of points that a profile is interpolated between.
const profileNodes = 6000

// objectivePerturbation returns the pair, the same in both directions, whose profile is the chords
// between points of the profile of objective perturbation (see profilePair). It dominates that
// profile.
func objectivePerturbation(e mechanism.ObjectivePerturbation) directions {
	top := -math.Log1p(-e.Smoothness) + 1/(2*e.NoiseMultiplier*e.NoiseMultiplier) + 16/e.NoiseMultiplier
	return symmetric(profilePair(top, profileNodes, func(epsilon float64) float64 { return objectiveDelta(e, epsilon) }))
}

// profilePair returns a symmetric pair. Its profile at ε ≥ 0 is the least convex function of e^ε
// above δ at nodes points between 0 and top. δ(top) is disclosed. Chords lie above a convex
// profile, so the pair dominates (Doroshenko, Ghazi, Kamath, Kumar & Manurangsi, "Connect the
// Dots", PETS 2022, theorem 3.4, https://arxiv.org/abs/2207.04380). A chord that is steeper than
// the one before it by rounding is made as flat as that one. Near 0 a bound δ may be too loose for
// any symmetric pair. Then points are left out, which is valid too, and the chord from -ε to ε
// takes their place.
func profilePair(top float64, nodes int, delta func(epsilon float64) float64) pair.Atoms {
	step := top / float64(nodes)
	at := step * float64(nodes)
	value, slope := delta(at), 0.0 // δ and Q(L > ε) at the node
	atoms := pair.Atoms{{P: value}, {Q: value}}
	rest := 1 - value
	node := func(at, q float64) {
		if q > 0 {
			atoms = append(atoms, pair.Atom{P: q * math.Exp(at), Q: q}, pair.Atom{P: q, Q: q * math.Exp(at)})
			rest -= q * (1 + math.Exp(at))
		}
	}
	for i := nodes; i >= 1; i-- {
		width := math.Exp(at) * -math.Expm1(-step)
		lower := step * float64(i-1)
		left := max(slope, (delta(lower)-value)/width)
		up := value + left*width
		if left > middleSlope(lower, up) {
			break
		}
		node(at, left-slope)
		at, value, slope = lower, up, left
	}
	if at > 0 {
		node(at, max(0, middleSlope(at, value)-slope))
	}
	return append(atoms, pair.Atom{P: max(0, rest), Q: max(0, rest)})
}

// middleSlope returns the slope of the chord from -ε to ε for a given δ(ε). By symmetry the profile
// at e^-ε is 1 - e^-ε·(1 - δ). At ε = 0 the slope is the largest Q(L > 0) that a symmetric pair
// has.
func middleSlope(epsilon, delta float64) float64 {
	return (1 - delta) * math.Exp(-epsilon) / (1 + math.Exp(-epsilon))
}
