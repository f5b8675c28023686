package model

import "math"

// OneVsRest is the sum of one logistic loss for each class, which separates the class from all
// others. It is Σ_k log(1 + exp(-y_k·z_k)), with y_k = +1 for the class of the label and -1 for the
// others. The scores belong to one record, so its gradient is one vector over all heads, clipped as
// a whole. Source: Rifkin and Klautau, "In Defense of One-Vs-All Classification", JMLR 2004,
// https://www.jmlr.org/papers/v5/rifkin04a.html, section 2.1.
var OneVsRest oneVsRest

// oneVsRest is the type of OneVsRest.
type oneVsRest struct{}

var _ Loss = oneVsRest{}

// Name returns "one-vs-rest".
func (oneVsRest) Name() string { return "one-vs-rest" }

// Columns returns the number of classes.
func (oneVsRest) Columns(classes int) int { return oneForEach(classes) }

// Value returns the sum of the losses of all heads.
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

// Residuals writes σ(z_k) - 1[k = label].
func (oneVsRest) Residuals(dst, scores []float64, label float64) {
	for k, z := range scores {
		dst[k] = sigmoid(z)
	}
	dst[int(label)]--
}

// Lipschitz returns √columns: every head may be wrong by almost 1.
func (oneVsRest) Lipschitz(columns int) float64 { return math.Sqrt(float64(columns)) }

// Smoothness returns 1/4: the second derivative is diagonal, with σ(z)·(1-σ(z)) of each head.
func (oneVsRest) Smoothness() float64 { return 0.25 }

// Predict replaces the scores by probabilities σ(z_k), divided by their sum. They are computed from
// their logarithms. Scores far below 0, whose σ is 0 in float64, therefore keep their order.
func (oneVsRest) Predict(scores []float64) {
	for k, z := range scores {
		scores[k] = logSigmoid(z)
	}
	softmax{}.Predict(scores)
}

// logSigmoid returns log(1/(1+exp(-z))) without overflow. Its relative error is a few units in the
// last place.
func logSigmoid(z float64) float64 { return min(z, 0) - math.Log1p(math.Exp(-math.Abs(z))) }
