package erm

import (
	"fmt"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
)

// lossOf returns the loss of a plan as package mechanism knows it, with the constants that its sensitivities
// rest on.
func lossOf(l LossPlan) (mechanism.Loss, error) {
	switch l.Name {
	case model.Logistic.Name():
		return mechanism.LogisticLoss(), nil
	case model.OneVsRest.Name():
		return mechanism.OneVsRestLoss(), nil
	case model.Softmax.Name():
		return mechanism.SoftmaxLoss(), nil
	case model.Huber(l.Width).Name():
		return mechanism.HuberLoss(l.Width), nil
	case model.Quantile(l.Quantile, l.Width).Name():
		return mechanism.QuantileLoss(l.Quantile, l.Width), nil
	case model.Hinge(l.Width).Name():
		return mechanism.HingeLoss(l.Width), nil
	}
	return mechanism.Loss{}, fmt.Errorf("erm: loss is %q, want logistic, one-vs-rest, softmax, hinge, huber or quantile", l.Name)
}

// problem returns the minimization of the plan with a ridge.
func (p Plan) problem(ridge float64) (mechanism.Problem, error) {
	loss, err := lossOf(p.Loss)
	if err != nil {
		return mechanism.Problem{}, err
	}
	out := mechanism.Problem{Loss: loss, Columns: p.Columns, Radius: p.RowBound, Ridge: ridge, MaxRecords: p.MaxRecords}
	return out, out.Validate()
}
