package sweep

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// toy is a schema of two numbers and a target with two levels, and a table that follows it: the target is mostly
// whether the first number is above the second.
func toy(t testing.TB, n int) (*data.Schema, *data.Dataset) {
	t.Helper()
	s, err := data.ParseSchema("toy", []byte("dither-schema: 1\nrow: one person\nrecords: "+number(float64(n))+"\nmax-records: 4000\ntarget: {column: y, levels: [no, yes]}\n"+
		"defaults: {missing: zero, out-of-range: clamp}\ncolumns:\n  a: {numeric: [0, 1]}\n  b: {numeric: [0, 1]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	columns, target := make([][]float32, 2), make([]float32, n)
	for i := range n {
		a, b := r.Float32(), r.Float32()
		columns[0], columns[1] = append(columns[0], a), append(columns[1], b)
		if a > b != (r.IntN(10) == 0) {
			target[i] = 1
		}
	}
	d, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// candidate plans descent on the toy.
func candidate(t testing.TB, s *data.Schema, r train.Request, settings ...Setting) Candidate {
	t.Helper()
	r.Delta, r.Neighboring, r.Whiten = 1e-6, privacy.AddOrRemoveOne, train.No
	setup, err := train.NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	c := Candidate{Settings: settings, Linear: &setup, Options: train.Options{Momentum: 0.5}, Baseline: math.IsInf(r.Epsilon, 1)}
	if err = c.Certify(); err != nil {
		t.Fatal(err)
	}
	return c
}

// mixed are candidates of every way to run: in shared passes, sampled, without privacy, by another method, and a
// network.
func mixed(t *testing.T, s *data.Schema) []Candidate {
	t.Helper()
	other, err := erm.NewSetup(erm.Request{Method: option.MethodOutput, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, s)
	if err != nil {
		t.Fatal(err)
	}
	net, err := neural.NewSetup(neural.Request{Epsilon: 2, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Layers: network.MLP(1, 4), Sampling: neural.Sampling{Kind: option.SamplingFull}, Steps: 5}, s)
	if err != nil {
		t.Fatal(err)
	}
	out := []Candidate{
		candidate(t, s, train.Request{Epsilon: 1, Steps: 6}, Setting{"epsilon", "1"}), candidate(t, s, train.Request{Epsilon: 8, Steps: 9}, Setting{"epsilon", "8"}),
		candidate(t, s, train.Request{Epsilon: 1, Steps: 8, SamplingProbability: 0.1}, Setting{"sampling-probability", "0.1"}),
		candidate(t, s, train.Request{Epsilon: math.Inf(1), Steps: 30}),
		{Settings: []Setting{{"method", "output"}}, Other: &other}, {Settings: []Setting{{"model", "mlp"}}, Network: &net},
	}
	for i := range out {
		if err = out[i].Certify(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestSweepRunsEverything runs every kind of candidate, keeps results, and runs nothing twice.
func TestSweepRunsEverything(t *testing.T) {
	s, d := toy(t, 1500)
	candidates := mixed(t, s)
	e, err := NewEvaluator(d)
	if err != nil {
		t.Fatal(err)
	}
	j := newMemory()
	var last Progress
	sweep := Sweep{Candidates: candidates, Repeats: 3, Training: d, Examiner: e, Journal: j, Progress: func(p Progress) { last = p }}
	first, err := sweep.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 16 || last.Ended != 16 || last.Runs != 16 || last.Share < 0.999 {
		t.Fatalf("got %d results and progress %+v, want 16 of 16: the run without noise and samples once", len(first), last)
	}
	of := []int{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 4, 4, 5, 5, 5}
	for i, r := range first {
		if c := candidates[of[i]]; r.key() != sweep.runOf(&c, r.Repeat).key() || len(r.Metrics) != 3 || !(r.Value(option.MetricAccuracy) >= 0 && r.Value(option.MetricAccuracy) <= 1) { // few steps and much noise learn nothing
			t.Errorf("result %d is %+v, want one of %s with metrics", i, r, c.Words())
		}
	}
	if v := first[9].Value(option.MetricAccuracy); v < 0.85 {
		t.Errorf("without privacy the accuracy is %v, want about 0.9, as the toy is made", v)
	}
	if first[0].Value(metricLogLoss) == first[1].Value(metricLogLoss) || first[6].Value(metricLogLoss) == first[7].Value(metricLogLoss) {
		t.Error("two private runs have the same loss, want noise of their own")
	}
	again := Sweep{Candidates: candidates, Repeats: 3, Training: d, Examiner: e, Journal: j}
	second, err := again.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range second {
		if second[i].Value(metricLogLoss) != first[i].Value(metricLogLoss) {
			t.Errorf("result %d is %v after going on, want %v", i, second[i], first[i])
		}
	}
	for i := range candidates {
		if n := j.ofCandidate(&candidates[i]); n != candidates[i].Runs(3) {
			t.Errorf("%s began %d times, want %d", candidates[i].Words(), n, candidates[i].Runs(3))
		}
	}
}

// TestSweepStops is stopped at the beginning of every run in turn, and ends with each run begun once, but for those
// that were interrupted.
func TestSweepStops(t *testing.T) {
	s, d := toy(t, 300)
	candidates := []Candidate{candidate(t, s, train.Request{Epsilon: 1, Steps: 3, SamplingProbability: 0.1}, Setting{"epsilon", "1"}), candidate(t, s, train.Request{Epsilon: 2, Steps: 3}, Setting{"epsilon", "2"})}
	e, err := NewEvaluator(d)
	if err != nil {
		t.Fatal(err)
	}
	j := newMemory()
	stops := 0
	for {
		ctx, stop := context.WithCancel(context.Background())
		told := 0
		sweep := Sweep{Candidates: candidates, Repeats: 4, Training: d, Examiner: e, Journal: j, Progress: func(Progress) {
			if told++; told > 2+stops {
				stop()
			}
		}}
		results, runErr := sweep.Run(ctx)
		stop()
		if runErr == nil {
			if len(results) != 8 {
				t.Errorf("got %d results, want 8", len(results))
			}
			break
		}
		if !errors.Is(runErr, context.Canceled) {
			t.Fatal(runErr)
		}
		if stops++; stops > 20 {
			t.Fatal("the sweep does not come forward")
		}
	}
	if stops == 0 {
		t.Error("the sweep was never stopped, want it stopped")
	}
}

// TestRunsOfBaselines holds that only what is the same every time runs once.
func TestRunsOfBaselines(t *testing.T) {
	s, _ := toy(t, 300)
	full, sampled := candidate(t, s, train.Request{Epsilon: math.Inf(1), Steps: 3}), candidate(t, s, train.Request{Epsilon: math.Inf(1), Steps: 3, SamplingProbability: 0.5})
	private := candidate(t, s, train.Request{Epsilon: 1, Steps: 3})
	if a, b, c := full.Runs(7), sampled.Runs(7), private.Runs(7); a != 1 || b != 7 || c != 7 {
		t.Errorf("7 repeats are %d, %d and %d runs without privacy, sampled so, and private, want 1, 7 and 7", a, b, c)
	}
}

func TestGroups(t *testing.T) {
	s, _ := toy(t, 300)
	var private [5]Candidate
	for k := range private {
		private[k] = candidate(t, s, train.Request{Epsilon: 1, Steps: 3 + k}, Setting{"steps", number(float64(3 + k))})
	}
	baseline := candidate(t, s, train.Request{Epsilon: math.Inf(1), Steps: 3})
	var jobs []job
	for i := range 150 {
		c := private[i%len(private)]
		if i%3 == 0 {
			c = baseline
		}
		if !c.together() {
			t.Fatalf("%s cannot share passes, want descent on all rows to", c.Words())
		}
		jobs = append(jobs, job{candidate: &c})
	}
	total := 0
	for _, group := range (&Sweep{}).grouped(jobs) {
		total += len(group)
		if len(group) > mostTogether {
			t.Errorf("%d runs share a pass, want at most %d", len(group), mostTogether)
		}
		for i, j := range group {
			p, first := j.candidate.Linear.Plan, group[0].candidate.Linear.Plan
			if p.NonPrivate != first.NonPrivate || i > 0 && p.Steps > group[i-1].candidate.Linear.Plan.Steps {
				t.Errorf("a group has plans with and without privacy, or shorter runs first")
			}
		}
	}
	if total != 150 {
		t.Errorf("%d runs are in groups, want 150", total)
	}
	sampled := candidate(t, s, train.Request{Epsilon: 1, Steps: 3, SamplingProbability: 0.5})
	if sampled.together() {
		t.Error("sampled runs share passes, want samples of their own")
	}
}

// TestCostOf compares with the accountant: k Gaussian releases of multiplier z are one of multiplier z/√k. Rounded noise
// takes a part of delta, by which a price is a little higher.
func TestCostOf(t *testing.T) {
	s, _ := toy(t, 300)
	a, b := candidate(t, s, train.Request{Epsilon: 1, Steps: 4}), candidate(t, s, train.Request{Epsilon: 3, Steps: 7})
	baseline := candidate(t, s, train.Request{Epsilon: math.Inf(1), Steps: 7})
	cost, err := CostOf([]Candidate{a, b, baseline}, func(*Candidate) int { return 5 })
	if err != nil {
		t.Fatal(err)
	}
	z1, z2 := a.Linear.Plan.NoiseMultiplier, b.Linear.Plan.NoiseMultiplier
	together := mechanism.Gaussian{NoiseMultiplier: 1 / math.Sqrt(5*4/z1/z1+5*7/z2/z2)}
	want, err := account.GDP.Epsilon(together, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	if !(float64(cost.Epsilon) >= want.Upper && float64(cost.Epsilon) < want.Upper*1.02) || cost.Runs != 10 || cost.Delta != 1e-6 || cost.Accountant != "gdp" {
		t.Errorf("got %+v, want epsilon %v of 10 runs by gdp", cost, want.Upper)
	}
	sampled := candidate(t, s, train.Request{Epsilon: 1, Steps: 20, SamplingProbability: 0.1})
	more, err := CostOf([]Candidate{a, sampled}, func(*Candidate) int { return 5 })
	if err != nil || !(more.Epsilon > 1 && more.Epsilon < 10) {
		t.Errorf("got %+v, %v for 10 runs of epsilon 1, some sampled, want between 1 and 10", more, err)
	}
	if none, noneErr := CostOf([]Candidate{baseline}, func(*Candidate) int { return 5 }); noneErr != nil || none.Runs != 0 {
		t.Errorf("runs without privacy give %+v, %v, want none", none, noneErr)
	}
	turned := candidate(t, s, train.Request{Epsilon: 1, Steps: 4})
	turned.Certificate.Neighboring = privacy.ReplaceOne
	if _, err = CostOf([]Candidate{a, turned}, func(*Candidate) int { return 1 }); err == nil {
		t.Error("two relations were priced together, want a refusal")
	}
}

// number prints a number with as many digits as it needs.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
