package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
)

// diary is a table with rows of persons; the person of a row may be missing.
func diary(t *testing.T, persons []string, r *rand.Rand) *data.Dataset {
	t.Helper()
	var b strings.Builder
	b.WriteString("who,height,weight,color,sick\n")
	for _, who := range persons {
		fmt.Fprintf(&b, "%s,%.3f,%.2f,%s,%d\n", who, 2*r.Float64(), 100*r.Float64(), []string{"red", "green"}[r.IntN(2)], r.IntN(2))
	}
	return readDiary(t, b.String())
}

func diarySchema(t *testing.T) *data.Schema {
	t.Helper()
	s, err := data.ParseSchema("diary.yaml", []byte(`
dither-schema: 1
row: one day of a person
max-records: 5000
target: {column: sick, levels: ["0", "1"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  who: ignore
  height: {numeric: [0, 2]}
  weight: {numeric: [0, 100]}
  color: {levels: [red, green]}
`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func readDiary(t *testing.T, text string) *data.Dataset {
	t.Helper()
	d, err := data.ReadFrom(context.Background(), diarySchema(t), "diary.csv", strings.NewReader(text), data.ReadOptions{Extra: []string{"who"}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func personPlan(t *testing.T, epsilon float64, change func(*Request)) Setup {
	t.Helper()
	return diaryPlan(t, epsilon, func(r *Request, _ *data.Schema) { change(r) })
}

// diaryPlan is personPlan where the schema changes too.
func diaryPlan(t *testing.T, epsilon float64, change func(*Request, *data.Schema)) Setup {
	t.Helper()
	r, schema := Request{Epsilon: epsilon, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 12, Person: &PersonUnit{Column: "who", MaxRows: 3}}, diarySchema(t)
	change(&r, schema)
	setup, err := NewPlan(r, schema)
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

// vectorsOf returns what every person proposes for a gradient, and adds to the statistics.
func vectorsOf(t *testing.T, s Setup, d *data.Dataset) map[string][]float64 {
	t.Helper()
	return vectorsWith(t, s, d, nil)
}

// vectorsWith is vectorsOf with weights of rows.
func vectorsWith(t *testing.T, s Setup, d *data.Dataset, rowWeights []float64) map[string][]float64 {
	t.Helper()
	tab, err := s.encode(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.descend(tab, prepared{features: s.Features})
	if err != nil {
		t.Fatal(err)
	}
	run, err := newDescent(s, Options{LearningRate: 1}, payEverything{}, rows, tab, prepared{features: s.Features, divisor: 1, rowWeights: rowWeights})
	if err != nil {
		t.Fatal(err)
	}
	for j := range run.weights {
		run.weights[j] = math.Sin(float64(j))
	}
	scorer, dim := run.scorer(), s.Plan.Dim
	before := &ofPersons{rows: tab.rows, persons: tab.persons}
	out := map[string][]float64{}
	codes, names, err := d.Group("who")
	if err != nil {
		t.Fatal(err)
	}
	for k, list := range tab.persons {
		all := make([]float64, dim+1+before.rows.Dim()+before.rows.Dim()*before.rows.Dim())
		g, count, sum, products := all[:dim], all[dim:dim+1], all[dim+1:dim+1+before.rows.Dim()], all[dim+1+before.rows.Dim():]
		err = run.persons.each(0, []int{k}, func(room *personRoom, owner []int) { run.proposePersons(g, room, owner, scorer) })
		if err != nil || before.count(0, count, []int{k}) != nil || before.sums(0, sum, []int{k}) != nil || before.productsOf(release.AllProducts())(0, products, []int{k}) != nil {
			t.Fatal(err)
		}
		out[names[codes[list[0]]]] = all
	}
	return out
}

// TestPersonsLookAtThemselves changes one person, in rows and number of rows, and removes it: what every
// other person proposes keeps its bits; a person has at most the bound of the gradient, MaxRows rows, and
// what is more changes nothing.
func TestPersonsLookAtThemselves(t *testing.T) {
	names := strings.Split("ann bob eve ann ann kim bob ann ann eve", " ")
	text := func(names []string) string {
		var b strings.Builder
		b.WriteString("who,height,weight,color,sick\n")
		seen := map[string]int{}
		for _, who := range names {
			seen[who]++
			fmt.Fprintf(&b, "%s,1.%d,%d,red,%d\n", who, seen[who], 10*seen[who]+len(who), seen[who]%2)
		}
		return b.String()
	}
	s := personPlan(t, 1, func(r *Request) { r.ClippingNorm, r.Center, r.Whiten = 0.4, No, No })
	want := vectorsOf(t, s, readDiary(t, text(names)))
	if len(want) != 4 {
		t.Fatalf("%d persons, want 4", len(want))
	}
	without := vectorsOf(t, s, readDiary(t, text(strings.Split("bob eve kim bob eve", " "))))
	more := vectorsOf(t, s, readDiary(t, text(append(names, "ann", "ann", "ann", "", "NA"))))
	for who, v := range want {
		norm := 0.0
		for _, f := range v[:s.Plan.Dim] {
			norm = math.Hypot(norm, f)
		}
		if rows := v[s.Plan.Dim]; norm > 0.4*(1+1e-12) || rows > 3 || rows < 1 {
			t.Errorf("%s: gradient of norm %v from %v rows, want at most 0.4 and 3", who, norm, rows)
		}
		if who != "ann" && !sameBits(v, without[who]) {
			t.Errorf("%s proposes something else without ann", who)
		}
		if !sameBits(v, more[who]) {
			t.Errorf("%s proposes something else with rows beyond the third, or rows of nobody", who)
		}
	}
	if _, there := without["ann"]; there || len(more) != 4 {
		t.Errorf("persons without ann: %d, with rows of nobody: %d, want 3 and 4", len(without), len(more))
	}
}

func sameBits(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

// TestPersonsOfOneRowAreRows trains without noise where every person has one row, and the bound does not
// bind: the weights are those of training on rows, up to the rounding of the two grids.
func TestPersonsOfOneRowAreRows(t *testing.T) {
	names := make([]string, 300)
	for i := range names {
		names[i] = fmt.Sprint("p", i)
	}
	d := diary(t, names, rand.New(rand.NewPCG(3, 1)))
	for _, whiten := range []Tristate{No, Yes} {
		fit := func(person *PersonUnit) []float64 {
			setup := personPlan(t, math.Inf(1), func(r *Request) { r.Person, r.ClippingNorm, r.Whiten, r.Center = person, 50, whiten, Yes })
			result, err := Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), setup, d, Options{Momentum: 0.5})
			if err != nil {
				t.Fatal(err)
			}
			return result.Model.Weights()
		}
		rows, persons := fit(nil), fit(&PersonUnit{Column: "who", MaxRows: 1})
		for j, w := range rows {
			if math.Abs(w-persons[j]) > 2e-3*(1+math.Abs(w)) {
				t.Errorf("whiten %v, weight %d: %v with rows, %v with persons", whiten, j, w, persons[j])
			}
		}
	}
}

// TestPersonPlans holds the bounds and refusals of plans over persons, and that sampled runs train.
func TestPersonPlans(t *testing.T) {
	s := personPlan(t, 1, func(r *Request) { r.Center, r.Whiten = Yes, Yes })
	want := map[string]float64{option.CountStatistic: 3, option.MeanStatistic: 3, option.CovarianceStatistic: 3}
	for _, statistic := range s.Plan.Preparation {
		if statistic.Bound != want[statistic.Kind] {
			t.Errorf("%s: bound %v, want %v", statistic.Kind, statistic.Bound, want[statistic.Kind])
		}
	}
	if !strings.Contains(s.Plan.Unit, "all rows with one who") {
		t.Errorf("unit: %q", s.Plan.Unit)
	}
	if s.Plan.RowsPerPerson != 0 || s.Plan.Derivation().Unit.RowsPerPerson != 0 {
		t.Errorf("%d rows of a person beside the person, want none", s.Plan.RowsPerPerson)
	}
	s.Plan.RowsPerPerson = 3
	if err := s.Plan.Validate(); err == nil || !strings.Contains(err.Error(), "with persons as records") {
		t.Errorf("a plan with rows of a person beside the person: got %v, want an error", err)
	}
	for name, change := range map[string]func(*Request){
		"no column":     func(r *Request) { r.Person = &PersonUnit{MaxRows: 3} },
		"no rows":       func(r *Request) { r.Person = &PersonUnit{Column: "who"} },
		"examples":      func(r *Request) { r.ClippingMode = option.ClipExample },
		"fixed batches": func(r *Request) { r.BatchSize, r.Neighboring = 5, privacy.ReplaceOne },
	} {
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 3, Person: &PersonUnit{Column: "who", MaxRows: 3}}
		change(&r)
		schema := diarySchema(t)
		schema.Records = 100
		if _, err := NewPlan(r, schema); err == nil {
			t.Errorf("%s: got a plan, want an error", name)
		}
	}
	names := make([]string, 400)
	for i := range names {
		names[i] = fmt.Sprint("p", i%150)
	}
	d := diary(t, names, rand.New(rand.NewPCG(5, 1)))
	for _, change := range []func(*Request){func(r *Request) { r.SamplingProbability = 0.2 }, func(r *Request) { r.Parts = 4 }, func(r *Request) { r.Whiten = Yes }} {
		setup := personPlan(t, 2, change)
		g, err := privacy.NewGuarantee(2, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := ledger.NewSingle(g)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Fit(context.Background(), l, setup, d, Options{}); err != nil {
			t.Errorf("%s: %v", setup.Plan.Sampling, err)
		}
	}
	if _, err := Fit(context.Background(), budget(t, 2), personPlan(t, 1, func(r *Request) { r.Person.Column = "nobody" }), d, Options{}); err == nil {
		t.Error("a column that was not read was taken for persons")
	}
}
