package release

import (
	"fmt"
	"math"
)

// LossDerivative is the derivative of a record's loss by each of its scores, for recursions whose
// proof needs it to be known: each column's derivative depends on that column's score and the label
// alone, and does not fall as the score rises. The set is closed.
type LossDerivative interface {
	// String names the loss derivative.
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

// LogisticDerivative is that of the logistic loss: σ(z) - 1 for the column of the label and σ(z)
// for the others, σ(z) = 1/(1+e^-z). With one column the label is 0 or 1, with several the number
// of a column.
type LogisticDerivative struct{}

// HuberDerivative is that of the Huber loss: z - label moved into ±Width, for labels of magnitude
// at most 2^20.
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
