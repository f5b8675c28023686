package account

import (
	"math"
	"slices"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/account/internal/pld"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// composition is an event as dominating pairs, in one direction or both.
type composition struct {
	open       bool // something is released without protection
	beyond     bool // losses are so large that only ε = +Inf is answered
	loose      bool // some pair dominates without being attained: rdp may be less, and lower bounds prove nothing
	above      bool // some pair lies above the attained one by design: lower bounds prove nothing
	bracketed  bool // some pair has another pair for lower bounds: see pairsBelow
	many       bool // releases of similar parameters count as the most expensive of them
	gaussian   bool // Gaussian releases alone, of parameter mu
	mu         float64
	large      float64 // at least the probability that a loss is infinite in the pairs and large in truth
	directions [][]pld.Term
}

// steps returns the number of releases.
func (c composition) steps() float64 {
	sum := 0.0
	for _, t := range c.directions[0] {
		sum += float64(t.Count)
	}
	return sum
}

// compose returns an event as dominating pairs; all Gaussian releases are one.
func compose(e mechanism.Event, n privacy.Neighboring) (composition, error) {
	return composeOf(e, n, pairsOf)
}

// composeOf returns compose with the pairs of simple events that pairsFor returns.
func composeOf(e mechanism.Event, n privacy.Neighboring, pairsFor func(mechanism.Event, privacy.Neighboring) (directions, error)) (composition, error) {
	all, err := terms(e, n)
	if err != nil {
		return composition{}, err
	}
	var c composition
	all, c.many = gather(all, true)
	c.above = c.many
	var remove, add []pld.Term
	var large pair.Disclosure
	square, symmetric := 0.0, true
	for _, t := range all {
		if disclosesAll(t.event) {
			return composition{open: true}, nil
		}
		if g, ok := t.event.(mechanism.Gaussian); ok {
			square += muSquareOf(g, t.count)
			continue
		}
		switch t.event.(type) {
		case mechanism.Exponential, mechanism.ObjectivePerturbation:
			c.loose = true
		case mechanism.TruncatedPoisson, mechanism.JLClipping:
			c.above = true
		case mechanism.RandomAllocation:
			c.bracketed = true
		}
		if smallNoise(t.event) {
			c.beyond = true
			continue
		}
		pairs, failed := pairsFor(t.event, n)
		if failed != nil {
			return composition{}, failed
		}
		if _, disclosed := t.event.(mechanism.AssumedDP); !disclosed { // the part left out has a large loss, not an infinite one
			_, one := pair.Infinite(pairs.remove)
			_, other := pair.Infinite(pairs.add)
			large.Add(max(one, other), t.count)
		}
		remove = append(remove, pld.Term{Pair: pairs.remove, Count: int64(t.count)})
		add = append(add, pld.Term{Pair: pairs.add, Count: int64(t.count)})
		symmetric = symmetric && pairs.symmetric
	}
	c.mu, c.gaussian = n.Movement()*math.Sqrt(square)*(1+muError), len(remove) == 0
	if c.gaussian = c.gaussian && !c.beyond; c.mu > maxMu && !c.gaussian {
		c.beyond = true
	}
	if square > 0 && !c.gaussian {
		g := pld.Term{Pair: pair.Shift(pair.Normal, 1/c.mu), Count: 1}
		remove, add = append(remove, g), append(add, g)
	}
	_, c.large = large.Bounds()
	c.directions = [][]pld.Term{remove}
	if !symmetric {
		c.directions = append(c.directions, add)
	}
	return c, nil
}

// leastNoise is the noise multiplier below which a release is priced at +Inf: its losses exceed
// 1e6.
const leastNoise = 1e-3

// largestLogOdds is the largest ε of a statement on trust at which e^ε and the smaller probability
// 1/(1+e^ε) are numbers.
const largestLogOdds = 709

// smallNoise reports whether a simple event has too little noise for its losses to be held.
func smallNoise(e mechanism.Event) bool {
	switch e := e.(type) {
	case mechanism.Gaussian:
		return e.NoiseMultiplier < leastNoise
	case mechanism.Laplace:
		return e.NoiseMultiplier < leastNoise*leastNoise
	case mechanism.DiscreteGaussian:
		return e.StandardDeviation < leastNoise*float64(e.Sensitivity)
	case mechanism.DiscreteLaplace:
		return e.Scale < leastNoise*leastNoise*float64(e.Sensitivity)
	case mechanism.PoissonSampled:
		return smallNoise(e.Event)
	case mechanism.WithoutReplacement:
		return smallNoise(e.Event)
	case mechanism.RandomAllocation:
		return smallNoise(e.Event)
	case mechanism.WithReplacement:
		return smallNoise(mechanism.Gaussian{NoiseMultiplier: multiplierOf(e.Event) / float64(e.Batch)})
	case mechanism.TruncatedPoisson:
		return smallNoise(e.Event)
	case mechanism.JLClipping:
		return e.NoiseMultiplier < leastNoise*e.Cap
	case mechanism.MixtureOfGaussians:
		return e.NoiseMultiplier < leastNoise*slices.Max(e.Sensitivities)
	case mechanism.ObjectivePerturbation:
		return e.NoiseMultiplier < leastNoise
	case mechanism.AssumedDP:
		return e.Epsilon > largestLogOdds
	case mechanism.Exponential:
		return e.Epsilon > 1/(leastNoise*leastNoise)
	}
	return false
}

// multiplierOf returns the noise multiplier of a Gaussian release, +Inf for others.
func multiplierOf(e mechanism.Event) float64 {
	if g, ok := e.(mechanism.Gaussian); ok {
		return g.NoiseMultiplier
	}
	return math.Inf(1)
}

// disclosesAll reports whether a simple event is a release without protection, sampled or not.
func disclosesAll(e mechanism.Event) bool {
	switch e := e.(type) {
	case mechanism.NonPrivate:
		return true
	case mechanism.PoissonSampled:
		return disclosesAll(e.Event)
	case mechanism.WithoutReplacement:
		return disclosesAll(e.Event)
	case mechanism.TruncatedPoisson:
		return disclosesAll(e.Event)
	}
	return false
}
