package model

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// Linear is the form of a generalized linear model. The model computes one or more scores for a
// row, and Columns is their number. Each score is the dot product of the row with a weight vector
// of length Dim. The weight vectors are stored one after the other. Loss turns the scores into a
// loss or a prediction.
type Linear struct {
	// Loss is the loss of a record's scores and label.
	Loss Loss
	// Columns is the number of scores of a row.
	Columns int
	// Dim is the length of a row.
	Dim int
}

// NewLinear returns the linear model of a loss for this number of classes and for rows of length
// dim. 0 classes means regression.
func NewLinear(l Loss, classes, dim int) (Linear, error) {
	if l == nil || dim < 1 {
		return Linear{}, fmt.Errorf("model: linear model has loss %v and %d features, want a loss and at least 1 feature", l, dim)
	}
	if err := fits(l, classes); err != nil {
		return Linear{}, err
	}
	return Linear{l, l.Columns(classes), dim}, nil
}

// fits refuses a loss for a target of another kind.
func fits(l Loss, classes int) error {
	if l.Columns(classes) > 0 {
		return nil
	}
	use := lossNames(func(l Loss) bool { return l.Columns(classes) > 0 })
	switch classes {
	case 0:
		return fmt.Errorf("model: loss %s with a numeric target, want %s; declare levels to predict classes", l.Name(), use)
	case 1:
		return fmt.Errorf("model: loss %s with 1 level, want at least 2; declare the levels of the target", l.Name())
	}
	return fmt.Errorf("model: loss %s with %d levels, want another target; use %s", l.Name(), classes, use)
}

// Weights returns the number of weights, which is Columns·Dim.
func (m Linear) Weights() int { return m.Columns * m.Dim }

// Scores writes the scores of row x to dst, of length Columns.
func (m Linear) Scores(dst, x, weights []float64) {
	for k := range m.Columns {
		dst[k] = kernel.Dot(x, weights[k*m.Dim:(k+1)*m.Dim])
	}
}

// Propose writes to c the proposed contributions of several records to the sum of gradients. There
// is one record for each label. Its proposal is the derivative of its loss with respect to its
// scores. The function multiply writes the scores of the records to dst, of length
// len(labels)·Columns, row-major. For a NaN label the proposal is zero. A proposal does not depend
// on the other records in the block, not even in its last bit.
func (m Linear) Propose(c *kernel.Contributions, labels []float32, multiply func(dst []float32)) {
	n := len(labels) * m.Columns
	c.Columns, c.Coefficients, c.Scores = m.Columns, room(c.Coefficients, n), room(c.Scores, n)
	multiply(c.Scores)
	if many, ok := m.Loss.(blockLoss); ok {
		many.residuals(c.Coefficients, c.Scores, labels)
		return
	}
	m.residuals(c.Coefficients, c.Scores, labels)
	for i, label := range labels {
		if label != label {
			clear(c.Coefficients[i*m.Columns : (i+1)*m.Columns])
		}
	}
}

// residuals computes the residuals of one record after the other.
func (m Linear) residuals(dst []float64, scores, labels []float32) {
	wide := make([]float64, m.Columns)
	for i, label := range labels {
		for k := range wide {
			wide[k] = float64(scores[i*m.Columns+k])
		}
		m.Loss.Residuals(dst[i*m.Columns:(i+1)*m.Columns], wide, float64(label))
	}
}

// room returns a slice of n entries. It reuses the memory of s if that is large enough.
func room[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
