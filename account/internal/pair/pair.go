// Package pair describes dominating pairs: two distributions P and Q on the real line, or on
// finitely many outcomes. A mechanism's outputs tell no pair of neighbors apart better than a draw
// from P is told from a draw from Q. The privacy loss of an outcome x is log(P(x)/Q(x)). Pairs of a
// sequence of releases compose: losses add up, each drawn from its own P (Zhu, Dong & Wang,
// "Optimal Accounting of Differential Privacy via Characteristic Function", AISTATS 2022, theorem
// 10, https://arxiv.org/abs/2106.08567).
package pair

import (
	"math"

	"github.com/ditherml/dither/internal/special"
)

// Pair is a dominating pair in one direction: a Mixture, Atoms, Glued, a Choice or BoundedRange.
type Pair interface{ pair() }

// Law is the distribution of additive noise.
type Law uint8

const (
	// Normal is normal noise; Scale is its standard deviation.
	Normal Law = iota + 1
	// Laplace is noise of density exp(-|x|/Scale)/(2·Scale).
	Laplace
)

// Component is one shifted copy of the noise in a mixture.
type Component struct{ Weight, Mean float64 }

// Mixture is a pair of mixtures of shifted copies of one distribution. Weights are positive and sum
// to 1 in P and in Q; the privacy loss must be monotone in x, rising or falling.
type Mixture struct {
	Law   Law
	Scale float64
	P, Q  []Component
}

// Atom is one outcome and its probability under P and under Q. Either may be 0.
type Atom struct{ P, Q float64 }

// Loss returns log(P/Q), even where the quotient is no normal number: +Inf where Q is 0, -Inf where
// P is 0.
func (a Atom) Loss() float64 {
	if r := a.P / a.Q; r > 0x1p-1000 && r < 0x1p1000 {
		return math.Log(r)
	}
	return special.Log(a.P) - special.Log(a.Q)
}

// Atoms is a pair on finitely many outcomes.
type Atoms []Atom

// Glued is the pair that has the losses above 0 of Above and the losses below 0 of Below. The
// remaining probability has loss 0.
type Glued struct{ Above, Below Pair }

// Choice is a pair drawn in public from several, each with its weight; weights sum to 1. Its losses
// are the losses of the pairs, mixed by the weights (Zhu, Dong & Wang 2022, proposition 27).
type Choice []Weighted

// Weighted is one pair of a Choice.
type Weighted struct {
	Weight float64
	Pair   Pair
}

// BoundedRange is the pair whose profile is the largest of all mechanisms of bounded range Epsilon.
// The profile is H(e^a) = (1-e^((a-ε)/2))²/(1-e^-ε) for |a| ≤ ε, the maximum over t of the profiles
// with the losses t and t-ε. Its loss has the density e^((a-ε)/2)/(2·(1-e^-ε)) under P on [-ε, ε].
// It is symmetric. (Dong, Durfee & Rogers, "Optimal Differential Privacy Composition for
// Exponential Mechanisms", ICML 2020, lemma 3.4, https://arxiv.org/abs/1909.13830, for the family.)
type BoundedRange struct{ Epsilon float64 }

func (Mixture) pair()      {}
func (Atoms) pair()        {}
func (Glued) pair()        {}
func (Choice) pair()       {}
func (BoundedRange) pair() {}

// Swap returns the pair (Q, P), the other direction.
func (m Mixture) Swap() Mixture { return Mixture{m.Law, m.Scale, m.Q, m.P} }

// Swap returns the pair (Q, P), the other direction.
func (a Atoms) Swap() Atoms {
	swapped := make(Atoms, len(a))
	for i, v := range a {
		swapped[i] = Atom{v.Q, v.P}
	}
	return swapped
}

// Shift returns the pair of a distribution shifted by 1 against the same distribution unshifted.
func Shift(l Law, scale float64) Mixture {
	return Mixture{l, scale, []Component{{1, 1}}, []Component{{1, 0}}}
}

// Sampled returns the pair of a Poisson sample that a record joins with probability q, 0 < q < 1,
// and then moves the output by 1. It is the direction in which the record is removed; Swap gives
// the direction in which it is added (Zhu, Dong & Wang 2022, theorem 11).
func Sampled(l Law, scale, q float64) Mixture {
	return Mixture{l, scale, []Component{{1 - q, 0}, {q, 1}}, []Component{{1, 0}}}
}

// SampledReplace returns the pair of a Poisson sample under replace-one, where the record
// moves the output by 1 and its replacement by -1. It is symmetric.
func SampledReplace(l Law, scale, q float64) Mixture {
	return Mixture{l, scale, []Component{{1 - q, 0}, {q, 1}}, []Component{{1 - q, 0}, {q, -1}}}
}
