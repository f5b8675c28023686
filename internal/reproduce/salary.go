package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

func salary() experiment.Reproduction {
	return experiment.Reproduction{
		Name: "salary", Title: "The mean of five salaries, with noise from the local sensitivity and from a declared range",
		Source: fashionReport + ", exercise 3", Minutes: 0.1, Linear: true, Run: runSalary,
	}
}

// salaries returns the data set D1 of the exercise. D2 to D6 lack one of its numbers each.
func salaries() []float64 { return []float64{130530, 104141, 90385, 91919, 81334} }

// This is the declared range of a salary.
const salaryRange = 200000

func runSalary(_ context.Context, l experiment.Environment) (experiment.Outcome, error) {
	var t table
	x := salaries()
	t.golden("mean of D1", "99661.8", mean(x), 6, within(99661.8, 1e-9), "no difference")
	for i, want := range []float64{7717.05, 1119.8, 2319.2, 1935.7, 4581.95} {
		why := fmt.Sprintf("not in the exercise; removing the salary that D%d lacks moves the mean less than removing the first salary", i+2)
		if i == 0 {
			why = "no difference; the exercise calls this number the sensitivity of the mean, but it is the local sensitivity of D1"
		}
		t.golden(fmt.Sprintf("distance of the means of D1 and D%d", i+2), "", math.Abs(mean(x)-mean(without(x, i))), 6, within(want, 1e-9), why)
	}
	t.rows[1].Published = "abs(f(D1) - f(D2))"
	t.localAnswers(x)
	t.localFails(x)
	l.Report("answers by a declared range", 0.3)
	points, err := t.declared(x, repeats(l, 200))
	if err != nil {
		return experiment.Outcome{}, err
	}
	return experiment.Outcome{Comparisons: t.rows, Figures: []figure.Figure{salaryFigure(x, points)}, Notes: []string{
		"D1 has five salaries, and each of D2 to D6 lacks one of them. The local sensitivity of a data set is the largest move of its mean when one salary is removed.",
		"Noise in proportion to the local sensitivity gives no guarantee for any ε, because the size of the noise tells something about the salaries. Noise in proportion to a declared range gives a guarantee for every table. The private mean of five salaries then has a large error.",
	}}, nil
}

// localAnswers adds the exercise's table of one answer for each ε.
func (t *table) localAnswers(x []float64) {
	local := localSensitivity(x)
	for _, c := range []struct{ epsilon, printed float64 }{{0.1, 92788.53}, {1, 111458.11}, {2, 101603.66}, {10, 99400.37}, {100, 99682.58}, {1000, 99675.37}} {
		scale := local / c.epsilon
		t.rows = append(t.rows, experiment.Comparison{
			Quantity: fmt.Sprintf("mean of D1 with Laplace noise of scale (local sensitivity)/ε = %s, for a claimed ε = %v", digitsOf(scale, 6), c.epsilon), Published: fmt.Sprintf("%.2f (one answer)", c.printed),
			Ours: fmt.Sprintf("%.1f ± %s (standard deviation)", mean(x), digitsOf(math.Sqrt2*scale, 4)), Value: math.Sqrt2 * scale, Deterministic: true,
			Why: fmt.Sprintf("no difference: the printed answer is %.2f times the scale away from the mean; but the claimed ε does not hold", math.Abs(c.printed-mean(x))/scale),
		})
	}
	t.golden("scale (local sensitivity of D1)/ε of Laplace noise, ε = 0.1", "", local/0.1, 6, within(77170.5, 1e-6), "not printed; the distance of the means of D1 and D2, divided by ε")
	t.golden("scale (local sensitivity of D1)/ε of Laplace noise, ε = 1000", "", local/1000, 4, within(7.71705, 1e-9), "not printed; the distance of the means of D1 and D2, divided by ε")
}

// localFails adds the leak from an answer whose noise follows from local sensitivity, at ε = 1.
func (t *table) localFails(x []float64) {
	y := without(x, 0)
	loss := func(at float64) float64 {
		return math.Abs(laplaceLog(at, mean(x), localSensitivity(x)) - laplaceLog(at, mean(y), localSensitivity(y)))
	}
	t.golden("local sensitivity of D2", "", localSensitivity(y), 6, within(4065.4166666667, 1e-6), "not in the exercise; about half of the local sensitivity of D1, so neighboring data sets get different noise")
	t.golden("privacy loss of the answer 0 between D1 and D2, each with Laplace noise of scale (local sensitivity)/ε for ε = 1", "at most 1", loss(0), 4, within(9.0609060, 1e-6), "the claim fails: the noises on D1 and D2 have different scales, so the loss has no bound")
	t.golden("privacy loss of the answer 200000 between D1 and D2, each with Laplace noise of scale (local sensitivity)/ε for ε = 1", "at most 1", loss(200000), 4, within(12.9360724, 1e-6), "the claim fails: the noises on D1 and D2 have different scales, so the loss has no bound")
	// This is the integral of the excess over e times the other density, by the midpoint rule on
	// steps far below the scales.
	delta := 0.0
	const step = 10.0
	for at := -4e5 + step/2; at < 6e5; at += step {
		p, q := math.Exp(laplaceLog(at, mean(x), localSensitivity(x))), math.Exp(laplaceLog(at, mean(y), localSensitivity(y)))
		delta += max(0, p-math.E*q) * step
	}
	t.golden("least δ that holds between D1 and D2 at ε = 1, each with Laplace noise of scale (local sensitivity)/ε for ε = 1", "0", delta, 3, within(0.3060491, 1e-5), "the claim fails: the mechanism needs at least δ = 0.306, and more on other data sets")
	t.golden("local sensitivity of five equal salaries", "", localSensitivity([]float64{100000, 100000, 100000, 100000, 100000}), 2, within(0, 0), "not in the exercise; the answer has no noise, so the answer 100000 shows that all salaries are equal")
}

// declared adds answers of the product. Salaries are declared to be between 0 and 200000, and mean
// and number come from one release of two sums.
func (t *table) declared(x []float64, runs int) ([]figure.Point, error) {
	var curve []figure.Point
	asked, err := meanSalary()
	if err != nil {
		return nil, err
	}
	for _, records := range []int{5, 50, 500, 5000, 50000} {
		column := make([]float32, records)
		for i := range column {
			column[i] = float32(x[i%len(x)])
		}
		d, err := data.New(asked.Schema(), [][]float32{column}, nil)
		if err != nil {
			return nil, err
		}
		var off sample
		for range max(2, min(runs, 10000000/records)) {
			answers, err := asked.Ask(free{}, d)
			if err != nil {
				return nil, err
			}
			off = append(off, math.Abs(answers[0].Value-mean(x)))
		}
		t.random(fmt.Sprintf("mean absolute error of a private mean of %d salaries with the declared range 0 to 200000, ε = 1", records), "", off, 1, "", "not in the exercise; the declared range bounds what one record adds on every table, so ε = 1 holds")
		curve = append(curve, off.point(float64(records), 1))
	}
	return curve, nil
}

// meanSalary returns the question about the mean at ε = 1.
func meanSalary() (*query.Question, error) {
	s := &data.Schema{Name: "salaries", Row: "one salary", MaxRecords: 100000, Columns: []data.Column{
		{Name: "salary", Kind: data.Numeric, Upper: salaryRange, Missing: data.Drop, OutOfRange: data.Clamp}}}
	return query.NewQuestion(s, query.Plan{Statistic: "mean", Expressions: []string{"salary"}, Noise: "laplace", NoiseMultiplier: 1, Subject: certificate.Subject{Neighboring: privacy.AddOrRemoveOne}})
}

// salaryFigure draws the privacy loss of answers, and the error of means.
func salaryFigure(x []float64, declared []figure.Point) figure.Figure {
	y := without(x, 0)
	var local, global, believed []figure.Point
	for at := 0.0; at <= salaryRange; at += 2500 {
		local = append(local, figure.Value(at, math.Abs(laplaceLog(at, mean(x), localSensitivity(x))-laplaceLog(at, mean(y), localSensitivity(y)))))
		// A sum of five salaries has Laplace noise of the declared range, divided by a public five.
		scale := salaryRange / 5.0
		global = append(global, figure.Value(at, math.Abs(laplaceLog(at, sum(x)/5, scale)-laplaceLog(at, sum(y)/5, scale))))
	}
	for _, p := range declared {
		believed = append(believed, figure.Value(p.X, localSensitivity(x)*5/p.X))
	}
	return figure.Figure{Name: "local-sensitivity", Title: "Noise by local sensitivity, and by a declared range, for epsilon 1", Command: "dither reproduce salary", Panels: []figure.Panel{
		{Title: "what an answer tells", X: figure.Axis{Label: "answer, a mean salary"}, Y: figure.Axis{Label: "privacy loss between D1 and D2, nats"}, Series: []figure.Series{
			{Name: "local sensitivity", Points: local}, {Name: "declared range", Points: global},
			{Name: "epsilon", Points: []figure.Point{figure.Value(0, 1), figure.Value(salaryRange, 1)}, Dashed: true}}},
		{Title: "error of the mean", X: figure.Axis{Label: "records", Log: true}, Y: figure.Axis{Label: "mean distance from the true mean", Log: true}, Series: []figure.Series{
			{Name: "declared range", Points: declared},
			{Name: "as if local sensitivity were enough", Points: believed, Dashed: true}}},
	}}
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func mean(x []float64) float64 { return sum(x) / float64(len(x)) }

// without returns the numbers without number i.
func without(x []float64, i int) []float64 {
	return append(append([]float64{}, x[:i]...), x[i+1:]...)
}

// localSensitivity returns the largest change of the mean when one number is removed.
func localSensitivity(x []float64) float64 {
	most := 0.0
	for i := range x {
		most = max(most, math.Abs(mean(x)-mean(without(x, i))))
	}
	return most
}

// laplaceLog returns the logarithm of the density of Laplace noise about a center.
func laplaceLog(y, center, scale float64) float64 {
	return -math.Abs(y-center)/scale - math.Log(2*scale)
}
