package reproduce

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/public"
	"github.com/ditherml/dither/privacy"
)

const (
	// fashionNorm is the clipping norm of the report's program, and fashionRate its learning rate.
	fashionNorm, fashionRate = 0.5, 0.01
	// recordRate is the learning rate for gradients that are clipped record by record, which are
	// shorter. Among 0.1, 0.3, 1, 3, 10 and 30 it is the best on every sixth record of the training
	// part.
	recordRate = 10
)

// fashionLooks are the epochs after which accuracy is measured.
var fashionLooks = []int{1, 2, 3, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50}

// fashionBudgets are the epsilons at which the pipelines of this program are trained, with the
// report's two.
var fashionBudgets = []float64{0.5, 1, 2, 4.6, 17}

func fashion() experiment.Reproduction {
	return experiment.Reproduction{Name: "fashion", Title: "Logistic regression on Fashion-MNIST by DP-SGD, and dither's defaults with the same budgets",
		Source: fashionSource, Data: []string{"fashion-mnist"}, Minutes: 5, Linear: true, Run: runFashion}
}

func runFashion(ctx context.Context, l experiment.Environment) (experiment.Outcome, error) {
	m, err := openImages(ctx, public.FashionMNIST(), l.Data)
	if err != nil {
		return experiment.Outcome{}, err
	}
	courses, err := try(ctx, l, share{0, 0.7}, m, fashionTrials())
	if err != nil {
		return experiment.Outcome{}, err
	}
	raw, err := pipeline{}.accuracies(ctx, l, share{0.7, 0.8}, m, fashionBudgets, 1)
	if err != nil {
		return experiment.Outcome{}, err
	}
	scattered, err := pipeline{[]string{scattering, groupNorm}}.accuracies(ctx, l, share{0.8, 1}, m, fashionBudgets, 1)
	if err != nil {
		return experiment.Outcome{}, err
	}
	over, err := fashionOverEpsilon(courses, raw, scattered)
	if err != nil {
		return experiment.Outcome{}, err
	}
	return experiment.Outcome{Comparisons: fashionRows(courses, raw, scattered), Figures: append(fashionOverEpochs(courses), over), Notes: []string{
		"\"The report's method\" is the method of the report's program: the mean gradient of a batch is clipped to norm 0.5. Normal noise is added to the clipped mean, and its standard deviation is the noise multiplier. " +
			"One record can reverse the clipped mean, which moves it by 1. So the noise matches the report's accounting. If each record is clipped to norm 0.5 instead, the mean of 600 records needs 1200 times less noise.",
		"The report's program clips weights and biases separately, which costs more privacy than the program's accounting states. The program takes shuffled batches, for which its accounting has no proof. Here weights and biases are clipped together, and samples are Poisson.",
		"The accuracies over epochs are measured on iterates. All iterates are released, so these measurements cost nothing in addition. No setting was chosen by them. The report's method has the learning rate of its program, 0.01. The learning rate for clipped records was chosen on every sixth record of the training part.",
	}}, nil
}

// wayOf names a trial: with the method of the report's program, or with each record's gradient
// clipped.
func wayOf(averaged bool, batch int, noise float64) string {
	if averaged {
		return fmt.Sprintf("the report's method, batches of %d, noise multiplier %v", batch, noise)
	}
	return fmt.Sprintf("each record clipped, batches of %d, noise multiplier %v", batch, noise)
}

// fashionTrials returns the runs over epochs. Runs whose figures the report states in words are
// repeated.
func fashionTrials() []trial {
	one := func(averaged bool, batch int, noise float64) trial {
		d := descent{batch: batch, epochs: fashionEpochs, noise: noise, norm: fashionNorm, averaged: averaged, rate: fashionRate, looks: fashionLooks}
		if !averaged {
			d.rate = recordRate
		}
		usual := 1
		if batch == fashionBatch && (noise == 0 || noise == 0.6 || noise == 1) {
			usual = 3
		}
		return trial{wayOf(averaged, batch, noise), d, usual}
	}
	trials := []trial{one(true, fashionBatch, 0)}
	for _, noise := range fashionNoises {
		trials = append(trials, one(true, fashionBatch, noise))
	}
	for _, batch := range fashionBatches {
		if batch != fashionBatch {
			trials = append(trials, one(true, batch, fashionNoise))
		}
	}
	for _, noise := range []float64{0.6, fashionNoise, 1} {
		trials = append(trials, one(false, fashionBatch, noise))
	}
	return trials
}

// fashionRows returns the comparisons.
func fashionRows(courses map[string][]sample, raw, scattered []sample) []experiment.Comparison {
	var t table
	end := func(averaged bool, batch int, noise float64) sample {
		return last(courses[wayOf(averaged, batch, noise)])
	}
	t.random("accuracy without privacy, %", "80", end(true, fashionBatch, 0), 1, "", "little difference; the settings are those of the report's program")
	for _, c := range []struct {
		epsilon, published string
		noise              float64
		at                 int
	}{{"17.0", "73", 0.6, 4}, {"4.6", "62", 1, 3}} {
		budget := "accuracy at epsilon " + c.epsilon
		t.random(budget+", the report's method, %", c.published, end(true, fashionBatch, c.noise), 1, "", "little difference: as in the report's program, noise is added to the clipped mean of a batch; the report has one run, and runs differ by about a point")
		t.random(budget+", each record clipped, %", c.published, end(false, fashionBatch, c.noise), 1, "", "this is the report's algorithm 1: each record's gradient is clipped, so the noise in the mean is 1200 times less; the learning rate is larger")
		t.random(budget+", dither's defaults on pixels, %", c.published, raw[c.at], 1, "", "dither takes the full batch, centers and whitens privately within epsilon, and averages iterates")
		t.random(budget+", dither's defaults on scattering features, %", c.published, scattered[c.at], 1, "", "dither takes the full batch; scattering features are computed from each image alone, by a fixed public formula")
	}
	small, large := end(true, 100, fashionNoise), end(true, 1000, fashionNoise)
	t.say("accuracy with batches of 100 and of 1000 after 50 epochs, noise multiplier 0.7, %", "roughly the same", small.text(1, "")+" and "+large.text(1, ""), "no difference, but for another reason than the report's: each step has the same noise for every batch size, so ten times as many steps bring both more learning and more noise")
	return t.rows
}

// fashionOverEpochs returns figures 1(b) and 3(b) of the report.
func fashionOverEpochs(courses map[string][]sample) []figure.Figure {
	x, y := figure.Axis{Label: "epochs"}, figure.Axis{Label: "test accuracy, percent"}
	noises := figure.Panel{Title: "The report's method, batches of 600", X: x, Y: y,
		Marks: []figure.Mark{{X: fashionEpochs, Y: 80, Text: "report: 80"}, {X: fashionEpochs, Y: 73, Text: "report: 73"}, {X: fashionEpochs, Y: 62, Text: "report: 62"}}}
	for _, z := range append([]float64{0}, fashionNoises...) {
		name := noiseName(z)
		if z == 0 {
			name = "no privacy"
		}
		noises.Series = append(noises.Series, overEpochs(name, fashionLooks, courses[wayOf(true, fashionBatch, z)]))
	}
	batches := figure.Panel{Title: "The report's method, noise multiplier 0.7", X: x, Y: y}
	for _, b := range fashionBatches {
		batches.Series = append(batches.Series, overEpochs(batchName(b), fashionLooks, courses[wayOf(true, b, fashionNoise)]))
	}
	const command = "dither reproduce fashion"
	return []figure.Figure{
		{Name: "accuracy-by-noise", Title: "Fashion-MNIST: accuracy over epochs, by noise multiplier", Panels: []figure.Panel{noises}, Command: command},
		{Name: "accuracy-by-batch", Title: "Fashion-MNIST: accuracy over epochs, by batch size", Panels: []figure.Panel{batches}, Command: command},
	}
}

// fashionOverEpsilon returns figure 2 of the report, with the results of clipping record by record
// and of the pipelines.
func fashionOverEpsilon(courses map[string][]sample, raw, scattered []sample) (figure.Figure, error) {
	counts := make([]int, len(fashionLooks))
	for i, epochs := range fashionLooks {
		counts[i] = stepsOf(epochs, fashionRecords, fashionBatch)
	}
	costs, err := running(account.PLD, sampledSteps(float64(fashionBatch)/fashionRecords, fashionNoise, 1), imageDelta, privacy.AddOrRemoveOne, counts)
	if err != nil {
		return figure.Figure{}, err
	}
	p := figure.Panel{Title: "DP-SGD along runs of 50 epochs with noise multiplier 0.7", X: figure.Axis{Label: "epsilon at delta 1e-5", Log: true}, Y: figure.Axis{Label: "test accuracy, percent"}, Series: []figure.Series{
		{Name: "scattering, defaults", Points: overBudgets(fashionBudgets, scattered)}, {Name: "pixels, defaults", Points: overBudgets(fashionBudgets, raw)}}}
	for _, averaged := range []bool{false, true} {
		s := figure.Series{Name: "DP-SGD, each record clipped"}
		if averaged {
			s.Name = "DP-SGD, the report's method"
		}
		for i, accuracy := range courses[wayOf(averaged, fashionBatch, fashionNoise)] {
			s.Points = append(s.Points, accuracy.point(costs[i].Upper, 1))
		}
		p.Series = append(p.Series, s)
	}
	p.Series = append(p.Series, figure.Series{Name: "report", Published: true, Scattered: true, Points: []figure.Point{figure.Value(4.6, 62), figure.Value(17, 73)}},
		figure.Series{Name: "report without privacy", Published: true, Dashed: true, Points: []figure.Point{figure.Value(fashionBudgets[0], 80), figure.Value(17, 80)}})
	return figure.Figure{Name: "accuracy-over-epsilon", Title: "Fashion-MNIST: accuracy against epsilon", Panels: []figure.Panel{p}, Command: "dither reproduce fashion"}, nil
}

// overBudgets returns the points of a curve over epsilon.
func overBudgets(epsilons []float64, accuracies []sample) []figure.Point {
	points := make([]figure.Point, len(epsilons))
	for i, accuracy := range accuracies {
		points[i] = accuracy.point(epsilons[i], 1)
	}
	return points
}
