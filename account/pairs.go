package account

import (
	"math"

	"github.com/ditherml/dither/account/internal/allocation"
	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// directions are the dominating pairs of one simple event. remove compares the neighbor with the
// record to the one without, and add the other way round. Both are the same pair where the event is
// symmetric.
type directions struct {
	remove, add pair.Pair
	symmetric   bool
}

func symmetric(p pair.Pair) directions { return directions{p, p, true} }

func bothWays(p pair.Mixture) directions { return directions{p, p.Swap(), false} }

// maxAtoms bounds the number of outcomes of a discrete distribution that is listed.
const maxAtoms = 1 << 20

// pairsOf returns the dominating pairs of a simple event other than NonPrivate, or an error where
// no pair is proved. Sources: Zhu, Dong & Wang 2022 (package pair), and for each case its comment.
func pairsOf(e mechanism.Event, n privacy.Neighboring) (directions, error) {
	move := n.Movement()
	switch e := e.(type) {
	case mechanism.Gaussian:
		return symmetric(pair.Shift(pair.Normal, e.NoiseMultiplier/move)), nil
	case mechanism.Laplace:
		return symmetric(pair.Shift(pair.Laplace, e.NoiseMultiplier/move)), nil
	case mechanism.DiscreteGaussian:
		if !writable(e, move) {
			return directions{}, unsupported("pld", e)
		}
		return discreteGaussian(e, int64(move))
	case mechanism.DiscreteLaplace:
		if !writable(e, move) {
			return directions{}, unsupported("pld", e)
		}
		return discreteLaplace(e, int64(move)), nil
	case mechanism.AssumedDP:
		return symmetric(approximate(e.Epsilon, e.Delta)), nil
	case mechanism.Exponential:
		return symmetric(pair.BoundedRange{Epsilon: e.Epsilon * move}), nil
	case mechanism.RandomizedResponse:
		return randomizedResponse(e, n), nil
	case mechanism.MixtureOfGaussians:
		return mixtureOfGaussians(e), nil
	case mechanism.ObjectivePerturbation:
		return objectivePerturbation(e), nil
	}
	return sampledPairs(e, n)
}

// sampledPairs returns the pairs of events on samples.
func sampledPairs(e mechanism.Event, n privacy.Neighboring) (directions, error) {
	switch e := e.(type) {
	case mechanism.PoissonSampled:
		switch inner := e.Event.(type) {
		case mechanism.Gaussian:
			return poisson(pair.Normal, inner.NoiseMultiplier, e.Probability, n), nil
		case mechanism.Laplace:
			return poisson(pair.Laplace, inner.NoiseMultiplier, e.Probability, n), nil
		case mechanism.DiscreteGaussian:
			if writable(inner, n.Movement()) {
				return poissonDiscreteGaussian(e, inner, n)
			}
		case mechanism.DiscreteLaplace:
			if writable(inner, n.Movement()) {
				return poissonDiscreteLaplace(e, inner, n)
			}
		}
	case mechanism.WithoutReplacement:
		if inner, ok := e.Event.(mechanism.Gaussian); ok {
			// The batch with the record replaced moves by two bounds (proposition 30).
			up := pair.Sampled(pair.Normal, inner.NoiseMultiplier/2, float64(e.Batch)/float64(e.Records))
			return symmetric(pair.Glued{Above: up, Below: up.Swap()}), nil
		}
	case mechanism.WithReplacement:
		if inner, ok := e.Event.(mechanism.Gaussian); ok {
			return withReplacement(e, inner.NoiseMultiplier), nil
		}
	case mechanism.TruncatedPoisson:
		if inner, ok := e.Event.(mechanism.Gaussian); ok {
			return truncatedPoisson(e, inner.NoiseMultiplier, n), nil
		}
	case mechanism.RandomAllocation:
		return allocationPairs(e, n, allocation.Upper)
	case mechanism.JLClipping:
		return jlClipping(e), nil
	}
	return directions{}, unsupported("pld", e)
}

// writable reports whether the probabilities of discrete noise, moved and not, are normal float64
// numbers wherever one of them is above 1e-20. Then no probability counts as 0 against the other.
// Laplace noise has losses of at most 690 there. Gaussian noise moves by at most 25 standard
// deviations, and e^(-(25+9.6)²/2) is above 1e-261.
func writable(e mechanism.Event, move float64) bool {
	switch e := e.(type) {
	case mechanism.DiscreteLaplace:
		return float64(e.Sensitivity)*move/e.Scale <= 690
	case mechanism.DiscreteGaussian:
		return float64(e.Sensitivity)*move/e.StandardDeviation <= 25
	}
	return true
}

// poisson returns the pairs of a Poisson sample: Zhu, Dong & Wang 2022, theorem 11. Under
// replace-one it is the pair in which the record and its replacement move the sum in opposite
// directions. For numbers the proof is in pairs_discrete.go.
func poisson(l pair.Law, scale, q float64, n privacy.Neighboring) directions {
	if n == privacy.ReplaceOne {
		return symmetric(pair.SampledReplace(l, scale, q))
	}
	return bothWays(pair.Sampled(l, scale, q))
}

// approximate returns the pair of (ε, δ)-differential privacy (Kairouz, Oh & Viswanath, "The
// Composition Theorem for Differential Privacy", ICML 2015, theorem 3.1,
// https://arxiv.org/abs/1311.0776).
func approximate(epsilon, delta float64) pair.Atoms {
	large, small := 1/(1+math.Exp(-epsilon)), 1/(1+math.Exp(epsilon))
	atoms := pair.Atoms{{P: (1 - delta) * large, Q: (1 - delta) * small}, {P: (1 - delta) * small, Q: (1 - delta) * large}}
	if delta > 0 {
		atoms = append(atoms, pair.Atom{P: delta}, pair.Atom{Q: delta})
	}
	return atoms
}

// discreteGaussian returns the lattice as atoms: P centered at the sensitivity, Q at 0. Where P is
// positive and Q is below 1e-308, which float64 cannot hold, the outcome counts as disclosed.
func discreteGaussian(e mechanism.DiscreteGaussian, move int64) (directions, error) {
	s := float64(e.Sensitivity * move)
	mass, reach := normalMasses(e.StandardDeviation)
	if reach+s > maxAtoms/2 {
		return directions{}, unsupported("pld", e)
	}
	atoms := pair.Atoms{}
	for x := -reach; x <= reach+s; x++ {
		a := pair.Atom{P: mass(x - s), Q: mass(x)}
		if a.P > 0 || a.Q > 0 {
			atoms = append(atoms, a)
		}
	}
	// The tails have all losses, also very rare ones. They count as disclosed with this
	// probability.
	const tail = 1e-300
	return symmetric(append(atoms, pair.Atom{P: tail}, pair.Atom{Q: tail})), nil
}

// normalMasses returns the probabilities of integers under the discrete normal distribution of a
// standard deviation, and how far out they are listed. Each is right to 10 units of 2^-53 of itself
// where it is a normal number. Beyond the list the probability is below 1e-300.
//
// decay errs by 3 units. The sum of decays errs by as many and 3, since rounding is added back. The
// quotient errs by 1.
func normalMasses(sigma float64) (mass func(x float64) float64, reach float64) {
	square := sigma * sigma
	low := math.FMA(sigma, sigma, -square)
	if reach = math.Ceil(38*sigma) + 1; reach > maxAtoms {
		return nil, reach
	}
	total, lost := 1.0, 0.0
	for x := 1.0; x <= reach; x++ {
		v := 2 * decay(x*x, 2*square, 2*low)
		sum := total + v // v is no more than total
		lost += (total - sum) + v
		total = sum
	}
	total += lost
	return func(x float64) float64 { return decay(x*x, 2*square, 2*low) / total }, reach
}

// decay returns e^(-a/(b+c)) for c of at most 2^-53 of b, to 3 units of 2^-53 of itself. Rounding a
// quotient of about 700 would cost hundreds of units.
func decay(a, b, c float64) float64 {
	v := a / b
	rest := (math.FMA(-v, b, a) - v*c) / b
	return math.Exp(-v) * (1 - rest)
}

// discreteLaplace returns the outcomes by their loss. With ρ = e^(-1/scale) all x ≤ 0 share one
// loss and all x ≥ s the opposite one. A sensitivity beyond maxAtoms is priced as pure differential
// privacy of s/scale, which holds.
func discreteLaplace(e mechanism.DiscreteLaplace, move int64) directions {
	s := e.Sensitivity * move
	if s > maxAtoms {
		return symmetric(approximate(float64(s)/e.Scale, 0))
	}
	// (1-ρ)/(1+ρ), and 1/(1+ρ).
	unit, end := math.Tanh(1/(2*e.Scale)), 1/(1+math.Exp(-1/e.Scale))
	power := func(k int64) float64 { return decay(float64(k), e.Scale, 0) }
	far := power(s) * end
	atoms := pair.Atoms{{P: far, Q: end}}
	for x := int64(1); x < s; x++ {
		atoms = append(atoms, pair.Atom{P: unit * power(s-x), Q: unit * power(x)})
	}
	return symmetric(append(atoms, pair.Atom{P: end, Q: far}))
}

// randomizedResponse returns the pair of two answers under replace-one, and of an answer and a
// uniform one under zero-out.
func randomizedResponse(e mechanism.RandomizedResponse, n privacy.Neighboring) directions {
	k := float64(e.Outcomes)
	other := e.Probability / k
	own := 1 - e.Probability + other
	if n == privacy.ReplaceOne {
		atoms := pair.Atoms{{P: own, Q: other}, {P: other, Q: own}}
		if e.Outcomes > 2 {
			atoms = append(atoms, pair.Atom{P: (k - 2) * other, Q: (k - 2) * other})
		}
		return symmetric(atoms)
	}
	atoms := pair.Atoms{{P: own, Q: 1 / k}, {P: (k - 1) * other, Q: (k - 1) / k}}
	return directions{atoms, atoms.Swap(), false}
}

func mixtureOfGaussians(e mechanism.MixtureOfGaussians) directions {
	m := pair.Mixture{Law: pair.Normal, Scale: e.NoiseMultiplier, Q: []pair.Component{{Weight: 1, Mean: 0}}}
	total := 0.0
	for _, p := range e.Probabilities {
		total += p
	}
	for i, s := range e.Sensitivities {
		if p := e.Probabilities[i]; p > 0 {
			m.P = append(m.P, pair.Component{Weight: p / total, Mean: s})
		}
	}
	return bothWays(m)
}
