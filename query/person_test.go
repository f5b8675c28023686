package query

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/pick"
)

// TestRecordsWithoutBound: records that no function of package pick made are refused.
func TestRecordsWithoutBound(t *testing.T) {
	if _, err := histogram(pass.Settings{Payer: &free{}, Noise: nil, MaxRecords: 10}, tableCells{pick.Records{}, 1, func(int) int { return 0 }}, 0.95); err == nil {
		t.Error("records without a bound on their rows were taken")
	}
}

// TestAllRowsOfPersonsAreTheRows compares what every sum is before noise where records are rows, and where they
// are persons of whom all rows are used.
func TestAllRowsOfPersonsAreTheRows(t *testing.T) {
	s, r := schemaOf(t, neighborsSchema), rand.New(rand.NewPCG(3, 14))
	d, persons := population(t, s, r)
	var few []int
	for _, rows := range persons[:40] {
		few = append(few, rows...)
	}
	d = d.Take(few)
	for _, p := range neighborPlans() {
		if p.choices() > 0 {
			continue
		}
		var exact [2][]float64
		for k, u := range []*Person{nil, {"who", 6}} {
			p.Person = u
			q, err := NewQuestion(s, p)
			if err != nil {
				t.Fatal(err)
			}
			exact[k] = exactOf(t, q, d)
		}
		for j, v := range exact[0] {
			if math.Abs(v-exact[1][j]) > 1e-3*max(1, math.Abs(v)) {
				t.Errorf("%v %v: number %d is %v of rows and %v of persons", p.Statistic, p.Expressions, j, v, exact[1][j])
			}
		}
	}
}

// TestAnswersAboutPersons asks with so little noise that the answers are known: of each of 100 persons the
// first two rows that meet the condition count.
func TestAnswersAboutPersons(t *testing.T) {
	var b strings.Builder
	b.WriteString("who,age,rate,sex,note,job\n")
	for k := range 100 {
		who := strings.Repeat("x", k+1)
		for _, row := range []string{",90,0,f,a,no", ",30,1,m,b,yes", ",40,2,m,b,no", ",50,3,f,c,yes", ",60,3,m,d,yes"} {
			b.WriteString(who + row + "\n")
		}
	}
	b.WriteString("?,90,0,f,a,no\n")
	s := schemaOf(t, neighborsSchema)
	with := func(p Plan, f func(p *Plan)) Plan { f(&p); p.Person = &Person{"who", 2}; return p }
	males := func(p *Plan) { p.Where = "sex = m" }
	for _, c := range []struct {
		plan  Plan
		want  []float64
		event string
	}{
		{with(planOf(countStatistic), func(*Plan) {}), []float64{200}, "discrete-laplace(0.000213623046875, 2)"},
		{with(planOf(countStatistic), func(p *Plan) { p.By = "sex" }), []float64{100, 100, 0, 0}, "k-norm(0.0001)"},
		{with(planOf(sumStatistic, "rate"), males), []float64{300}, "k-norm(0.0001)"},
		{with(planOf(sumStatistic, "clamp(rate, 0, 3)"), func(p *Plan) { p.Noise = noiseDiscrete; males(p) }), []float64{300}, "discrete-gaussian(0.0006103515625, 6)"},
		{with(planOf(meanStatistic, "age"), males), []float64{35}, "k-norm(0.0001)"},
		{with(planOf(varianceStatistic, "age"), males), []float64{25}, "k-norm(0.0001)"},
		{with(planOf(covarianceStatistic, "age", "rate"), males), []float64{25, 2.5, 0.25}, "gaussian(0.0001)"},
		{with(planOf(categoriesStatistic, "note"), func(*Plan) {}), []float64{100, 100}, "k-norm(0.0001)"},
		{with(planOf(boundsStatistic, "age"), func(p *Plan) { p.NoiseMultiplier, p.Points = 1.0/512, 73; males(p) }), []float64{30, 40}, "permute-and-flip(512)"},
		{with(planOf(radiusStatistic, "rate"), func(p *Plan) { p.NoiseMultiplier, p.Points, p.Where = 1.0/512, 31, "rate >= 3" }), []float64{3}, "permute-and-flip(512)"},
		{with(planOf(aggregateStatistic, "rate"), func(p *Plan) { p.NoiseMultiplier, p.Points, p.Of, p.Where = 1.0/512, 6, "median", "rate >= 3" }), []float64{3}, "permute-and-flip(512)"},
	} {
		q, err := NewQuestion(s, c.plan)
		if err != nil {
			t.Fatal(err)
		}
		paid := &payments{}
		rows, err := q.Ask(paid, tableOf(t, s, b.String(), q.ReadOptions()))
		if err != nil || len(rows) != len(c.want) || paid.events[0] != c.event {
			t.Fatalf("%v: got %v, paid for %v, %v; want %v and %s", c.plan.Statistic, rows, paid.events, err, c.want, c.event)
		}
		for k, v := range rows {
			if !closeTo(v.Value, c.want[k], 5e-3) {
				t.Errorf("%v: %s is %v, want %v", c.plan.Statistic, v.Name, v.Value, c.want[k])
			}
		}
		if p := q.Plan(); p.Unit != "all rows with one who, of which at most 2 are used" || p.RowsPerPerson != 0 || p.Validate() != nil {
			t.Errorf("%v: the unit is %q, %d rows of a person", p.Statistic, p.Unit, p.RowsPerPerson)
		}
	}
}
