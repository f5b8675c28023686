package account

import (
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/mechanism"
)

// objectiveDelta is an upper bound on the privacy profile of objective perturbation at ε ≥ 0 (Redberg,
// Koskela & Wang 2023, theorem 3.1), with κ = -log(1-β/Λ) and μ = 1/NoiseMultiplier: δ = 2·H(ε-κ) for ε
// > κ + μ²/2, otherwise 1 - e^x + 2·e^x·H(μ²/2) with x = ε-κ-μ²/2; H is that of a normal release.
func objectiveDelta(e mechanism.ObjectivePerturbation, epsilon float64) float64 {
	mu, kappa := 1/e.NoiseMultiplier, -math.Log1p(-e.Smoothness)
	half := mu * mu / 2
	if epsilon > kappa+half {
		return min(1, 2*gaussianDelta(mu, epsilon-kappa)*(1+deltaError))
	}
	x := epsilon - kappa - half
	return min(1, -math.Expm1(x)+2*math.Exp(x)*gaussianDelta(mu, half)*(1+deltaError))
}

// profileNodes is how many points a profile is interpolated between.
const profileNodes = 6000

// objectivePerturbation is a pair that dominates the profile, which holds in both directions: the chords
// between points of it (see profilePair).
func objectivePerturbation(e mechanism.ObjectivePerturbation) directions {
	top := -math.Log1p(-e.Smoothness) + 1/(2*e.NoiseMultiplier*e.NoiseMultiplier) + 16/e.NoiseMultiplier
	return symmetric(profilePair(top, profileNodes, func(epsilon float64) float64 { return objectiveDelta(e, epsilon) }))
}

// profilePair returns the symmetric pair whose profile at ε ≥ 0 is the least convex function of e^ε
// above δ at nodes points between 0 and top, of which δ(top) is disclosed: chords lie above a convex
// profile, so it dominates (Doroshenko, Ghazi, Kamath, Kumar & Manurangsi, "Connect the Dots", PETS
// 2022, theorem 3.4, https://arxiv.org/abs/2207.04380). A chord that is steeper than the one before it
// by rounding is made as flat as that.
func profilePair(top float64, nodes int, delta func(float64) float64) pair.Atoms {
	values := make([]float64, nodes+1)
	for i := range values {
		values[i] = delta(top * float64(i) / float64(nodes))
	}
	step := top / float64(nodes)
	disclosed := values[nodes]
	atoms := pair.Atoms{{P: disclosed}, {Q: disclosed}}
	rest, slope := 1-disclosed, 0.0 // slope: Q(L > ε) right of a node
	for i := nodes; i >= 1; i-- {
		at := step * float64(i)
		// Walking left, the chord to the next node; never flatter than the last one.
		left := max(slope, (values[i-1]-values[i])/(math.Exp(at)*-math.Expm1(-step)))
		values[i-1] = max(values[i-1], values[i]+left*math.Exp(at)*-math.Expm1(-step))
		if q := left - slope; q > 0 {
			atoms = append(atoms, pair.Atom{P: q * math.Exp(at), Q: q}, pair.Atom{P: q, Q: q * math.Exp(at)})
			rest -= q * (1 + math.Exp(at))
		}
		slope = left
	}
	if rest < 0 {
		// The profile leaves nothing at loss 0: what is missing shows that δ(0) is nearly 1.
		return pair.Atoms{{P: 1}, {Q: 1}}
	}
	return append(atoms, pair.Atom{P: rest, Q: rest})
}
