package account

import "math"

// Risk expresses a guarantee as the success of attackers who know the method and all records except
// the protected one. All numbers are upper bounds over all attackers.
type Risk struct {
	// Epsilon, in nats, and Delta are the guarantee.
	Epsilon, Delta float64
	// TruePositiveAt1 and TruePositiveAt01 bound the true positive rate of an attacker who guesses
	// whether a record was in the data. The attacker's false positive rate is 1 % for
	// TruePositiveAt1 and 0.1 % for TruePositiveAt01.
	TruePositiveAt1, TruePositiveAt01 float64
	// Advantage bounds the true positive rate minus the false positive rate of an attacker who
	// guesses whether a record was in the data. It is 0 if no attacker does better than guessing at
	// random, and at most 1.
	Advantage float64
	// BayesFactor is e^ε. It bounds the factor by which the output changes the odds of any statement
	// about the record, apart from Delta. BayesFactor is +Inf if there is no guarantee.
	BayesFactor float64
	// PosteriorFromHalf and PosteriorFromHundredth bound the probability that an attacker gives to
	// a statement about the record after seeing the output. Before the output the probability was
	// 1/2 or 1/100. Both bounds are by Epsilon alone, and leave Delta out.
	PosteriorFromHalf, PosteriorFromHundredth float64
	// Reconstruction bounds the probability that an attacker guesses a secret of the record. The
	// secret is one of a million values, all equally likely before the output.
	Reconstruction float64
}

// secrets is the number of values of the secret in Risk.Reconstruction.
const secrets = 1e6

// RiskOf returns the risks of a guarantee. The trade-off t improves the bounds if it was computed
// from the whole privacy profile. With the zero TradeOff the bounds follow from (epsilon, delta)
// alone. An epsilon or delta that is negative or NaN counts as no guarantee.
//
// BayesFactor and the posteriors leave Delta out in this sense. For every set of outputs, the
// probability with the record is at most e^ε times the probability without it, plus δ. So some
// outputs may change the odds by more than the factor e^ε. Their probability may exceed δ: for
// Gaussian noise at ε = 1 and δ = 1e-6 it is 2e-5. Only the probability by which all of them
// together exceed the factor is at most δ. An (ε, δ)-private output reveals no more than the output
// of a certain other mechanism. That mechanism discloses everything with probability δ, and
// otherwise changes odds by at most the factor e^ε (Kairouz, Oh & Viswanath, "The Composition
// Theorem for Differential Privacy", ICML 2015, theorem 3.1, https://arxiv.org/abs/1311.0776).
//
// For Reconstruction, let a guess without the output be right
// with probability κ. Then a guess with the output is right with a probability of at most
// TruePositives(κ) of the trade-off (Hayes, Mahloujifar & Balle, "Bounding Training Data
// Reconstruction in DP-SGD", NeurIPS 2023, theorem 2, https://arxiv.org/abs/2302.07225).
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
