package account

import "math"

// Risk is the meaning of a guarantee for one protected record, against the best attackers who know
// all other records and the method. All numbers are upper bounds.
type Risk struct {
	// Epsilon, in nats, and Delta are the guarantee.
	Epsilon, Delta float64
	// TruePositiveAt1 and TruePositiveAt01 are how often attackers find out that a record was in
	// the data. They are wrong about 1 % and about 0.1 % of the records that were not in the data.
	TruePositiveAt1, TruePositiveAt01 float64
	// Advantage is the largest rate of true positives less the rate of false positives. It says how
	// far the output helps beyond guessing, on a scale from 0 to 1.
	Advantage float64
	// BayesFactor is e^ε, the largest factor by which the odds of any statement about the record
	// change, except with probability Delta. It is +Inf for no guarantee.
	BayesFactor float64
	// PosteriorFromHalf and PosteriorFromHundredth are the largest probability that attackers give
	// to a statement about the record after they see the output. Before, they gave it 1/2, and
	// 1/100. This holds except with probability Delta.
	PosteriorFromHalf, PosteriorFromHundredth float64
	// Reconstruction is the chance to guess a secret that is uniform on a million values.
	Reconstruction float64
}

// secrets is the number of values of the secret in Risk.Reconstruction.
const secrets = 1e6

// RiskOf returns the risks of a guarantee and of the trade-off that the whole profile proves. The
// zero TradeOff leaves the risks that (epsilon, delta) alone proves. An epsilon or delta that is
// negative or no number counts as no guarantee.
//
// "Except with probability δ" means: an (ε, δ)-private output tells no more than one that discloses
// all with probability δ and otherwise moves odds by at most e^ε (Kairouz, Oh & Viswanath, "The
// Composition Theorem for Differential Privacy", ICML 2015, theorem 3.1,
// https://arxiv.org/abs/1311.0776). Reconstruction: let a guess be right with probability κ without
// the output. With the output it is right with at most the true positives at κ false positives
// (Hayes, Mahloujifar & Balle, "Bounding Training Data Reconstruction in DP-SGD", NeurIPS 2023,
// theorem 2, https://arxiv.org/abs/2302.07225).
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
