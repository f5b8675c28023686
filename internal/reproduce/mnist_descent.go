package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train/neural"
)

// imageDelta is the delta of the publications on images in this package.
const imageDelta = 1e-5

// descent is a run of the model of the report on DP-SGD. The model is one logistic regression for
// each class, of pixels in [0, 1] and a bias. It begins at zero and descends at a constant rate
// along means of Poisson samples.
type descent struct {
	// batch is the expected size of a sample. epochs is the expected number of times that a record
	// is read.
	batch, epochs int
	// noise is the noise multiplier. 0 means no privacy and no clipping.
	noise float64
	// norm is the clipping norm of each record's gradient or, if averaged, of the mean over the
	// sample.
	norm     float64
	averaged bool
	rate     float64
	// looks lists the epochs after which the accuracy is measured, in ascending order, with the
	// last epoch. All iterates are released, so that measuring costs nothing.
	looks []int
}

// unclipped is a norm beyond all gradients of ten classes and 784 pixels.
const unclipped = 1e4

// sampledSteps returns this number of steps, each a Gaussian release of a Poisson sample.
func sampledSteps(probability, noise float64, steps int) mechanism.Event {
	return mechanism.Repeat{Event: mechanism.PoissonSampled{Probability: probability, Event: mechanism.Gaussian{NoiseMultiplier: noise}}, Count: steps}
}

// stepsOf returns the number of batches in this number of epochs.
func stepsOf(epochs, records, batch int) int { return (epochs*records + batch - 1) / batch }

// run trains once and returns the accuracies on the test part at the looks, in percent.
func (d descent) run(ctx context.Context, m images) ([]float64, error) {
	if n := len(d.looks); n == 0 || d.looks[n-1] != d.epochs || !slices.IsSorted(d.looks) {
		return nil, fmt.Errorf("reproduce: looks are after epochs %v of %d, want ascending numbers that end with it", d.looks, d.epochs)
	}
	setup, err := d.setup(m)
	if err != nil {
		return nil, err
	}
	budget, err := budgetFor(setup.Plan.Event(), m)
	if err != nil {
		return nil, err
	}
	perEpoch := stepsOf(1, m.training.Records(), d.batch)
	accuracies := make([]float64, 0, len(d.looks))
	options := neural.Options{LearningRate: d.rate, Momentum: -1, Schedule: option.ScheduleConstant, Initial: make([]float32, setup.Network.Weights()), CheckpointEvery: perEpoch,
		Checkpoint: func(c *neural.Checkpoint) error {
			if len(accuracies) == len(d.looks) || c.Taken != d.looks[len(accuracies)]*perEpoch && c.Taken != setup.Plan.Steps {
				return nil
			}
			of, failed := snapshot(setup, c)
			if failed != nil {
				return failed
			}
			accuracy, failed := m.accuracy(of)
			accuracies = append(accuracies, accuracy)
			return failed
		}}
	_, err = neural.Fit(ctx, budget, setup, m.training, options)
	return accuracies, err
}

// setup returns the plan of the run on a set.
func (d descent) setup(m images) (neural.Setup, error) {
	records := m.training.Records()
	request := neural.Request{Epsilon: math.Inf(1), Delta: imageDelta, Neighboring: privacy.AddOrRemoveOne, Layers: network.MLP(len(m.schema.Target.Levels)), Loss: model.OneVsRest,
		Sampling: neural.Sampling{Kind: option.SamplingPoisson, Probability: float64(d.batch) / float64(records)}, Steps: stepsOf(d.epochs, records, d.batch),
		Clipping: neural.ClippingRequest{Norm: d.norm, AfterAveraging: d.averaged}}
	if d.noise == 0 {
		request.Clipping = neural.ClippingRequest{Norm: unclipped}
	}
	setup, err := neural.NewSetup(request, m.schema)
	if err == nil && d.noise > 0 {
		setup.Plan.NonPrivate, setup.Plan.NoiseMultiplier = false, d.noise
	}
	return setup, err
}

// snapshot returns the model of a checkpoint.
func snapshot(s neural.Setup, c *neural.Checkpoint) (*model.Model, error) {
	numbers := make([]float32, 0, s.Network.Weights())
	for _, w := range c.Weights {
		numbers = append(numbers, float32(w))
	}
	return model.NewNetwork(s.Schema, s.Features, s.Loss, s.Network, slices.Concat(numbers, c.Frozen))
}

// budgetFor returns a ledger for one plan with this event, and nothing more.
func budgetFor(e mechanism.Event, m images) (*ledger.Ledger, error) {
	cost, err := account.For(e).Epsilon(e, imageDelta, privacy.AddOrRemoveOne)
	if err != nil {
		return nil, err
	}
	return budgetOf(cost.Upper*(1+1e-9), m)
}

// budgetOf returns a ledger for one plan of this epsilon.
func budgetOf(epsilon float64, m images) (*ledger.Ledger, error) {
	limit, err := privacy.NewGuarantee(epsilon, imageDelta, privacy.AddOrRemoveOne, privacy.Unit{Row: m.schema.Row})
	if err != nil {
		return nil, err
	}
	return ledger.NewSingle(limit)
}

// trial is a descent that runs several times, under a name.
type trial struct {
	key string
	descent
	// usual is the number of runs if the environment does not set it.
	usual int
}

// share is a part of the progress of a reproduction.
type share struct{ from, to float64 }

// try runs trials. It returns, by their names, the accuracies in percent at each epoch in looks.
func try(ctx context.Context, l experiment.Environment, of share, m images, trials []trial) (map[string][]sample, error) {
	whole, done := 0.0, 0.0
	for _, t := range trials {
		whole += t.effort(l, m)
	}
	out := make(map[string][]sample)
	for _, t := range trials {
		courses := make([]sample, len(t.looks))
		for range repeats(l, t.usual) {
			l.Report(t.key, of.from+(of.to-of.from)*done/whole)
			course, err := t.run(ctx, m)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.key, err)
			}
			for i, accuracy := range course {
				courses[i] = append(courses[i], accuracy)
			}
			done += t.effort(l, m) / float64(repeats(l, t.usual))
		}
		out[t.key] = courses
	}
	return out, nil
}

// effort returns the work of a trial, in steps, each with its fixed cost and the cost of its
// records.
func (t trial) effort(l experiment.Environment, m images) float64 {
	return float64(repeats(l, t.usual)*stepsOf(t.epochs, m.training.Records(), t.batch)) * (600 + float64(t.batch))
}

// last returns the accuracy at the last epoch in looks.
func last(course []sample) sample { return course[len(course)-1] }

// overEpochs returns the curve of accuracies over epochs.
func overEpochs(name string, looks []int, course []sample) figure.Series {
	s := figure.Series{Name: name}
	for i, accuracy := range course {
		s.Points = append(s.Points, accuracy.point(float64(looks[i]), 1))
	}
	return s
}
