package reproduce

import (
	"context"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// The exercise has this number of runs of an algorithm of this privacy, and finally each on a
// sample of this share.
const (
	exerciseRuns           = 1000
	exerciseEpsilon        = 0.4
	exerciseDelta          = 1e-6
	exerciseShare          = 0.01
	exerciseNoise, noiseBy = 9.9265, 1e-3 // of the Gaussian mechanism with exactly that privacy
)

func composition() experiment.Reproduction {
	return experiment.Reproduction{
		Name: "composition", Title: "The cost of 1000 runs, by formulas of a course and by valid theorems",
		Source: fashionReport + ", exercises 1, 2 and 4", Minutes: 0.1, Linear: true, Run: runComposition,
	}
}

func runComposition(_ context.Context, l experiment.Environment) (experiment.Outcome, error) {
	var t table
	t.printed()
	l.Report("bounds that hold", 0.1)
	if err := t.valid(); err != nil {
		return experiment.Outcome{}, err
	}
	t.proofs()
	l.Report("the curves", 0.5)
	drawn, err := compositionFigure()
	return experiment.Outcome{Comparisons: t.rows, Figures: []figure.Figure{drawn}, Notes: []string{
		"Each run is (0.4, 1e-6)-differentially private. Of the printed answers, only (a) is a guarantee. The formulas (b), (c) and (d) lack the constants of the theorems. They understate the cost, and may not be claimed.",
	}}, err
}

// printed adds the answers of the exercise, by its own formulas.
func (t *table) printed() {
	lines := account.TextbookExercise()
	for i, want := range []struct {
		quantity, published string
		tolerance           float64
		why                 string
	}{
		{"1000 runs, (a) sequential composition: ε at δ = 0.001", "400", 1e-9, "no difference"},
		{"1000 runs, (b) strong composition as printed: ε at δ = 0.001", "30.98", 0.005, "the arithmetic agrees, but this is no guarantee: the formula lacks a constant, and its logarithm has base 10"},
		{"1000 runs on samples of 1 %, (c) strong composition as printed: ε at δ = 1e-5", "0.3098", 5e-5, "the arithmetic agrees, but this is no guarantee: its formula has the same faults as (b), and sampling with probability q multiplies ε by more than q"},
		{"1000 runs on samples of 1 %, (d) moments accountant as printed: ε at δ = 1e-6", "0.1265", 5e-5, "the arithmetic agrees, but this is no guarantee: the worst (0.4, 1e-6)-private algorithm has no finite ε at this δ"},
	} {
		t.golden(want.quantity, want.published, lines[i].Epsilon, 4, within(published(want.published), want.tolerance), want.why)
	}
	natural := exerciseEpsilon * math.Sqrt(exerciseRuns*math.Log(1/exerciseDelta))
	t.golden("1000 runs, (b) as printed but with the natural logarithm: ε at δ = 0.001", "", natural, 4, within(47.02, 0.005), "the theorems have the natural logarithm; this is still no guarantee, because a constant is missing")
}

// valid adds the valid claims about the same runs.
func (t *table) valid() error {
	const full, sampled = exerciseRuns * exerciseDelta, exerciseRuns * exerciseDelta * exerciseShare
	strong := strongComposition(exerciseEpsilon, exerciseRuns, 1e-6)
	closed := closedComposition(exerciseEpsilon, exerciseRuns, 1e-6)
	t.golden("1000 runs by advanced composition with its constants: ε at δ = 0.001 + 1e-6", "30.98", strong, 4, within(263.2, 0.05), "theorem 3.20 of Dwork & Roth; most of the cost is the term 1000·ε(e^ε-1), which (b) leaves out")
	t.golden("1000 runs by the closed form of optimal composition: ε at δ = 0.001 + 1e-6", "30.98", closed, 5, within(145.44, 0.005), "theorem 3.4 of Kairouz, Oh & Viswanath")
	t.golden("1000 runs by optimal composition: ε at δ = 0.001 + 1e-6", "30.98", optimalComposition(exerciseEpsilon, exerciseDelta, exerciseRuns, full+1e-6), 4, within(135.3722, 5e-4), "theorem 3.3 of Kairouz, Oh & Viswanath: no smaller ε holds for every (0.4, 1e-6)-private algorithm")
	once := math.Log1p(exerciseShare * math.Expm1(exerciseEpsilon))
	t.golden("one run on a sample of 1 %: ε", "0.004", once, 5, within(0.0049062, 5e-8), "the cost is log(1 + q(e^ε - 1)) with q = 0.01; the printed qε is smaller than the cost")
	closedSampled := closedComposition(once, exerciseRuns, 1e-6)
	t.golden("1000 runs on samples of 1 % by amplification and the closed form: ε at δ = 1.1e-5", "0.3098", closedSampled, 4, within(0.77058, 5e-6), "theorem 8 of Balle, Barthe & Gaboardi, then theorem 3.4 of Kairouz, Oh & Viswanath")
	t.golden("1000 runs on samples of 1 % by amplification and optimal composition: ε at δ = 1.1e-5", "0.3098", optimalComposition(once, exerciseShare*exerciseDelta, exerciseRuns, sampled+1e-6), 4, within(0.63427, 5e-6), "theorem 8 of Balle, Barthe & Gaboardi, then theorem 3.3 of Kairouz, Oh & Viswanath; the least ε that may be claimed in place of (c)")
	return t.normal()
}

// normal adds the cost of the runs if each is the Gaussian mechanism of exactly that privacy.
func (t *table) normal() error {
	target, err := privacy.NewGuarantee(exerciseEpsilon, exerciseDelta, privacy.AddOrRemoveOne, privacy.Unit{})
	if err != nil {
		return err
	}
	noise := 1 / account.MuOf(target)
	t.golden("noise multiplier at which one Gaussian release is (0.4, 1e-6)-private", "", noise, 5, within(exerciseNoise, noiseBy), "not in the exercise; solved on the exact curve of the Gaussian mechanism")
	runs, err := account.GDP.Epsilon(mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: noise}, Count: exerciseRuns}, exerciseDelta, privacy.AddOrRemoveOne)
	if err != nil {
		return err
	}
	t.golden("1000 Gaussian releases that are (0.4, 1e-6)-private each: ε at δ = 1e-6", "30.98", runs.Upper, 4, within(19.61, 0.005), "known Gaussian noise costs less than the worst (0.4, 1e-6)-private algorithm")
	sampled, err := account.PLD.Epsilon(sampledRuns(noise, exerciseRuns), exerciseDelta, privacy.AddOrRemoveOne)
	if err != nil {
		return err
	}
	t.golden("1000 Gaussian releases that are (0.4, 1e-6)-private each, on Poisson samples of 1 %: ε at δ = 1e-6", "0.1265", sampled.Upper, 3, within(0.11789, 2e-4), "the exact cost of Gaussian noise happens to be below the printed (d); this does not prove the formula")
	return nil
}

func sampledRuns(noise float64, runs int) mechanism.Event {
	return mechanism.Repeat{Event: mechanism.PoissonSampled{Probability: exerciseShare, Event: mechanism.Gaussian{NoiseMultiplier: noise}}, Count: runs}
}

// compositionFigure draws the cost over the number of runs.
func compositionFigure() (figure.Figure, error) {
	counts := []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
	once, root := math.Log1p(exerciseShare*math.Expm1(exerciseEpsilon)), math.Sqrt(-math.Log10(exerciseDelta))
	var basic, strong, optimal, normal, strongSampled, moments, optimalSampled, normalSampled []figure.Point
	gaussian := mechanism.Gaussian{NoiseMultiplier: exerciseNoise}
	running, err := running(account.PLD, sampledRuns(exerciseNoise, 1), exerciseDelta, privacy.AddOrRemoveOne, counts)
	if err != nil {
		return figure.Figure{}, err
	}
	for i, k := range counts {
		x, delta := float64(k), float64(k)*exerciseDelta
		full, failed := account.GDP.Epsilon(mechanism.Repeat{Event: gaussian, Count: k}, exerciseDelta, privacy.AddOrRemoveOne)
		if failed != nil {
			return figure.Figure{}, failed
		}
		basic = append(basic, figure.Value(x, x*exerciseEpsilon))
		strong = append(strong, figure.Value(x, exerciseEpsilon*math.Sqrt(x)*root))
		optimal = append(optimal, figure.Value(x, optimalComposition(exerciseEpsilon, exerciseDelta, k, delta+exerciseDelta)))
		normal = append(normal, figure.Value(x, full.Upper))
		strongSampled = append(strongSampled, figure.Value(x, exerciseShare*exerciseEpsilon*math.Sqrt(x)*root))
		moments = append(moments, figure.Value(x, exerciseShare*exerciseEpsilon*math.Sqrt(x)))
		optimalSampled = append(optimalSampled, figure.Value(x, optimalComposition(once, exerciseShare*exerciseDelta, k, exerciseShare*delta+exerciseDelta)))
		normalSampled = append(normalSampled, figure.Value(x, running[i].Upper))
	}
	axes := func(title string, series ...figure.Series) figure.Panel {
		return figure.Panel{Title: title, X: figure.Axis{Label: "runs", Log: true}, Y: figure.Axis{Label: "epsilon", Log: true}, Series: series}
	}
	return figure.Figure{Name: "epsilon-over-runs", Title: "Runs of a (0.4, 1e-6)-private algorithm, composed", Command: "dither reproduce composition", Panels: []figure.Panel{
		axes("on all records",
			figure.Series{Name: "sequential", Points: basic, Dashed: true},
			figure.Series{Name: "strong, as printed", Points: strong, Published: true},
			figure.Series{Name: "optimal, any algorithm", Points: optimal},
			figure.Series{Name: "normal noise, exact", Points: normal}),
		axes("each on a sample of 1 %",
			figure.Series{Name: "strong, as printed", Points: strongSampled, Published: true},
			figure.Series{Name: "moments, as printed", Points: moments, Published: true},
			figure.Series{Name: "optimal, any algorithm", Points: optimalSampled},
			figure.Series{Name: "normal noise, exact", Points: normalSampled}),
	}}, nil
}
