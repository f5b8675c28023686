package query

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// planOf is a plan with the usual numbers.
func planOf(s Statistic, expressions ...string) Plan {
	p := Plan{Statistic: s, Expressions: expressions, NoiseMultiplier: 1e-4, Confidence: 0.95, Subject: certificate.Subject{Neighboring: privacy.AddOrRemoveOne, Delta: 1e-6}}
	switch s {
	case quantilesStatistic:
		p.Quantiles = []float64{0.5}
	case boundsStatistic:
		p.Quantiles = []float64{0.05, 0.95}
	case categoriesStatistic:
		p.ThresholdDelta = 5e-7
	case aggregateStatistic:
		p.Of, p.Blocks = "mean", 8
	}
	return p
}

// payments remembers every event.
type payments struct{ events []string }

func (p *payments) Pay(e mechanism.Event) error { p.events = append(p.events, e.String()); return nil }

// ask answers a plan from a table.
func ask(t *testing.T, p Plan, table string) ([]Row, *payments) {
	t.Helper()
	s := schemaOf(t, schemaText)
	q, err := NewQuestion(s, p)
	if err != nil {
		t.Fatalf("%v: %v", p.Statistic, err)
	}
	paid := &payments{}
	rows, err := q.Ask(paid, tableOf(t, s, table, q.ReadOptions()))
	if err != nil {
		t.Fatalf("%v: %v", p.Statistic, err)
	}
	return rows, paid
}

// longTable is tableText with its rows many times over.
func longTable(times int) string {
	header, rows, _ := strings.Cut(tableText, "\n")
	return header + "\n" + strings.Repeat(rows, times)
}

// TestQuestions asks with so little noise that the answers are known: each noise is below 0.01 of the tolerance
// but for one draw in 1e9 or fewer.
func TestQuestions(t *testing.T) {
	with := func(p Plan, f func(p *Plan)) Plan { f(&p); return p }
	for _, c := range []struct {
		plan  Plan
		names string
		want  []float64
		event string
	}{
		{planOf(countStatistic), "all", []float64{400}, "discrete-laplace(0.0001068115234375, 1)"},
		{with(planOf(countStatistic), func(p *Plan) { p.Where = "sex = m and age > 20" }), "all", []float64{100}, "discrete-laplace(0.0001068115234375, 1)"},
		{with(planOf(countStatistic), func(p *Plan) { p.By = "sex" }), "f m (other) (missing)", []float64{100, 200, 0, 100}, "k-norm(0.0001)"},
		{with(planOf(countStatistic), func(p *Plan) { p.By = "job" }), "no yes", []float64{100, 200}, "k-norm(0.0001)"},
		{planOf(sumStatistic, "rate + 1"), "all", []float64{550}, "k-norm(0.0001)"},
		{with(planOf(sumStatistic, "capital-gain"), func(p *Plan) { p.Noise = noiseDiscrete }), "all", []float64{1500}, "discrete-gaussian(0.001007080078125, 10)"},
		{with(planOf(sumStatistic, "age"), func(p *Plan) { p.Noise = noiseGaussian }), "all", []float64{17000}, "gaussian(0.0001)"},
		{planOf(meanStatistic, "age"), "all", []float64{170.0 / 3}, "k-norm(0.0001)"},
		{with(planOf(meanStatistic, "sex = f"), func(p *Plan) { p.Where = "job = yes"; p.Noise = noiseGaussian }), "all", []float64{0.5}, "gaussian(0.0001)"},
		{planOf(varianceStatistic, "age"), "all", []float64{(30*30+90*90+50*50)/3.0 - 170*170/9.0}, "k-norm(0.0001)"},
		{with(planOf(histogramStatistic, "age"), func(p *Plan) { p.Edges = []float64{30, 50.5} }), "[18, 30) [30, 50.5) [50.5, 90] (missing)", []float64{0, 200, 100, 100}, "k-norm(0.0001)"},
		{planOf(histogramStatistic, "home town"), "Ulm Bad Urach 3 (other) (missing)", []float64{100, 100, 100, 100, 0}, "k-norm(0.0001)"},
		{with(planOf(quantilesStatistic, "capital-gain"), func(p *Plan) { p.Quantiles = []float64{0.125, 0.5, 0.999}; p.Points = 11 }), "0.125 0.5 0.999", []float64{0, math.NaN(), 10}, "permute-and-flip(10000)"},
		{planOf(boundsStatistic, "capital-gain"), "0.05 0.95", []float64{0, 10}, "permute-and-flip(10000)"},
		{with(planOf(boundsStatistic, "capital-gain"), func(p *Plan) { p.Where = "sex = m"; p.Points = 11 }), "0.05 0.95", []float64{0, 1}, "permute-and-flip(10000)"},
		{with(planOf(covarianceStatistic, "rate", "capital-gain"), func(p *Plan) { p.Where = "sex = m" }), "rate, rate rate, capital-gain capital-gain, capital-gain", []float64{25.0 / 16, 5.0 / 8, 0.25}, "gaussian(0.0001)"},
		{planOf(covarianceStatistic, "age", "capital-gain"), "age, age age, capital-gain capital-gain, capital-gain", []float64{5600.0 / 9, -520.0 / 9, 152.0 / 9}, "gaussian(0.0001)"},
		{planOf(correlationStatistic, "age", "capital-gain"), "age, capital-gain", []float64{-520 / math.Sqrt(5600*152)}, "gaussian(0.0001)"},
		{planOf(categoriesStatistic, "note"), "a b c d", []float64{100, 100, 100, 100}, "k-norm(0.0001)"},
		{with(planOf(categoriesStatistic, "note"), func(p *Plan) { p.Where = "age < 60"; p.Noise = noiseGaussian }), "a d", []float64{100, 100}, "gaussian(0.0001)"},
	} {
		if c.plan.Statistic == quantilesStatistic || c.plan.Statistic == boundsStatistic {
			c.plan.NoiseMultiplier, c.event = 1.0/512, "permute-and-flip(512)"
		}
		rows, paid := ask(t, c.plan, longTable(100))
		var names []string
		for k, r := range rows {
			names = append(names, r.Name)
			if k < len(c.want) && !closeTo(r.Value, c.want[k], 1e-3) && c.want[k] == c.want[k] {
				t.Errorf("%v %v: got %v for %s, want %v", c.plan.Statistic, c.plan.Expressions, r.Value, r.Name, c.want[k])
			}
		}
		if got := strings.Join(names, " "); got != c.names || len(rows) != len(c.want) {
			t.Errorf("%v %v: got rows %s, want %s", c.plan.Statistic, c.plan.Expressions, got, c.names)
		}
		if paid.events[0] != c.event {
			t.Errorf("%v: paid for %v, want %s first", c.plan.Statistic, paid.events, c.event)
		}
		checkPayments(t, c.plan, paid)
	}
}

// checkPayments holds what was paid to the event of the plan, from which the price follows.
func checkPayments(t *testing.T, p Plan, paid *payments) {
	t.Helper()
	q, err := NewQuestion(schemaOf(t, schemaText), p)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	switch e := q.Plan().Event().(type) {
	case mechanism.Repeat:
		want = slices.Repeat([]string{e.Event.String()}, e.Count)
	case mechanism.Sequence:
		for _, part := range e {
			want = append(want, part.String())
		}
	default:
		want = []string{e.String()}
	}
	if !slices.Equal(paid.events, want) {
		t.Errorf("%v: paid for %v, want %v", p.Statistic, paid.events, want)
	}
}

func TestQuestionsAreRefusedBeforeARecordIsRead(t *testing.T) {
	with := func(p Plan, f func(p *Plan)) Plan { f(&p); return p }
	for _, c := range []struct {
		name string
		plan Plan
		want string
	}{
		{"statistic", planOf("median", "age"), "statistic is \"median\", want one of count, sum, mean"},
		{"hint", planOf("median", "age"), "; a median is a quantile"},
		{"expressions", planOf(countStatistic, "age"), "want none; a condition goes to Plan.Where"},
		{"no expression", planOf(meanStatistic), "want one"},
		{"one column", planOf(covarianceStatistic, "age"), "want 2 or more"},
		{"constant", planOf(meanStatistic, "3"), "the same for all rows"},
		{"no edges", planOf(histogramStatistic, "age"), "no edges"},
		{"edges", with(planOf(histogramStatistic, "age"), func(p *Plan) { p.Edges = []float64{40, 30} }), "ascending edges"},
		{"edges outside", with(planOf(histogramStatistic, "age"), func(p *Plan) { p.Edges = []float64{18} }), "inside the declared bounds"},
		{"edges with the bounds", with(planOf(histogramStatistic, "age"), func(p *Plan) { p.Edges = []float64{18, 40, 90} }), "leave the bounds out"},
		{"edges of levels", with(planOf(histogramStatistic, "sex"), func(p *Plan) { p.Edges = []float64{1} }), "want no edges"},
		{"groups of numbers", with(planOf(countStatistic), func(p *Plan) { p.By = "age" }), "no levels to group by"},
		{"groups of quantiles", with(planOf(quantilesStatistic, "age"), func(p *Plan) { p.By = "sex" }), "want groups with"},
		{"unknown group", with(planOf(countStatistic), func(p *Plan) { p.By = "x" }), "query: column of groups: query: \"x\" is no column"},
		{"condition", with(planOf(countStatistic), func(p *Plan) { p.Where = "age" }), "want a condition"},
		{"condition of C", with(planOf(countStatistic), func(p *Plan) { p.Where = "age > 30 && age < 40" }), "want a name, a number or a mark such as + or <=; join conditions by and, or, not"},
		{"condition of SQL", with(planOf(countStatistic), func(p *Plan) { p.Where = "age > 30 AND age < 40" }), "an operator before this; join conditions by and, or, not"},
		{"broken condition", with(planOf(countStatistic), func(p *Plan) { p.Where = "age >" }), "query: condition of rows: query: the expression"},
		{"noise", with(planOf(meanStatistic, "age"), func(p *Plan) { p.Noise = noiseDiscrete }), "want one of [laplace gaussian]"},
		{"noise of moments", with(planOf(correlationStatistic, "age", "rate"), func(p *Plan) { p.Noise = noiseLaplace }), "want one of [gaussian]"},
		{"integers", with(planOf(sumStatistic, "rate * 0.3"), func(p *Plan) { p.Noise = noiseDiscrete }), "want an integer"},
		{"negative noise", with(planOf(countStatistic), func(p *Plan) { p.NoiseMultiplier = -1 }), "noise multiplier is -1"},
		{"delta", with(planOf(countStatistic), func(p *Plan) { p.Delta = 1 }), "delta is 1"},
		{"no delta for gaussian", with(planOf(countStatistic), func(p *Plan) { p.Delta, p.Noise = 0, noiseGaussian }), "delta is 0 for count with gaussian noise"},
		{"no delta for categories", with(planOf(categoriesStatistic, "note"), func(p *Plan) { p.Delta, p.ThresholdDelta = 0, 0 }), "delta is 0 for categories"},
		{"statistic of blocks", with(planOf(aggregateStatistic, "age"), func(p *Plan) { p.Of = "mode" }), "the statistic of a block is \"mode\""},
		{"expressions of blocks", with(planOf(aggregateStatistic, "age"), func(p *Plan) { p.Of = "correlation" }), "has 1 expressions, want 2"},
		{"blocks", with(planOf(aggregateStatistic, "age"), func(p *Plan) { p.Blocks = 1 }), "number of blocks is 1"},
		{"persons without a number", with(planOf(countStatistic), func(p *Plan) { p.Person = &Person{Column: "note"} }), "at most 0 rows"},
		{"too many rows of a person", with(planOf(countStatistic), func(p *Plan) { p.Person = &Person{"note", 1 << 16} }), "want a column and 1 to 32768 rows"},
		{"too many rows for ranks", with(planOf(quantilesStatistic, "age"), func(p *Plan) { p.Person = &Person{"note", 2000} }), "1 to 1024 rows for quantiles"},
		{"no column of persons", with(planOf(countStatistic), func(p *Plan) { p.Person = &Person{"x", 3} }), "no column of the schema"},
		{"the target as persons", with(planOf(countStatistic), func(p *Plan) { p.Person = &Person{"job", 3} }), "is the target"},
		{"integers of persons", with(planOf(sumStatistic, "capital-gain"), func(p *Plan) { p.Noise, p.Person = noiseDiscrete, &Person{"note", 1 << 14} }), "want an integer"},
		{"noise beyond the sampler", with(planOf(countStatistic), func(p *Plan) { p.NoiseMultiplier, p.Person = 100, &Person{"note", 1 << 15} }), "scale is"},
		{"confidence", with(planOf(countStatistic), func(p *Plan) { p.Confidence = 1 }), "confidence is 1"},
		{"points", with(planOf(quantilesStatistic, "age"), func(p *Plan) { p.Points = 1 }), "grid has 1 points"},
		{"relation", with(planOf(countStatistic), func(p *Plan) { p.Neighboring = 0 }), "neighboring"},
		{"categories under replace-one", with(planOf(categoriesStatistic, "note"), func(p *Plan) { p.Neighboring = privacy.ReplaceOne }), "no proof"},
		{"unknown category column", planOf(categoriesStatistic, "x"), "no column of the schema"},
		{"threshold", with(planOf(categoriesStatistic, "note"), func(p *Plan) { p.ThresholdDelta = 1e-6 }), "delta of the threshold"},
	} {
		if _, err := NewQuestion(schemaOf(t, schemaText), c.plan); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
	if _, err := NewQuestion(schemaOf(t, schemaText+"from-data: [age]\n"), planOf(countStatistic)); err == nil || !strings.Contains(err.Error(), "copied out of records") {
		t.Errorf("a tainted schema: %v", err)
	}
}

// TestRefusedPaymentsAnswerNothing asks with a payer without money.
func TestRefusedPaymentsAnswerNothing(t *testing.T) {
	s := schemaOf(t, schemaText)
	for _, statistic := range Statistics() {
		p := planOf(statistic, "age")
		switch statistic {
		case countStatistic:
			p.Expressions = nil
		case covarianceStatistic, correlationStatistic:
			p.Expressions = []string{"age", "rate"}
		case histogramStatistic, categoriesStatistic:
			p.Expressions = []string{"sex"}
		}
		q, err := NewQuestion(s, p)
		if err != nil {
			t.Fatal(err)
		}
		if rows, failure := q.Ask(broke{}, tableOf(t, s, tableText, q.ReadOptions())); failure == nil || len(rows) > 0 {
			t.Errorf("%v: got %v, %v, want an error", statistic, rows, failure)
		}
	}
}

// TestMoreRecordsThanDeclared are refused without their number.
func TestMoreRecordsThanDeclared(t *testing.T) {
	s := schemaOf(t, schemaText)
	q, err := NewQuestion(s, planOf(meanStatistic, "age"))
	if err != nil {
		t.Fatal(err)
	}
	o := q.ReadOptions()
	o.MaxRecords = 10000
	_, err = q.Ask(&payments{}, tableOf(t, s, longTable(150), o))
	if err == nil || strings.Contains(err.Error(), "600") || !strings.Contains(err.Error(), "500") {
		t.Errorf("got %v, want an error with the declared bound alone", err)
	}
}

// TestPlansReadBack writes a plan as JSON and reads it: it states the same event.
func TestPlansReadBack(t *testing.T) {
	p := planOf(meanStatistic, "age + rate")
	p.By = "sex"
	q, err := NewQuestion(schemaOf(t, schemaText), p)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(q.Plan())
	if err != nil {
		t.Fatal(err)
	}
	var back Plan
	if err = json.Unmarshal(text, &back); err != nil || fmt.Sprint(back) != fmt.Sprint(q.Plan()) || back.Validate() != nil {
		t.Errorf("got %v, %v, want %v", back, err, q.Plan())
	}
	if back.Cells != 4 || back.Lower[0] != 16 || back.Upper[0] != 93 || back.MaxRecords != 500 || back.Unit != "one person" || back.Noise != noiseLaplace {
		t.Errorf("the plan lacks what the schema declares: %+v", back)
	}
}

// TestNoiseDrawsAreCounted compares the number of normal draws with the size of each release.
func TestNoiseDrawsAreCounted(t *testing.T) {
	gaussian := func(p Plan) Plan { p.Noise = noiseGaussian; p.Cells = 4; p.MaxRecords = 77; return p }
	for _, c := range []struct {
		plan Plan
		want int
	}{
		{gaussian(planOf(countStatistic)), 4}, {gaussian(planOf(sumStatistic, "age")), 4}, {gaussian(planOf(meanStatistic, "age")), 8},
		{gaussian(planOf(varianceStatistic, "age")), 12}, {gaussian(planOf(covarianceStatistic, "a", "b")), 9}, {gaussian(planOf(categoriesStatistic, "a")), 77},
		{planOf(countStatistic), 0}, {planOf(quantilesStatistic, "a"), 0},
	} {
		if got := c.plan.noiseDraws(); got != c.want {
			t.Errorf("%v: got %d draws, want %d", c.plan.Statistic, got, c.want)
		}
	}
}

// TestReadOptions reads no more than is needed.
func TestReadOptions(t *testing.T) {
	s := schemaOf(t, schemaText)
	for _, c := range []struct {
		plan          Plan
		withoutTarget bool
		extra         int
	}{
		{planOf(meanStatistic, "age"), true, 0}, {planOf(meanStatistic, "job = yes"), false, 0}, {planOf(histogramStatistic, "job"), false, 0}, {planOf(categoriesStatistic, "note"), true, 1},
	} {
		q, err := NewQuestion(s, c.plan)
		if err != nil {
			t.Fatal(err)
		}
		if o := q.ReadOptions(); o.WithoutTarget != c.withoutTarget || len(o.Extra) != c.extra {
			t.Errorf("%v: got %+v", c.plan.Expressions, o)
		}
	}
}
