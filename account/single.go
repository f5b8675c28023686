package account

import (
	"cmp"
	"math"
	"slices"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// single returns an upper bound on ε of one simple event at a δ in [0, 1).
func single(e mechanism.Event, delta float64, n privacy.Neighboring) (float64, error) {
	at, err := singleEpsilon(e, n)
	if err != nil {
		return 0, err
	}
	return at(delta), nil
}

// singleEpsilon returns ε of one simple event as a function of δ. It is exact where there is a
// closed form or finitely many outcomes. For samples it comes from amplification, otherwise from
// Rényi divergences. It does not rise in δ, and is +Inf where there is no ε.
func singleEpsilon(e mechanism.Event, n privacy.Neighboring) (func(delta float64) float64, error) {
	if disclosesAll(e) {
		return func(float64) float64 { return math.Inf(1) }, nil
	}
	move := n.Movement()
	switch e := e.(type) {
	case mechanism.Gaussian:
		mu := move / e.NoiseMultiplier * (1 + muError)
		return func(delta float64) float64 { return epsilonOf(mu, delta) }, nil
	case mechanism.Laplace:
		// δ(ε) = 1 - e^((ε-ε0)/2) for ε ≤ ε0, the loss at its largest.
		top := move / e.NoiseMultiplier
		return func(delta float64) float64 { return max(0, top+2*math.Log1p(-delta)*(1-1e-15)) * (1 + 1e-15) }, nil
	case mechanism.Exponential:
		return boundedRangeEpsilon(e.Epsilon * move), nil
	case mechanism.AssumedDP:
		return assumedEpsilon(e), nil
	case mechanism.AssumedZCDP:
		return func(delta float64) float64 { return rhoEpsilon(e.Rho, delta) }, nil
	case mechanism.AssumedXiZCDP: // the bound by ρ alone at an order grows by ξ
		return func(delta float64) float64 { return (e.Xi + rhoEpsilon(e.Rho, delta)) * (1 + 1e-15) }, nil
	case mechanism.DiscreteGaussian:
		return discreteEpsilon(e, n)
	case mechanism.PoissonSampled:
		if n != privacy.ReplaceOne {
			return amplified(e.Event, e.Probability, n)
		}
	case mechanism.WithoutReplacement:
		return amplified(e.Event, float64(e.Batch)/float64(e.Records), n)
	}
	return pairEpsilon(e, n)
}

// assumedEpsilon returns ε of (ε, δ)-differential privacy at a larger δ' than its own. Apart from
// the disclosure with probability δ, the loss is ±ε, and (1-δ)(e^ε - e^ε')/(1+e^ε) of it is above
// ε'.
func assumedEpsilon(e mechanism.AssumedDP) func(delta float64) float64 {
	return func(delta float64) float64 {
		switch {
		case delta < e.Delta || e.Delta == 1:
			return math.Inf(1)
		case delta == e.Delta:
			return e.Epsilon
		}
		rest := (delta - e.Delta) / (1 - e.Delta) * (1 - 1e-15) // with the sum and the product below, six roundings
		if v := math.Log1p(-rest*(1+math.Exp(-e.Epsilon)))*(1-1e-15) + 1e-15; v > -e.Epsilon {
			return min(e.Epsilon, (e.Epsilon+v)*(1+1e-15))
		}
		return 0
	}
}

// boundedRangeEpsilon returns the inverse of δ(a) = (1-e^((a-ε)/2))²/(1-e^-ε), the largest profile
// of all mechanisms of bounded range ε (see pair.BoundedRange).
func boundedRangeEpsilon(epsilon float64) func(delta float64) float64 {
	return func(delta float64) float64 {
		root := math.Sqrt(delta*-math.Expm1(-epsilon)) * (1 - 1e-15) // near 1 its three roundings would grow
		return max(0, epsilon+2*math.Log1p(-root)*(1-1e-15)) * (1 + 1e-15)
	}
}

// discreteEpsilon returns the smaller of the bounds that the outcomes and ρ prove. Outcomes too
// rare for float64 are left to ρ.
func discreteEpsilon(e mechanism.DiscreteGaussian, n privacy.Neighboring) (func(delta float64) float64, error) {
	rho, err := rhoOf(e, n)
	if err != nil {
		return nil, err
	}
	outcomes, err := pairEpsilon(e, n)
	return func(delta float64) float64 {
		least := rhoEpsilon(rho*(1+rhoError), delta)
		if err == nil && delta > 1e-290 {
			least = min(least, outcomes(delta))
		}
		return least
	}, nil
}

// amplified returns the ε that a sample of probability q has for an event: log(1 + q(e^ε-1)) at q·δ
// where the event is (ε, δ)-differentially private. It is for Poisson samples under
// add-or-remove-one and zero-out, and for batches of fixed size under replace-one. It is exact for
// the removal of a record. Balle, Barthe & Gaboardi, "Privacy Amplification by Subsampling",
// NeurIPS 2018, theorems 8 and 9, https://arxiv.org/abs/1807.01647.
func amplified(e mechanism.Event, q float64, n privacy.Neighboring) (func(delta float64) float64, error) {
	inner, err := singleEpsilon(e, n)
	if err != nil {
		return nil, err
	}
	return func(delta float64) float64 {
		if delta >= q {
			return 0
		}
		return sampleEpsilon(inner(delta/q*(1-1e-15)), q) * (1 + 1e-15)
	}, nil
}

// sampleEpsilon returns log(1 + q(e^ε-1)), without overflow. It errs upward, by at most a relative
// 8 units of 2^-53.
func sampleEpsilon(epsilon, q float64) float64 {
	if epsilon > 700 { // the sum has less than the rounding of its two parts
		return epsilon + math.Log(q+(1-q)*math.Exp(-epsilon)) + 1e-15*epsilon
	}
	return math.Log1p(q * math.Expm1(epsilon))
}

// pairEpsilon returns the inverse of the profile of the dominating pairs, in the larger direction.
// Where there are no pairs, or none with a profile, it converts Rényi divergences or ρ.
func pairEpsilon(e mechanism.Event, n privacy.Neighboring) (func(delta float64) float64, error) {
	pairs, err := pairsOf(e, n)
	if err != nil {
		return divergenceEpsilon(e, n)
	}
	remove, finite := pairs.remove.(pair.Atoms)
	add, finiteAdd := pairs.add.(pair.Atoms)
	if finite && finiteAdd {
		one, other := atomsEpsilon(remove), atomsEpsilon(add)
		return func(delta float64) float64 { return max(one(delta), other(delta)) }, nil
	}
	_, _, unknown := pair.Profile(pairs.remove, 1)
	_, _, unknownAdd := pair.Profile(pairs.add, 1)
	if unknown != nil || unknownAdd != nil {
		return divergenceEpsilon(e, n)
	}
	return func(delta float64) float64 { return profileEpsilon(pairs, delta) }, nil
}

// divergenceEpsilon converts the Rényi divergences of one event, or its ρ where these are unknown.
func divergenceEpsilon(e mechanism.Event, n privacy.Neighboring) (func(delta float64) float64, error) {
	curve, disclosed, err := RDP{}.curve([]term{{e, 1}}, n, momentStride, newMoments())
	if err == nil && disclosed == 0 {
		return func(delta float64) float64 {
			epsilon, _ := RDP{}.convert(curve, delta)
			return epsilon
		}, nil
	}
	rho, failed := rhoOf(e, n)
	if failed != nil {
		return nil, unsupported("basic", e)
	}
	return func(delta float64) float64 { return rhoEpsilon(rho*(1+rhoError), delta) }, nil
}

// profileEpsilon returns the inverse of the profile of pairs whose losses have no largest one. It
// errs upward, by a relative error of at most 1e-12. For probabilities too small for float64 only
// their largest loss is known.
func profileEpsilon(pairs directions, delta float64) float64 {
	const top = 600 // beyond it e^ε·Q loses its meaning
	if delta < 1e-290 {
		return largestLoss(pairs)
	}
	excess := func(epsilon float64) float64 {
		v, bound, err := pair.Profile(pairs.remove, epsilon)
		if !pairs.symmetric && err == nil {
			var w, wide float64
			w, wide, err = pair.Profile(pairs.add, epsilon)
			v, bound = max(v, w), max(bound, wide)
		}
		if err != nil {
			return math.Inf(1)
		}
		return math.Log((v + bound) / delta)
	}
	low, high := 0.0, 1.0
	if excess(0) <= 0 {
		return 0
	}
	for !(excess(high) <= 0) {
		if low, high = high, 2*high; high > top {
			return math.Inf(1)
		}
	}
	return crossing(low, high, 1e-12, excess)
}

// atomsEpsilon returns the inverse of the profile δ(ε) = max Σ P - e^ε·Σ Q over sets of outcomes.
// The outcomes of the largest losses are enough: ε is their largest log((Σ P - δ)/ΣQ).
// Probabilities are taken as correct to a relative atomError.
func atomsEpsilon(a pair.Atoms) func(delta float64) float64 {
	const atomError = 1e-12
	sorted := slices.DeleteFunc(slices.Clone(a), func(v pair.Atom) bool { return v.P == 0 })
	slices.SortFunc(sorted, func(v, w pair.Atom) int { return cmp.Compare(v.Q/v.P, w.Q/w.P) })
	return func(delta float64) float64 {
		p, q, highest := 0.0, 0.0, 0.0
		for _, v := range sorted {
			p, q = p+v.P, q+v.Q
			if rest := p - delta + atomError*p; rest > highest*q {
				highest = rest / q
			}
		}
		if highest <= 1 {
			return 0
		}
		return math.Log(highest) + atomError
	}
}
