package mechanism

import "github.com/ditherml/dither/privacy"

// RandomizedResponse is the release of one answer out of Outcomes. The true answer is released with
// probability 1-Probability. Otherwise an answer is drawn uniformly from all outcomes. There is a
// proof under replace-one. Under zero-out there is a proof if a missing record gives a uniform
// answer.
type RandomizedResponse struct {
	Probability float64
	Outcomes    int
}

// Exponential is a selection by the exponential mechanism. P(i) ∝ exp(Epsilon·score_i) if scores
// are monotone and move by at most 1, and P(i) ∝ exp(Epsilon·score_i/2) for other scores that move
// by at most 1. Its bounded range is Epsilon: between neighbors, the log ratio of any two
// candidates' probabilities moves by at most Epsilon (Dong, Durfee & Rogers, "Optimal Differential
// Privacy Composition for Exponential Mechanisms", ICML 2020, https://arxiv.org/abs/1909.13830).
// Under replace-one scores move twice as far.
type Exponential struct{ Epsilon float64 }

// PermuteAndFlip is a selection by the permute-and-flip mechanism, which equals report-noisy-max
// with exponential noise. Its cost is that of one Laplace release of scale 1/Epsilon (McKenna &
// Sheldon, "Permute-and-Flip", NeurIPS 2020, https://arxiv.org/abs/2010.12603; Ding, Kifer and
// others, "The Permute-and-Flip Mechanism is Identical to Report-Noisy-Max with Exponential Noise",
// 2021, https://arxiv.org/abs/2105.07260).
type PermuteAndFlip struct{ Epsilon float64 }

// AssumedDP is a release of another program, assumed to be (Epsilon, Delta)-differentially private
// under Neighboring. This module cannot check the assumption.
type AssumedDP struct {
	Epsilon, Delta float64
	Neighboring    privacy.Neighboring
}

// AssumedZCDP is a release of another program, assumed to be Rho-zero-concentrated differentially
// private under Neighboring. This module cannot check the assumption.
type AssumedZCDP struct {
	Rho         float64
	Neighboring privacy.Neighboring
}

// String returns text such as "randomized-response(0.5, 2)": probability, outcomes.
func (r RandomizedResponse) String() string {
	return call("randomized-response", r.Probability, r.Outcomes)
}

// String returns text such as "exponential(0.5)".
func (e Exponential) String() string { return call("exponential", e.Epsilon) }

// String returns text such as "permute-and-flip(0.5)".
func (p PermuteAndFlip) String() string { return call("permute-and-flip", p.Epsilon) }

// String returns text such as "assumed-dp(0.5, 1e-06, add-or-remove-one)".
func (a AssumedDP) String() string { return call("assumed-dp", a.Epsilon, a.Delta, a.Neighboring) }

// String returns text such as "assumed-zcdp(0.1, add-or-remove-one)".
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
