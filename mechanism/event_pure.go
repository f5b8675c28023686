package mechanism

import "github.com/ditherml/dither/privacy"

// RandomizedResponse is the release of a record's answer to a question. The field Outcomes is the
// number of possible answers. The true answer is released with probability 1-Probability. Otherwise
// an answer is drawn uniformly from all possible answers. The cost has a proof under replace-one.
// Under zero-out it has a proof if the answer of a zeroed-out record is drawn uniformly.
type RandomizedResponse struct {
	// Probability is the probability that the released answer is drawn uniformly.
	Probability float64
	// Outcomes is the number of possible answers.
	Outcomes int
}

// Exponential is a selection by the exponential mechanism, for scores that one record changes by at
// most 1. Scores are monotone if an added record never lowers a score, or never raises one. For
// monotone scores candidate i has probability ∝ exp(Epsilon·score_i). For other scores its
// probability is ∝ exp(Epsilon·score_i/2). The mechanism has a bounded range of Epsilon. This means
// that between neighbors, the log ratio of any two candidates' probabilities changes by at most
// Epsilon (Dong, Durfee & Rogers, "Optimal Differential Privacy Composition for Exponential
// Mechanisms", ICML 2020, https://arxiv.org/abs/1909.13830). Under replace-one, scores change by up
// to twice as much, and accountants take this into account.
type Exponential struct{ Epsilon float64 }

// PermuteAndFlip is a selection by the permute-and-flip mechanism, which equals report-noisy-max
// with exponential noise. It costs as much as one Laplace release with the noise multiplier
// 1/Epsilon (McKenna & Sheldon, "Permute-and-Flip", NeurIPS 2020, https://arxiv.org/abs/2010.12603;
// Ding, Kifer and others, "The Permute-and-Flip Mechanism is Identical to Report-Noisy-Max with
// Exponential Noise", 2021, https://arxiv.org/abs/2105.07260).
type PermuteAndFlip struct{ Epsilon float64 }

// AssumedDP is a release of another program, assumed to be (Epsilon, Delta)-differentially private
// under Neighboring. This module cannot check the assumption.
type AssumedDP struct {
	// Epsilon, in nats, and Delta are the assumed privacy parameters.
	Epsilon, Delta float64
	// Neighboring is the relation under which the assumption holds.
	Neighboring privacy.Neighboring
}

// AssumedZCDP is a release of another program, assumed to be Rho-zero-concentrated differentially
// private under Neighboring. This module cannot check the assumption.
type AssumedZCDP struct {
	// Rho is the assumed parameter ρ of zero-concentrated differential privacy.
	Rho float64
	// Neighboring is the relation under which the assumption holds.
	Neighboring privacy.Neighboring
}

// String returns text such as "randomized-response(0.5, 2)". The arguments are the probability and
// the number of possible answers.
func (r RandomizedResponse) String() string {
	return call("randomized-response", r.Probability, r.Outcomes)
}

// String returns text such as "exponential(0.5)". The argument is epsilon.
func (e Exponential) String() string { return call("exponential", e.Epsilon) }

// String returns text such as "permute-and-flip(0.5)". The argument is epsilon.
func (p PermuteAndFlip) String() string { return call("permute-and-flip", p.Epsilon) }

// String returns text such as "assumed-dp(0.5, 1e-06, add-or-remove-one)". The arguments are
// epsilon, delta and the relation.
func (a AssumedDP) String() string { return call("assumed-dp", a.Epsilon, a.Delta, a.Neighboring) }

// String returns text such as "assumed-zcdp(0.1, add-or-remove-one)". The arguments are ρ and the
// relation.
func (a AssumedZCDP) String() string { return call("assumed-zcdp", a.Rho, a.Neighboring) }

func (r RandomizedResponse) check() error {
	if !(r.Probability >= 0 && r.Probability <= 1) {
		return wrong("probability", r, r.Probability, "0 to 1")
	}
	if r.Outcomes < 2 {
		return wrong("number of outcomes", r, r.Outcomes, "at least 2")
	}
	return nil
}

func (e Exponential) check() error    { return checkEpsilon(e, e.Epsilon) }
func (p PermuteAndFlip) check() error { return checkEpsilon(p, p.Epsilon) }

func checkEpsilon(e Event, epsilon float64) error {
	if !(epsilon >= 0) || epsilon > maxShape {
		return wrong("epsilon", e, epsilon, "0 or more and finite")
	}
	return nil
}

func (a AssumedDP) check() error {
	if !(a.Delta >= 0 && a.Delta <= 1) {
		return wrong("delta", a, a.Delta, "0 to 1")
	}
	if !a.Neighboring.Valid() {
		return wrong("relation", a, a.Neighboring, "a named relation")
	}
	return checkEpsilon(a, a.Epsilon)
}

func (a AssumedZCDP) check() error {
	if !(a.Rho >= 0) || a.Rho > maxShape {
		return wrong("rho", a, a.Rho, "0 or more and finite")
	}
	if !a.Neighboring.Valid() {
		return wrong("relation", a, a.Neighboring, "a named relation")
	}
	return nil
}

func (RandomizedResponse) unproved(n privacy.Neighboring) string {
	return onlyUnder(n, privacy.ReplaceOne, privacy.ZeroOut)
}

func (Exponential) unproved(privacy.Neighboring) string     { return "" }
func (PermuteAndFlip) unproved(privacy.Neighboring) string  { return "" }
func (a AssumedDP) unproved(n privacy.Neighboring) string   { return onlyUnder(n, a.Neighboring) }
func (a AssumedZCDP) unproved(n privacy.Neighboring) string { return onlyUnder(n, a.Neighboring) }

func (RandomizedResponse) parts() []Event { return nil }
func (Exponential) parts() []Event        { return nil }
func (PermuteAndFlip) parts() []Event     { return nil }
func (AssumedDP) parts() []Event          { return nil }
func (AssumedZCDP) parts() []Event        { return nil }
