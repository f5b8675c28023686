package mechanism

import (
	"github.com/ditherml/dither/privacy"
)

// LastIterate is the release of the last of Steps iterates of gradient descent with noise in every
// step. No other iterate is released. NoiseMultiplier is the standard deviation of one step's noise
// over one record's bound, both in the same units. Every step contracts distances by Contraction <
// 1, as it does on a smooth strongly convex objective (Bok, Su & Altschuler, "Shifted Interpolation
// for Differential Privacy", ICML 2024, theorem 4.1, https://arxiv.org/abs/2403.00278).
type LastIterate struct {
	NoiseMultiplier, Contraction float64
	Steps                        int
}

// LastIterateConvex is LastIterate on a smooth convex objective, where steps do not expand
// distances, over a set of diameter Reach. The unit of Reach is the distance by which one record's
// bound moves a step. The source is that of LastIterate, theorem 4.3.
type LastIterateConvex struct {
	NoiseMultiplier, Reach float64
	Steps                  int
}

// TreeAggregation is the release of all prefix sums of a stream of Steps vectors by a binary tree
// of noisy sums. Each record is in one vector, which depends on the record's place, not on its
// content, and on no other record. NoiseMultiplier is the standard deviation of a node's noise
// divided by one record's bound.
//
// Source: Kairouz, McMahan, Song, Thakkar, Thakurta & Xu, "Practical and Private (Deep) Learning
// without Sampling or Shuffling", ICML 2021, theorem 4.1, https://arxiv.org/abs/2103.00039.
type TreeAggregation struct {
	NoiseMultiplier float64
	Steps           int
}

// BandedMatrix is a series of Steps releases with noise correlated by a lower-triangular matrix of
// Bands bands. Each record takes part at most once in Bands consecutive steps. NoiseMultiplier is
// the standard deviation of the uncorrelated noise, over one record's bound times the largest
// column norm. Probability below 1 is that of a Poisson sample within the group of records whose
// turn it is. A record's group depends on the record's place, not on its content, and on no other
// record. So the proof at Series holds under every relation. The source states it for zero-out
// (Choquette-Choo, Ganesh, McKenna, McMahan, Rush, Thakurta & Xu, "(Amplified) Banded Matrix
// Factorization", NeurIPS 2023, theorem 4, https://arxiv.org/abs/2306.08153).
type BandedMatrix struct {
	NoiseMultiplier float64
	Bands, Steps    int
	Probability     float64
}

// ObjectivePerturbation is the release of the minimizer of a sum of losses of a generalized linear
// model plus a ridge and a random linear term. NoiseMultiplier is the standard deviation of the
// random term divided by the bound of one record's gradient. Smoothness is the largest second
// derivative of one record's loss divided by the strength of the ridge, less than 1 (Redberg, Koskela & Wang,
// "Improving the Privacy and Practicality of Objective Perturbation for Differentially Private
// Linear Learners", NeurIPS 2023, theorems 3.1 and 3.2, https://arxiv.org/abs/2401.00583).
type ObjectivePerturbation struct{ NoiseMultiplier, Smoothness float64 }

// RepeatAndSelect is an event that happens a random number of times, for private tuning. Only the
// run that is best by its own output is released. The number follows the truncated negative
// binomial distribution of shape Shape > -1 and mean Mean. Shape 1 is the geometric distribution, 0
// the logarithmic one, and +Inf stands for the Poisson distribution (Papernot & Steinke,
// "Hyperparameter Tuning with Renyi Differential Privacy", ICLR 2022, theorems 2 and 6,
// https://arxiv.org/abs/2110.03620).
type RepeatAndSelect struct {
	Shape, Mean float64
	Event       Event
}

// String returns text such as "last-iterate(40, 0.99, 1000)": noise multiplier, contraction, steps.
func (l LastIterate) String() string {
	return call("last-iterate", l.NoiseMultiplier, l.Contraction, l.Steps)
}

// String returns text such as "last-iterate-convex(40, 25, 1000)": noise multiplier, reach, steps.
func (l LastIterateConvex) String() string {
	return call("last-iterate-convex", l.NoiseMultiplier, l.Reach, l.Steps)
}

// String returns text such as "tree-aggregation(5, 1000)": noise multiplier, steps.
func (t TreeAggregation) String() string { return call("tree-aggregation", t.NoiseMultiplier, t.Steps) }

// String returns text such as "banded-matrix(2, 8, 1000, 0.01)": noise multiplier, bands, steps,
// probability.
func (b BandedMatrix) String() string {
	return call("banded-matrix", b.NoiseMultiplier, b.Bands, b.Steps, b.Probability)
}

// String returns text such as "objective-perturbation(5, 0.025)": noise multiplier, smoothness.
func (o ObjectivePerturbation) String() string {
	return call("objective-perturbation", o.NoiseMultiplier, o.Smoothness)
}

// String returns text such as "repeat-and-select(1, 10, gaussian(5))": shape, mean, event.
func (r RepeatAndSelect) String() string { return call("repeat-and-select", r.Shape, r.Mean, r.Event) }

func (l LastIterate) check() error {
	if !(l.Contraction >= 0 && l.Contraction < 1) {
		return wrong("contraction", l, l.Contraction, "at least 0 and less than 1")
	}
	return checkSeries(l, l.NoiseMultiplier, l.Steps)
}

func (l LastIterateConvex) check() error {
	if err := checkPositive("reach", l, l.Reach); err != nil {
		return err
	}
	return checkSeries(l, l.NoiseMultiplier, l.Steps)
}

func (t TreeAggregation) check() error { return checkSeries(t, t.NoiseMultiplier, t.Steps) }

func (b BandedMatrix) check() error {
	if b.Bands < 1 {
		return wrong("number of bands", b, b.Bands, "at least 1")
	}
	if !(b.Probability > 0 && b.Probability <= 1) {
		return wrong("sampling probability", b, b.Probability, "more than 0 and at most 1")
	}
	return checkSeries(b, b.NoiseMultiplier, b.Steps)
}

func checkSeries(e Event, multiplier float64, steps int) error {
	if steps < 0 {
		return wrong("number of steps", e, steps, "0 or more")
	}
	return checkPositive("noise multiplier", e, multiplier)
}

func (o ObjectivePerturbation) check() error {
	if !(o.Smoothness >= 0 && o.Smoothness < 1) {
		return wrong("smoothness", o, o.Smoothness, "at least 0 and less than 1")
	}
	return checkPositive("noise multiplier", o, o.NoiseMultiplier)
}

func (r RepeatAndSelect) check() error {
	if !(r.Shape > -1) {
		return wrong("shape", r, r.Shape, "more than -1")
	}
	// A truncated negative binomial number is at least 1.
	if !positive(r.Mean) || r.Mean < 1 && r.Shape <= maxShape {
		return wrong("mean", r, r.Mean, "at least 1, or positive for the Poisson law")
	}
	return nil
}

// maxShape is the largest float64; only +Inf is larger.
const maxShape = 1.7976931348623157e308

func (LastIterate) unproved(privacy.Neighboring) string       { return "" }
func (LastIterateConvex) unproved(privacy.Neighboring) string { return "" }
func (RepeatAndSelect) unproved(privacy.Neighboring) string   { return "" }
func (TreeAggregation) unproved(privacy.Neighboring) string   { return "" }
func (BandedMatrix) unproved(privacy.Neighboring) string      { return "" }

func (ObjectivePerturbation) unproved(n privacy.Neighboring) string {
	return onlyUnder(n, privacy.AddOrRemoveOne, privacy.ZeroOut)
}

func (LastIterate) parts() []Event           { return nil }
func (LastIterateConvex) parts() []Event     { return nil }
func (TreeAggregation) parts() []Event       { return nil }
func (BandedMatrix) parts() []Event          { return nil }
func (ObjectivePerturbation) parts() []Event { return nil }
func (r RepeatAndSelect) parts() []Event     { return []Event{r.Event} }
