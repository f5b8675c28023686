package train

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// learnedShop is the shop's schema with bounds and levels that its plan could have released.
func learnedShop(t *testing.T) *data.Schema {
	t.Helper()
	s, err := shopSchema(t).WithBounds("price", -1024, 1024)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.WithBounds("stars", 0, 50); err != nil {
		t.Fatal(err)
	}
	if s, err = s.WithLevels("town", []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	if s, err = s.WithLevels("kind", nil); err != nil {
		t.Fatal(err)
	}
	if s, err = s.WithBins("size", []float64{8, 64}); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCheckLearnedFindsWhatIsUnpaid changes a learned schema, or the plan, in each way that does not fit.
func TestCheckLearnedFindsWhatIsUnpaid(t *testing.T) {
	plan := shopPlan(t, askShop(), shopSchema(t)).Plan
	if err := checkLearned(plan, learnedShop(t)); err != nil {
		t.Fatalf("a schema that the plan makes: %v", err)
	}
	for name, change := range map[string]func(p *Plan, s *data.Schema){
		"still private":           func(_ *Plan, s *data.Schema) { s.Columns = shopSchema(t).Columns },
		"bounds beyond the range": func(_ *Plan, s *data.Schema) { s.Columns[2].Upper = 200 },
		"no candidate":            func(_ *Plan, s *data.Schema) { s.Columns[1].Upper = 1000.5 },
		"bounds in disorder":      func(_ *Plan, s *data.Schema) { s.Columns[1].Lower, s.Columns[1].Upper = 1024, -1024 },
		"levels not sorted":       func(_ *Plan, s *data.Schema) { s.Columns[3].Levels = []string{"b", "a"} },
		"a level twice":           func(_ *Plan, s *data.Schema) { s.Columns[3].Levels = []string{"a", "a"} },
		"a level that is a mark":  func(_ *Plan, s *data.Schema) { s.Columns[3].Levels = []string{"?"} },
		"more levels than places": func(_ *Plan, s *data.Schema) { s.Columns[4].Levels = []string{"a", "b", "c"} },
		"more places":             func(_ *Plan, s *data.Schema) { s.Columns[4].MaxLevels = 3 },
		"a cut that is none":      func(_ *Plan, s *data.Schema) { s.Columns[6].Bins = []float64{7.77} },
		"cuts beyond the places":  func(_ *Plan, s *data.Schema) { s.Columns[6].Bins = []float64{1, 2, 4, 8, 16} },
		"a range that was wider":  func(_ *Plan, s *data.Schema) { s.Columns[6].Upper = 1e5 },
		"an unpaid column":        func(_ *Plan, s *data.Schema) { s.Columns[5].Learning, s.Columns[5].MaxLevels = data.Learned, 2 },
		"a column that is declared after all": func(_ *Plan, s *data.Schema) {
			s.Columns[1].Learning = data.Declared
		},
		"a statistic too few":        func(p *Plan, _ *data.Schema) { p.Preparation = p.Preparation[1:] },
		"a statistic of nothing":     func(p *Plan, _ *data.Schema) { p.Preparation[0].Column = "who" },
		"a statistic of other kind":  func(p *Plan, _ *data.Schema) { p.Preparation[0].Kind = option.LevelsStatistic },
		"a range that was narrower":  func(p *Plan, _ *data.Schema) { p.Preparation[0].Upper = 900 },
		"fewer places in the plan":   func(p *Plan, _ *data.Schema) { p.Preparation[2].Numbers = 1 },
		"levels that are for bounds": func(p *Plan, _ *data.Schema) { p.Preparation[2].Kind = option.BoundsStatistic },
	} {
		p, s := plan, *learnedShop(t)
		p.Preparation = slices.Clone(plan.Preparation)
		if change(&p, &s); checkLearned(p, &s) == nil {
			t.Errorf("%s: passes", name)
		}
	}
}

// TestLearnedPlansReadBack writes plans to JSON and reads them as a certificate does, and refuses changed ones.
func TestLearnedPlansReadBack(t *testing.T) {
	plan := shopPlan(t, askShop(), shopSchema(t)).Plan
	text, err := plan.json()
	if err != nil {
		t.Fatal(err)
	}
	d, err := Methods()[option.MethodGD](text)
	if err != nil || d.Event.String() != plan.Event().String() || d.NoiseDraws != plan.NoiseDraws() {
		t.Errorf("read back: %v, want %v (%v)", d.Event, plan.Event(), err)
	}
	if n := plan.NoiseDraws(); n <= 2*plan.MaxRecords {
		t.Errorf("the plan has %d draws of noise, want more than one for each record and column of levels", n)
	}
	for name, change := range map[string]func(p *Plan){
		"threshold as large as delta": func(p *Plan) { p.Preparation[2].ThresholdDelta = p.Delta },
		"no threshold":                func(p *Plan) { p.Preparation[2].ThresholdDelta = 0 },
		"bounds with a threshold":     func(p *Plan) { p.Preparation[0].ThresholdDelta = 1e-9 },
		"range in disorder":           func(p *Plan) { p.Preparation[0].Lower = 1e13 },
		"levels with a range":         func(p *Plan) { p.Preparation[2].Upper = 1 },
		"one column twice":            func(p *Plan) { p.Preparation[1].Column = "price" },
		"no column":                   func(p *Plan) { p.Preparation[1].Column = "" },
		"after the rows":              func(p *Plan) { slices.Reverse(p.Preparation) },
		"a count of a column":         func(p *Plan) { p.Preparation[5].Column = "price" },
		"too many cuts":               func(p *Plan) { p.Preparation[4].Numbers = 64 },
		"three bounds":                func(p *Plan) { p.Preparation[0].Numbers = 3 },
		"another bound":               func(p *Plan) { p.Preparation[0].Bound = 2 },
		"another relation":            func(p *Plan) { p.Neighboring, p.Records = privacy.ReplaceOne, 1000 },
		"without privacy":             func(p *Plan) { p.NonPrivate = true },
		"no noise":                    func(p *Plan) { p.Preparation[0].NoiseMultiplier = math.Inf(1) },
		"levels without noise":        func(p *Plan) { p.Preparation[2].NoiseMultiplier = 0 },
	} {
		p := plan
		p.Preparation = slices.Clone(plan.Preparation)
		if change(&p); p.Validate() == nil {
			t.Errorf("%s: the plan is valid", name)
		}
	}
}

// TestLearningIsRefused asks for what is not proved or not built: each refusal is one line that names the column
// and what to do.
func TestLearningIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Request)
		text   [2]string
		want   string
	}{
		"without privacy": {func(r *Request) { r.Epsilon = math.Inf(1) }, [2]string{}, "a plan without privacy"},
		"per step":        {func(r *Request) { r.PerStep = true }, [2]string{}, "one budget for the whole run"},
		"replace one":     {func(r *Request) { r.Neighboring = privacy.ReplaceOne }, [2]string{"max-records: 40000", "max-records: 40000\nrecords: 3000"}, "the threshold is proved under that alone"},
		"zero out":        {func(r *Request) { r.Neighboring = privacy.ZeroOut }, [2]string{"max-records: 40000", "max-records: 40000\nrecords: 3000"}, "the threshold is proved under that alone"},
		"texts":           {func(*Request) {}, [2]string{"club: {levels: [y, n]}", "club: {text: {}}"}, "column of texts"},
		"persons":         {func(r *Request) { r.Person = &PersonUnit{Column: "town", MaxRows: 3} }, [2]string{}, "column of persons"},
		"weights":         {func(r *Request) { r.SampleWeights = &SampleWeights{Column: "kind", Upper: 3} }, [2]string{}, "column of weights"},
		"groups":          {func(r *Request) { r.Holdout = &HoldoutRequest{Share: 0.2, GroupColumn: "town"} }, [2]string{}, "column of groups"},
		"learned before":  {func(*Request) {}, [2]string{"{bounds: private}", "{numeric: [0, 1], learned: true}"}, "another training learned"},
	} {
		r := askShop()
		c.change(&r)
		s := shopSchema(t)
		if c.text[0] != "" {
			s = shopSchema(t, c.text[0], c.text[1])
		}
		_, err := NewPlan(r, s)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: %v, want one line with %q", name, err, c.want)
		}
	}
}

// TestPrivateBoundsUnderEveryRelation learns bounds alone where levels are refused.
func TestPrivateBoundsUnderEveryRelation(t *testing.T) {
	s := shopSchema(t, "max-records: 40000", "max-records: 40000\nrecords: 4000", "town: {levels: private, max-levels: 6}", "town: ignore", "kind: {levels: private, max-levels: 2}", "kind: ignore")
	d := readShop(t, s, shopRows(4000, rand.New(rand.NewPCG(1, 2))))
	noise := map[privacy.Neighboring]float64{}
	for _, n := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne, privacy.ZeroOut} {
		for _, batch := range []int{0, 500} {
			r := askShop()
			if r.Neighboring = n; batch > 0 && n != privacy.ReplaceOne {
				continue
			}
			r.BatchSize = batch
			setup := shopPlan(t, r, s)
			noise[n] = setup.Plan.Preparation[0].NoiseMultiplier
			g, err := privacy.NewGuarantee(2.001, 1e-6, n, privacy.Unit{Row: "one sale"})
			if err != nil {
				t.Fatal(err)
			}
			result, err := Fit(context.Background(), newSingle(t, g), setup, d, Options{})
			if err != nil {
				t.Fatalf("%v: %v", n, err)
			}
			if err = checkLearned(setup.Plan, result.Model.Schema()); err != nil {
				t.Errorf("%v: %v", n, err)
			}
		}
	}
	if ratio := noise[privacy.ReplaceOne] / noise[privacy.AddOrRemoveOne]; math.Abs(ratio-2) > 1e-3 {
		t.Errorf("under replace-one a choice has %v times the noise, want 2", ratio)
	}
}

// TestHeldOutRecordsAreNotLearnedFrom holds nearly all records out. Of 20000 about 600 are trained on, 19 of them
// in town4; the threshold at ε = 1 is about 220 and the noise has a deviation of 40, so that this town or a rarer one
// passes with a probability below 1e-6. Of all records 620 are in town4.
func TestHeldOutRecordsAreNotLearnedFrom(t *testing.T) {
	s := shopSchema(t)
	r := askShop()
	r.Epsilon, r.Holdout = 1, &HoldoutRequest{Share: 0.97}
	setup := shopPlan(t, r, s)
	result, err := Fit(context.Background(), single(t, 1.001), setup, readShop(t, s, shopRows(20000, rand.New(rand.NewPCG(1, 2)))), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, town := range result.Model.Schema().Features()[2].Levels {
		if !slices.Contains([]string{"town0", "town1", "town2", "town3"}, town) {
			t.Errorf("%s was learned, want it rare among the records that are trained on", town)
		}
	}
	if len(result.Evaluation) == 0 {
		t.Error("nothing was released about the held-out records")
	}
}

// TestLearnedModelServesTheSchema predicts a row as text under the learned schema, and as the training saw it: an
// unknown town, one that was learned and a price beyond the bounds.
func TestLearnedModelServesTheSchema(t *testing.T) {
	s := shopSchema(t)
	setup := shopPlan(t, askShop(), s)
	made := learnedShop(t)
	after, err := setup.under(made)
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]float64, setup.Model.Weights())
	for j := range weights {
		weights[j] = math.Sin(float64(j + 1))
	}
	m, err := model.New(made, after.Features, setup.Model.Loss, weights)
	if err != nil {
		t.Fatal(err)
	}
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := model.Decode(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := []string{"p,5000,1,a,x,y,9,0", "p,1024,1,a,z,y,63,0", "p,7,60,unheard,x,n,7,1", "p,7,50,other,x,n,0,1", "p,,,,,,,1"}
	wide := readShop(t, s, rows)
	seen, err := wide.Under(made)
	if err != nil {
		t.Fatal(err)
	}
	again := readShop(t, read.Schema(), rows)
	p, q, values := make([]float64, 1), make([]float64, 1), make([]float32, 6)
	var all []float64
	for i := range rows {
		m.Predict(p, seen.Row(values, i), m.NewScratch())
		read.Predict(q, again.Row(values, i), read.NewScratch())
		if p[0] != q[0] {
			t.Errorf("row %d is predicted as %v, and by the model that was written as %v", i, p[0], q[0])
		}
		all = append(all, p[0])
	}
	if all[0] != all[1] || all[2] != all[3] || all[0] == all[2] || all[4] == all[0] {
		t.Errorf("predictions are %v, want the first two alike, the next two alike, and others apart", all)
	}
	if !json.Valid(text) || strings.Contains(string(text), "private, max") {
		t.Errorf("the model still has private columns: %s", text)
	}
}

// TestWidthFollowsTheSchema learns other levels, none, and all: the features and their names have the width of
// the plan, and unused places are 0 in every row.
func TestWidthFollowsTheSchema(t *testing.T) {
	s := shopSchema(t)
	setup := shopPlan(t, Request{Epsilon: 2, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Transforms: []feature.Spec{{Name: "crosses", Parameters: json.RawMessage(`{"columns": "town*club"}`)}}}, s)
	d := readShop(t, s, shopRows(200, rand.New(rand.NewPCG(4, 4))))
	for _, levels := range [][]string{nil, {"town0"}, {"town0", "town1", "town2", "town3", "town4", "town5"}} {
		made := learnedShop(t)
		var err error
		made.Columns = slices.Clone(made.Columns)
		made.Columns[3] = s.Columns[3]
		if made, err = made.WithLevels("town", levels); err != nil {
			t.Fatal(err)
		}
		after, err := setup.under(made)
		if err != nil {
			t.Fatal(err)
		}
		chain := after.Features.Pipeline
		if chain.Dim() != setup.Features.Pipeline.Dim() || len(chain.Names()) != chain.Dim() || chain.Encoder().Dim() != setup.Features.Encoder().Dim() {
			t.Errorf("%d levels make %d features, want %d", len(levels), chain.Dim(), setup.Features.Pipeline.Dim())
		}
		seen, err := d.Under(made)
		if err != nil {
			t.Fatal(err)
		}
		x, values := make([]float64, chain.Encoder().Dim()), make([]float32, 6)
		for i := range seen.Records() {
			chain.Encoder().Encode(x, seen.Row(values, i))
			for j, n := range chain.Encoder().Names() {
				if strings.HasPrefix(n.Level, "unused ") && x[j] != 0 {
					t.Fatalf("%d levels: feature %v is %v, want 0", len(levels), n, x[j])
				}
			}
		}
	}
}

// TestDoubtsFollowPublicNumbers asks of plans of many and of few rows which columns they doubt, and holds the
// threshold to what the law of normal noise says: 1 + z·Q⁻¹(δ').
func TestDoubtsFollowPublicNumbers(t *testing.T) {
	many, few := shopPlan(t, askShop(), shopSchema(t)).Plan, shopPlan(t, askShop(), shopSchema(t, "max-records: 40000", "max-records: 900")).Plan
	if got := many.Doubts(); len(got) != 0 {
		t.Errorf("a plan of 40000 rows has doubts: %q", got)
	}
	got := strings.Join(few.Doubts(), "\n")
	for _, name := range []string{"bounds of price", "bounds of stars", "bins of size", "Levels of town", "Levels of kind"} {
		if !strings.Contains(got, name) {
			t.Errorf("a plan of 900 rows has the doubts %q, want one of the %s", got, name)
		}
	}
	s := many.Preparation[2]
	limit := many.Threshold(s)
	if tail := math.Erfc((limit-1)/s.NoiseMultiplier/math.Sqrt2) / 2; !(tail <= s.ThresholdDelta && tail > 0.99*s.ThresholdDelta) {
		t.Errorf("normal noise passes the threshold %v with probability %v, want %v", limit, tail, s.ThresholdDelta)
	}
	if many.Threshold(many.Preparation[0]) != 0 || s.rankError() != 0 || !(many.Preparation[0].rankError() > 0) {
		t.Error("a threshold is of levels, an error in rank of bounds")
	}
}

// TestLearnedPlansStandBesideOthers reserves a plan that learns in a ledger for several plans, by its own filter: it
// costs more there than alone, and a third does not fit where two do.
func TestLearnedPlansStandBesideOthers(t *testing.T) {
	plan := shopPlan(t, askShop(), shopSchema(t)).Plan
	filter, err := plan.Filter()
	if err != nil {
		t.Fatal(err)
	}
	limit, err := privacy.NewGuarantee(4, 1e-6, plan.Neighboring, privacy.Unit{Row: plan.Unit})
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.NewFiltered(limit, filter)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		_, err = l.Reserve(plan.Event(), plan.Method())
		if (err == nil) != (k < 2) {
			t.Errorf("plan %d of ε = 2 in a ledger of 4: %v, want that two fit", k+1, err)
		}
	}
}

// TestLearningNeedsItsOwnRows refuses to learn from rows in a file, for several models at once, under another schema
// than that of the plan, from columns whose texts were not kept, and from a sparse table; nothing is reserved.
func TestLearningNeedsItsOwnRows(t *testing.T) {
	s := shopSchema(t)
	setup, rows := shopPlan(t, askShop(), s), shopRows(100, rand.New(rand.NewPCG(1, 2)))
	d := readShop(t, s, rows)
	other := setup
	other.Schema = learnedShop(t)
	without, err := data.New(s, [][]float32{{1}, {1}, {0}, {0}, {1}, {1}}, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	sparse, err := data.NewSparse(s, []int{0, 1}, []uint32{1}, []float32{3}, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	for name, attempt := range map[string]func(l *ledger.Ledger) error{
		"a file": func(l *ledger.Ledger) error {
			_, failed := FitFile(context.Background(), l, setup, strings.NewReader(""), 0, Options{})
			return failed
		},
		"an encoder": func(*ledger.Ledger) error {
			_, failed := NewEncoder(setup, Options{}, io.Discard)
			return failed
		},
		"two models": func(l *ledger.Ledger) error {
			_, failed := FitMany(context.Background(), l, []Run{{setup, Options{}}, {setup, Options{}}}, d)
			return failed
		},
		"another schema": func(l *ledger.Ledger) error {
			_, failed := Fit(context.Background(), l, other, d, Options{})
			return failed
		},
		"no texts": func(l *ledger.Ledger) error {
			_, failed := Fit(context.Background(), l, setup, without, Options{})
			return failed
		},
		"sparse": func(l *ledger.Ledger) error {
			_, failed := Fit(context.Background(), l, setup, sparse, Options{})
			return failed
		},
		"other methods": func(*ledger.Ledger) error {
			_, failed := Encode(setup.Features, s, d, 16)
			return failed
		},
	} {
		l := single(t, 2.001)
		if err = attempt(l); err == nil || !strings.Contains(err.Error(), "want") || len(l.Event()) != 0 {
			t.Errorf("%s: %v with %d reservations, want a refusal before any", name, err, len(l.Event()))
		}
	}
}
