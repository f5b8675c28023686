package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train/erm"
)

func leastSquares() experiment.Reproduction {
	return experiment.Reproduction{
		Name: "least-squares", Title: "Least squares by gradient descent until it converges",
		Source: sectionSource + ", exercise 5.3 and section 4.4", Minutes: 0.2, Linear: true, Run: runLeastSquares,
	}
}

const sectionSource = "Section notes on machine learning with differential privacy, from a course on privacy"

// incomeSchema reads the data set that comes with the program for another purpose: the income of a
// family, from numbers only. All bounds come from the set's own schema.
const incomeSchema = `dither-schema: 1
row: one person-year row
rows-per-person: 5
max-records: 20000
target: {column: income, bounds: [0, 30000]}
defaults: {missing: zero, out-of-range: clamp}
columns:
  person: ignore
  year: ignore
  site: ignore
  coinsurance: ignore
  deductible-plan: ignore
  age: {numeric: [0, 65]}
  female: ignore
  child: ignore
  black: {numeric: [0, 1]}
  education: {numeric: [0, 25]}
  family-size: {numeric: [1, 15]}
  mental-health: {numeric: [0, 100]}
  general-health: {numeric: [0, 100]}
  chronic-diseases: {numeric: [0, 60]}
  physical-limitation: {numeric: [0, 1]}
  health: ignore
  time-eligible: {numeric: [0, 1]}
  visits: ignore
`

// readIncome returns the two parts under that schema.
func readIncome(ctx context.Context) (s *data.Schema, training, test *data.Dataset, err error) {
	set, err := builtin.Open("randhie")
	if err != nil {
		return nil, nil, nil, err
	}
	if s, err = data.ParseSchema("income.yaml", []byte(incomeSchema)); err != nil {
		return nil, nil, nil, err
	}
	if training, err = set.ReadTrain(ctx, s, data.ReadOptions{}); err == nil {
		test, err = set.ReadTest(ctx, s, data.ReadOptions{})
	}
	return s, training, test, err
}

// squares is a problem of least squares: the mean of ½(x·θ - y)² is excess ½(θ - θ*)ᵀH(θ - θ*) over
// its minimum.
type squares struct {
	h         kernel.Matrix[float64] // mean of x·xᵀ
	c         []float64              // mean of x·y
	best      []float64              // θ*
	low, high float64                // ends of the spectrum of H
	y2        float64                // mean of y²
}

// newSquares returns the problem for rows of a data set, scaled to [0, 1] by their bounds, with a
// constant added. Standard rows are instead centered and divided by their standard deviations.
func newSquares(d *data.Dataset, standard bool) (squares, error) {
	columns := d.Schema().Features()
	n, k := d.Records(), len(columns)+1
	x := dense.New(n, k)
	for j, c := range columns {
		values := make([]float64, n)
		for i, v := range d.Column(j) {
			if values[i] = (float64(v) - c.Lower) / (c.Upper - c.Lower); math.IsNaN(values[i]) {
				values[i] = 0 // the schema's treatment of a missing cell
			}
		}
		if standard {
			standardize(values)
		}
		for i, v := range values {
			x.Data[i*k+j] = v
		}
	}
	y := make([]float64, n)
	s := squares{h: dense.New(k, k), c: make([]float64, k)}
	for i, v := range d.Target() {
		y[i] = float64(v) / 30000
		s.y2 += y[i] * y[i] / float64(n)
		x.Data[i*k+k-1] = 1
	}
	kernel.Gemm(s.h, 1/float64(n), x.Transposed(), x, 0)
	dense.Symmetrize(s.h)
	kernel.AddRowProducts(s.c, x.Data, k, y)
	for j := range s.c {
		s.c[j] /= float64(n)
	}
	factors, ok := dense.NewCholesky(s.h)
	values, err := dense.Eigenvalues(s.h)
	if !ok || err != nil {
		return s, fmt.Errorf("reproduce: the columns of least squares depend on each other, want independent ones")
	}
	s.low, s.high, s.best = values[0], values[k-1], factors.SolveVector(s.c)
	return s, nil
}

// standardize centers values and divides them by their standard deviation.
func standardize(values []float64) {
	center, square := mean(values), 0.0
	for _, v := range values {
		square += (v - center) * (v - center)
	}
	deviation := math.Sqrt(square / float64(len(values)))
	for i, v := range values {
		values[i] = (v - center) / deviation
	}
}

// descend returns the excess loss after each step from zero weights, relative to that of zero
// weights, until it is below the goal. Momentum 0 is plain descent.
func (s squares) descend(rate, momentum, goal float64) []float64 {
	const most = 2000000
	k := len(s.c)
	theta, velocity, gradient, off := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	excess := func() float64 {
		for j := range off {
			off[j] = theta[j] - s.best[j]
		}
		kernel.RowProducts(gradient, s.h.Data, k, off)
		return kernel.Dot(off, gradient) / 2
	}
	start := excess()
	path := []float64{1}
	for path[len(path)-1] > goal && len(path) <= most {
		kernel.RowProducts(gradient, s.h.Data, k, theta)
		for j := range theta {
			velocity[j] = momentum*velocity[j] + gradient[j] - s.c[j]
			theta[j] -= rate * velocity[j]
		}
		path = append(path, excess()/start)
	}
	return path
}

// reaches returns the first step at which a path is at or below a value.
func reaches(path []float64, value float64) int {
	return slices.IndexFunc(path, func(v float64) bool { return v <= value })
}

func runLeastSquares(ctx context.Context, l experiment.Environment) (experiment.Outcome, error) {
	s, training, test, err := readIncome(ctx)
	if err != nil {
		return experiment.Outcome{}, err
	}
	plain, err := newSquares(training, false)
	if err != nil {
		return experiment.Outcome{}, err
	}
	standard, err := newSquares(training, true)
	if err != nil {
		return experiment.Outcome{}, err
	}
	var t table
	t.golden("condition number of the second moment, columns scaled to [0, 1] by their bounds", "", plain.high/plain.low, 5, within(10512.07, 1), "not in the notes; the number of steps of plain descent grows in proportion to the condition number")
	t.golden("condition number of the second moment, columns centered and divided by their standard deviations", "", standard.high/standard.low, 5, within(4.275964, 1e-4), "not in the notes; centers and deviations come from the records, so a private algorithm pays for them")
	// Heavy-ball momentum at the best constants for a quadratic (Polyak 1964).
	low, high := math.Sqrt(plain.low), math.Sqrt(plain.high)
	ways := []struct {
		name, why string
		path      []float64
		golden    [3]float64
	}{
		{"step length 1/(largest eigenvalue)", "the exercise prints no answer; the number of steps depends on the columns, the accuracy and the step length", plain.descend(1/plain.high, 0, 1e-6), leastSquaresGolden[0]},
		{"step length 2/(largest + least eigenvalue)", "this step length is best for the worst start; here most of the loss is along the largest eigenvector, where the error shrinks slowly", plain.descend(2/(plain.high+plain.low), 0, 1e-6), leastSquaresGolden[1]},
		{"best momentum and its step length", "the number of steps grows with the square root of the condition number; momentum first increases the error", plain.descend(4/((high+low)*(high+low)), math.Pow((high-low)/(high+low), 2), 1e-6), leastSquaresGolden[2]},
		{"standardized columns, step length 1/(largest eigenvalue)", "better conditioned columns save more steps than a better step length", standard.descend(1/standard.high, 0, 1e-6), leastSquaresGolden[3]},
	}
	var series []figure.Series
	for _, w := range ways {
		l.Report(w.name, 0.5)
		for i, close := range []float64{1e-2, 1e-4, 1e-6} {
			t.count(fmt.Sprintf("%s: steps until the excess loss is %v times the excess loss at the start", w.name, close), "not printed", reaches(w.path, close), within(w.golden[i], 2), w.why)
		}
		series = append(series, figure.Series{Name: w.name, Points: thinned(w.path)})
	}
	if err = t.privateSquares(ctx, s, training, test, repeats(l, 20)); err != nil {
		return experiment.Outcome{}, err
	}
	return experiment.Outcome{Comparisons: t.rows, Figures: []figure.Figure{{Name: "excess-over-steps", Title: "Least squares by gradient descent", Command: "dither reproduce least-squares",
		Panels: []figure.Panel{{X: figure.Axis{Label: "steps", Log: true}, Y: figure.Axis{Label: "excess loss over that of zero weights", Log: true}, Series: series}}}}, Notes: []string{
		"The task is to predict the income of a family from nine numbers about a person, in the built-in data set. The condition number is the largest eigenvalue divided by the least. Descent starts at zero weights. Least squares from sums of products needs no steps, also with privacy.",
	}}, nil
}

// leastSquaresGolden are the numbers of steps that numpy 1.24 finds from the same columns in double
// precision.
var leastSquaresGolden = [4][3]float64{{157, 1086, 7135}, {11970, 24072, 36175}, {467, 598, 726}, {4, 9, 16}}

// thinned keeps about 20 steps for every factor of ten.
func thinned(path []float64) []figure.Point {
	var points []figure.Point
	for step, next := 1, 1.0; step < len(path); step++ {
		if float64(step) >= next || step == len(path)-1 {
			points = append(points, figure.Value(float64(step), path[step]))
			next = max(next+1, next*math.Pow(10, 0.05))
		}
	}
	return points
}

// privateSquares adds R² on the test rows without and with privacy.
func (t *table) privateSquares(ctx context.Context, s *data.Schema, training, test *data.Dataset, runs int) error {
	attained := func(epsilon float64, runs int) (out sample, err error) {
		method := option.MethodSufficientStatistics
		if math.IsInf(epsilon, 1) {
			method = option.MethodLBFGS
		}
		for range runs {
			setup, failed := erm.NewSetup(erm.Request{Method: method, Epsilon: epsilon, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, s)
			if failed != nil {
				return nil, failed
			}
			g, failed := limitless(privacy.AddOrRemoveOne, setup.Plan.Unit, setup.Plan.RowsPerPerson)
			if failed != nil {
				return nil, failed
			}
			v, failed := determination(ctx, g, setup, training, test)
			if failed != nil {
				return nil, failed
			}
			out = append(out, v)
		}
		return out, nil
	}
	exact, err := attained(math.Inf(1), 1)
	if err != nil {
		return err
	}
	t.known("R² on the test rows at the minimizer, without privacy", "", exact[0], 4, "not in the notes")
	for _, epsilon := range []float64{0.1, 1} {
		private, failed := attained(epsilon, runs)
		if failed != nil {
			return failed
		}
		t.random(fmt.Sprintf("R² on the test rows from noisy sums of products (section 4.4), ε = %v, δ = 1e-6", epsilon), "", private, 1, "", "the notes print no number; they add Laplace noise to the sums, and dither adds normal noise by the exact accountant")
	}
	return nil
}

// determination trains once by a method of package erm and returns R² on the test part.
func determination(ctx context.Context, limit privacy.Guarantee, setup erm.Setup, training, test *data.Dataset) (float64, error) {
	budget, err := ledger.NewSingle(limit)
	if err != nil {
		return 0, err
	}
	result, err := erm.Fit(ctx, budget, setup, training, erm.Options{})
	if err != nil {
		return 0, err
	}
	m, labels, predictions := result.Model, make([]float64, test.Records()), make([]float64, test.Records())
	scratch, row := m.NewScratch(), make([]float32, len(m.Schema().Features()))
	for i := range labels {
		labels[i] = float64(test.Target()[i])
		m.Predict(predictions[i:i+1], test.Row(row, i), scratch)
	}
	measured, err := evaluate.Regress(labels, predictions, nil)
	return float64(measured.R2), err
}
