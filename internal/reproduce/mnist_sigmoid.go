package reproduce

import (
	"context"
	"fmt"
	"slices"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/public"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

const (
	// The exercise has this batch size, this number of epochs, and an epsilon below this.
	sigmoidBatch, sigmoidEpochs, sigmoidEpsilon = 600, 100, 2
	// sigmoidReference is the noise multiplier of the exercise by dp-accounting 0.6.0,
	// PLDAccountant and bisection.
	sigmoidReference = 2.127439498901367
	// sigmoidLength is the learning rate times the clipping norm of a step. Among 0.1, 0.3, 1 and 3
	// it is the best on every sixth record of the training part, at clipping norm 1.
	sigmoidLength = 1
)

// sigmoidNorms are the clipping norms of the figure.
var sigmoidNorms = []float64{0.01, 0.1, 0.3, 1, 3, 10, 30}

func mnistSigmoid() experiment.Reproduction {
	return experiment.Reproduction{Name: "mnist-sigmoid", Title: "One logistic regression for each digit of MNIST by DP-SGD: accuracy over the clipping norm",
		Source: fashionReport + ", exercise 5", Data: []string{"mnist"}, Minutes: 4, Linear: true, Run: runMNISTSigmoid}
}

func runMNISTSigmoid(ctx context.Context, l experiment.Environment) (experiment.Outcome, error) {
	m, err := openImages(ctx, public.MNIST(), l.Data)
	if err != nil {
		return experiment.Outcome{}, err
	}
	noise, err := sigmoidNoise(m.training.Records())
	if err != nil {
		return experiment.Outcome{}, err
	}
	courses, err := try(ctx, l, share{0, 0.95}, m, sigmoidTrials(noise))
	if err != nil {
		return experiment.Outcome{}, err
	}
	plain, err := pipeline{}.accuracies(ctx, l, share{0.95, 0.97}, m, []float64{sigmoidEpsilon}, 1)
	if err != nil {
		return experiment.Outcome{}, err
	}
	straight, err := pipeline{[]string{deskew}}.accuracies(ctx, l, share{0.97, 1}, m, []float64{sigmoidEpsilon}, 1)
	if err != nil {
		return experiment.Outcome{}, err
	}
	return experiment.Outcome{Comparisons: sigmoidRows(noise, courses, plain[0], straight[0]), Figures: []figure.Figure{sigmoidFigure(courses)}, Notes: []string{
		"Each of the 10000 steps takes each of the 60000 records with probability 0.01. The gradient of one record over all ten regressions is clipped as one vector. The learning rate was chosen on every sixth record of the training part. With \"steps of equal length\" the learning rate is inversely proportional to the clipping norm.",
	}}, nil
}

// sigmoidNoise returns the least noise multiplier with which the exercise stays within epsilon.
func sigmoidNoise(records int) (float64, error) {
	target, err := privacy.NewGuarantee(sigmoidEpsilon, imageDelta, privacy.AddOrRemoveOne, privacy.Unit{Row: "one image"})
	if err != nil {
		return 0, err
	}
	return account.Calibrate(account.PLD, target, func(z float64) mechanism.Event {
		return sampledSteps(float64(sigmoidBatch)/float64(records), z, stepsOf(sigmoidEpochs, records, sigmoidBatch))
	})
}

// sigmoidKey names a trial: with a learning rate for its clipping norm, or with the learning rate
// of norm 1.
func sigmoidKey(norm float64, suited bool) string {
	if suited {
		return fmt.Sprintf("clipping norm %v, steps of equal length", norm)
	}
	return fmt.Sprintf("clipping norm %v, one learning rate", norm)
}

// sigmoidTrials returns the runs. At norm 1 both kinds are one.
func sigmoidTrials(noise float64) []trial {
	var trials []trial
	for _, norm := range sigmoidNorms {
		for _, suited := range []bool{true, false} {
			d := descent{batch: sigmoidBatch, epochs: sigmoidEpochs, noise: noise, norm: norm, rate: sigmoidLength, looks: []int{sigmoidEpochs}}
			if norm == 1 && !suited {
				continue
			}
			if suited {
				d.rate = sigmoidLength / norm
			}
			trials = append(trials, trial{sigmoidKey(norm, suited), d, 1})
		}
	}
	return trials
}

// sigmoidEnd returns the accuracy at the end of a trial.
func sigmoidEnd(courses map[string][]sample, norm float64, suited bool) sample {
	return last(courses[sigmoidKey(norm, suited || norm == 1)])
}

func sigmoidRows(noise float64, courses map[string][]sample, plain, straight sample) []experiment.Comparison {
	var t table
	t.golden("noise multiplier for epsilon 2 at delta 1e-5, 100 epochs, sampling probability 0.01", "", noise, 4, within(sigmoidReference, 2e-3), "the exercise leaves this number to the reader; this is the least noise by privacy loss distributions")
	for _, norm := range sigmoidNorms {
		t.random(fmt.Sprintf("accuracy at clipping norm %v, steps of equal length, %%", norm), "", sigmoidEnd(courses, norm, true), 1, "", sigmoidWhy(norm))
	}
	least, most := sigmoidEnd(courses, sigmoidNorms[0], false), sigmoidEnd(courses, sigmoidNorms[len(sigmoidNorms)-1], false)
	t.say(fmt.Sprintf("accuracy at clipping norms %v and %v with the learning rate chosen for norm 1, %%", sigmoidNorms[0], sigmoidNorms[len(sigmoidNorms)-1]), "", least.text(1, "")+" and "+most.text(1, ""),
		"the exercise asks how the clipping norm affects the model; at one learning rate a larger norm mostly makes longer steps, and with steps of equal length the norm hardly matters")
	t.random("accuracy at epsilon 2, dither's defaults on pixels, %", "", plain, 1, "", "dither takes the full batch, centers and whitens privately within epsilon, and averages iterates")
	t.random("accuracy at epsilon 2, dither's defaults on deskewed pixels, %", "", straight, 1, "", "dither takes the full batch; deskewing shears each image by its own moments")
	return t.rows
}

// sigmoidWhy explains a row.
func sigmoidWhy(norm float64) string {
	switch {
	case norm < 1:
		return "the report prints no solution; nearly every gradient is clipped, so well-learned records count as much as others"
	case norm > 10:
		return "the report prints no solution; few gradients are as long as the clipping norm, but the noise is in proportion to it"
	}
	return "the report prints no solution"
}

// sigmoidFigure returns the plot of the exercise.
func sigmoidFigure(courses map[string][]sample) figure.Figure {
	p := figure.Panel{X: figure.Axis{Label: "clipping norm C", Log: true}, Y: figure.Axis{Label: "test accuracy, percent"}}
	for _, suited := range []bool{true, false} {
		s := figure.Series{Name: fmt.Sprintf("learning rate %v / C", sigmoidLength)}
		if !suited {
			s.Name = fmt.Sprintf("learning rate %v", sigmoidLength)
		}
		for _, norm := range slices.Sorted(slices.Values(sigmoidNorms)) {
			s.Points = append(s.Points, sigmoidEnd(courses, norm, suited).point(norm, 1))
		}
		p.Series = append(p.Series, s)
	}
	return figure.Figure{Name: "accuracy-over-norm", Title: "MNIST, ten logistic regressions, epsilon 2: accuracy over the clipping norm", Panels: []figure.Panel{p}, Command: "dither reproduce mnist-sigmoid"}
}
