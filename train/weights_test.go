package train

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestBalance checks weights by counts that were worked out by hand: the least count over each.
func TestBalance(t *testing.T) {
	for _, c := range []struct {
		noisy     []float64
		deviation float64
		want      []float64
	}{
		{[]float64{100, 300}, 1, []float64{1, 1. / 3}},
		{[]float64{50, 25, 100}, 0, []float64{0.5, 1, 0.25}},
		{[]float64{-7, 600}, 10, []float64{1, 0.05}},
		{[]float64{3, 1e6}, 0, []float64{1, leastWeight}},
		{[]float64{0, 0}, 0, []float64{1, 1}},
		{[]float64{math.Inf(-1), 200}, 20, []float64{1, 0.3}},
	} {
		got, _ := balance(c.noisy, c.deviation)
		for k, w := range got {
			if math.Abs(w-c.want[k]) > 1e-12 {
				t.Errorf("counts %v with noise of %v: got weights %v, want %v", c.noisy, c.deviation, got, c.want)
			}
		}
	}
}

// TestWeighedGradientsKeepTheirBound multiplies random proposals: each by the weight of its level, never
// to more than it was, and one without a level not at all.
func TestWeighedGradientsKeepTheirBound(t *testing.T) {
	p := prepared{classWeights: largestOne([]float64{2, 6, 3})}
	r := rand.New(rand.NewPCG(6, 6))
	for range 1000 {
		n := 1 + r.IntN(5)
		c := &kernel.Contributions{Columns: 3, Coefficients: make([]float64, 3*n)}
		labels := make([]float32, n)
		for i := range labels {
			labels[i] = float32(r.IntN(3))
			if r.IntN(6) == 0 {
				labels[i] = float32(math.NaN())
			}
		}
		for j := range c.Coefficients {
			c.Coefficients[j] = r.NormFloat64()
		}
		before := slices.Clone(c.Coefficients)
		p.applyWeights(c, labels)
		for j, v := range c.Coefficients {
			want := before[j]
			if label := labels[j/3]; label == label {
				want *= []float64{1. / 3, 1, 0.5}[int(label)]
			}
			if v != want || math.Abs(v) > math.Abs(before[j]) {
				t.Fatalf("proposal %v of label %v became %v, want %v", before[j], labels[j/3], v, want)
			}
		}
	}
}

// TestLabelsAreCounted learns the histogram without noise, for rows and for persons, and holds what one
// record adds to it within the bound that is charged, 1000 times at random.
func TestLabelsAreCounted(t *testing.T) {
	names := make([]string, 600)
	r := rand.New(rand.NewPCG(7, 7))
	for i := range names {
		names[i] = string(rune('a' + r.IntN(26)))
	}
	d := diary(t, names, r)
	ones := 0.0
	for _, v := range d.Target() {
		ones += float64(v)
	}
	for _, persons := range []bool{false, true} {
		s := personPlan(t, 1, func(q *Request) {
			q.Balance = true
			if !persons {
				q.Person = nil
			}
		})
		tab, err := s.encode(d, 0)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(s.Plan.Preparation, func(v PreparationStep) bool { return v.Kind == option.LabelsStatistic })
		statistic := s.Plan.Preparation[at]
		largest := 0.0
		for range 1000 {
			records := 600
			if persons {
				records = len(tab.persons)
			}
			one := make([]float64, 2)
			statistic.addLabels(one, tab, r.IntN(records))
			largest = max(largest, math.Hypot(one[0], one[1]))
		}
		if largest > statistic.Bound || largest < 0.95*statistic.Bound {
			t.Errorf("persons %v: one record adds up to %v, want at most %v and nearly that", persons, largest, statistic.Bound)
		}
		out := prepared{divisor: 600}
		statistic.NoiseMultiplier = 0
		if err = statistic.learnLabels(pass.Settings{Payer: payEverything{}, Noise: mechanism.NonPrivate{}, MaxRecords: 5000}, tab, &out); err != nil {
			t.Fatal(err)
		}
		zeros := 600 - ones
		want := []float64{min(1, ones/zeros), min(1, zeros/ones)}
		if !persons && (math.Abs(out.classWeights[0]-want[0]) > 1e-6 || math.Abs(out.classWeights[1]-want[1]) > 1e-6 || math.Abs(out.meanWeight-2*min(ones, zeros)/600) > 1e-6) {
			t.Errorf("got weights %v of mean %v, want %v", out.classWeights, out.meanWeight, want)
		}
		if out.divisor != 600 {
			t.Errorf("the number of records became %v", out.divisor)
		}
	}
}

// TestBalanceHelpsTheRareLevel trains on records of which one in twelve is of level 1, at a large epsilon:
// the mean score of those records rises above even odds with weights, and is below without.
func TestBalanceHelpsTheRareLevel(t *testing.T) {
	s := toySchema(t)
	all := toyData(t, s, 6000)
	var rows []int
	for i, v := range all.Target() {
		if v == 0 || i%10 == 0 {
			rows = append(rows, i)
		}
	}
	d := all.Take(rows)
	recall := func(change func(*Request)) float64 {
		r := Request{Epsilon: 20, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: No}
		change(&r)
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		result, err := Fit(context.Background(), budget(t, 21), setup, d, Options{Momentum: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		return recallOf(result, d)
	}
	plain := recall(func(*Request) {})
	for name, change := range map[string]func(*Request){
		"balanced": func(r *Request) { r.Balance = true },
		"declared": func(r *Request) { r.ClassWeights = []float64{1, 12} },
	} {
		if got := recall(change); got < plain+0.1 {
			t.Errorf("%s: the recall of the rare level is %v, want more than %v without weights", name, got, plain)
		}
	}
}

// recallOf is the share of the records of level 1 that are predicted so.
func recallOf(result *Result, d *data.Dataset) float64 {
	reader, p := result.Model.NewReader(d), make([]float64, 1)
	hits, of := 0.0, 0.0
	for i, v := range d.Target() {
		if v != 1 {
			continue
		}
		of++
		if reader.Predict(p, i); p[0] > 0.5 {
			hits++
		}
	}
	return hits / of
}

func TestWeightsAreRefused(t *testing.T) {
	s := toySchema(t)
	for name, change := range map[string]func(*Request){
		"too few":  func(r *Request) { r.ClassWeights = []float64{1} },
		"zero":     func(r *Request) { r.ClassWeights = []float64{0, 1} },
		"infinite": func(r *Request) { r.ClassWeights = []float64{1, math.Inf(1)} },
		"NaN":      func(r *Request) { r.ClassWeights = []float64{1, math.NaN()} },
		"both":     func(r *Request) { r.ClassWeights, r.Balance = []float64{1, 2}, true },
	} {
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
		change(&r)
		if _, err := NewPlan(r, s); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
