package release

import (
	"fmt"
	"math"
)

// LossDerivative is the derivative of a record's loss with respect to each of its scores. Proofs
// about a Recursion need two properties. The derivative with respect to a score depends only on
// that score and the label, and it does not fall as the score rises. Other packages cannot
// implement LossDerivative.
type LossDerivative interface {
	// String returns the name of the loss.
	String() string
	// derivative returns the derivative with respect to the score of a column out of columns. It
	// also reports whether the loss knows the label. It is within a relative 2^-48 of max(1,
	// largest).
	derivative(score, label float64, column, columns int) (float64, bool)
	// slope bounds the derivative of the derivative.
	slope() float64
	// largest bounds the magnitude of the derivative.
	largest() float64
	check() error
}

// LogisticDerivative is the derivative of the logistic loss. With σ(z) = 1/(1+e^-z), it is σ(z) - 1
// for the score z of the label's column, and σ(z) for the scores of other columns. With one column
// the label is 0 or 1. With several columns it is the number of a column.
type LogisticDerivative struct{}

// HuberDerivative is the derivative of the Huber loss: z - y clipped to ±Width, where z is the
// score and y the label. The magnitude of a label is at most 2^20.
type HuberDerivative struct{ Width float64 }

var (
	_ LossDerivative = LogisticDerivative{}
	_ LossDerivative = HuberDerivative{}
)

// String returns "logistic".
func (LogisticDerivative) String() string { return "logistic" }

// String returns "huber(width)".
func (h HuberDerivative) String() string { return fmt.Sprintf("huber(%v)", h.Width) }

func (LogisticDerivative) derivative(score, label float64, column, columns int) (float64, bool) {
	known := label == math.Trunc(label) && label >= 0 && label < float64(max(2, columns))
	target := 0.0
	if columns == 1 && label == 1 || columns > 1 && label == float64(column) {
		target = 1
	}
	e := math.Exp(-math.Abs(score))
	if score < 0 {
		return e/(1+e) - target, known
	}
	return 1/(1+e) - target, known
}

func (LogisticDerivative) slope() float64   { return 0.25 }
func (LogisticDerivative) largest() float64 { return 1 }
func (LogisticDerivative) check() error     { return nil }

// maxLabel is the largest magnitude of a label that HuberDerivative knows.
const maxLabel = 1 << 20

func (h HuberDerivative) derivative(score, label float64, _, _ int) (float64, bool) {
	return max(-h.Width, min(h.Width, score-label)), math.Abs(label) <= maxLabel
}

func (HuberDerivative) slope() float64     { return 1 }
func (h HuberDerivative) largest() float64 { return h.Width }

func (h HuberDerivative) check() error {
	if !positive(h.Width) {
		return fmt.Errorf("release: width of the loss derivative is %v, want a positive finite number", h.Width)
	}
	return nil
}
