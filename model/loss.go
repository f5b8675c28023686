package model

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/data"
)

// Loss is a convex function of a record's scores and label. For classification the label is the
// index of a class. For regression the label is the target, scaled from its declared bounds to [-1,
// 1].
type Loss interface {
	// Name returns the name of the loss in flags and files.
	Name() string
	// Columns returns the number of scores for this number of classes. 0 classes means a numeric
	// target. Columns returns 0 if the loss cannot be used for such a target.
	Columns(classes int) int
	// Value returns the loss of a record with these scores and this label.
	Value(scores []float64, label float64) float64
	// Residuals writes to dst the derivative of the loss with respect to each score.
	Residuals(dst, scores []float64, label float64)
	// Lipschitz returns the largest L2 norm of the vector that Residuals computes, over all labels
	// and all vectors of this number of scores. It returns +Inf if the norm is unbounded.
	Lipschitz(columns int) float64
	// Smoothness returns an upper bound on the eigenvalues of the second derivative of the loss
	// with respect to the scores.
	Smoothness() float64
	// Predict replaces scores by predictions. For classification the predictions are probabilities.
	// For regression the prediction is a number on the scale of the label.
	Predict(scores []float64)
}

// LossFor returns the loss for a target. If asked is nil, the loss is logistic for two classes,
// softmax for more classes, and Huber for regression. If asked is not nil, LossFor returns asked.
// If that loss depends on the bounds of a numeric target, as Poisson does, LossFor adapts it to the
// bounds. A target of one level is an error. Bounds that the loss cannot use are an error too.
func LossFor(t data.Target, asked Loss) (Loss, error) {
	if asked == nil {
		switch classes := len(t.Levels); {
		case classes == 0:
			asked = huber{Width: defaultHuberWidth}
		case classes == 2:
			asked = logistic{}
		case classes > 2:
			asked = softmax{}
		default:
			return nil, fmt.Errorf("model: the target has %d level, want none or at least 2", classes)
		}
	}
	if r, ok := asked.(overRange); ok && len(t.Levels) == 0 {
		return r.over(t.Lower, t.Upper)
	}
	return asked, nil
}

// Logistic is the loss log(1 + exp(-y·z)), where z is the score and y is -1 for class 0 and +1 for
// class 1. It is computed without overflow as max(-y·z, 0) + log1p(exp(-|z|)).
var Logistic logistic

// logistic is the type of Logistic.
type logistic struct{}

var _ Loss = logistic{}

// Name returns "logistic".
func (logistic) Name() string { return "logistic" }

// Columns returns 1 for two classes.
func (logistic) Columns(classes int) int { return oneForTwo(classes) }

// Value returns the loss of one score.
func (logistic) Value(scores []float64, label float64) float64 {
	margin := scores[0]
	if label < 0.5 {
		margin = -margin
	}
	return max(-margin, 0) + math.Log1p(math.Exp(-math.Abs(margin)))
}

// Residuals writes σ(z) - label, where σ(z) = 1/(1+e^-z) is the probability of class 1.
func (logistic) Residuals(dst, scores []float64, label float64) {
	dst[0] = sigmoid(scores[0]) - label
}

// Lipschitz returns 1.
func (logistic) Lipschitz(int) float64 { return 1 }

// Smoothness returns 1/4.
func (logistic) Smoothness() float64 { return 0.25 }

// Predict replaces the score by the probability of class 1.
func (logistic) Predict(scores []float64) { scores[0] = sigmoid(scores[0]) }

// sigmoid returns 1/(1+exp(-z)) without overflow.
func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}

// Softmax is the cross-entropy log Σ exp(z_k) - z_y, where z_k is the score of class k and y is the
// class of the label.
var Softmax softmax

// softmax is the type of Softmax.
type softmax struct{}

var _ Loss = softmax{}

// Name returns "softmax".
func (softmax) Name() string { return "softmax" }

// Columns returns the number of classes.
func (softmax) Columns(classes int) int { return oneForEach(classes) }

// Value returns the cross-entropy of the scores.
func (softmax) Value(scores []float64, label float64) float64 {
	top, sum := maximum(scores), 0.0
	for _, z := range scores {
		sum += math.Exp(z - top)
	}
	return top + math.Log(sum) - scores[int(label)]
}

// Residuals writes p_k - 1[k = label] for each class k, where p_k is the predicted probability.
func (s softmax) Residuals(dst, scores []float64, label float64) {
	copy(dst, scores)
	s.Predict(dst)
	dst[int(label)]--
}

// Lipschitz returns √2, the largest distance between a vector of probabilities p and a unit vector
// e_y.
func (softmax) Lipschitz(int) float64 { return math.Sqrt2 }

// Smoothness returns 1/2, a bound on the eigenvalues of diag(p) - p·pᵀ for probabilities p.
func (softmax) Smoothness() float64 { return 0.5 }

// Predict replaces the scores by probabilities.
func (softmax) Predict(scores []float64) {
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

// Huber returns the Huber loss of the residual r = z - y, where z is the score and y the target,
// scaled to [-1, 1]. The loss is r²/2 for |r| up to width, and grows linearly for larger |r|
// (Huber, "Robust Estimation of a Location Parameter", Annals of Mathematical Statistics 1964).
func Huber(width float64) Loss { return huber{width} }

// huber is the loss that Huber returns.
type huber struct{ Width float64 }

var _ Loss = huber{}

// Name returns "huber".
func (huber) Name() string { return "huber" }

// Columns returns 1 for a numeric target.
func (huber) Columns(classes int) int { return oneForNumbers(classes) }

// Value returns the loss of one score.
func (h huber) Value(scores []float64, label float64) float64 {
	r := math.Abs(scores[0] - label)
	if r <= h.Width {
		return r * r / 2
	}
	return h.Width * (r - h.Width/2)
}

// Residuals writes z - y, limited to [-Width, Width].
func (h huber) Residuals(dst, scores []float64, label float64) {
	dst[0] = max(-h.Width, min(h.Width, scores[0]-label))
}

// Lipschitz returns Width.
func (h huber) Lipschitz(int) float64 { return h.Width }

// Smoothness returns 1.
func (huber) Smoothness() float64 { return 1 }

// Predict leaves the score unchanged: it is the prediction.
func (huber) Predict([]float64) {}

func (h huber) with(s LossSpec) (Loss, error) {
	width, err := widthOf(h.Name(), s.Width, h.Width)
	return huber{width}, err
}

func (h huber) describe(s *LossSpec) { s.Width = h.Width }
