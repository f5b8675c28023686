package account

import "math"

// Risk expresses a guarantee as the success of attackers. They know the method and all records
// except the protected one. All numbers are upper bounds over all attackers.
type Risk struct {
	// Epsilon, in nats, and Delta are the guarantee.
	Epsilon, Delta float64
	// TruePositiveAt1 and TruePositiveAt01 are true positive rates of an attacker who guesses
	// whether a record was in the data. The false positive rates are 1 % and 0.1 %.
	TruePositiveAt1, TruePositiveAt01 float64
	// Advantage is the largest difference between the true positive rate and the false positive
	// rate. It is between 0, for guessing, and 1.
	Advantage float64
	// BayesFactor is e^ε. It is the largest factor by which the output changes the odds of any
	// statement about the record, except with probability Delta. It is +Inf if there is no
	// guarantee.
	BayesFactor float64
	// PosteriorFromHalf and PosteriorFromHundredth are the largest probabilities that an attacker
	// who saw the output can give to a statement about the record. Before the output the
	// probability was 1/2 or 1/100. Both bounds hold except with probability Delta.
	PosteriorFromHalf, PosteriorFromHundredth float64
	// Reconstruction is the probability of guessing a secret that is uniform on a million values.
	Reconstruction float64
}

// secrets is the number of values of the secret in Risk.Reconstruction.
const secrets = 1e6

// RiskOf returns the risks of a guarantee. The trade-off t, from the whole privacy profile,
// improves the bounds. The zero TradeOff gives the bounds that (epsilon, delta) alone proves. An
// epsilon or delta that is negative or NaN counts as no guarantee.
//
// "Except with probability δ" has this meaning. An (ε, δ)-private output reveals no more than
// another output, which discloses everything with probability δ and otherwise changes odds by at
// most e^ε (Kairouz, Oh & Viswanath, "The Composition Theorem for Differential Privacy", ICML 2015,
// theorem 3.1, https://arxiv.org/abs/1311.0776). For Reconstruction, let a guess without the output
// be right with probability κ. With the output it is right with at most the true positive rate at
// the false positive rate κ (Hayes, Mahloujifar & Balle, "Bounding Training Data Reconstruction in
// DP-SGD", NeurIPS 2023, theorem 2, https://arxiv.org/abs/2302.07225).
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
