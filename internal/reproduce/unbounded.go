package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

func unbounded() experiment.Reproduction {
	return experiment.Reproduction{
		Name: "unbounded", Title: "Noisy descent without a bound on gradients, and what an attacker learns from it",
		Source: thirteenthLecture + ", exercise 2.1", Minutes: 0.3, Linear: true, Run: runUnbounded,
	}
}

// The attack is on least squares of one weight on 100 records (1, 1/2). It watches the first step
// of noisy gradient descent from weight 0. Its noise makes one step with clipping norm 1 (1,
// 1e-5)-private. The neighbor has one more record, (1, m). The attacker knows both data sets and
// sees the step.
const (
	attackRecords = 100
	attackEpsilon = 1
	attackDelta   = 1e-5
)

// outliers are the targets m of the record that is present or absent.
var outliers = []float64{1, 2, 5, 10, 20, 50, 100, 1000}

// attack holds the attacker's observations in many runs.
type attack struct{ without, with []float64 }

func runUnbounded(_ context.Context, l experiment.Environment) (experiment.Outcome, error) {
	var t table
	noise, err := attackNoise()
	if err != nil {
		return experiment.Outcome{}, err
	}
	t.golden("noise multiplier of one step with clipping norm 1 for (1, 1e-5)", "", noise, 4, within(3.7306316, 1e-6), "not in the exercise; solved on the exact curve of the Gaussian mechanism")
	runs := 20000
	if l.Repeats > 0 {
		runs = 1000 * l.Repeats
	}
	golden := map[float64]float64{1: 1, 10: 14.429270, 100: 472.650222, 1000: 37067.91897} // solved on the profile of the normal distribution by scipy
	var exact, seen, twin []figure.Point
	rocs := map[string][]figure.Point{}
	for i, m := range outliers {
		l.Report(fmt.Sprintf("an outlier of %v", m), float64(i)/float64(len(outliers)))
		v, failed := account.GDP.Epsilon(mechanism.Gaussian{NoiseMultiplier: noise / m}, attackDelta, privacy.AddOrRemoveOne)
		if failed != nil {
			return experiment.Outcome{}, failed
		}
		open, low, failed := attacks(m, math.Inf(1), noise, runs)
		if failed != nil {
			return experiment.Outcome{}, failed
		}
		clipped, lowClipped, failed := attacks(m, 1, noise, runs)
		if failed != nil {
			return experiment.Outcome{}, failed
		}
		exact, seen, twin = append(exact, figure.Value(m, v.Upper)), append(seen, low.pointAt(m)), append(twin, lowClipped.pointAt(m))
		if want, shown := golden[m]; shown {
			t.attacked(m, v.Upper, want, low, lowClipped)
		}
		if m == 10 {
			rocs["gradients as they are"], rocs["gradients clipped"] = open.roc(), clipped.roc()
		}
	}
	return experiment.Outcome{Comparisons: t.rows, Figures: []figure.Figure{attackFigure(rocs, exact, seen, twin)}, Notes: []string{
		fmt.Sprintf("The exercise asks why the algorithm is not private without an assumption on the loss. The answer: a record with feature 1 and target %v is almost surely detected, and no ε holds for all targets.", outliers[len(outliers)-1]),
		fmt.Sprintf("Each attack has %d runs with the record and %d without it. Its lower bound on ε holds with 95 %% confidence, and cannot exceed about 8 with this number of runs. The table has the median, the least and the largest bound of %d attacks.", runs, runs, attackRepeats),
		"Training in dither always bounds gradients: the sum verifies each record's contribution against the declared bound.",
	}}, nil
}

// attackNoise returns the noise multiplier of the step.
func attackNoise() (float64, error) {
	target, err := privacy.NewGuarantee(attackEpsilon, attackDelta, privacy.AddOrRemoveOne, privacy.Unit{})
	return 1 / account.MuOf(target), err
}

// attackRepeats is the number of repeats of each attack, because its proof is random.
const attackRepeats = 5

// proved are the lower bounds on ε that several attacks prove, ascending.
type proved []float64

// attacks makes the attack several times. It returns one of them and the bound that each proves.
func attacks(m, norm, noise float64, runs int) (attack, proved, error) {
	var all proved
	var last attack
	for range attackRepeats {
		a, err := attackOn(m, norm, noise, runs)
		if err != nil {
			return attack{}, nil, err
		}
		last, all = a, append(all, a.lowerBound(noise))
	}
	slices.Sort(all)
	return last, all, nil
}

// middle returns the median.
func (p proved) middle() float64 { return p[len(p)/2] }

// text writes the median with the least and the largest.
func (p proved) text() string {
	return fmt.Sprintf("at least %s (random: %s to %s in %d attacks)", digitsOf(p.middle(), 3), digitsOf(p[0], 3), digitsOf(p[len(p)-1], 3), len(p))
}

// pointAt returns the median over the size of the record, from the least to the largest.
func (p proved) pointAt(m float64) figure.Point {
	return figure.Point{X: m, Y: p.middle(), Low: p[0], High: p[len(p)-1]}
}

// attackOn runs the step many times on both data sets, with gradients clipped to a norm.
func attackOn(m, norm, noise float64, runs int) (attack, error) {
	gradient := func(y float64) float64 { // of ½(θ - y)² at θ = 0
		residual := make([]float64, 1)
		model.Squared.Residuals(residual, []float64{0}, y)
		return math.Copysign(min(math.Abs(residual[0]), norm), residual[0])
	}
	sum := attackRecords * gradient(0.5)
	without, err := withNormal(sum, noise, runs)
	if err != nil {
		return attack{}, err
	}
	with, err := withNormal(sum+gradient(m), noise, runs)
	step := func(sums []float64) []float64 {
		for i := range sums {
			sums[i] /= -attackRecords
		}
		return sums
	}
	return attack{step(without), step(with)}, err
}

// withNormal returns a number with normal noise of this standard deviation, several times, drawn by
// the mechanism that trains. The copies are one record's vector.
func withNormal(v, deviation float64, times int) ([]float64, error) {
	bound := max(1, math.Abs(v)) * math.Sqrt(float64(times)) * (1 + 1e-9)
	terms := pass.Settings{Payer: free{}, Noise: mechanism.Gaussian{NoiseMultiplier: deviation / bound}, MaxRecords: 1}
	return pass.SumVectors(terms, 1, times, bound, func(_ int, dst []float64, _ []int) error {
		for i := range dst {
			dst[i] = v
		}
		return nil
	})
}

// lowerBound returns the ε that the runs refute at the given δ, with 95 % confidence, or 0 if none.
// The attacker claims the record is present if the weight exceeds a threshold, one of two that are
// fixed before the runs (Clopper & Pearson, "The Use of Confidence or Fiducial Limits", Biometrika
// 1934; Jagielski, Ullman & Oprea, "Auditing Differentially Private Machine Learning", NeurIPS
// 2020, https://arxiv.org/abs/2006.07709).
func (a attack) lowerBound(noise float64) float64 {
	base := 0.5
	unusual := base + 2.326*noise/attackRecords // exceeded once in a hundred runs without the record
	far := base + 4*noise/attackRecords         // exceeded less than once in thirty thousand
	best := 0.0
	for _, threshold := range []float64{unusual, far} {
		above := func(x []float64) int {
			n := 0
			for _, v := range x {
				if v > threshold {
					n++
				}
			}
			return n
		}
		// Four limits hold together with 95 % confidence.
		low, _ := clopperPearson(above(a.with), len(a.with), 0.05/4)
		_, high := clopperPearson(above(a.without), len(a.without), 0.05/4)
		if low > attackDelta {
			best = max(best, math.Log((low-attackDelta)/high))
		}
	}
	return best
}

// clopperPearson returns limits of a probability from k successes of n. Each limit fails with
// probability fail.
func clopperPearson(k, n int, fail float64) (low, high float64) {
	low, high = 0, 1
	if k > 0 {
		low = special.BinomialLimit(n, k, fail)
	}
	if k < n {
		high = 1 - special.BinomialLimit(n, n-k, fail)
	}
	return low, high
}

// roc returns the share of runs with the record above thresholds, over the share of runs without
// it.
func (a attack) roc() []figure.Point {
	without, with := slices.Sorted(slices.Values(a.without)), slices.Sorted(slices.Values(a.with))
	points := []figure.Point{figure.Value(0, 0)}
	for k := 1; k <= 50; k++ {
		fp := float64(k) / 50
		at := len(without) - int(fp*float64(len(without)))
		threshold := math.Inf(-1)
		if at < len(without) && at > 0 {
			threshold = without[at]
		}
		index, _ := slices.BinarySearch(with, threshold)
		points = append(points, figure.Value(fp, 1-float64(index)/float64(len(with))))
	}
	return points
}

func (t *table) attacked(m, exact, want float64, low, lowClipped proved) {
	record := fmt.Sprintf("a record with target %v is added, gradients are ", m)
	t.golden(record+"not clipped: exact ε of one step at δ = 1e-5", "1, if gradients were bounded by 1", exact, 4, within(want, want*1e-6), "the record moves the step without limit, and ε grows with the square of the move")
	t.rows = append(t.rows,
		experiment.Comparison{Quantity: record + "not clipped: ε that an attacker proves from runs", Ours: low.text(), Value: low.middle(), Why: "not in the exercise; a proven ε is below the exact ε, and more runs prove more"},
		experiment.Comparison{Quantity: record + "clipped to 1: ε that an attacker proves from runs", Published: "at most 1", Ours: lowClipped.text(), Value: lowClipped.middle(), Why: "no difference: the guarantee holds however large the record is"})
}

func attackFigure(rocs map[string][]figure.Point, exact, seen, twin []figure.Point) figure.Figure {
	var limit []figure.Point
	for k := range 51 {
		fp := float64(k) / 50
		tp := min(math.E*fp+attackDelta, 1-(1-fp-attackDelta)/math.E, 1)
		limit = append(limit, figure.Value(fp, tp))
	}
	first := figure.Panel{Title: "a record of 10", X: figure.Axis{Label: "false alarms"}, Y: figure.Axis{Label: "hits"}}
	for _, name := range []string{"gradients as they are", "gradients clipped"} {
		first.Series = append(first.Series, figure.Series{Name: name, Points: rocs[name]})
	}
	first.Series = append(first.Series, figure.Series{Name: "limit of epsilon 1", Points: limit, Dashed: true})
	return figure.Figure{Name: "attack", Title: "What one step of noisy descent shows of one record", Command: "dither reproduce unbounded", Panels: []figure.Panel{first,
		{Title: "epsilon that runs prove, over the size of the record", X: figure.Axis{Label: "target of the record", Log: true}, Y: figure.Axis{Label: "epsilon at delta 1e-5", Log: true}, Series: []figure.Series{
			{Name: "gradients as they are", Points: positive(seen)}, {Name: "gradients clipped", Points: positive(twin)},
			{Name: "limit of epsilon 1", Points: []figure.Point{figure.Value(exact[0].X, attackEpsilon), figure.Value(exact[len(exact)-1].X, attackEpsilon)}, Dashed: true},
			{Name: "exact, as they are", Points: exact}}}}}
}

// positive keeps the points that a logarithmic axis can show.
func positive(points []figure.Point) []figure.Point {
	return slices.DeleteFunc(points, func(p figure.Point) bool { return !(p.Low > 0) })
}
