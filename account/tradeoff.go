package account

import (
	"fmt"
	"math"
	"slices"
)

// TradeOff is a bound on attackers who guess from the output which of two neighbors was the input.
// For each false positive rate it is a lower bound on the false negative rate. It is computed from
// a privacy profile. The zero value is the trivial bound.
//
// A release is (ε, δ)-differentially private exactly if every attacker has at least this false
// negative rate at the false positive rate fp: max(0, 1-δ-e^ε·fp, e^-ε(1-δ-fp)) (Wasserman & Zhou,
// "A Statistical Framework for Differential Privacy", JASA 2010, theorem 2.4,
// https://arxiv.org/abs/0811.2501; Dong, Roth & Su, "Gaussian Differential Privacy", JRSS B 2022,
// propositions 2.4 and 2.12, https://arxiv.org/abs/1905.02383). A TradeOff is the largest of these
// bounds over finitely many ε. It is valid for any choice of these ε.
type TradeOff struct{ points []profilePoint }

// profilePoint is one statement of (ε, δ)-differential privacy.
type profilePoint struct{ epsilon, delta float64 }

const (
	// tradeOffStart is the smallest positive ε of a TradeOff, tradeOffEnd the δ at which it ends,
	// and tradeOffTop the largest ε.
	tradeOffStart, tradeOffEnd, tradeOffTop = 1e-3, 1e-12, 512.0
	// tradeOffPoints is the number of evenly spaced ε, and of geometrically spaced ones, between
	// the ends.
	tradeOffPoints = 100
)

// NewTradeOff returns the trade-off of a privacy profile. The function delta returns an upper bound
// on δ(ε), for ε in nats and neighbors in both directions. An example is the upper end of
// Accountant.Delta. NewTradeOff evaluates the profile at 0 and at 200 positive values of ε. Half of
// these values are spaced evenly, and half geometrically from 1e-3 on. Both halves end at the ε
// where δ(ε) falls below 1e-12. Up to 25 more evaluations find this ε. The error is the first error
// of delta, or an error for a δ that is NaN.
func NewTradeOff(delta func(epsilon float64) (float64, error)) (TradeOff, error) {
	var t TradeOff
	at := func(epsilon float64) (float64, error) {
		v, err := delta(epsilon)
		if err == nil && !(v >= 0) {
			err = fmt.Errorf("account: delta at epsilon %v is %v, want a number from 0 to 1", epsilon, v)
		}
		t.points = append(t.points, profilePoint{epsilon, min(1, v)})
		return v, err
	}
	if _, err := at(0); err != nil {
		return TradeOff{}, err
	}
	end, err := profileEnd(at)
	if err != nil {
		return TradeOff{}, err
	}
	for i := range tradeOffPoints {
		part := (float64(i) + 0.5) / tradeOffPoints
		if _, err = at(end * part); err != nil {
			return TradeOff{}, err
		}
		if _, err = at(tradeOffStart * math.Pow(end/tradeOffStart, part)); err != nil {
			return TradeOff{}, err
		}
	}
	return t, nil
}

// profileEnd returns an ε, a little beyond the first, at which δ is below tradeOffEnd, or no more
// than at the largest ε.
func profileEnd(at func(epsilon float64) (float64, error)) (float64, error) {
	var doubled []profilePoint
	for epsilon := tradeOffStart; ; epsilon = min(tradeOffTop, 2*epsilon) {
		v, err := at(epsilon)
		if err != nil {
			return 0, err
		}
		doubled = append(doubled, profilePoint{epsilon, v})
		if v < tradeOffEnd || epsilon == tradeOffTop {
			break
		}
	}
	goal := max(tradeOffEnd, doubled[len(doubled)-1].delta*(1+1e-6))
	i := slices.IndexFunc(doubled, func(p profilePoint) bool { return p.delta <= goal })
	low, high := 0.0, doubled[i].epsilon
	if i > 0 {
		low = doubled[i-1].epsilon
	}
	for range 4 {
		mid := (low + high) / 2
		v, err := at(mid)
		if err != nil {
			return 0, err
		}
		if v <= goal {
			high = mid
		} else {
			low = mid
		}
	}
	return high, nil
}

// With returns the trade-off of a release that satisfies both the trade-off t and (epsilon,
// delta)-differential privacy. An infinite epsilon changes nothing.
func (t TradeOff) With(epsilon, delta float64) TradeOff {
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) || !(delta >= 0 && delta <= 1) {
		return t
	}
	return TradeOff{append(t.points[:len(t.points):len(t.points)], profilePoint{epsilon, delta})}
}

// FalseNegatives returns a lower bound on the false negative rate of every attacker with a false
// positive rate of at most fp. The bound is at most 1-fp, and a larger fp never gives a larger
// bound. The bound is 0 if fp is at least 1 or NaN.
func (t TradeOff) FalseNegatives(fp float64) float64 {
	fp = max(0, fp)
	least := 0.0
	for _, p := range t.points {
		kept := 1 - p.delta
		grow := math.Exp(p.epsilon)
		// Differences of numbers up to 1: less than 4 units of rounding.
		least = max(least, kept-grow*fp-1e-15, (kept-fp-1e-15)/grow*(1-1e-15))
	}
	if least != least {
		return 0
	}
	return least
}

// TruePositives returns an upper bound on the true positive rate of every attacker with a false
// positive rate of at most fp. A true positive is a record that was in the data and is recognized.
func (t TradeOff) TruePositives(fp float64) float64 { return 1 - t.FalseNegatives(fp) }

// Advantage returns an upper bound on the true positive rate minus the false positive rate of every
// attacker. The bound is the least value of δ + (e^ε-1)/(e^ε+1)·(1-δ) over the points (ε, δ) of the
// privacy profile that were evaluated.
func (t TradeOff) Advantage() float64 {
	least := 1.0
	for _, p := range t.points {
		least = min(least, p.delta+math.Tanh(p.epsilon/2)*(1-p.delta))
	}
	return least
}
