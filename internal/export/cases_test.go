package export

import (
	"fmt"
	"math"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/model"
)

// schemaOf returns a schema with every kind of column and treatment, for a target.
func schemaOf(t *testing.T, target string, columns string) *data.Schema {
	t.Helper()
	s, err := data.ParseSchema("test", []byte("dither-schema: 1\nrow: one person\nmax-records: 1000\nmissing-marks: [\"?\", \"NA\", \"-99\", \"1900-01-01\", \"2020-03-01 12:00:00\", \"9999-12-31 23:59:59.999999\"]\ntarget: "+target+"\ncolumns:\n"+columns))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const mixedColumns = `  id: ignore
  age: {numeric: [17.3, 90], missing: indicator, out-of-range: clamp}
  hours-per-week: {numeric: [1, 99], bins: [20.1, 30, 40.7], missing: indicator, out-of-range: as-missing}
  gain: {numeric: [0, 15], transform: log1p, missing: zero, fill: 3, out-of-range: clamp}
  rate: {numeric: [-0.1, 0.1], missing: drop, out-of-range: drop}
  "job 'x' \"y\" ` + "`z`" + ` ": {levels: [clerk, "it's \"q\" \\ back", "7", "käse"], missing: indicator, unknown: other}
  sex: {levels: [f, m], missing: zero, unknown: zero}
  region: {levels: [{n: [north, "it's n"]}, s, {e: [east]}, w], missing: indicator, unknown: as-missing}
  town: {levels: [x, y], missing: zero, unknown: drop}
  size: {levels: [small, {medium: [M, mid]}, large, huge], ordered: true, missing: indicator, unknown: as-missing}
`

const pairedColumns3 = `  age: {numeric: [17, 90], missing: indicator, out-of-range: clamp}
  gain: {numeric: [0, 15], transform: log1p, missing: zero, out-of-range: as-missing}
  hours: {numeric: [1, 99], bins: [20, 30, 40], missing: drop, out-of-range: clamp}
  job: {levels: [clerk, boss, "7"], missing: indicator, unknown: other}
  sex: {levels: [f, m], missing: zero, unknown: zero}
  size: {levels: [small, {medium: [M, mid]}, large], ordered: true, missing: zero, unknown: drop}
`

// wideColumns are numbers with wide ranges.
const wideColumns = `  amount: {numeric: [0, 1000000], missing: indicator, out-of-range: clamp}
  count: {numeric: [10, 20000], integer: true, missing: zero, out-of-range: as-missing}
  sex: {levels: [f, m], missing: zero, unknown: zero}
`

// integerColumns are numbers with few bins of their own.
const integerColumns = `  age: {numeric: [17, 30], integer: true, missing: indicator, out-of-range: clamp}
  flag: {numeric: [0, 1], integer: true, missing: zero, out-of-range: as-missing}
  gain: {numeric: [0, 15], integer: true, transform: log1p, missing: zero, out-of-range: clamp}
  size: {levels: [small, {medium: [M, mid]}, large], ordered: true, missing: indicator, unknown: drop}
`

// datedColumns have dates with every part and treatment.
const datedColumns = `  joined: {date: {since: 2020-02-29, range: [-366.5, 500], parts: [year, month, weekday, hour]}, out-of-range: clamp, missing: indicator}
  "last seen": {date: {since: 1899-12-31, range: [-40000, 40000.25], parts: [hour, year, month]}, bins: [-3000, 0.5, 20000], out-of-range: as-missing, missing: indicator}
  born: {date: {parts: [weekday, month]}, out-of-range: clamp, missing: zero}
  left: {date: {since: 2000-01-01, range: [0, 9000], parts: [month]}, transform: log1p, out-of-range: drop, missing: zero, fill: 30}
  seen: {date: {since: 2010-12-31, range: [1, 4000], parts: [weekday]}, out-of-range: drop, missing: drop}
  area: {levels: [{North: [ME, NH]}, South], missing: zero, unknown: other}
`

const imageColumns = `  "x[0:6]": {numeric: [0, 255], missing: indicator, out-of-range: clamp}
  "y[0:4]": {numeric: [-1, 1], missing: drop, out-of-range: drop}
  z: {numeric: [0, 1], missing: zero, fill: 0.5, out-of-range: clamp}
`

const (
	twoLevels   = `{column: income, levels: ["<=50K", ">50K"]}`
	threeLevels = `{column: income, levels: [low, "mid'dle", high]}`
	counted     = `{column: visits, bounds: [0, 40]}`
	measured    = `{column: price, bounds: [-2000, 500000]}`
)

// testCase is a model with arbitrary numbers.
type testCase struct {
	name, target, columns string
	loss                  model.Loss
	norm                  feature.Normalization
	center, intercept     bool
	whitening             string // "", "matrix" or "scales"
	evidence              bool
	transforms            []feature.Spec
	threshold             float64
	// sparse says that tables of pairs of an ONNX file have the places of features.
	sparse bool
	// hostile says that the cells of its tables are texts of all kinds.
	hostile bool
}

var testCases = []testCase{
	{name: "logistic", target: twoLevels, columns: mixedColumns, norm: feature.NormUnit, center: true, intercept: true, whitening: "matrix", threshold: 0.3},
	{name: "softmax", target: threeLevels, columns: mixedColumns, norm: feature.NormUnit, center: true, intercept: true},
	{name: "evidence", target: threeLevels, columns: mixedColumns, norm: feature.NormUnit, center: true, intercept: true, evidence: true},
	{name: "evidence-clipped", target: measured, columns: datedColumns, norm: feature.NormClip, center: true, intercept: true, whitening: "matrix", evidence: true},
	{name: "one-vs-rest", target: threeLevels, columns: mixedColumns, loss: model.OneVsRest, norm: feature.NormClip, center: true, whitening: "scales", intercept: true},
	{name: "squared-classes", target: threeLevels, columns: mixedColumns, loss: model.SquaredClasses, norm: feature.NormNone, intercept: true},
	{name: "squared-two", target: twoLevels, columns: mixedColumns, loss: model.SquaredClasses, norm: feature.NormUnit, whitening: "matrix"},
	{name: "hinge", target: twoLevels, columns: mixedColumns, loss: model.Hinge(0.5), norm: feature.NormNone, center: true},
	{name: "softmax-two", target: twoLevels, columns: mixedColumns, loss: model.Softmax, norm: feature.NormUnit, intercept: true, threshold: 0.6},
	{name: "huber", target: measured, columns: mixedColumns, norm: feature.NormUnit, center: true, intercept: true, whitening: "scales"},
	{name: "squared", target: measured, columns: mixedColumns, loss: model.Squared, norm: feature.NormClip, intercept: true},
	{name: "poisson", target: counted, columns: mixedColumns, loss: model.Poisson(), norm: feature.NormUnit, center: true, intercept: true},
	{name: "bins", target: twoLevels, columns: mixedColumns, norm: feature.NormUnit, center: true, intercept: true, whitening: "matrix",
		transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"none","bins":16}`)}}},
	{name: "pairs", target: threeLevels, columns: pairedColumns3, norm: feature.NormUnit, center: true, intercept: true,
		transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"all","bins":8}`)}}},
	{name: "pairs-whitened", target: twoLevels, columns: pairedColumns3, norm: feature.NormUnit, center: true, intercept: true, whitening: "matrix",
		transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"age*gain+job*sex+sex*hours","bins":4,"pair-bins":16}`)}}},
	{name: "integers", target: twoLevels, columns: integerColumns, norm: feature.NormUnit, center: true, intercept: true, whitening: "scales",
		transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"all","bins":64,"pair-bins":16}`)}}},
	{name: "coordinates", target: measured, sparse: true, columns: pairedColumns3, norm: feature.NormUnit, intercept: true, whitening: "scales",
		transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"all","bins":8,"coordinates":"age*gain","coordinate-bins":32}`)}}},
	{name: "half-logarithmic", target: twoLevels, columns: wideColumns, norm: feature.NormUnit, intercept: true, whitening: "scales",
		transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"all","bins":32,"half-logarithmic":"amount+count"}`)}}},
	{name: "dates", target: twoLevels, columns: datedColumns, norm: feature.NormUnit, center: true, intercept: true, whitening: "matrix"},
	{name: "dates-pairs", target: measured, columns: datedColumns, norm: feature.NormUnit, intercept: true, whitening: "scales",
		transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"joined*area+joined.month*joined.hour","bins":8}`)}}},
	{name: "hostile", target: twoLevels, columns: hostileColumns, norm: feature.NormUnit, center: true, intercept: true, hostile: true},
	{name: "image", target: twoLevels, columns: imageColumns, norm: feature.NormUnit, center: true, intercept: true, whitening: "matrix"},
}

// normal returns a number that is roughly normal.
func (g *generator) normal() float64 {
	sum := -6.0
	for range 12 {
		sum += float64(g.below(1<<30)) / (1 << 30)
	}
	return sum
}

// make returns the model of a case.
func (c testCase) make(t *testing.T) *model.Model {
	t.Helper()
	s := schemaOf(t, c.target, c.columns)
	chain, err := feature.NewPipeline(nil, s, c.transforms...)
	if err != nil {
		t.Fatal(err)
	}
	random, d := generator(7), chain.Dim()
	m := &feature.Map{Pipeline: chain, Norm: c.norm, Radius: 0.8}
	numbers := func(n int, scale float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = scale * random.normal()
		}
		return x
	}
	if c.center {
		m.Center = numbers(d, 0.1)
	}
	if c.intercept {
		m.Intercept = 0.5
	}
	switch c.whitening {
	case "scales":
		m.Whitening = &feature.Whitening{Scales: numbers(d, 1)}
	case "matrix":
		w := numbers(d*d, 0.3)
		for i := range d {
			for j := range i {
				w[i*d+j] = w[j*d+i]
			}
			w[i*d+i] += 2
		}
		m.Whitening = &feature.Whitening{Matrix: w}
	}
	for j, n := range m.Names() {
		if c.evidence && n.Aside {
			m.Evidence = append(m.Evidence, float64(j%4)/4)
		} else if c.evidence {
			m.Evidence = append(m.Evidence, 1)
		}
		if c.evidence {
			m.Means = append(m.Means, float64(j%5)/5)
		}
	}
	loss, err := model.LossFor(s.Target, c.loss)
	if err != nil {
		t.Fatal(err)
	}
	made, err := model.New(s, m, loss, numbers(m.Dim()*loss.Columns(len(s.Target.Levels)), 3))
	if err == nil && c.threshold > 0 {
		made, err = made.WithThreshold(c.threshold)
	}
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// cells returns rows of texts for a model: levels, numbers within and beyond their bounds, and missing and unknown cells.
// Numbers are the cells of a table of numbers: other texts are missing ones.
func cells(t *testing.T, m *model.Model, rows int) [][]string {
	t.Helper()
	o, err := newOutline(m)
	if err != nil {
		t.Fatal(err)
	}
	random, marks := generator(3), sortedMarks(m.Schema())
	out := make([][]string, rows)
	for i := range out {
		for j := range o.columns {
			if o.follows(j) {
				out[i] = append(out[i], out[i][j-1])
				continue
			}
			cell := o.columns[j].sample(marks, &random)
			if random.below(4) > 0 && len(o.columns[j].levels) > 0 && o.columns[j].date == nil {
				cell = o.columns[j].levels[random.below(len(o.columns[j].levels))]
			}
			out[i] = append(out[i], cell)
		}
	}
	return out
}

// want returns the predictions of a model for rows, nil for a dropped row, in the form of dither predict: all probabilities.
func want(t *testing.T, m *model.Model, rows [][]string) [][]float64 {
	t.Helper()
	row, columns := m.NewRow(), m.Schema().Features()
	out := make([][]float64, len(rows))
	kept := 0
	for i, texts := range rows {
		row.Reset()
		for j, text := range texts {
			if err := row.SetText(sourceName(columns[j]), text); err != nil {
				t.Fatal(err)
			}
		}
		p, ok := row.Predict()
		if !ok {
			continue
		}
		kept++
		out[i] = append(out[i], p...)
		if len(p) == 1 && len(m.Schema().Target.Levels) == 2 {
			out[i] = []float64{1 - p[0], p[0]}
		}
	}
	if len(rows) > 100 && kept < len(rows)/8 {
		t.Fatalf("%d of %d rows have a prediction, want more for a test", kept, len(rows))
	}
	return out
}

// sourceName returns the name of the column of a table that holds the cells of a feature.
func sourceName(c data.Column) string {
	if c.Date != nil {
		return c.Date.Column
	}
	return c.Name
}

// width is the width of the declared range of a target, or 1 for probabilities.
func width(m *model.Model) float64 {
	if target := m.Schema().Target; target.Regression() {
		return target.Upper - target.Lower
	}
	return 1
}

// compare returns the largest difference of predictions in units of width, and an error for rows that one of both lacks.
func compare(m *model.Model, got, wanted [][]float64) (float64, error) {
	if len(got) != len(wanted) {
		return 0, fmt.Errorf("%d rows, want %d", len(got), len(wanted))
	}
	largest := 0.0
	for i := range got {
		if len(got[i]) != len(wanted[i]) {
			return 0, fmt.Errorf("row %d has %v, want %v", i, got[i], wanted[i])
		}
		for k, v := range got[i] {
			if !(math.Abs(v-wanted[i][k]) <= 1e300) {
				return 0, fmt.Errorf("row %d has %v, want %v", i, got[i], wanted[i])
			}
			largest = max(largest, math.Abs(v-wanted[i][k])/width(m))
		}
	}
	return largest, nil
}

// testStatement is the statement of files in tests.
var testStatement = statement{private: true, epsilon: "0.98", rounded: "0.98", delta: "1e-06", neighboring: "add-or-remove-one", unit: "one person", hash: "c0ffee", modelHash: "beef", program: "dither test", run: "01", accountant: "pld"}
