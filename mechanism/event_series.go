package mechanism

import (
	"github.com/ditherml/dither/privacy"
)

// LastIterate is the release of only the last iterate of noisy gradient descent. One step
// multiplies the distance between any two points by at most Contraction, a factor below 1. This is
// so if the objective is smooth and strongly convex (Bok, Su & Altschuler, "Shifted Interpolation
// for Differential Privacy", ICML 2024, theorem 4.1, https://arxiv.org/abs/2403.00278).
type LastIterate struct {
	// NoiseMultiplier is the standard deviation of the noise in one step, divided by the largest
	// distance by which one record moves a step. Contraction is the factor by which one step
	// contracts distances.
	NoiseMultiplier, Contraction float64
	// Steps is the number of steps of gradient descent.
	Steps int
}

// LastIterateConvex is the release of only the last iterate of noisy gradient descent. The
// objective is smooth and convex, and the iterates stay in a bounded set. One step never increases
// the distance between two points (Bok, Su & Altschuler, "Shifted Interpolation for Differential
// Privacy", ICML 2024, theorem 4.3, https://arxiv.org/abs/2403.00278).
type LastIterateConvex struct {
	// NoiseMultiplier is the standard deviation of the noise in one step. Reach is the diameter of
	// the set of iterates. Both are in units of the largest distance by which one record moves a
	// step.
	NoiseMultiplier, Reach float64
	// Steps is the number of steps of gradient descent.
	Steps int
}

// TreeAggregation is the release of all prefix sums of a series of vectors by a binary tree of
// noisy sums. Each record contributes to only one vector. The record's place in the data set
// determines which vector this is, and the record's content has no influence.
//
// Source: Kairouz, McMahan, Song, Thakkar, Thakurta & Xu, "Practical and Private (Deep) Learning
// without Sampling or Shuffling", ICML 2021, theorem 4.1, https://arxiv.org/abs/2103.00039.
type TreeAggregation struct {
	// NoiseMultiplier is the standard deviation of the noise of one node, divided by the bound on
	// one record's contribution.
	NoiseMultiplier float64
	// Steps is the number of vectors.
	Steps int
}

// BandedMatrix is a series of releases with correlated noise. A banded lower-triangular matrix C
// correlates the noise. The records are divided into groups that take turns. Each record takes part
// in at most one of b consecutive releases, where b is the number of bands of C. When a group has
// its turn, a Poisson sample of the group is used. Each record of the group is in the sample with
// the probability in the field Probability. A record's group depends on the record's place in the
// data set, not on its content. So the proof at release.Series covers every relation. A published
// proof covers zero-out (Choquette-Choo, Ganesh, McKenna, McMahan, Rush, Thakurta & Xu,
// "(Amplified) Banded Matrix Factorization", NeurIPS 2023, theorem 4,
// https://arxiv.org/abs/2306.08153).
type BandedMatrix struct {
	// NoiseMultiplier is the standard deviation of the noise before the matrix C correlates it (see
	// BandedMatrix). The unit is the bound on one record's contribution times the largest L2 norm
	// of a column of C.
	NoiseMultiplier float64
	// Bands is the number of bands of the matrix that correlates the noise. Steps is the number of
	// releases.
	Bands, Steps int
	// Probability is the probability that a record is in the Poisson sample of its group.
	Probability float64
}

// ObjectivePerturbation is the release of the minimizer of a perturbed objective. The objective is
// a sum of losses of a generalized linear model, plus a ridge penalty and a random linear term.
// NoiseMultiplier is the standard deviation of the coefficients of the random term, divided by the
// bound on one record's gradient. Smoothness is the largest second derivative of one record's loss,
// divided by the strength of the ridge penalty. Smoothness is less than 1 (Redberg, Koskela & Wang,
// "Improving the Privacy and Practicality of Objective Perturbation for Differentially Private
// Linear Learners", NeurIPS 2023, theorems 3.1 and 3.2, https://arxiv.org/abs/2401.00583).
type ObjectivePerturbation struct{ NoiseMultiplier, Smoothness float64 }

// RepeatAndSelect is private tuning: an event happens a random number of times, and only the output
// of the best run is released. The score of a run depends only on the output of that run. The
// number of runs has the truncated negative binomial distribution with parameter Shape > -1 and
// mean Mean. Shape 1 gives the geometric distribution, shape 0 the logarithmic distribution, and
// shape +Inf the Poisson distribution (Papernot & Steinke, "Hyperparameter Tuning with Renyi
// Differential Privacy", ICLR 2022, theorems 2 and 6, https://arxiv.org/abs/2110.03620).
type RepeatAndSelect struct {
	// Shape is the parameter of the distribution of the number of runs. Mean is the mean of that
	// distribution.
	Shape, Mean float64
	// Event is the event of one run.
	Event Event
}

// String returns text such as "last-iterate(40, 0.99, 1000)". The arguments are the noise
// multiplier, the contraction and the number of steps.
func (l LastIterate) String() string {
	return call("last-iterate", l.NoiseMultiplier, l.Contraction, l.Steps)
}

// String returns text such as "last-iterate-convex(40, 25, 1000)". The arguments are the noise
// multiplier, the reach and the number of steps.
func (l LastIterateConvex) String() string {
	return call("last-iterate-convex", l.NoiseMultiplier, l.Reach, l.Steps)
}

// String returns text such as "tree-aggregation(5, 1000)". The arguments are the noise multiplier
// and the number of steps.
func (t TreeAggregation) String() string { return call("tree-aggregation", t.NoiseMultiplier, t.Steps) }

// String returns text such as "banded-matrix(2, 8, 1000, 0.01)". The arguments are the noise
// multiplier, the bands, the steps and the probability.
func (b BandedMatrix) String() string {
	return call("banded-matrix", b.NoiseMultiplier, b.Bands, b.Steps, b.Probability)
}

// String returns text such as "objective-perturbation(5, 0.025)". The arguments are the noise
// multiplier and the smoothness.
func (o ObjectivePerturbation) String() string {
	return call("objective-perturbation", o.NoiseMultiplier, o.Smoothness)
}

// String returns text such as "repeat-and-select(1, 10, gaussian(5))". The arguments are the shape,
// the mean and the event.
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
