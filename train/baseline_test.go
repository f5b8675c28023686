package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"gonum.org/v1/gonum/mat"
)

const simulatedSchema = `dither-schema: 1
name: simulated
row: one row
max-records: 5000
target: {column: y, %s}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  wide: {numeric: [-1, 1]}
  narrow: {numeric: [0, 100]}
  constant: {numeric: [0, 3]}
  level: {levels: [a, b, c]}
  person: ignore
  weight: ignore
`

// simulated returns rows of numbers on scales that differ by 100, a constant, and a rare level. Persons have a few
// rows, and weights are between 0 and 1.
func simulated(t *testing.T, target string, label func(score float64) float64) (*data.Schema, *data.Dataset) {
	t.Helper()
	const n = 600
	s, err := data.ParseSchema("simulated", fmt.Appendf(nil, simulatedSchema, target))
	if err != nil {
		t.Fatal(err)
	}
	r, text := rand.New(rand.NewPCG(3, 5)), strings.Builder{}
	text.WriteString("wide,narrow,constant,level,person,weight,y\n")
	for range n {
		wide, narrow, level := 2*r.Float64()-1, 40+r.NormFloat64()/2, min(2, int(1.01/(0.01+r.Float64())/10))
		score := 1.5*wide + 2*(narrow-40) + 2*float64(level) - 0.5 + r.NormFloat64()
		fmt.Fprintf(&text, "%.4f,%.3f,1.7,%c,p%d,%.3f,%v\n", wide, narrow, 'a'+rune(level), r.IntN(n/3), r.Float64(), label(score))
	}
	d, err := data.ReadFrom(context.Background(), s, "simulated.csv", strings.NewReader(text.String()), data.ReadOptions{Extra: []string{"person", "weight"}})
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// newtonMinimum minimizes Σ weight·loss + ridge/2·‖w‖² over weights of one score, the last of them not penalized if last, by
// Newton's method on rows x.
func newtonMinimum(t *testing.T, x *mat.Dense, y, weights []float64, ridge float64, last, logistic bool) []float64 {
	t.Helper()
	n, d := x.Dims()
	w := mat.NewVecDense(d, nil)
	for range 50 {
		gradient, hessian := mat.NewVecDense(d, nil), mat.NewSymDense(d, nil)
		for j := range d {
			if !last || j < d-1 {
				gradient.SetVec(j, ridge*w.AtVec(j))
				hessian.SetSym(j, j, ridge)
			}
		}
		for i := range n {
			row := x.RowView(i)
			z, curvature := mat.Dot(row, w), 1.0
			if logistic {
				z = 1 / (1 + math.Exp(-z))
				curvature = z * (1 - z)
			}
			gradient.AddScaledVec(gradient, weights[i]*(z-y[i]), row)
			hessian.SymRankOne(hessian, weights[i]*curvature, row)
		}
		var step mat.VecDense
		if err := step.SolveVec(hessian, gradient); err != nil {
			t.Fatal(err)
		}
		if w.SubVec(w, &step); mat.Norm(&step, 2) < 1e-12 {
			return w.RawVector().Data
		}
	}
	t.Fatal("Newton's method did not converge")
	return nil
}

// standardizedRows returns the features of the rows that count, less their means unless plain, over their deviations,
// and the numbers of these rows. A constant feature is 0.
func standardizedRows(m *feature.Map, d *data.Dataset, counts func(i int) bool, plain bool) (*mat.Dense, []int) {
	p, rows := m.Pipeline, []int(nil)
	for i := range d.Records() {
		if counts(i) {
			rows = append(rows, i)
		}
	}
	n, k := len(rows), p.Dim()
	x, scratch, values := mat.NewDense(n, k, nil), p.NewScratch(), make([]float32, p.Encoder().Values())
	p.FeaturesOf(x.RawMatrix().Data, n, scratch, func(r int) []float32 { return d.Row(values, rows[r]) })
	for j := range k {
		column := mat.Col(nil, j, x)
		mean := 0.0
		for _, v := range column {
			mean += v / float64(n)
		}
		square := 0.0
		for _, v := range column {
			square += (v - mean) * (v - mean) / float64(n)
		}
		for i, v := range column {
			switch {
			case square < 1e-18:
				v = 0
			case plain:
				v /= math.Sqrt(square)
			default:
				v = (v - mean) / math.Sqrt(square)
			}
			x.Set(i, j, v)
		}
	}
	return x, rows
}

// TestBaselineIsTheMinimum compares the scores of baselines with those of an independent search by Newton's method on
// standardized columns. Features are rounded to steps of 2^-15 of half their range, and the deviation of the narrowest
// column is about 300 steps. So rounding moves its value by up to 1/600 of a deviation, and a score of 10 by about 0.01.
func TestBaselineIsTheMinimum(t *testing.T) {
	for _, c := range []struct {
		name    string
		numeric bool
		change  func(*Request, *Options)
	}{
		{"logistic", false, func(*Request, *Options) {}},
		{"squared", true, func(r *Request, _ *Options) { r.Loss = model.Squared }},
		{"ridge", false, func(_ *Request, o *Options) { o.Ridge = 0.1 }},
		{"no intercept", false, func(r *Request, _ *Options) { r.Intercept = -1 }},
		{"weights of levels", false, func(r *Request, _ *Options) { r.ClassWeights = []float64{1, 4} }},
		{"weights of rows", false, func(r *Request, _ *Options) { r.SampleWeights = &SampleWeights{"weight", 0, 1} }},
		{"persons", false, func(r *Request, _ *Options) { r.Person = &PersonUnit{"person", 2} }},
		{"another constant", false, func(r *Request, _ *Options) { r.Intercept = 0.3 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, d := simulated(t, "levels: [\"0\", \"1\"]", func(score float64) float64 { return max(0, min(1, math.Round(score))) })
			if c.numeric {
				s, d = simulated(t, "bounds: [-10, 10]", func(score float64) float64 { return score })
			}
			r, o := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: option.ConvergedSteps, Normalization: feature.NormNone, Intercept: 1}, Options{Optimizer: option.OptimizerLBFGS}
			c.change(&r, &o)
			m := minimum(t, r, o, s, d)
			compareMinimum(t, r, o, d, m)
		})
	}
}

func minimum(t *testing.T, r Request, o Options, s *data.Schema, d *data.Dataset) *model.Model {
	t.Helper()
	setup, err := NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Fit(context.Background(), budget(t, math.Inf(1)), setup, d, o)
	if err != nil {
		t.Fatal(err)
	}
	if result.Model.Provenance.Private {
		t.Error("a baseline is said to be private")
	}
	return result.Model
}

// compareMinimum compares the scores of a model with those of newtonMinimum.
func compareMinimum(t *testing.T, r Request, o Options, d *data.Dataset, m *model.Model) {
	t.Helper()
	counts := func(int) bool { return true }
	if r.Person != nil {
		persons, err := r.Person.persons(d)
		if err != nil {
			t.Fatal(err)
		}
		used := slices.Concat(persons...)
		counts = func(i int) bool { return slices.Contains(used, i) }
		if len(used) == d.Records() {
			t.Fatal("no person has a row too many")
		}
	}
	x, rows := standardizedRows(m.Features(), d, counts, r.Intercept < 0)
	of, err := r.SampleWeights.of(d)
	if err != nil {
		t.Fatal(err)
	}
	y, weights, regression := make([]float64, len(rows)), make([]float64, len(rows)), m.Schema().Target.Regression()
	for k, i := range rows {
		y[k], weights[k] = float64(d.Target()[i]), 1
		if regression {
			y[k] /= 10
		}
		if r.ClassWeights != nil {
			weights[k] = r.ClassWeights[int(y[k])] / 4
		}
		if of != nil {
			weights[k] *= of[i]
		}
	}
	if r.Intercept > 0 {
		n, k := x.Dims()
		wider := mat.NewDense(n, k+1, nil)
		wider.Copy(x)
		for i := range n {
			wider.Set(i, k, 1)
		}
		x = wider
	}
	ridge := 1.0
	if o.Ridge > 0 {
		ridge = o.Ridge * float64(len(rows))
	}
	want, row, score := newtonMinimum(t, x, y, weights, ridge, r.Intercept > 0, !regression), make([]float32, len(m.Schema().Features())), make([]float64, m.Features().Dim())
	scratch := m.Features().NewScratch(1)
	for k, i := range rows {
		m.Features().Apply(score, 1, scratch, func(int) []float32 { return d.Row(row, i) })
		got := make([]float64, 1)
		m.Linear().Scores(got, score, m.Weights())
		if z := mat.Dot(x.RowView(k), mat.NewVecDense(len(want), want)); math.Abs(got[0]-z) > 0.02 {
			t.Fatalf("row %d: the score is %v, want %v", i, got[0], z)
		}
	}
}

// TestBaselineOfEveryLoss wants no better sum of losses and ridge a small step away along any weight of a standardized
// column, and the same bits on one processor.
func TestBaselineOfEveryLoss(t *testing.T) {
	for _, l := range model.Losses() {
		target, label := "bounds: [0, 4]", func(score float64) float64 { return max(0, min(4, score)) }
		if l.Columns(3) > 0 {
			target, label = "levels: [\"0\", \"1\", \"2\"]", func(score float64) float64 { return max(0, min(2, math.Round(score))) }
		} else if l.Columns(2) > 0 {
			target, label = "levels: [\"0\", \"1\"]", func(score float64) float64 { return max(0, min(1, math.Round(score))) }
		}
		s, d := simulated(t, target, label)
		r, o := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: option.ConvergedSteps, Normalization: feature.NormNone, Intercept: 1, Loss: l}, Options{Optimizer: option.OptimizerLBFGS}
		m := minimum(t, r, o, s, d)
		processors := runtime.GOMAXPROCS(1)
		again := minimum(t, r, o, s, d)
		runtime.GOMAXPROCS(processors)
		if !slices.Equal(m.Weights(), again.Weights()) {
			t.Errorf("%s: the weights depend on the number of processors", l.Name())
		}
		x, _ := standardizedRows(m.Features(), d, func(int) bool { return true }, false)
		raw, _ := standardizedRows(m.Features(), d, func(int) bool { return true }, true)
		total := objectiveOf(m, d, x, raw)
		least, dim := total(-1, 0), m.Linear().Dim
		for j := range m.Weights() {
			for _, move := range []float64{-0.05, 0.05} {
				if at := total(j, move); at < least-1e-4 {
					t.Errorf("%s: the sum is %v where weight %d of %d is moved by %v, less than %v", l.Name(), at, j, dim, move, least)
				}
			}
		}
	}
}

// objectiveOf returns the objective of a model as a function of a weight of a standardized column that is moved.
func objectiveOf(m *model.Model, d *data.Dataset, x, raw *mat.Dense) func(moved int, by float64) float64 {
	n, k := x.Dims()
	linear, deviations := m.Linear(), make([]float64, k)
	plain, scratch, values := mat.NewDense(n, k, nil), m.Features().Pipeline.NewScratch(), make([]float32, m.Features().Encoder().Values())
	m.Features().Pipeline.FeaturesOf(plain.RawMatrix().Data, n, scratch, func(r int) []float32 { return d.Row(values, r) })
	for j := range k {
		for i := range n {
			if v := raw.At(i, j); v != 0 {
				deviations[j] = plain.At(i, j) / v
			}
		}
	}
	return func(moved int, by float64) float64 {
		sum, scores := 0.0, make([]float64, linear.Columns)
		for i := range n {
			row := append(slices.Clone(plain.RawRowView(i)), m.Features().Intercept)
			linear.Scores(scores, row, m.Weights())
			if moved >= 0 {
				if j := moved % linear.Dim; j < k {
					scores[moved/linear.Dim] += by * x.At(i, j)
				} else {
					scores[moved/linear.Dim] += by
				}
			}
			label := float64(d.Target()[i])
			if m.Schema().Target.Regression() {
				label = label/2 - 1
			}
			sum += linear.Loss.Value(scores, label)
		}
		for w, v := range m.Weights() {
			if j := w % linear.Dim; j < k {
				v *= deviations[j]
				if w == moved {
					v += by
				}
				sum += v * v / 2
			}
		}
		return sum
	}
}
