package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
)

func generalization() experiment.Reproduction {
	return experiment.Reproduction{
		Name: "generalization", Title: "Training accuracy minus test accuracy, without and with privacy",
		Source: bookSource + " (train against test). " + sectionSource + ", section 4 (privacy implies generalization)", Minutes: 0.5, Linear: true, Run: runGeneralization,
	}
}

// The private runs are under replace-one, because the bound on the gap is.
const (
	gapEpsilon = 1
	gapDelta   = 1e-6
)

var gapRecords = []int{50, 100, 200, 400, 800, 1600}

// gapRun is one number of records.
type gapRun struct {
	health
	setup train.Setup
}

func runGeneralization(ctx context.Context, l experiment.Environment) (experiment.Outcome, error) {
	var t table
	var curves [6][]figure.Point // training, test and gap without privacy; the same with
	bound := 0.0
	for i, n := range gapRecords {
		l.Report(fmt.Sprintf("%d records", n), float64(i)/float64(len(gapRecords)))
		r, err := newGapRun(ctx, n)
		if err != nil {
			return experiment.Outcome{}, err
		}
		if bound, err = gapBound(r.setup.Plan); err != nil {
			return experiment.Outcome{}, err
		}
		training, test, err := r.exact(ctx)
		if err != nil {
			return experiment.Outcome{}, err
		}
		privateTraining, privateTest, err := r.private(ctx, repeats(l, 20))
		if err != nil {
			return experiment.Outcome{}, err
		}
		var gap sample
		for k := range privateTest {
			gap = append(gap, privateTraining[k]-privateTest[k])
		}
		for k, s := range []sample{{training}, {test}, {training - test}, privateTraining, privateTest, gap} {
			curves[k] = append(curves[k], s.point(float64(n), 100))
		}
		where := fmt.Sprintf("%d persons, training accuracy minus test accuracy, points: ", n)
		t.known(where+"without privacy", "", 100*(training-test), 3, fmt.Sprintf("not in the sources; the minimizer overfits: %.1f %% on training rows, %.1f %% on test rows", 100*training, 100*test))
		t.random(where+"at ε = 1, δ = 1e-6", fmt.Sprintf("at most %.2f", 100*bound), gap, 100, " points", "no difference; the bound is on the expectation, and one choice of persons adds "+fmt.Sprintf("a sampling error of about %.1f points", 100*math.Sqrt(0.25/float64(n))))
	}
	return experiment.Outcome{Comparisons: t.rows, Figures: []figure.Figure{gapFigure(curves, bound)}, Notes: []string{
		"The bound is on the expected gap between test and training loss, for any loss in [0, 1]. Replacing one record moves the distribution of the released model by at most 2Φ(μ/2) - 1 in total variation, if the training is μ-Gaussian differentially private. A training that is stable in this sense generalizes (O. Bousquet and A. Elisseeff, \"Stability and Generalization\", JMLR 2002). The bound assumes independent records of one distribution, and holds for good and bad models alike.",
	}}, nil
}

func newGapRun(ctx context.Context, n int) (gapRun, error) {
	h, err := readHealth(ctx, n)
	if err != nil {
		return gapRun{}, err
	}
	setup, err := train.NewPlan(train.Request{Epsilon: gapEpsilon, Delta: gapDelta, Neighboring: privacy.ReplaceOne, Whiten: train.No}, h.schema)
	return gapRun{h, setup}, err
}

// gapBound returns the distance in total variation that one record makes: 2Φ(μ/2) - 1, δ at ε = 0.
func gapBound(p train.Plan) (float64, error) {
	mu, err := account.Mu(p.Event(), privacy.ReplaceOne)
	return math.Erf(mu / 2 / math.Sqrt2), err
}

// exact returns both accuracies of the minimizer with a ridge of 0.001 added to the sum of losses.
func (r gapRun) exact(ctx context.Context) (training, test float64, err error) {
	setup, err := erm.NewSetup(erm.Request{Method: option.MethodLBFGS, Epsilon: math.Inf(1), Neighboring: privacy.ReplaceOne, SumRidge: 1e-3}, r.schema)
	if err != nil {
		return 0, 0, err
	}
	budget, err := unlimited(privacy.ReplaceOne, r.schema.Row, 1)
	if err != nil {
		return 0, 0, err
	}
	result, err := erm.Fit(ctx, budget, setup, r.training, erm.Options{})
	if err != nil {
		return 0, 0, err
	}
	of, err := r.both([]*model.Model{result.Model})
	return of[0].mean(), of[1].mean(), err
}

// private returns both accuracies of several private runs.
func (r gapRun) private(ctx context.Context, runs int) (training, test sample, err error) {
	models, err := fitMany(ctx, copies(train.Run{Setup: r.setup, Options: train.Options{Momentum: option.DefaultMomentum}}, runs), r.training)
	if err != nil {
		return nil, nil, err
	}
	of, err := r.both(models)
	return of[0], of[1], err
}

// both measures models on training and test rows.
func (r gapRun) both(models []*model.Model) (of [2]sample, err error) {
	if of[0], err = accuracies(models, r.training); err == nil {
		of[1], err = accuracies(models, r.test)
	}
	return of, err
}

func gapFigure(curves [6][]figure.Point, bound float64) figure.Figure {
	records := figure.Axis{Label: "persons", Log: true}
	first, last := float64(gapRecords[0]), float64(gapRecords[len(gapRecords)-1])
	limit := []figure.Point{figure.Value(first, 100*bound), figure.Value(last, 100*bound)}
	return figure.Figure{Name: "gap", Title: "Training rows against test rows, without privacy and at epsilon 1", Command: "dither reproduce generalization", Panels: []figure.Panel{
		{Title: "accuracy", X: records, Y: figure.Axis{Label: "accuracy, percent"}, Series: []figure.Series{
			{Name: "training rows, not private", Points: curves[0]}, {Name: "test rows, not private", Points: curves[1]},
			{Name: "training rows, private", Points: curves[3]}, {Name: "test rows, private", Points: curves[4]}}},
		{Title: "gap", X: records, Y: figure.Axis{Label: "training less test, points"}, Series: []figure.Series{
			{Name: "gap, not private", Points: curves[2]}, {Name: "gap, private", Points: curves[5]}, {Name: "bound at epsilon 1", Points: limit, Dashed: true}}},
	}}
}
