package evaluate

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// binned moves each score into the middle of its bin, where the exact measures see what the histogram
// sees.
func binned(p Plan, scores []float64) []float64 {
	out := slices.Clone(scores)
	for i, v := range scores {
		for b := range p.bins() {
			if v > p.Edges[b] && v <= p.Edges[b+1] || b == 0 && v == 0 {
				out[i] = (p.Edges[b] + p.Edges[b+1]) / 2
			}
		}
	}
	return out
}

// randomScores are labels and scores of two levels, many of them at the ends of bins.
func randomScores(r *rand.Rand, p Plan, n int) (labels []int, records Records) {
	for range n {
		label, score := r.IntN(2), r.Float64()
		if r.IntN(3) == 0 {
			score = p.Edges[r.IntN(len(p.Edges))]
		}
		labels = append(labels, label)
		records.Targets, records.Predictions = append(records.Targets, float64(label)), append(records.Predictions, score)
	}
	return labels, records
}

// TestMeasuresAreThoseOfTheRows compares the measures of histograms without noise with Classify on
// the same rows. It compares the best thresholds with a search over all ends of bins.
func TestMeasuresAreThoseOfTheRows(t *testing.T) {
	p := testPlans()["two levels"]
	random := rand.New(rand.NewPCG(9, 9))
	for range 200 {
		labels, records := randomScores(random, p, 20+random.IntN(60))
		got := p.classify(exactSum(p, records))
		want, err := Classify(p.Levels, labels, binned(p, records.Predictions), 0.5, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !near(got.Accuracy.Value, want.Accuracy) || !near(got.AUC.Value, want.AUC) || !near(got.MajorityAccuracy.Value, want.MajorityAccuracy) {
			t.Fatalf("got accuracy %v, area %v, majority %v; want %v, %v, %v", got.Accuracy, got.AUC, got.MajorityAccuracy, want.Accuracy, want.AUC, want.MajorityAccuracy)
		}
		for k := range p.Levels {
			if !near(got.Precision[k].Value, want.Precision[k]) || !near(got.Recall[k].Value, want.Recall[k]) || int(got.Confusion[k][0]) != want.Confusion[k][0] {
				t.Fatalf("level %d: got %v and %v, want %v and %v", k, got.Precision[k], got.Recall[k], want.Precision[k], want.Recall[k])
			}
		}
		exact, err := Classify(p.Levels, labels, records.Predictions, 0.5, nil)
		if err != nil || math.Abs(float64(exact.AUC-got.AUC.Value)) > float64(got.AUC.Resolution)+1e-12 {
			t.Fatalf("the area is %v, and %v of the exact scores, want a distance of at most %v (%v)", got.AUC.Value, exact.AUC, got.AUC.Resolution, err)
		}
		checkBest(t, p, labels, records, got)
	}
}

func checkBest(t *testing.T, p Plan, labels []int, records Records, got PrivateClassification) {
	t.Helper()
	best, balanced := Measure(0), Measure(0)
	for _, threshold := range p.Edges[1 : len(p.Edges)-1] {
		c, err := Classify(p.Levels, labels, records.Predictions, threshold, nil)
		if err != nil {
			t.Fatal(err)
		}
		best, balanced = max(best, c.Accuracy), max(balanced, (c.Recall[0]+c.Recall[1])/2)
	}
	if !near(got.BestAccuracy.Value, best) || !near(got.BestBalanced.Value, balanced) {
		t.Fatalf("got best accuracy %v and best mean recall %v, want %v and %v", got.BestAccuracy, got.BestBalanced, best, balanced)
	}
	at, err := Classify(p.Levels, labels, records.Predictions, got.BestAccuracy.Threshold, nil)
	if err != nil || !near(at.Accuracy, best) {
		t.Fatalf("the threshold %v gives %v, want %v (%v)", got.BestAccuracy.Threshold, at.Accuracy, best, err)
	}
}

// TestMomentsAreThoseOfTheRows does the same for numbers.
func TestMomentsAreThoseOfTheRows(t *testing.T) {
	p := testPlans()["number"]
	p.ResidualBound = p.Upper - p.Lower
	random := rand.New(rand.NewPCG(10, 10))
	for range 100 {
		records := randomRecords(random, p, 40)
		var targets, predictions []float64
		for i, v := range records.Predictions {
			if v == v {
				targets, predictions = append(targets, min(p.Upper, records.Targets[i])), append(predictions, v)
			}
		}
		got := p.regress(exactSum(p, records))
		want, err := Regress(targets, predictions, nil)
		if err != nil || math.Abs(float64(got.RMSE.Value-want.RMSE)) > 1e-6 || math.Abs(float64(got.MAE.Value-want.MAE)) > 1e-9 || math.Abs(float64(got.R2.Value-want.R2)) > 1e-9 {
			t.Fatalf("got %+v, want %+v (%v)", got, want, err)
		}
	}
}

// TestNoisyCurve holds curves of pure noise to what a curve is.
func TestNoisyCurve(t *testing.T) {
	p := testPlans()["two levels"]
	random := rand.New(rand.NewPCG(11, 11))
	curves := 0
	for range 500 {
		numbers := make([]float64, p.Numbers())
		for j := range numbers {
			numbers[j] = 4 * (random.Float64()*4 - 1)
		}
		points := p.classify(numbers).ROC
		if points == nil {
			continue
		}
		curves++
		last := Point{Threshold: 2}
		for i, v := range points {
			if v.FalsePositiveRate < last.FalsePositiveRate || v.TruePositiveRate < last.TruePositiveRate || v.Threshold >= last.Threshold || v.TruePositiveRate > 1 || v.FalsePositiveRate < 0 {
				t.Fatalf("point %d is %+v after %+v", i, v, last)
			}
			last = v
		}
		if points[0].TruePositiveRate != 0 || last.TruePositiveRate != 1 || last.FalsePositiveRate != 1 || last.Threshold != 0 {
			t.Fatalf("the curve goes from %+v to %+v, want from 0 to 1", points[0], last)
		}
	}
	if curves < 300 {
		t.Errorf("%d curves of 500", curves)
	}
	x := []float64{1, 3, 2, 2, 5, 4}
	if monotone(x); !slices.Equal(x, []float64{1, 7. / 3, 7. / 3, 7. / 3, 4.5, 4.5}) {
		t.Errorf("got %v", x)
	}
}

func testSchema(t *testing.T) *data.Schema {
	t.Helper()
	s, err := data.ParseSchema("s.yaml", []byte("dither-schema: 1\nrow: one row\nmax-records: 900\ntarget: {column: y, levels: [a, b]}\ncolumns:\n  x: {numeric: [0, 1], missing: zero, out-of-range: clamp}\n  g: {levels: [u, v], unknown: other, missing: zero}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNewPlanMeetsTheBudget prices plans of both kinds of noise under all relations.
func TestNewPlanMeetsTheBudget(t *testing.T) {
	for _, noise := range []string{"", noiseGaussian} {
		for _, n := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne, privacy.ZeroOut} {
			p, err := NewPlan(Request{Epsilon: 0.5, Delta: 1e-6, Neighboring: n, Noise: noise, GroupColumn: "g", Threshold: 0.42, LowScore: 0.1, HighScore: 0.6, Bins: 8}, testSchema(t))
			if err != nil {
				t.Fatal(err)
			}
			price, err := certificate.New("", nil, p.Claim())
			if err != nil || float64(price.Epsilon) > 0.5*(1+1e-12) || float64(price.Epsilon) < 0.499 {
				t.Errorf("%s, %v: the plan costs %v, want 0.5 (%v)", noise, n, float64(price.Epsilon), err)
			}
			if want := n.Movement() / 0.5; noise == "" && math.Abs(p.NoiseMultiplier/want-1) > 1e-9 {
				t.Errorf("%v: the scale is %v, want %v for pure privacy", n, p.NoiseMultiplier, want)
			}
			if !slices.Contains(p.Edges, 0.42) || p.bins() != 9 || p.Numbers() != 3*2*9 {
				t.Errorf("got ends of bins %v and %d numbers, want the threshold among 9 bins", p.Edges, p.Numbers())
			}
			c, err := p.Certificate()
			if err != nil || c.VerifyPlan(Methods()) != nil {
				t.Errorf("the certificate is not verified: %v, %v", err, c.VerifyPlan(Methods()))
			}
		}
	}
}

func TestPlansAreRefused(t *testing.T) {
	for name, edit := range map[string]func(*Plan){
		"relation": func(p *Plan) { p.Neighboring = 0 }, "unit": func(p *Plan) { p.Unit = "" }, "delta": func(p *Plan) { p.Delta = 1 },
		"records": func(p *Plan) { p.MaxRecords = 0 }, "noise": func(p *Plan) { p.Noise = "" }, "multiplier": func(p *Plan) { p.NoiseMultiplier = math.NaN() },
		"one level": func(p *Plan) { p.Levels = p.Levels[:1] }, "edges in disorder": func(p *Plan) { p.Edges = []float64{0, .5, .4, 1} },
		"edges not to 1": func(p *Plan) { p.Edges = []float64{0, .5} }, "threshold in a bin": func(p *Plan) { p.Threshold = .45 },
		"person": func(p *Plan) { p.Person = &query.Person{Column: "id", MaxRows: 0} }, "form": func(p *Plan) { p.Form = 2 },
		"form of persons": func(p *Plan) { p.Person = &query.Person{Column: "id", MaxRows: 4} }, "groups of nothing": func(p *Plan) { p.Groups = []string{"a"} },
		"bounds of levels": func(p *Plan) { p.Upper = 3 }, "too many": func(p *Plan) { p.GroupColumn, p.Groups = "g", make([]string, 1<<17) },
	} {
		p := testPlans()["two levels"]
		edit(&p)
		text, err := json.Marshal(p)
		if _, failed := strict.ReadPlan[Plan]("evaluate", text); p.Validate() == nil || err == nil && failed == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if _, err := strict.ReadPlan[Plan]("evaluate", []byte(`{"more":1}`)); err == nil || !strings.Contains(err.Error(), "plan") {
		t.Errorf("an unknown field: %v", err)
	}
}
