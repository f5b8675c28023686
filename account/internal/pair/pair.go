// Package pair describes dominating pairs. A pair is two distributions P and Q on the real line, or
// on finitely many outcomes. The pair dominates a mechanism if no output of the mechanism
// distinguishes neighbors better than one draw distinguishes P from Q. The privacy loss of an
// outcome x is log(P(x)/Q(x)).
//
// Pairs of a sequence of releases compose: losses add up, and each loss is drawn from its own P
// (Zhu, Dong & Wang, "Optimal Accounting of Differential Privacy via Characteristic Function",
// AISTATS 2022, theorem 10, https://arxiv.org/abs/2106.08567).
package pair

import (
	"math"

	"github.com/ditherml/dither/internal/special"
)

// Pair is a dominating pair in one direction. It is a Mixture, Atoms, Glued, a Choice or a
// BoundedRange.
type Pair interface{ pair() }

// Law is the distribution of additive noise.
type Law uint8

const (
	// Normal is normal noise. Its Scale is the standard deviation.
	Normal Law = iota + 1
	// Laplace is noise with density exp(-|x|/Scale)/(2·Scale).
	Laplace
)

// Component is one shifted copy of the noise in a mixture.
type Component struct{ Weight, Mean float64 }

// Mixture is a pair of mixtures of shifted copies of one noise distribution. In P and in Q, the
// weights are positive and sum to 1. The privacy loss must be monotone in x, rising or falling.
type Mixture struct {
	Law   Law
	Scale float64
	P, Q  []Component
}

// Atom is one outcome with its probabilities under P and under Q. Either probability may be 0.
type Atom struct{ P, Q float64 }

// Loss returns log(P/Q), even if the quotient overflows or underflows. It returns +Inf if Q is 0,
// and -Inf if P is 0.
func (a Atom) Loss() float64 {
	if r := a.P / a.Q; r > 0x1p-1000 && r < 0x1p1000 {
		return math.Log(r)
	}
	return special.Log(a.P) - special.Log(a.Q)
}

// Atoms is a pair on finitely many outcomes.
type Atoms []Atom

// Glued is the pair that combines two pairs. Losses above 0 are from the pair Above, and losses
// below 0 are from the pair Below. The remaining probability has loss 0.
type Glued struct{ Above, Below Pair }

// Choice is a pair that is drawn from several pairs. The draw is public. Each pair is drawn with
// its weight as probability, and the weights sum to 1. The losses of a Choice are the losses of the
// pairs, mixed by the weights (Zhu, Dong & Wang 2022, proposition 27).
type Choice []Weighted

// Weighted is one pair of a Choice with its weight.
type Weighted struct {
	Weight float64
	Pair   Pair
}

// BoundedRange is the pair whose profile is the largest profile of all mechanisms of bounded range
// Epsilon. The profile is H(e^a) = (1-e^((a-ε)/2))²/(1-e^-ε) for |a| ≤ ε. It is the maximum over t
// of the profiles with the losses t and t-ε. Under P the loss has the density
// e^((a-ε)/2)/(2·(1-e^-ε)) on [-ε, ε]. The pair is symmetric. For the family of profiles see Dong,
// Durfee & Rogers, "Optimal Differential Privacy Composition for Exponential Mechanisms", ICML
// 2020, lemma 3.4, https://arxiv.org/abs/1909.13830.
type BoundedRange struct{ Epsilon float64 }

func (Mixture) pair()      {}
func (Atoms) pair()        {}
func (Glued) pair()        {}
func (Choice) pair()       {}
func (BoundedRange) pair() {}

// Swap returns the pair (Q, P), which is the other direction.
func (m Mixture) Swap() Mixture { return Mixture{m.Law, m.Scale, m.Q, m.P} }

// Swap returns the pair (Q, P), which is the other direction.
func (a Atoms) Swap() Atoms {
	swapped := make(Atoms, len(a))
	for i, v := range a {
		swapped[i] = Atom{v.Q, v.P}
	}
	return swapped
}

// Shift returns the pair of a noise distribution that is shifted by 1, and the same distribution
// without a shift.
func Shift(l Law, scale float64) Mixture {
	return Mixture{l, scale, []Component{{1, 1}}, []Component{{1, 0}}}
}

// Sampled returns the pair of a release on a Poisson sample. A record joins the sample with
// probability q, 0 < q < 1, and then moves the output by 1. The pair is for the removal of the
// record. Swap gives the pair for its addition (Zhu, Dong & Wang 2022, theorem 11).
func Sampled(l Law, scale, q float64) Mixture {
	return Mixture{l, scale, []Component{{1 - q, 0}, {q, 1}}, []Component{{1, 0}}}
}

// SampledReplace returns the pair of a release on a Poisson sample under replace-one. A sampled
// record moves the output by 1, and its replacement moves it by -1. The pair is symmetric.
func SampledReplace(l Law, scale, q float64) Mixture {
	return Mixture{l, scale, []Component{{1 - q, 0}, {q, 1}}, []Component{{1 - q, 0}, {q, -1}}}
}
