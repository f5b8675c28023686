package erm

import (
	"fmt"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/model"
)

// lossOf returns the loss of a plan as a release.Loss, with the constants that its sensitivities
// depend on.
func lossOf(l model.LossSpec) (release.Loss, error) {
	switch l.Name {
	case model.Logistic.Name():
		return release.LogisticLoss(), nil
	case model.OneVsRest.Name():
		return release.OneVsRestLoss(), nil
	case model.Softmax.Name():
		return release.SoftmaxLoss(), nil
	case model.Huber(l.Width).Name():
		return release.HuberLoss(l.Width), nil
	case model.Quantile(l.Quantile, l.Width).Name():
		return release.QuantileLoss(l.Quantile, l.Width), nil
	case model.Hinge(l.Width).Name():
		return release.HingeLoss(l.Width), nil
	}
	return release.Loss{}, fmt.Errorf("erm: loss is %q, want logistic, one-vs-rest, softmax, hinge, huber or quantile", l.Name)
}

// problem returns the minimization of the plan with a ridge.
func (p Plan) problem(ridge float64) (release.Problem, error) {
	loss, err := lossOf(p.Loss)
	if err != nil {
		return release.Problem{}, err
	}
	out := release.Problem{Loss: loss, Columns: p.Columns, Radius: p.RowBound, Ridge: ridge, MaxRecords: p.MaxRecords}
	return out, out.Validate()
}
