package model

import (
	"math"

	"github.com/ditherml/dither/internal/encoder"
)

// Squared is half the squared residual, (z - y)²/2, where z is the score and y the numeric target,
// scaled to [-1, 1]. Its derivative is not bounded, so gradient descent must clip gradients. Some
// methods of package erm release sums of products of features instead. These methods need no bound
// on the derivative.
var Squared squared

// squared is the type of Squared.
type squared struct{}

// SquaredClasses is least squares as a classifier. The loss is half the squared distance between
// the scores and a code of the class. For two classes there is one score, and the codes are -1 and
// +1. For more classes the code of a class is a unit vector. The derivative of the loss is not
// bounded. Source: Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning", 2nd
// edition 2009, section 4.2, linear regression of an indicator matrix.
var SquaredClasses squaredClasses

// squaredClasses is the type of SquaredClasses.
type squaredClasses struct{}

var (
	_ Loss = squared{}
	_ Loss = squaredClasses{}
)

// Name returns "squared".
func (squared) Name() string { return "squared" }

// Columns returns 1 for a numeric target.
func (squared) Columns(classes int) int { return oneForNumbers(classes) }

// Value returns the loss of one score.
func (squared) Value(scores []float64, label float64) float64 {
	r := scores[0] - label
	return r * r / 2
}

// Residuals writes z - y.
func (squared) Residuals(dst, scores []float64, label float64) { dst[0] = scores[0] - label }

// Lipschitz returns +Inf.
func (squared) Lipschitz(int) float64 { return math.Inf(1) }

// Smoothness returns 1.
func (squared) Smoothness() float64 { return 1 }

// Predict leaves the score unchanged: it is the prediction.
func (squared) Predict([]float64) {}

// Name returns "squared-classes".
func (squaredClasses) Name() string { return "squared-classes" }

// Columns returns 1 for two classes, else the number of classes.
func (squaredClasses) Columns(classes int) int {
	if classes == 2 {
		return 1
	}
	return oneForEach(classes)
}

// Value returns half the squared distance of the scores from the coordinates of the class.
func (l squaredClasses) Value(scores []float64, label float64) float64 {
	sum := 0.0
	for k, z := range scores {
		r := z - encoder.ClassCoordinate(int(label), k, len(scores))
		sum += r * r
	}
	return sum / 2
}

// Residuals writes the scores minus the coordinates of the class.
func (squaredClasses) Residuals(dst, scores []float64, label float64) {
	for k, z := range scores {
		dst[k] = z - encoder.ClassCoordinate(int(label), k, len(scores))
	}
}

// Lipschitz returns +Inf.
func (squaredClasses) Lipschitz(int) float64 { return math.Inf(1) }

// Smoothness returns 1.
func (squaredClasses) Smoothness() float64 { return 1 }

// Predict replaces one score by the probability of class 1, (1+z)/2 moved into [0, 1]. It replaces
// several scores by the nearest probabilities. These keep their order, and scores far below the
// others become 0.
func (squaredClasses) Predict(scores []float64) {
	if len(scores) == 1 {
		scores[0] = max(0, min(1, (1+scores[0])/2))
		return
	}
	nearestProbabilities(scores)
}

// nearestProbabilities moves x to the nearest point of the simplex. It subtracts a common number
// from all coordinates and replaces negative results by 0 (Michelot, "A Finite Algorithm for
// Finding the Projection of a Point onto the Canonical Simplex of R^n", Journal of Optimization
// Theory and Applications 1986). Each round leaves fewer coordinates, so their number bounds the
// number of rounds.
func nearestProbabilities(x []float64) {
	top := maximum(x)
	for k := range x {
		x[k] = max(x[k]-top, -1) // further below the largest is 0 in any case
	}
	cut := math.Inf(-1)
	for range x {
		sum, count := 0.0, 0
		for _, v := range x {
			if v > cut {
				sum += v
				count++
			}
		}
		next := (sum - 1) / float64(count)
		if next <= cut {
			break
		}
		cut = next
	}
	for k, v := range x {
		x[k] = max(0, v-cut)
	}
}
