package model

import (
	"fmt"
	"math"
)

// defaultHingeWidth is the width of the huberized hinge loss.
const defaultHingeWidth = 0.5

// Hinge returns the huberized hinge loss of a support vector machine. Let m = y·z be the margin,
// where z is the score and y is -1 or +1. The loss is 0 if m is above 1 + width, and 1 - m if m is
// below 1 - width. Between these values it is (1 + width - m)²/(4·width). Source: Chaudhuri,
// Monteleoni and Sarwate, "Differentially Private Empirical Risk Minimization", JMLR 2011,
// https://www.jmlr.org/papers/v12/chaudhuri11a.html, section 4.2, where it is called the Huber
// loss.
func Hinge(width float64) Loss { return hinge{width} }

// hinge is the loss that Hinge returns.
type hinge struct{ Width float64 }

var _ Loss = hinge{}

// Name returns "hinge".
func (hinge) Name() string { return "hinge" }

// Columns returns 1 for two classes.
func (hinge) Columns(classes int) int { return oneForTwo(classes) }

// Value returns the loss of one score.
func (h hinge) Value(scores []float64, label float64) float64 {
	short := 1 - sign(label)*scores[0]
	switch {
	case short <= -h.Width:
		return 0
	case short >= h.Width:
		return short
	}
	return (short + h.Width) * (short + h.Width) / (4 * h.Width)
}

// Residuals writes the derivative, between -1 and 1.
func (h hinge) Residuals(dst, scores []float64, label float64) {
	y := sign(label)
	dst[0] = -y * max(0, min(1, (1-y*scores[0]+h.Width)/(2*h.Width)))
}

// sign returns -1 for class 0 and +1 for class 1.
func sign(label float64) float64 {
	if label < 0.5 {
		return -1
	}
	return 1
}

// Lipschitz returns 1.
func (hinge) Lipschitz(int) float64 { return 1 }

// Smoothness returns 1/(2·Width).
func (h hinge) Smoothness() float64 { return 1 / (2 * h.Width) }

// Predict replaces the score z by σ(2z). The result is 1/2 on the boundary and keeps the order. It
// is no calibrated probability: a support vector machine has none.
func (hinge) Predict(scores []float64) { scores[0] = sigmoid(2 * scores[0]) }

func (h hinge) with(s LossSpec) (Loss, error) {
	width, err := widthOf(h.Name(), s.Width, h.Width)
	return hinge{width}, err
}

func (h hinge) describe(s *LossSpec) { s.Width = h.Width }

// widthOf returns a declared width, or the default if it is 0.
func widthOf(loss string, declared, otherwise float64) (float64, error) {
	if declared == 0 {
		declared = otherwise
	}
	if !(declared > 0) || math.IsInf(declared, 1) {
		return 0, fmt.Errorf("model: width of the %s loss is %v, want positive and finite", loss, declared)
	}
	return declared, nil
}
