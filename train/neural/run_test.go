package neural

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
)

// TestEveryRunIsPaid trains a few steps by every rule, in every division of the gradient and with every sampling, with
// noise and without: what is released is exactly what was reserved, or a release would be refused.
func TestEveryRunIsPaid(t *testing.T) {
	samplings := map[string]Sampling{option.SamplingFull: {Kind: option.SamplingFull}, option.SamplingPoisson: {Kind: option.SamplingPoisson, Probability: 0.2}, option.SamplingTruncated: {Kind: option.SamplingTruncated, Probability: 0.2, BatchSize: 9}, option.SamplingCyclic: {Kind: option.SamplingCyclic, Parts: 3, Probability: 0.5},
		option.SamplingFixedSize: {Kind: option.SamplingFixedSize, BatchSize: 5}, option.SamplingPartition: {Kind: option.SamplingPartition, Parts: 3}, option.SamplingShuffle: {Kind: option.SamplingShuffle, Parts: 3}}
	clippings := clippingsUnderTest()
	clippings["micro"] = ClippingRequest{MicroBatch: 4}
	clippings["after averaging"] = ClippingRequest{AfterAveraging: true, Rule: "auto-s"}
	for _, kind := range option.Samplings() {
		for name, c := range clippings {
			for _, epsilon := range []float64{3, math.Inf(1)} {
				for _, records := range []int{0, 60} {
					t.Run(fmt.Sprintf("%s/%s/epsilon=%v/records=%d", kind, name, epsilon, records), func(t *testing.T) {
						r := ask()
						r.Epsilon, r.Clipping, r.Sampling, r.Epochs, r.Steps = epsilon, c, samplings[kind], 0, 5
						if kind == option.SamplingFixedSize {
							if r.Neighboring = privacy.ReplaceOne; records == 0 {
								return
							}
						}
						s := ringSchema(t, records)
						result, err := Fit(context.Background(), anyBudget(t, r), uncalibrated(t, r, s), ringData(t, s, 58), Options{Chunk: 7})
						unproved := kind == option.SamplingFixedSize || kind == option.SamplingTruncated || kind == option.SamplingCyclic
						if unproved && c.Rule == (projected{}).name() && !math.IsInf(epsilon, 1) {
							if err == nil {
								t.Error("projections are accepted where nothing is proved")
							}
							return
						}
						if err != nil {
							t.Fatal(err)
						}
						if slices.ContainsFunc(result.Weights, func(v float32) bool { return v-v != 0 }) {
							t.Error("weights are not finite")
						}
					})
				}
			}
		}
	}
}

// TestEveryCorrelatedRunIsPaid is the same with correlated noise, which goes with every clipping that is not refused.
func TestEveryCorrelatedRunIsPaid(t *testing.T) {
	clippings := clippingsUnderTest()
	clippings["micro"] = ClippingRequest{MicroBatch: 4}
	for kind, sampling := range map[string]Sampling{option.CorrelatedBanded: {Kind: option.SamplingCyclic, Parts: 3, Probability: 0.5}, option.CorrelatedTree: {Kind: option.SamplingShuffle, Parts: 3}} {
		for name, c := range clippings {
			t.Run(fmt.Sprintf("%s/%s", kind, name), func(t *testing.T) {
				r := ask()
				r.Clipping, r.Sampling, r.Epochs, r.Steps, r.Neighboring = c, sampling, 0, 5, privacy.ZeroOut
				s := ringSchema(t, 60)
				setup := uncalibrated(t, r, s)
				correlated, err := Request{Correlation: kind}.correlated(3)
				if err != nil {
					t.Fatal(err)
				}
				setup.Plan.Correlated = correlated
				_, err = Fit(context.Background(), anyBudget(t, r), setup, ringData(t, s, 58), Options{Chunk: 7})
				refused := c.Rule == projected{}.name()
				if refused != (err != nil) || refused && !strings.Contains(err.Error(), "correlated") {
					t.Errorf("got %v, want it refused: %v", err, refused)
				}
			})
		}
	}
}

// uncalibrated is a setup with some noise, for tests that ask for no certain cost: to find the noise takes time.
func uncalibrated(t testing.TB, r Request, s *data.Schema) Setup {
	t.Helper()
	private := !math.IsInf(r.Epsilon, 1)
	r.Epsilon = math.Inf(1)
	setup := setupOf(t, r, s)
	if private {
		setup.Plan.NonPrivate, setup.Plan.NoiseMultiplier = false, 0.8
		if s.Records == 0 {
			setup.Plan.CountNoise = 4
		}
	}
	return setup
}

// anyBudget is a ledger that admits everything.
func anyBudget(t testing.TB, r Request) *ledger.Ledger {
	t.Helper()
	g, err := privacy.NewGuarantee(math.Inf(1), r.Delta, r.Neighboring, privacy.Unit{Row: "one person"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.NewFiltered(g, account.RDP{Orders: []float64{2}})
	if math.IsInf(r.Epsilon, 1) {
		l, err = ledger.NewSingle(g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestEmptySamplesTrain takes samples that hold no record nearly always, out of tables with one record or none: every
// step is paid for, and moves the weights by noise.
func TestEmptySamplesTrain(t *testing.T) {
	r := ask()
	r.Sampling.Probability, r.Epochs, r.Steps = 1e-6, 0, 3
	for _, n := range []int{0, 1} {
		for _, c := range []ClippingRequest{{}, {Rule: "quantile"}, {MicroBatch: 3}} {
			r.Clipping = c
			s := ringSchema(t, 0)
			setup := uncalibrated(t, r, s)
			initial := make([]float32, setup.Network.Weights())
			result, err := Fit(context.Background(), anyBudget(t, r), setup, ringData(t, s, n), Options{Initial: initial})
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(result.Weights, 0) {
				t.Errorf("with %d records and clipping %+v a weight did not move", n, c)
			}
		}
	}
}

// TestEveryOptimizerTrains takes noisy steps with every optimizer and average.
func TestEveryOptimizerTrains(t *testing.T) {
	s := ringSchema(t, 100)
	r := ask()
	r.Epochs, r.Steps, r.Clipping.PerLayer = 0, 4, true
	setup := uncalibrated(t, r, s)
	for _, optimizer := range option.NetworkOptimizers() {
		for _, a := range option.Averages() {
			initial := make([]float32, setup.Network.Weights())
			result, err := Fit(context.Background(), anyBudget(t, r), setup, ringData(t, s, 100), Options{Optimizer: optimizer, Average: a, Initial: initial})
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(result.Weights, 0) {
				t.Errorf("%s with average %s leaves a weight where it was", optimizer, a)
			}
		}
	}
	setup.Plan.Clipping.Groups = []group{{Blocks: 2, Norm: 1, Share: 1}}
	setup.Plan.Clipping.MicroBatch = &microBatch{Count: 2, Size: 5}
	if err := setup.Check(context.Background(), Options{Optimizer: "scaled-adam"}); err == nil || !strings.Contains(err.Error(), "scaled-adam") {
		t.Errorf("got %v, want scaled-adam refused with micro-batches", err)
	}
}

// TestChunksAndProcessorsChangeNothing compares the weights of runs without noise and dropout, bit for bit.
func TestChunksAndProcessorsChangeNothing(t *testing.T) {
	s := ringSchema(t, 300)
	r := ask()
	r.Epsilon, r.Sampling, r.Epochs, r.Steps, r.Clipping.PerLayer = math.Inf(1), Sampling{Kind: option.SamplingFull}, 0, 6, true
	setup := setupOf(t, r, s)
	initial := make([]float32, setup.Network.Weights())
	setup.Network.Init(initial, 5)
	var want []float32
	for _, chunk := range []int{0, 1, 7, 300} {
		result, err := Fit(context.Background(), budget(t, r), setup, ringData(t, s, 300), Options{Initial: initial, Chunk: chunk})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = result.Weights
		}
		if !slices.Equal(result.Weights, want) {
			t.Errorf("chunks of %d records give other weights", chunk)
		}
	}
}

// TestPrivateRunsDiffer runs the same twice: initial weights, samples and noise are fresh.
func TestPrivateRunsDiffer(t *testing.T) {
	r := ask()
	r.Epochs, r.Steps = 0, 2
	s := ringSchema(t, 200)
	setup, d := uncalibrated(t, r, s), ringData(t, s, 200)
	var weights [2][]float32
	for i := range weights {
		result, err := Fit(context.Background(), anyBudget(t, r), setup, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		weights[i] = result.Weights
	}
	for j, v := range weights[0] {
		if v == weights[1][j] {
			t.Errorf("weight %d is %v in both runs", j, v)
		}
	}
}

// TestNoiseHasTheScaleOfThePlan trains one step on no record at all, at rate 1: each weight moves by normal noise over
// the divisor. The mean square of n normal numbers is off by more than 6·√(2/n) of itself with probability 1e-8 or less (by the normal law, with
// n > 2000 the chi-square tail is not much heavier).
func TestNoiseHasTheScaleOfThePlan(t *testing.T) {
	for name, c := range map[string]ClippingRequest{"whole": {Norm: 3}, "groups": {Norms: []float64{0.5, 4}, PerLayer: true, Allocation: option.AllocationIsotropic},
		"counts": {Rule: "quantile", Norm: 2, CountNoise: 40}, "micro": {MicroBatch: 10, Norm: 2}} {
		r := ask()
		r.Layers = network.MLP(1, 800)
		r.Clipping, r.Epochs, r.Steps, r.Sampling = c, 0, 1, Sampling{Kind: option.SamplingFull}
		s := ringSchema(t, 1000)
		setup := setupOf(t, r, s)
		initial := make([]float32, setup.Network.Weights())
		result, err := Fit(context.Background(), budget(t, r), setup, ringData(t, s, 0), Options{Initial: initial, Optimizer: "momentum", Momentum: -1, LearningRate: 1})
		if err != nil {
			t.Fatal(err)
		}
		z, at, total := setup.Plan.NoiseMultiplier, 0, 0.0
		for k, g := range setup.Plan.Clipping.Groups {
			n := numbers(setup.Network.Blocks()[k : k+g.Blocks])
			if len(setup.Plan.Clipping.Groups) == 1 {
				n = len(initial)
			}
			square := 0.0
			for _, v := range result.Weights[at : at+n] {
				square += float64(v) * float64(v)
			}
			at += n
			divisor, bound := 1000.0, g.Norm
			if c.MicroBatch > 0 {
				divisor, bound = 100, 2*g.Norm
			}
			own := math.Sqrt(square/float64(n)) * divisor / bound // the noise multiplier
			total += 1 / own / own
			if want := setup.noiseOf(k) / bound; math.Abs(own/want-1) > 3*math.Sqrt(2/float64(n)) {
				t.Errorf("%s: noise of group %d is %v bounds, want %v", name, k, own, want)
			}
		}
		if setup.Plan.Clipping.Adaptive != nil {
			total += 1 / (80.0 * 80)
		}
		if math.Abs(total*z*z-1) > 0.2 {
			t.Errorf("%s: 1/z² of all releases is %v times that of the plan, want 1", name, total*z*z)
		}
	}
}

func TestRequestsAreRefused(t *testing.T) {
	declared := ringSchema(t, 2000)
	for want, change := range map[string]func(*Request){
		"delta is 0":         func(r *Request) { r.Delta = 0 },
		"network gives":      func(r *Request) { r.Layers = network.MLP(2) },
		"network takes":      func(r *Request) { r.Input = network.Shape{3} },
		"no numbers":         func(r *Request) { r.Layers = network.Layers{network.MaxPool{Kernel: 2}}; r.Input = network.Shape{2, 1} },
		"one of them":        func(r *Request) { r.Steps = 3 },
		"sampling":           func(r *Request) { r.Sampling.Kind = "sorted" },
		"the numbers that":   func(r *Request) { r.Sampling.Parts = 4 },
		"fixed size":         func(r *Request) { r.Sampling = Sampling{Kind: option.SamplingFixedSize, BatchSize: 10} },
		"clipping rule":      func(r *Request) { r.Clipping.Rule = "hope" },
		"stability":          func(r *Request) { r.Clipping.Stability = 1 },
		"threshold":          func(r *Request) { r.Clipping.Threshold = 1 },
		"adaptive rules":     func(r *Request) { r.Clipping.Quantile = 0.5 },
		"noise on counts":    func(r *Request) { r.Clipping.Rule, r.Clipping.CountNoise = "quantile", 0.01 },
		"clipping norm":      func(r *Request) { r.Clipping.Norm = -1 },
		"a norm for each":    func(r *Request) { r.Clipping.Norms = []float64{1, 2} },
		"all 2":              func(r *Request) { r.Clipping.Groups = []int{1} },
		"allocation":         func(r *Request) { r.Clipping.Allocation = "fair" },
		"whole gradient":     func(r *Request) { r.Clipping.MicroBatch, r.Clipping.PerLayer = 4, true },
		"rule that does not": func(r *Request) { r.Clipping.AfterAveraging, r.Clipping.Rule = true, "quantile" },
	} {
		r := ask()
		change(&r)
		if _, err := NewSetup(r, declared); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error about %q", err, want)
		}
	}
	if _, err := NewSetup(Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.ZeroOut, Layers: ask().Layers}, ringSchema(t, 0)); err == nil {
		t.Error("zero-out is accepted without declared records")
	}
}

// TestBadRecordsTrain puts labels that are none and numbers that overflow among the records.
func TestBadRecordsTrain(t *testing.T) {
	s := ringSchema(t, 100)
	r := ask()
	r.Epochs, r.Steps = 0, 3
	setup := uncalibrated(t, r, s)
	d := ringData(t, s, 100)
	columns := [][]float32{make([]float32, 100), make([]float32, 100)}
	for i := range 100 {
		columns[0][i], columns[1][i] = float32(math.NaN()), float32(math.Inf(1-2*(i%2)))
	}
	bad, err := data.New(s, columns, d.Target())
	if err != nil {
		t.Fatal(err)
	}
	huge := make([]float32, setup.Network.Weights())
	for j := range huge {
		huge[j] = 1e38
	}
	for _, initial := range [][]float32{nil, huge} {
		if _, err = Fit(context.Background(), anyBudget(t, r), setup, bad, Options{Initial: initial}); err != nil {
			t.Errorf("a run on bad records ends: %v", err)
		}
	}
}
