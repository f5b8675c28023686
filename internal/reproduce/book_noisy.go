package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// These are the chapter's private runs: 10 iterations, each at this δ.
const (
	bookSteps = 10
	bookDelta = 1e-5
)

// bookEpsilons are the budgets of one iteration in its sweep.
var bookEpsilons = []float64{0.001, 0.003, 0.005, 0.008, 0.01, 0.03, 0.05, 0.08, 0.1}

// bookNoise is the noise multiplier of the chapter's Gaussian mechanism, √(2·log(1.25/δ))/ε (Dwork
// & Roth, "The Algorithmic Foundations of Differential Privacy", 2014, theorem A.1).
func bookNoise(epsilon float64) float64 { return math.Sqrt(2*math.Log(1.25/bookDelta)) / epsilon }

// bookEvent returns the event of a run of the chapter: a count with Laplace noise, then the steps.
func bookEvent(epsilon float64, steps int) mechanism.Event {
	return mechanism.Sequence{mechanism.Laplace{NoiseMultiplier: 1 / epsilon}, mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: bookNoise(epsilon)}, Count: steps}}
}

// job returns a private run of the chapter, with its noise or with the least noise that has the
// privacy of one iteration.
func (b *bookRun) job(epsilon float64, mode string, exact bool) (train.Run, error) {
	r := bookRequest(epsilon, bookSteps)
	r.PerStep, r.ClippingMode = true, mode
	if mode == option.ClipExample {
		r.Normalization = feature.NormClip
	}
	setup, err := train.NewPlan(r, b.schema)
	if !exact {
		setup.Plan.NoiseMultiplier = bookNoise(epsilon)
	}
	return train.Run{Setup: setup, Options: train.Options{LearningRate: 1, Average: train.No}}, err
}

// noisy adds the private runs and the sweep.
func (b *bookRun) noisy(ctx context.Context) error {
	runs := repeats(b.lab, 20)
	var curves [2][]figure.Point
	var modes = []string{option.ClipGradient, option.ClipExample}
	for m, mode := range modes {
		for i, epsilon := range bookEpsilons {
			b.lab.Report(fmt.Sprintf("noisy descent, clipping of each %s", mode), 0.5+0.22*float64(m)+0.22*float64(i)/float64(len(bookEpsilons)))
			attained, err := b.attains(ctx, epsilon, mode, false, runs)
			if err != nil {
				return err
			}
			curves[m] = append(curves[m], attained.point(epsilon, 100))
			if epsilon == 0.1 {
				b.private(mode, attained)
			}
		}
	}
	lowest := curves[0][0]
	b.rows = append(b.rows, experiment.Comparison{Quantity: "noisy descent with clipped gradients, 10 steps at (0.001, 1e-5) each: accuracy on the test rows", Published: "far less accurate (a plot without numbers)", Value: lowest.Y / 100,
		Ours: fmt.Sprintf("%.1f ± %.1f %% (%d runs)", lowest.Y, lowest.Y-lowest.Low, runs), Why: "no visible difference; the chapter plots one run, and runs differ by many points at this ε"})
	if err := b.noisyCount(runs); err != nil {
		return err
	}
	exact, err := b.attains(ctx, 0.1, option.ClipGradient, true, runs)
	if err != nil {
		return err
	}
	b.random("noisy descent with clipped gradients, 10 steps with the least noise for (0.1, 1e-5) each: accuracy on the test rows", "", exact, 100, " %", "not in the chapter; the least noise is 30.7 times the clipping norm, and the chapter's 48.4 times; in 10 steps this hardly changes the accuracy")
	if err = b.better(ctx, runs); err != nil {
		return err
	}
	return b.sweepFigure(curves[0], curves[1])
}

// noisyCount adds the chapter's noisy number of rows.
func (b *bookRun) noisyCount(runs int) error {
	var off sample
	for range 10 * runs {
		terms := pass.Settings{Payer: free{}, Noise: mechanism.KNorm{NoiseMultiplier: 1 / 0.1}, MaxRecords: 40000}
		v, err := pass.Count(terms, b.training.Records())
		if err != nil {
			return err
		}
		off = append(off, math.Abs(v-float64(b.training.Records())))
	}
	b.random("noisy count of the training rows with Laplace noise at ε = 0.1: mean absolute error", "1/ε = 10", off, 1, "", "no difference; an error of 10 in 36176 rows changes the length of a step by 0.03 %")
	return nil
}

// attains returns the accuracies of several runs.
func (b *bookRun) attains(ctx context.Context, epsilon float64, mode string, exact bool, runs int) (sample, error) {
	j, err := b.job(epsilon, mode, exact)
	if err != nil {
		return nil, err
	}
	models, err := fitMany(ctx, copies(j, runs), b.training)
	if err != nil {
		return nil, err
	}
	return accuracies(models, b.test)
}

func (b *bookRun) private(mode string, attained sample) {
	why := fmt.Sprintf("the chapter prints one run; the accuracy of a run has a standard deviation of %.2f points", 100*attained.deviation())
	if mode == option.ClipGradient {
		b.random("noisy descent with clipped gradients, 10 steps at (0.1, 1e-5) each: accuracy on the test rows", "0.7795223352498895 (77.95 %)", attained, 100, " %", why+"; rows have norms up to 3.34, so the clipping norm 5 clips no gradient")
		return
	}
	b.random("noisy descent with clipped rows, 10 steps at (0.1, 1e-5) each: accuracy on the test rows", "0.7797434763379035 (77.97 %)", attained, 100, " %", why)
}

// better adds results of other ways to spend the same total cost: the improvements that the chapter
// lists.
func (b *bookRun) better(ctx context.Context, runs int) error {
	total, err := account.Best.Epsilon(bookEvent(0.1, bookSteps), 1e-4, privacy.AddOrRemoveOne)
	if err != nil {
		return err
	}
	ask := func(epsilon float64) train.Request {
		return train.Request{Epsilon: epsilon, Delta: 1e-4, Neighboring: privacy.AddOrRemoveOne}
	}
	batches, parts := ask(1.1), ask(1.1)
	batches.SamplingProbability, parts.Parts = 0.1, 10
	for _, c := range []struct {
		quantity string
		request  train.Request
		why      string
	}{
		{"dither's defaults at the exact cost of the chapter's run", ask(total.Upper), "dither makes the improvements that the chapter proposes: noise from the total budget by exact composition; more and longer steps with momentum; rows of norm 1, centered and whitened privately"},
		{"dither's defaults at the cost that the chapter states", ask(1.1), "dither makes the improvements that the chapter proposes; logistic regression without privacy has 84.5 %"},
		{"dither's defaults on Poisson samples of a tenth of the rows", batches, "the chapter proposes minibatches; each step on a sample costs less, so there are more steps"},
		{"dither's defaults on ten parts of the rows in turn", parts, "the chapter proposes minibatches by parallel composition; a record pays for every tenth step"},
	} {
		attained, failed := b.defaults(ctx, c.request, min(runs, 5))
		if failed != nil {
			return failed
		}
		b.random(fmt.Sprintf("%s: accuracy at ε = %.3g, δ = 1e-4 in total", c.quantity, c.request.Epsilon), "77.95 %", attained, 100, " %", c.why)
	}
	return nil
}

// defaults returns the results of the tool's defaults for a request.
func (b *bookRun) defaults(ctx context.Context, r train.Request, runs int) (sample, error) {
	setup, err := train.NewPlan(r, b.schema)
	if err != nil {
		return nil, err
	}
	var models []*model.Model
	for range runs {
		b.lab.Report("dither's defaults", 0.95)
		result, failed := fitOne(ctx, setup, train.Options{Momentum: option.DefaultMomentum}, b.training)
		if failed != nil {
			return nil, failed
		}
		models = append(models, result.Model)
	}
	return accuracies(models, b.test)
}

// sweepFigure draws accuracy over the cost of an iteration and over the total.
func (b *bookRun) sweepFigure(gradients, examples []figure.Point) error {
	over := func(points []figure.Point) ([]figure.Point, error) {
		out := append([]figure.Point(nil), points...)
		for i, p := range out {
			total, err := account.Best.Epsilon(bookEvent(p.X, bookSteps), bookSteps*bookDelta, privacy.AddOrRemoveOne)
			if err != nil {
				return nil, err
			}
			out[i].X = total.Upper
		}
		return out, nil
	}
	totalGradients, err := over(gradients)
	if err != nil {
		return err
	}
	totalExamples, err := over(examples)
	if err != nil {
		return err
	}
	panel := func(label string, gradients, examples []figure.Point) figure.Panel {
		return figure.Panel{X: figure.Axis{Label: label, Log: true}, Y: figure.Axis{Label: "accuracy on the test rows, percent"},
			Series: []figure.Series{{Name: "clipping gradients", Points: gradients}, {Name: "clipping examples", Points: examples}}}
	}
	first := panel("epsilon of each iteration, delta 1e-5", gradients, examples)
	first.Series = append(first.Series, figure.Series{Name: "one run", Points: []figure.Point{figure.Value(0.1, 77.95223352498895)}, Published: true, Scattered: true})
	b.figures = append(b.figures, figure.Figure{Name: "accuracy-over-epsilon", Title: "Noisy gradient descent, 10 iterations: mean of 20 runs with its 95 % interval", Command: "dither reproduce book",
		Panels: []figure.Panel{first, panel("epsilon in total, delta 1e-4", totalGradients, totalExamples)}})
	return nil
}

// cost adds the run's cost by each accountant.
func (b *bookRun) cost() error {
	b.lab.Report("what it costs", 0.97)
	const add = privacy.AddOrRemoveOne
	b.golden("noise multiplier of one step at (0.1, 1e-5)", "", bookNoise(0.1), 5, within(48.448, 5e-4), "√(2·log(1.25/δ))/ε, the formula of the chapter's Gaussian mechanism")
	steps := mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: bookNoise(0.1)}, Count: bookSteps}
	basic := 0.1*bookSteps + 0.1
	b.golden("cost of the chapter's run by sequential composition: ε at δ = 1e-4", "kε + ε", basic, 2, within(1.1, 1e-12), "no difference: k = 10 steps and the noisy count, at ε = 0.1 each")
	for _, c := range []struct {
		name      string
		event     mechanism.Event
		a         account.Accountant
		delta     float64
		want, tol float64
		why       string
	}{
		{"exact cost of the chapter's 10 steps without the noisy count: ε at δ = 1e-5", steps, account.GDP, 1e-5, 0.2140, 5e-5, "10 Gaussian releases cost exactly as much as one with noise multiplier 48.4/√10"},
		{"exact cost of the chapter's 10 steps without the noisy count: ε at δ = 1e-4", steps, account.GDP, 1e-4, 0.1705, 5e-5, "10 Gaussian releases cost exactly as much as one with noise multiplier 48.4/√10"},
	} {
		v, err := c.a.Epsilon(c.event, c.delta, add)
		if err != nil {
			return err
		}
		b.golden(c.name, "", v.Upper, 4, within(c.want, c.tol), c.why)
	}
	for _, c := range []struct {
		a   account.Accountant
		why string
	}{
		{account.Advanced, "advanced composition; it gains more if there are more steps"},
		{account.ZCDP, "zero-concentrated differential privacy; the count costs ρ = ε²/2"},
		{account.RDP{}, "Rényi differential privacy, at the best of many orders"},
		{account.PLD, "privacy loss distributions; the lower and the upper bound differ by less than a thousandth"},
	} {
		v, err := c.a.Epsilon(bookEvent(0.1, bookSteps), 1e-4, add)
		if err != nil {
			return err
		}
		b.known("cost of the chapter's run by the accountant "+c.a.Name()+": ε at δ = 1e-4", "less than 1.1", v.Upper, 4, c.why)
	}
	return b.costFigure()
}

// costFigure draws ε over the number of iterations by accountant.
func (b *bookRun) costFigure() error {
	series := map[string]*figure.Series{}
	names := []string{"basic", "advanced", "zcdp", "rdp", "pld"}
	for _, name := range names {
		series[name] = &figure.Series{Name: name, Dashed: name == "basic"}
	}
	for _, k := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		for _, name := range names {
			a, err := account.Named(name)
			if err != nil {
				return err
			}
			v, err := a.Epsilon(bookEvent(0.1, k), 1e-3, privacy.AddOrRemoveOne)
			if err != nil {
				return err
			}
			if !math.IsInf(v.Upper, 1) {
				series[name].Points = append(series[name].Points, figure.Value(float64(k), v.Upper))
			}
		}
	}
	panel := figure.Panel{X: figure.Axis{Label: "iterations at (0.1, 1e-5) each, and a count", Log: true}, Y: figure.Axis{Label: "epsilon at delta 1e-3", Log: true}}
	for _, name := range names {
		panel.Series = append(panel.Series, *series[name])
	}
	b.figures = append(b.figures, figure.Figure{Name: "epsilon-over-iterations", Title: "What the iterations cost, by accountant", Command: "dither reproduce book", Panels: []figure.Panel{panel}})
	return nil
}
