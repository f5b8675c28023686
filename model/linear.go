package model

import (
	"fmt"

	"github.com/ditherml/dither/linalg"
)

// Linear is a generalized linear model: Columns scores, each a dot product of the row with
// its own weights, under a loss. Weights stand column after column, each Dim long.
type Linear struct {
	Loss    Loss
	Columns int
	Dim     int
}

// NewLinear returns the linear model of a loss for this many classes (0: regression) and
// rows of this length.
func NewLinear(l Loss, classes, dim int) (Linear, error) {
	if l == nil || dim < 1 {
		return Linear{}, fmt.Errorf("model: linear model has loss %v and %d features, want a loss and at least 1 feature", l, dim)
	}
	if _, binary := l.(Logistic); binary && classes != 2 {
		return Linear{}, fmt.Errorf("model: logistic loss with %d levels, want 2; use softmax", classes)
	}
	if _, many := l.(Softmax); many && classes < 2 {
		return Linear{}, fmt.Errorf("model: softmax loss with %d levels, want at least 2", classes)
	}
	if _, huber := l.(Huber); huber != (classes == 0) {
		return Linear{}, fmt.Errorf("model: loss %s with %d levels, want huber for a numeric target and only there", l.Name(), classes)
	}
	return Linear{l, l.Columns(classes), dim}, nil
}

// Weights returns the number of weights.
func (m Linear) Weights() int { return m.Columns * m.Dim }

// Scores writes the Columns scores of one row to dst.
func (m Linear) Scores(dst, x, weights []float64) {
	for k := range m.Columns {
		dst[k] = linalg.Dot(x, weights[k*m.Dim:(k+1)*m.Dim])
	}
}

// Propose writes to c what records propose for the sum of gradients: the derivatives of their
// losses by their scores, one record for each label. Multiply writes the records' scores, of
// length len(labels)·Columns row-major. A label that is NaN proposes zero.
func (m Linear) Propose(c *linalg.Contributions, labels []float64, multiply func(dst []float64)) {
	n := len(labels) * m.Columns
	if cap(c.Coefficients) < 2*n {
		c.Coefficients = make([]float64, 2*n)
	}
	all := c.Coefficients[:2*n]
	scores := all[n:]
	c.Columns, c.Coefficients = m.Columns, all[:n:cap(all)]
	multiply(scores)
	for i, label := range labels {
		dst, z := c.Coefficients[i*m.Columns:(i+1)*m.Columns], scores[i*m.Columns:(i+1)*m.Columns]
		if label != label {
			clear(dst)
			continue
		}
		m.Loss.Residuals(dst, z, label)
	}
}
