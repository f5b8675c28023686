package reproduce

import (
	"context"
	"math"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// pipeline is the request of a person who knows that a row is an image. Everything else has its
// default: private centering and whitening, full batch, averaged iterates.
type pipeline struct{ transforms []string }

const (
	scattering = "scattering:shape=28x28"
	groupNorm  = "groupnorm:groups=27"
	deskew     = "deskew:shape=28x28"
)

// request returns the request for a model.
func (p pipeline) request(epsilon float64) (train.Request, error) {
	specs, err := specsOf(p.transforms)
	return train.Request{Epsilon: epsilon, Delta: imageDelta, Neighboring: privacy.AddOrRemoveOne, Transforms: specs}, err
}

// accuracies trains a model repeatedly for each epsilon, on features that are computed once. It
// returns the accuracies on the test part in percent.
func (p pipeline) accuracies(ctx context.Context, l experiment.Environment, of share, m images, epsilons []float64, usual int) ([]sample, error) {
	l.Report("features", of.from)
	any, err := p.request(1)
	if err != nil {
		return nil, err
	}
	setup, err := train.NewPlan(any, m.schema)
	if err != nil {
		return nil, err
	}
	training, err := train.NewTable(setup, m.training, 0)
	if err != nil {
		return nil, err
	}
	testing, err := train.NewTable(setup, m.test, 0)
	if err != nil {
		return nil, err
	}
	out := make([]sample, len(epsilons))
	for i, epsilon := range epsilons {
		for range repeats(l, usual) {
			l.Report("full batch", of.from+(of.to-of.from)*float64(i+1)/float64(len(epsilons)+1))
			accuracy, failed := p.once(ctx, m, training, testing, epsilon)
			if failed != nil {
				return nil, failed
			}
			out[i] = append(out[i], accuracy)
		}
	}
	return out, nil
}

// once trains once.
func (p pipeline) once(ctx context.Context, m images, training, testing *train.Table, epsilon float64) (float64, error) {
	request, err := p.request(epsilon)
	if err != nil {
		return math.NaN(), err
	}
	setup, err := train.NewPlan(request, m.schema)
	if err != nil {
		return math.NaN(), err
	}
	budget, err := budgetOf(epsilon*(1+1e-3), m)
	if err != nil {
		return math.NaN(), err
	}
	result, err := training.Fit(ctx, budget, setup, train.Options{Momentum: option.DefaultMomentum})
	if err != nil {
		return math.NaN(), err
	}
	predictions, targets, err := testing.Predict(result.Model)
	if err != nil {
		return math.NaN(), err
	}
	classes, right := len(predictions)/len(targets), 0
	for i, label := range targets {
		if largest(predictions[i*classes:(i+1)*classes]) == int(label) {
			right++
		}
	}
	return 100 * float64(right) / float64(len(targets)), nil
}
