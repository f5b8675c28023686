package model

import (
	"fmt"
	"math"
)

// Loss is a convex loss of one record's scores and its label. A label is a class index,
// or, for regression, the target scaled to [-1, 1].
type Loss interface {
	// Name is the loss's name in flags and files.
	Name() string
	// Columns returns the number of scores for this many classes (0: a numeric target), or 0 where the
	// loss is for other targets.
	Columns(classes int) int
	// Value returns the loss.
	Value(scores []float64, label float64) float64
	// Residuals writes the derivative of the loss by each score to dst.
	Residuals(dst, scores []float64, label float64)
	// Lipschitz returns the largest L2 norm of Residuals, over all values of this many scores
	// and all labels; +Inf where there is none.
	Lipschitz(columns int) float64
	// Smoothness returns the largest eigenvalue of the second derivative by the scores.
	Smoothness() float64
	// Predict turns scores into predictions in place: probabilities for classes, or
	// the value itself for regression.
	Predict(scores []float64)
}

// LossFor returns the loss that a target calls for: logistic for two classes, softmax for
// more, Huber for regression (no classes).
func LossFor(classes int) (Loss, error) {
	switch {
	case classes == 0:
		return Huber{Width: defaultHuberWidth}, nil
	case classes == 2:
		return Logistic{}, nil
	case classes > 2:
		return Softmax{}, nil
	}
	return nil, fmt.Errorf("model: the target has %d level, want none or at least 2", classes)
}

// Logistic is log(1 + exp(-y·z)) for y = -1 (class 0) or +1 (class 1), z the score.
// Source: any text on logistic regression; the form without overflow is
// max(-y·z, 0) + log1p(exp(-|z|)).
type Logistic struct{}

var _ Loss = Logistic{}

// Name returns "logistic".
func (Logistic) Name() string { return "logistic" }

// Columns returns 1 for two classes.
func (Logistic) Columns(classes int) int { return oneForTwo(classes) }

// Value returns the loss of one score.
func (Logistic) Value(scores []float64, label float64) float64 {
	margin := scores[0]
	if label < 0.5 {
		margin = -margin
	}
	return max(-margin, 0) + math.Log1p(math.Exp(-math.Abs(margin)))
}

// Residuals writes σ(z) - label.
func (Logistic) Residuals(dst, scores []float64, label float64) {
	dst[0] = sigmoid(scores[0]) - label
}

// Lipschitz returns 1.
func (Logistic) Lipschitz(int) float64 { return 1 }

// Smoothness returns 1/4.
func (Logistic) Smoothness() float64 { return 0.25 }

// Predict replaces the score by the probability of class 1.
func (Logistic) Predict(scores []float64) { scores[0] = sigmoid(scores[0]) }

// sigmoid is 1/(1+exp(-z)) without overflow.
func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}

// Softmax is the cross-entropy log Σ exp(z_k) - z_y of as many scores as classes.
type Softmax struct{}

var _ Loss = Softmax{}

// Name returns "softmax".
func (Softmax) Name() string { return "softmax" }

// Columns returns the number of classes.
func (Softmax) Columns(classes int) int { return oneForEach(classes) }

// Value returns the cross-entropy.
func (Softmax) Value(scores []float64, label float64) float64 {
	top, sum := maximum(scores), 0.0
	for _, z := range scores {
		sum += math.Exp(z - top)
	}
	return top + math.Log(sum) - scores[int(label)]
}

// Residuals writes p_k - 1[k = label].
func (s Softmax) Residuals(dst, scores []float64, label float64) {
	copy(dst, scores)
	s.Predict(dst)
	dst[int(label)]--
}

// Lipschitz returns √2, the norm of p - e_y when p is another unit vector.
func (Softmax) Lipschitz(int) float64 { return math.Sqrt2 }

// Smoothness returns 1/2, a bound on the eigenvalues of diag(p) - p·pᵀ.
func (Softmax) Smoothness() float64 { return 0.5 }

// Predict replaces the scores by probabilities.
func (Softmax) Predict(scores []float64) {
	top, sum := maximum(scores), 0.0
	for k, z := range scores {
		scores[k] = math.Exp(z - top)
		sum += scores[k]
	}
	for k := range scores {
		scores[k] /= sum
	}
}

func maximum(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	return top
}

// defaultHuberWidth is the width of the Huber loss, in units of half the target's range.
const defaultHuberWidth = 0.25

// Huber is half the squared residual z - y up to Width, and linear beyond (Huber, "Robust
// Estimation of a Location Parameter", Annals of Mathematical Statistics 1964). The
// target y is scaled to [-1, 1].
type Huber struct{ Width float64 }

var _ Loss = Huber{}

// Name returns "huber".
func (Huber) Name() string { return "huber" }

// Columns returns 1 for a numeric target.
func (Huber) Columns(classes int) int { return oneForNumbers(classes) }

// Value returns the loss.
func (h Huber) Value(scores []float64, label float64) float64 {
	r := math.Abs(scores[0] - label)
	if r <= h.Width {
		return r * r / 2
	}
	return h.Width * (r - h.Width/2)
}

// Residuals writes z - y moved into ±Width.
func (h Huber) Residuals(dst, scores []float64, label float64) {
	dst[0] = max(-h.Width, min(h.Width, scores[0]-label))
}

// Lipschitz returns Width.
func (h Huber) Lipschitz(int) float64 { return h.Width }

// Smoothness returns 1.
func (Huber) Smoothness() float64 { return 1 }

// Predict leaves the score as it is.
func (Huber) Predict([]float64) {}

func (h Huber) with(s LossSpec) (Loss, error) {
	width, err := widthOf(h.Name(), s.Width, h.Width)
	return Huber{width}, err
}

func (h Huber) describe(s *LossSpec) { s.Width = h.Width }
