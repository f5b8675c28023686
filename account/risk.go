package account

import "math"

// Risk says what a guarantee means for one protected record, against the best attacker who knows
// all other records and the method. All are upper bounds.
type Risk struct {
	// Epsilon, in nats, and Delta are the guarantee.
	Epsilon, Delta float64
	// TruePositiveAt1 and TruePositiveAt01 are how often attackers find out that a record was in
	// the data. They say so wrongly of 1 % and of 0.1 % of the records that were not.
	TruePositiveAt1, TruePositiveAt01 float64
	// Advantage is the largest rate of true positives less that of false positives: how far
	// the output helps beyond guessing, on a scale from 0 to 1.
	Advantage float64
	// BayesFactor is e^ε: how far the odds of any statement about the record move, except with
	// probability Delta. +Inf for no guarantee.
	BayesFactor float64
	// PosteriorFromHalf and PosteriorFromHundredth are the largest probability that attackers give
	// to a statement about the record afterwards. They began with 1/2, and with 1/100. This holds
	// except with probability Delta.
	PosteriorFromHalf, PosteriorFromHundredth float64
	// Reconstruction is the chance to guess a secret that is uniform on a million values.
	Reconstruction float64
}

// secrets is how many values the secret of Risk.Reconstruction may have.
const secrets = 1e6

// RiskOf returns the risks of a guarantee and of the trade-off that the whole profile proves; the
// zero TradeOff leaves what (epsilon, delta) proves. An epsilon or delta that is negative or no number
// counts as no guarantee.
//
// What holds except with probability δ: an (ε, δ)-private output tells no more than one that
// discloses all with probability δ and otherwise moves odds by e^ε at most (Kairouz, Oh & Viswanath,
// "The Composition Theorem for Differential Privacy", ICML 2015, theorem 3.1,
// https://arxiv.org/abs/1311.0776). Reconstruction: a guess that is right with probability κ without
// the output is right with at most the true positives at κ false positives (Hayes, Mahloujifar & Balle,
// "Bounding Training Data Reconstruction in DP-SGD", NeurIPS 2023, theorem 2,
// https://arxiv.org/abs/2302.07225).
func RiskOf(t TradeOff, epsilon, delta float64) Risk {
	if !(epsilon >= 0) || !(delta >= 0 && delta <= 1) {
		epsilon, delta = math.Inf(1), 1
	}
	t = t.With(epsilon, delta)
	return Risk{
		Epsilon: epsilon, Delta: delta,
		TruePositiveAt1:        t.TruePositives(0.01),
		TruePositiveAt01:       t.TruePositives(0.001),
		Advantage:              t.Advantage(),
		BayesFactor:            math.Exp(epsilon),
		PosteriorFromHalf:      posterior(0.5, epsilon),
		PosteriorFromHundredth: posterior(0.01, epsilon),
		Reconstruction:         t.TruePositives(1 / secrets),
	}
}

// posterior is the probability whose odds are e^ε times the odds of a prior.
func posterior(prior, epsilon float64) float64 {
	return prior / (prior + (1-prior)*math.Exp(-epsilon))
}
