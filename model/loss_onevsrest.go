package model

import "math"

// OneVsRest is the sum of one logistic loss for each class, which separates the class from all
// others. It is Σ_k log(1 + exp(-y_k·z_k)), where z_k is the score of class k. Here y_k is +1 for
// the class of the label and -1 for the other classes. The gradient of a record is one vector over
// all classes and is clipped as a whole. Source: Rifkin and Klautau, "In Defense of One-Vs-All
// Classification", JMLR 2004, https://www.jmlr.org/papers/v5/rifkin04a.html, section 2.1.
var OneVsRest oneVsRest

// oneVsRest is the type of OneVsRest.
type oneVsRest struct{}

var _ Loss = oneVsRest{}

// Name returns "one-vs-rest".
func (oneVsRest) Name() string { return "one-vs-rest" }

// Columns returns the number of classes.
func (oneVsRest) Columns(classes int) int { return oneForEach(classes) }

// Value returns the sum of the logistic losses of all classes.
func (oneVsRest) Value(scores []float64, label float64) float64 {
	sum := 0.0
	for k, z := range scores {
		if k == int(label) {
			z = -z
		}
		sum -= logSigmoid(-z)
	}
	return sum
}

// Residuals writes σ(z_k) - 1[k = label] for each class k, where σ(z) = 1/(1+e^-z).
func (oneVsRest) Residuals(dst, scores []float64, label float64) {
	for k, z := range scores {
		dst[k] = sigmoid(z)
	}
	dst[int(label)]--
}

// Lipschitz returns √columns: each entry of Residuals has a magnitude below 1.
func (oneVsRest) Lipschitz(columns int) float64 { return math.Sqrt(float64(columns)) }

// Smoothness returns 1/4: the second derivative is diagonal with entries σ(z)·(1-σ(z)).
func (oneVsRest) Smoothness() float64 { return 0.25 }

// Predict replaces the scores by the probabilities σ(z_k), divided by their sum. The computation
// uses logarithms, so scores far below 0, for which σ is 0 in float64, keep their order.
func (oneVsRest) Predict(scores []float64) {
	for k, z := range scores {
		scores[k] = logSigmoid(z)
	}
	softmax{}.Predict(scores)
}

// logSigmoid returns log(1/(1+exp(-z))) without overflow. Its relative error is a few units in the
// last place.
func logSigmoid(z float64) float64 { return min(z, 0) - math.Log1p(math.Exp(-math.Abs(z))) }
