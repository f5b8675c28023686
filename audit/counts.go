package audit

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Counts are the errors of one attack on independent canaries. The attack was fixed before the
// scores were read. LeftOut is the number of canaries that were left out of the data.
// FalsePositives is the number of left-out canaries that the attack guessed to be included.
// Included is the number of canaries that were included. FalseNegatives is the number of included
// canaries that the attack guessed to be left out.
type Counts struct{ LeftOut, FalsePositives, Included, FalseNegatives int }

// check returns an error unless the counts belong together.
func (c Counts) check() error {
	for _, part := range [][2]int{{c.LeftOut, c.FalsePositives}, {c.Included, c.FalseNegatives}} {
		if part[0] < 1 || part[0] > mostCanaries || part[1] < 0 || part[1] > part[0] {
			return fmt.Errorf("audit: %d errors among %d canaries are given, want 1 to 2^24 canaries and at most as many errors", part[1], part[0])
		}
	}
	return nil
}

// Rates returns upper bounds on the rates of false positives and of false negatives. Both bounds
// hold together with this confidence, which is at least ½ and less than 1. Each bound gets half of
// the error probability (Clopper & Pearson, "The Use of Confidence or Fiducial Limits", Biometrika
// 1934). Negative or contradictory counts are an error.
func (c Counts) Rates(confidence float64) (falsePositives, falseNegatives float64, err error) {
	l, err := c.limits(confidence)
	return l.positives.rate, l.negatives.rate, err
}

// Epsilon returns a lower bound on ε at delta, in nats, that holds with this confidence. It is
// rounded down and at least 0. It holds for every mechanism, because it uses only that P(E) ≤
// e^ε·Q(E) + δ for every event E. P and Q are the distributions of the output with a canary and
// without it, in either order. The confidence is at least ½ and less than 1. Negative or
// contradictory counts are an error.
func (c Counts) Epsilon(delta, confidence float64) (float64, error) {
	if err := checkDelta(delta); err != nil {
		return 0, err
	}
	l, err := c.limits(confidence)
	if err != nil {
		return 0, err
	}
	return l.epsilon(delta), nil
}

// Mu returns a lower bound on the μ of a mechanism of μ-Gaussian differential privacy. It holds
// with this confidence, which is at least ½ and less than 1. It is rounded down and at least 0
// (Nasr et al., "Tight Auditing of Differentially Private Machine Learning", USENIX Security 2023,
// https://arxiv.org/abs/2302.07956). Negative or contradictory counts are an error.
func (c Counts) Mu(confidence float64) (float64, error) {
	l, err := c.limits(confidence)
	if err != nil {
		return 0, err
	}
	return l.mu(), nil
}

// limits returns the bounds of Rates.
func (c Counts) limits(confidence float64) (limits, error) {
	if err := c.check(); err != nil {
		return limits{}, err
	}
	alarm, err := alarmOf(confidence)
	if err != nil {
		return limits{}, err
	}
	return c.limitsAt(alarm), nil
}

// limitsAt returns the bounds of Rates, which both hold but with probability alarm.
func (c Counts) limitsAt(alarm float64) limits {
	return limits{upperLimit(c.LeftOut, c.FalsePositives, alarm/2), upperLimit(c.Included, c.FalseNegatives, alarm/2)}
}

// limit is an upper bound on a rate, and the lower bound on one less the rate, which does not cancel.
type limit struct{ rate, rest float64 }

// limits bound both rates of errors.
type limits struct{ positives, negatives limit }

// upperLimit returns an upper bound on a rate after this number of errors in n trials: the largest
// p at which no more errors have at least the probability alarm. It is rounded up. The search is in
// log(p/(1-p)).
func upperLimit(n, errors int, alarm float64) limit {
	if errors >= n {
		return limit{1, 0}
	}
	const end = 64.0
	goal := math.Log(alarm) - margin
	odds := special.Crossing(end, -end, 1e-13, func(odds float64) float64 {
		return math.Log(headAt(n, odds, errors)) - goal
	})
	odds += 1e-9 // beyond the error of the search
	return limit{1 / (1 + math.Exp(-odds)), 1 / (1 + math.Exp(odds))}
}

// headAt returns P(X ≤ k) for X binomial with logarithmic odds of success.
func headAt(n int, odds float64, k int) float64 {
	if odds > 0 { // count failures, whose probability keeps its digits
		return special.BinomialTail(n, 1/(1+math.Exp(odds)), n-k)
	}
	return special.BinomialHead(n, 1/(1+math.Exp(-odds)), k)
}

// epsilon returns the ε that the bounds refute, rounded down.
func (l limits) epsilon(delta float64) float64 {
	found := 0.0
	for _, side := range [][2]limit{{l.positives, l.negatives}, {l.negatives, l.positives}} {
		if kept := side[1].rest - delta; kept > 0 {
			found = max(found, math.Log(kept/side[0].rate)-1e-12)
		}
	}
	return found
}

// mu returns the μ that the bounds refute, rounded down.
func (l limits) mu() float64 {
	positives, negatives := l.positives.quantile(), l.negatives.quantile()
	return max(0, -positives-negatives-1e-13*(math.Abs(positives)+math.Abs(negatives)))
}

// quantile is the normal quantile of the bound.
func (l limit) quantile() float64 {
	if l.rate > 0.5 {
		return -special.NormalQuantile(l.rest)
	}
	return special.NormalQuantile(l.rate)
}

// epsilonOfMu returns the ε of μ-Gaussian differential privacy at a δ above 0, rounded down.
func epsilonOfMu(mu, delta float64) float64 {
	if mu <= 0 {
		return 0
	}
	v, err := account.GDP.Epsilon(mechanism.Gaussian{NoiseMultiplier: 1 / mu}, delta, privacy.AddOrRemoveOne)
	if err != nil {
		return 0 // proves nothing
	}
	return v.Lower
}
