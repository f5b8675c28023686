package neural

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
)

// correlatedRequests are requests of each kind of correlated noise, and of cyclic samples without it.
func correlatedRequests() map[string]Request {
	out := map[string]Request{}
	for name, set := range map[string]func(r *Request){
		"cyclic": func(r *Request) { r.Sampling = Sampling{Kind: option.SamplingCyclic, Parts: 4, Probability: 0.5} },
		"banded": func(r *Request) {
			r.Sampling, r.Correlation = Sampling{Kind: option.SamplingPartition, Parts: 4}, option.CorrelatedBanded
		},
		"banded cyclic": func(r *Request) {
			r.Sampling = Sampling{Kind: option.SamplingCyclic, Parts: 4, Probability: 0.5}
			r.Correlation, r.Bands, r.BandMomentum = option.CorrelatedBanded, 3, -1
		},
		"tree": func(r *Request) {
			r.Sampling, r.Correlation = Sampling{Kind: option.SamplingShuffle, Parts: 5}, option.CorrelatedTree
		},
		"groups with counts": func(r *Request) {
			r.Sampling, r.Correlation = Sampling{Kind: option.SamplingCyclic, Parts: 4, Probability: 0.5}, option.CorrelatedBanded
			r.Clipping.Rule, r.Clipping.PerLayer = "quantile", true
		},
		"micro-batches": func(r *Request) {
			r.Sampling, r.Correlation = Sampling{Kind: option.SamplingShuffle, Parts: 5}, option.CorrelatedTree
			r.Clipping.MicroBatch = 20
		},
	} {
		r := ask()
		r.Epochs, r.Steps = 0, 32
		set(&r)
		out[name] = r
	}
	return out
}

// TestCorrelatedRunsPayTheirEvents runs every kind to its end, with and without declared records: the grant pays
// for the plan's event in its order and nothing else, so a run that ends has paid what its plan says.
func TestCorrelatedRunsPayTheirEvents(t *testing.T) {
	want := map[string]string{"cyclic": "repeat(8, partition(4, poisson(0.5, gaussian(", "banded": "repeat(1, banded-matrix(", "banded cyclic": "repeat(1, banded-matrix(", "tree": "repeat(7, tree-aggregation(",
		"groups with counts": "repeat(1, banded-matrix(", "micro-batches": "repeat(7, tree-aggregation("}
	for name, r := range correlatedRequests() {
		for _, records := range []int{0, 2000} {
			result := fitted(t, r, records, Options{})
			if got := result.Plan.Event().String(); !strings.Contains(got, want[name]) {
				t.Errorf("%s: event is %s, want %s", name, got, want[name])
			}
			for _, w := range result.Weights {
				if w-w != 0 {
					t.Fatalf("%s: a weight is %v", name, w)
				}
			}
		}
	}
}

// TestCorrelatedRunsGoOn stops runs at a checkpoint and goes on: both series are paid for.
func TestCorrelatedRunsGoOn(t *testing.T) {
	for name, r := range correlatedRequests() {
		r.Epsilon = 8
		s := ringSchema(t, 0)
		setup, d := setupOf(t, r, s), ringData(t, s, 500)
		var last *Checkpoint
		stop := errors.New("enough")
		_, err := Fit(context.Background(), budget(t, r), setup, d, Options{CheckpointEvery: 7, Checkpoint: func(c *Checkpoint) error {
			kept := *c
			if last = &kept; c.Taken == 14 {
				return stop
			}
			return nil
		}})
		if !errors.Is(err, stop) {
			t.Fatalf("%s: %v", name, err)
		}
		wide := r
		wide.Epsilon = 30
		result, err := Resume(context.Background(), budget(t, wide), setup, d, Options{CheckpointEvery: 7}, last)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		paysForEarlier(t, name, result.Plan)
		if name == "banded" {
			if got := result.Plan.Event().String(); !strings.Contains(got, "4, 21, 1)") || !strings.Contains(got, "4, 18, 1)") {
				t.Errorf("%s: event is %s, want 21 steps at most and then 18", name, got)
			}
		}
	}
}

// squareOf is Σ_k c_k·c_(n-k), by the definition of a product of power series.
func squareOf(c []int64, n int) float64 {
	sum := 0.0
	for k := range n + 1 {
		sum += float64(c[k]) / coefficientScale * float64(c[n-k]) / coefficientScale
	}
	return sum
}

// TestSquareRootIsTheRootOfSteps holds the coefficients to their definition: their power series times itself is that
// of 1/((1-x)·(1-βx)), of which coefficient n is Σ_(k≤n) β^k, up to rounding.
func TestSquareRootIsTheRootOfSteps(t *testing.T) {
	for _, momentum := range []float64{0, 0.5, 0.9, 0.999} {
		const bands = maxBands
		c, want := squareRoot(bands, momentum), 0.0
		for n := range bands {
			want += math.Pow(momentum, float64(n))
			if got := squareOf(c, n); math.Abs(got-want) > float64(n+1)/coefficientScale {
				t.Errorf("momentum %v: coefficient %d of the square is %v, want %v", momentum, n, got, want)
			}
			if n > 0 && c[n] > c[n-1] || c[n] < 1 {
				t.Errorf("momentum %v: coefficients rise, or vanish: %v", momentum, c)
			}
		}
	}
}

func TestCorrelatedNoiseIsRefused(t *testing.T) {
	s := ringSchema(t, 2000)
	for want, change := range map[string]func(*Request){
		"sampling is full":          func(r *Request) { r.Sampling = Sampling{Kind: option.SamplingFull} },
		"sampling is poisson":       func(r *Request) { r.Sampling = Sampling{Kind: option.SamplingPoisson, Probability: 0.1} },
		"sampling is shuffle":       func(r *Request) { r.Sampling.Kind = option.SamplingShuffle },
		"sampling is partition":     func(r *Request) { r.Correlation = option.CorrelatedTree },
		"correlated noise is \"x\"": func(r *Request) { r.Correlation = "x" },
		"without a kind":            func(r *Request) { r.Correlation, r.Bands = "", 2 },
		"with 5 bands":              func(r *Request) { r.Bands = 5 },
		"with -1 bands":             func(r *Request) { r.Bands = -1 },
		"momentum 1":                func(r *Request) { r.BandMomentum = 1 },
	} {
		r := correlatedRequests()["banded"]
		change(&r)
		if _, err := NewSetup(r, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	setup := setupOf(t, correlatedRequests()["banded"], s)
	if err := setup.Check(context.Background(), Options{Optimizer: "adam-corrected"}); err == nil {
		t.Error("an optimizer that takes noise as independent was accepted")
	}
	setup.Plan.Correlated.Coefficients = []int64{1, 2}
	if err := setup.Check(context.Background(), Options{}); err == nil || !strings.Contains(err.Error(), "coefficients") {
		t.Errorf("rising coefficients: %v, want an error", err)
	}
	baseline := correlatedRequests()["banded"]
	baseline.Epsilon = math.Inf(1)
	if plan := setupOf(t, baseline, s).Plan; plan.Correlated != nil || plan.Event().String() != (mechanism.Repeat{Event: mechanism.Partition{Parts: 4, Event: mechanism.NonPrivate{}}, Count: 8}).String() {
		t.Errorf("a baseline has the event %v", plan.Event())
	}
}
