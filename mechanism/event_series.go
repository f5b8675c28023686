package mechanism

import (
	"github.com/ditherml/dither/privacy"
)

// LastIterate is the release of only the last of Steps iterates of noisy gradient descent.
// NoiseMultiplier is the standard deviation of one step's noise over one record's bound, both in
// the same units. Every step contracts distances by a factor of Contraction < 1, as on a smooth,
// strongly convex objective (Bok, Su & Altschuler, "Shifted Interpolation for Differential
// Privacy", ICML 2024, theorem 4.1, https://arxiv.org/abs/2403.00278).
type LastIterate struct {
	NoiseMultiplier, Contraction float64
	Steps                        int
}

// LastIterateConvex is LastIterate on a smooth convex objective, over a set of diameter Reach.
// Steps do not expand distances. The unit of Reach is the distance by which one record's bound
// moves a step. The proof is theorem 4.3 of the source of LastIterate.
type LastIterateConvex struct {
	NoiseMultiplier, Reach float64
	Steps                  int
}

// TreeAggregation is the release of all prefix sums of Steps vectors by a binary tree of noisy
// sums. Each record contributes to one vector. The vector's index depends on the record's place in
// the data set, not on contents. NoiseMultiplier is the standard deviation of a node's noise
// divided by one record's bound.
//
// Source: Kairouz, McMahan, Song, Thakkar, Thakurta & Xu, "Practical and Private (Deep) Learning
// without Sampling or Shuffling", ICML 2021, theorem 4.1, https://arxiv.org/abs/2103.00039.
type TreeAggregation struct {
	NoiseMultiplier float64
	Steps           int
}

// BandedMatrix is a series of Steps releases with correlated noise. A lower-triangular matrix of
// Bands bands correlates the noise. Each record takes part at most once in Bands consecutive steps.
// NoiseMultiplier is the standard deviation of the uncorrelated noise, divided by one record's
// bound times the largest column norm. Records are divided into groups that take turns. Probability
// is the probability of a record in a Poisson sample of the current group. A record's group depends
// on the record's place in the data set, not on contents. So the proof at release.Series covers
// every relation. The source covers zero-out (Choquette-Choo, Ganesh, McKenna, McMahan, Rush,
// Thakurta & Xu, "(Amplified) Banded Matrix Factorization", NeurIPS 2023, theorem 4,
// https://arxiv.org/abs/2306.08153).
type BandedMatrix struct {
	NoiseMultiplier float64
	Bands, Steps    int
	Probability     float64
}

// ObjectivePerturbation is the release of the minimizer of a perturbed objective. The objective is
// a sum of losses of a generalized linear model, plus a ridge penalty and a random linear term.
// NoiseMultiplier is the standard deviation of the random term divided by the bound of one record's
// gradient. Smoothness is the largest second derivative of one record's loss divided by the
// strength of the ridge. It is less than 1 (Redberg, Koskela & Wang, "Improving the Privacy and
// Practicality of Objective Perturbation for Differentially Private Linear Learners", NeurIPS 2023,
// theorems 3.1 and 3.2, https://arxiv.org/abs/2401.00583).
type ObjectivePerturbation struct{ NoiseMultiplier, Smoothness float64 }

// RepeatAndSelect is private tuning: an event runs a random number of times, and only the best run
// is released. A run is judged by its own output. The number of runs has the truncated negative
// binomial distribution with parameter Shape > -1 and mean Mean. Shape 1 is the geometric
// distribution, 0 the logarithmic distribution, and +Inf means the Poisson distribution (Papernot &
// Steinke, "Hyperparameter Tuning with Renyi Differential Privacy", ICLR 2022, theorems 2 and 6,
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
