package evaluate

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

var yesNo = []string{"no", "yes"}

// near reports whether two measures agree to 1e-12 or are both undefined.
func near(got, want Measure) bool {
	if math.IsNaN(float64(want)) {
		return math.IsNaN(float64(got))
	}
	return math.Abs(float64(got-want)) <= 1e-12*max(1, math.Abs(float64(want)))
}

func TestClassifyBinary(t *testing.T) {
	ln, nan := math.Log, math.NaN()
	tests := []struct {
		name          string
		labels        []int
		probabilities []float64
		accuracy      Measure
		majority      Measure
		logLoss       float64
		auc           Measure
	}{
		// By hand: the pairs (0.1, 0.35), (0.1, 0.8), (0.4, 0.8) of four are in order.
		{"four records", []int{0, 0, 1, 1}, []float64{.1, .4, .35, .8}, .75, .5, -(ln(.9) + ln(.6) + ln(.35) + ln(.8)) / 4, .75},
		{"perfect", []int{1, 0, 1}, []float64{1, 0, 1}, 1, 2. / 3, 0, 1},
		{"perfectly wrong", []int{1, 0}, []float64{0, 1}, 0, .5, -ln(1e-15), 0},
		{"constant", []int{1, 0, 0, 0}, []float64{.3, .3, .3, .3}, .75, .75, -(ln(.3) + 3*ln(.7)) / 4, .5},
		{"one half is the first level", []int{0, 0, 1}, []float64{.5, .5, .5}, 2. / 3, 2. / 3, ln(2), .5},
		{"one class", []int{1, 1}, []float64{.9, .2}, .5, 1, -(ln(.9) + ln(.2)) / 2, noMeasure()},
		{"one record", []int{0}, []float64{.2}, 1, 1, -ln(.8), noMeasure()},
		{"NaN is wrong and 0.5", []int{1, 0, 1}, []float64{.9, nan, nan}, 1. / 3, 2. / 3, -(ln(.9) + 2*ln(.5)) / 3, .75},
		{"two columns", []int{0, 1}, []float64{.9, .1, .6, .4}, .5, .5, -(ln(.9) + ln(.4)) / 2, 1},
		{"rounding outside the range", []int{1}, []float64{1 + 1e-12}, 1, 1, 0, noMeasure()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := Classify(yesNo, test.labels, test.probabilities, 0.5, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.Records != len(test.labels) || !near(c.Accuracy, test.accuracy) || !near(c.MajorityAccuracy, test.majority) {
				t.Errorf("got records %d, accuracy %v, majority %v; want %d, %v, %v", c.Records, c.Accuracy, c.MajorityAccuracy, len(test.labels), test.accuracy, test.majority)
			}
			if !near(c.LogLoss, Measure(test.logLoss)) || !near(c.AUC, test.auc) {
				t.Errorf("got log-loss %v, AUC %v; want %v, %v", c.LogLoss, c.AUC, test.logLoss, test.auc)
			}
		})
	}
}

func TestClassifyManyLevels(t *testing.T) {
	// True levels a, a, b, c, c; predicted a, b (a tie, the first wins), b, a,
	// and none.
	labels := []int{0, 0, 1, 2, 2}
	probabilities := []float64{
		.7, .2, .1,
		.2, .4, .4,
		.1, .8, .1,
		.5, .3, .2,
		math.NaN(), .5, .5,
	}
	c, err := Classify([]string{"a", "b", "c"}, labels, probabilities, 0.5, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]int{{1, 1, 0}, {0, 1, 0}, {1, 0, 0}}; !reflect.DeepEqual(c.Confusion, want) {
		t.Errorf("got confusion %v, want %v", c.Confusion, want)
	}
	if c.Undefined != 1 || !near(c.Accuracy, .4) || !near(c.MajorityAccuracy, .4) || !near(c.AUC, noMeasure()) {
		t.Errorf("got undefined %d, accuracy %v, majority %v, AUC %v; want 1, 0.4, 0.4, NaN", c.Undefined, c.Accuracy, c.MajorityAccuracy, c.AUC)
	}
	wantLoss := -Measure(math.Log(.7)+math.Log(.2)+math.Log(.8)+math.Log(.2)+math.Log(1./3)) / 5
	if !near(c.LogLoss, wantLoss) {
		t.Errorf("got log-loss %v, want %v", c.LogLoss, wantLoss)
	}
	for k, want := range []struct{ precision, recall Measure }{{.5, .5}, {.5, 1}, {noMeasure(), 0}} {
		if !near(c.Precision[k], want.precision) || !near(c.Recall[k], want.recall) {
			t.Errorf("level %d: got precision %v, recall %v; want %v, %v", k, c.Precision[k], c.Recall[k], want.precision, want.recall)
		}
	}
}

func TestClassifyGroups(t *testing.T) {
	labels := []int{0, 1, 1, 0, 1, 0}
	probabilities := []float64{.2, .9, .4, .6, .7, .1}
	// a: records 0, 1, 2; b: none; other: record 3; missing: records 4, 5.
	grouping := &Grouping{Column: "sex", Levels: []string{"a", "b"}, Codes: []int32{0, 0, 0, 2, -1, -1}}
	c, err := Classify(yesNo, labels, probabilities, 0.5, grouping)
	if err != nil {
		t.Fatal(err)
	}
	nan := noMeasure()
	want := []Group{
		{"a", 3, 2. / 3, 2. / 3, -Measure(math.Log(.8)+math.Log(.9)+math.Log(.4)) / 3, 1},
		{"b", 0, nan, nan, nan, nan},
		{"(other)", 1, 0, 1, -Measure(math.Log(.4)), nan},
		{"(missing)", 2, 1, .5, -Measure(math.Log(.7)+math.Log(.9)) / 2, 1},
	}
	if c.GroupColumn != "sex" || len(c.Groups) != len(want) {
		t.Fatalf("got column %q and %d groups, want sex and %d", c.GroupColumn, len(c.Groups), len(want))
	}
	for k, g := range c.Groups {
		w := want[k]
		if g.Level != w.Level || g.Records != w.Records || !near(g.Accuracy, w.Accuracy) ||
			!near(g.MajorityAccuracy, w.MajorityAccuracy) || !near(g.LogLoss, w.LogLoss) || !near(g.AUC, w.AUC) {
			t.Errorf("got group %+v, want %+v", g, w)
		}
	}
}

func TestClassifyErrors(t *testing.T) {
	two := []float64{.5, .5}
	tests := []struct {
		name          string
		levels        []string
		labels        []int
		probabilities []float64
		groups        *Grouping
		want          string
	}{
		{"empty", yesNo, nil, nil, nil, "number of records is 0"},
		{"one level", yesNo[:1], []int{0}, []float64{1}, nil, "number of levels is 1"},
		{"too few probabilities", yesNo, []int{0, 1}, []float64{.5}, nil, "1 probabilities, want 4"},
		{"label too large", yesNo, []int{0, 2}, two, nil, "label of record 1"},
		{"label negative", yesNo, []int{-1, 0}, two, nil, "label of record 0"},
		{"probability above 1", yesNo, []int{0, 1}, []float64{.5, 1.5}, nil, "probability of record 1"},
		{"infinite probability", yesNo, []int{0, 1}, []float64{math.Inf(-1), .5}, nil, "probability of record 0"},
		{"not normalized", yesNo, []int{0}, []float64{.5, .6}, nil, "do not sum to 1"},
		{"short grouping", yesNo, []int{0, 1}, two, &Grouping{Codes: []int32{0}}, "1 codes, want 2"},
		{"group code too large", yesNo, []int{0, 1}, two, &Grouping{Levels: yesNo, Codes: []int32{0, 3}}, "group code of record 1"},
		{"group code too small", yesNo, []int{0, 1}, two, &Grouping{Levels: yesNo, Codes: []int32{-2, 0}}, "group code of record 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Classify(test.levels, test.labels, test.probabilities, 0.5, test.groups)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "evaluate: ") {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

// TestAUCIsItsDefinition compares the sorted count with the O(n²) definition
// over random scores, a third of them with many ties.
func TestAUCIsItsDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		n := 1 + random.IntN(40)
		labels, probabilities := make([]int, n), make([]float64, n)
		for i := range labels {
			labels[i] = random.IntN(2)
			probabilities[i] = random.Float64()
			if round%3 == 0 {
				probabilities[i] = float64(random.IntN(5)) / 4
			}
			if round%7 == 0 && random.IntN(4) == 0 {
				probabilities[i] = math.NaN()
			}
			if round%5 == 0 { // what rounding may leave, of either sign
				probabilities[i] = []float64{0, math.Copysign(0, -1), -1e-10, -1e-11, 1e-11}[random.IntN(5)]
			}
		}
		c, err := Classify(yesNo, labels, probabilities, 0.5, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := pairwiseAUC(labels, probabilities); !near(c.AUC, want) {
			t.Fatalf("labels %v, probabilities %v: got AUC %v, want %v", labels, probabilities, c.AUC, want)
		}
	}
}

func pairwiseAUC(labels []int, probabilities []float64) Measure {
	score := func(i int) float64 {
		if math.IsNaN(probabilities[i]) {
			return 0.5
		}
		return probabilities[i]
	}
	won, pairs := 0.0, 0.0
	for i := range labels {
		for j := range labels {
			if labels[i] != 1 || labels[j] != 0 {
				continue
			}
			pairs++
			switch {
			case score(i) > score(j):
				won++
			case score(i) == score(j):
				won += .5
			}
		}
	}
	return Measure(won / pairs) // 0/0 is NaN, as it should be
}

// TestClassifyIgnoresOrder permutes the records: every measure but the sum of
// the log-loss is a count, so it may not move by a bit.
func TestClassifyIgnoresOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const n = 500
	labels, probabilities := make([]int, n), make([]float64, n)
	for i := range labels {
		labels[i], probabilities[i] = random.IntN(2), math.Round(20*random.Float64())/20
	}
	before, err := Classify(yesNo, labels, probabilities, 0.5, nil)
	if err != nil {
		t.Fatal(err)
	}
	random.Shuffle(n, func(i, j int) {
		labels[i], labels[j] = labels[j], labels[i]
		probabilities[i], probabilities[j] = probabilities[j], probabilities[i]
	})
	after, err := Classify(yesNo, labels, probabilities, 0.5, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !near(after.LogLoss, before.LogLoss) {
		t.Errorf("got log-loss %v after a permutation, want %v", after.LogLoss, before.LogLoss)
	}
	after.LogLoss = before.LogLoss
	if !reflect.DeepEqual(after, before) {
		t.Errorf("got %+v after a permutation, want %+v", after, before)
	}
}

func BenchmarkClassify(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	const n = 100_000
	labels, probabilities := make([]int, n), make([]float64, n)
	for i := range labels {
		labels[i], probabilities[i] = random.IntN(2), random.Float64()
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Classify(yesNo, labels, probabilities, 0.5, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "examples/s")
}
