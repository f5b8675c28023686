package mechanism

import (
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither/privacy"
)

func TestEventRoundTrip(t *testing.T) {
	for _, e := range []Event{
		Gaussian{1.1}, Gaussian{1e-300}, Gaussian{math.Pi}, NonPrivate{}, Sequence{},
		Repeat{Gaussian{48.448}, 10}, PoissonSampled{0.01, Gaussian{1.1}}, Repeat{PoissonSampled{1e-9, NonPrivate{}}, 3},
		Sequence{Gaussian{3}, Repeat{Sequence{Gaussian{2}, NonPrivate{}}, 7}},
		Laplace{2}, KNorm{0.5}, DiscreteGaussian{4.5, 2}, DiscreteLaplace{1e-3, 1}, PoissonSampled{0.1, Laplace{3}},
		PoissonSampled{0.1, DiscreteGaussian{4.5, 2}}, PoissonSampled{0.25, DiscreteLaplace{3, 1}},
		PoissonSampled{0.1, Sequence{Gaussian{3}, Repeat{Gaussian{2}, 8}}}, WithoutReplacement{100, 10, Gaussian{2}},
		WithReplacement{100, 10, Gaussian{2}}, TruncatedPoisson{0.01, 10000, 150, Gaussian{1}}, PoissonSampled{0.1, AdaptiveClipping{1.1, 12.8}},
		JLClipping{4, 20, 2, 0.01}, MixtureOfGaussians{1, []float64{0, 1, 2}, []float64{0.9801, 0.0198, 0.0001}},
		LastIterate{40, 0.99, 1000}, LastIterateConvex{40, 25, 1000}, TreeAggregation{5, 1000}, BandedMatrix{2, 8, 1000, 1},
		ObjectivePerturbation{5, 0.025}, RepeatAndSelect{1, 10, Gaussian{5}}, RepeatAndSelect{math.Inf(1), 10, Gaussian{5}},
		RandomizedResponse{0.5, 2}, Exponential{0.5}, PermuteAndFlip{0.5}, AssumedDP{0.5, 1e-6, privacy.ReplaceOne}, AssumedZCDP{0.1, privacy.ZeroOut}, AssumedXiZCDP{0.05, 0.1, privacy.AddOrRemoveOne},
		Repeat{Partition{7, Sequence{Gaussian{1}, Gaussian{2}}}, 3},
		Parallel{Repeat{Gaussian{3}, 9}, KNorm{2}},
		Repeat{RandomAllocation{100, Gaussian{1.1}}, 3}, RandomAllocation{7, Sequence{Gaussian{2}, AdaptiveClipping{1, 9}}},
	} {
		back, err := ParseEvent(e.String())
		if err != nil || !reflect.DeepEqual(back, e) {
			t.Errorf("%v: read back as %v, %v", e, back, err)
		}
	}
}

func TestParseEventErrors(t *testing.T) {
	for text, at := range map[string]string{
		"":                              "position 1",
		"laplacian(1)":                  "position 1",
		"gaussian":                      "position 9",
		"gaussian(x)":                   "position",
		"gaussian(1":                    "position 11",
		"gaussian(1) gaussian(1)":       "position 13",
		"repeat(gaussian(1), 2)":        "position",
		"repeat(2 gaussian(1))":         "position 10",
		"sequence(gaussian(1),)":        "position 22",
		"gaussian(-1)":                  "want a positive",
		"gaussian(NaN)":                 "want a positive",
		"repeat(-1, gaussian(1))":       "want 0 or more",
		strings.Repeat("sequence(", 99): "nested",
	} {
		if e, err := ParseEvent(text); err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%q: got %v, %v, want an error with %q", text, e, err, at)
		}
	}
}

// TestEveryEventIsRead holds that each name of the table stands in an event of the round trip.
func TestEveryEventIsRead(t *testing.T) {
	source, err := os.ReadFile("event_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range EventNames() {
		if !strings.Contains(string(source), typeName(name)+"{") {
			t.Errorf("%s stands in no test of this file", name)
		}
	}
}

// typeName is the Go name of an event.
func typeName(name string) string {
	known := map[string]string{"poisson": "PoissonSampled", "k-norm": "KNorm", "jl-clipping": "JLClipping", "mixture-of-gaussians": "MixtureOfGaussians", "assumed-dp": "AssumedDP", "assumed-zcdp": "AssumedZCDP", "assumed-xi-zcdp": "AssumedXiZCDP"}
	if n, odd := known[name]; odd {
		return n
	}
	parts := strings.Split(name, "-")
	for i, p := range parts {
		parts[i] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}

func TestEventsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"poisson(0.1, poisson(0.1, gaussian(1)))":                      "sampled event",
		"poisson(0.1, sequence(gaussian(1), laplace(1)))":              "sampled event",
		"poisson(0.1, repeat(2, non-private()))":                       "sampled event",
		"poisson(0.1, repeat(2, discrete-gaussian(1, 1)))":             "sampled event",
		"poisson(0.1, discrete-gaussian(0, 1))":                        "standard deviation",
		"without-replacement(9, 3, discrete-laplace(1, 1))":            "sampled event",
		"without-replacement(10, 11, gaussian(1))":                     "batch",
		"without-replacement(0, 0, gaussian(1))":                       "number of records",
		"partition(0, gaussian(1))":                                    "number of parts",
		"random-allocation(0, gaussian(1))":                            "number of steps",
		"random-allocation(1048577, gaussian(1))":                      "number of steps",
		"random-allocation(10, laplace(1))":                            "sampled event",
		"random-allocation(10, poisson(0.1, gaussian(1)))":             "sampled event",
		"random-allocation(10, non-private())":                         "sampled event",
		"discrete-gaussian(1, 0)":                                      "sensitivity",
		"discrete-laplace(0, 1)":                                       "scale",
		"truncated-poisson(0.1, 10, 0, gaussian(1))":                   "largest batch",
		"adaptive-clipping(1, 0)":                                      "count noise",
		"jl-clipping(1, 0, 2, 1)":                                      "number of projections",
		"jl-clipping(1, 5, +Inf, 1)":                                   "cap",
		"mixture-of-gaussians(1, 0, 0.5, 1, 0.4)":                      "sum of probabilities",
		"mixture-of-gaussians(1)":                                      "number of sensitivities",
		"mixture-of-gaussians(1, 0)":                                   "position",
		"last-iterate(1, 1, 5)":                                        "contraction",
		"banded-matrix(1, 2, -1, 1)":                                   "number of steps",
		"objective-perturbation(1, 1)":                                 "smoothness",
		"repeat-and-select(1, 0.5, gaussian(1))":                       "mean",
		"repeat-and-select(-1, 2, gaussian(1))":                        "shape",
		"randomized-response(0.5, 1)":                                  "number of outcomes",
		"exponential(NaN)":                                             "epsilon",
		"assumed-dp(1, 2, zero-out)":                                   "delta",
		"assumed-dp(1, 0, some)":                                       "a relation",
		"assumed-zcdp(-1, zero-out)":                                   "rho",
		"assumed-xi-zcdp(-1, 1, zero-out)":                             "xi",
		"assumed-xi-zcdp(1, +Inf, zero-out)":                           "rho",
		"k-norm(+Inf)":                                                 "noise multiplier",
		"poisson(0.1, sequence(gaussian(1), repeat(-1, gaussian(1))))": "count",
	} {
		if e, err := ParseEvent(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want an error with %q", text, e, err, want)
		}
	}
}

func TestCheckNeighboring(t *testing.T) {
	for text, relations := range map[string]string{
		"sequence(gaussian(1), laplace(1), k-norm(1), discrete-gaussian(1, 1))":                            "arz",
		"repeat(3, poisson(0.1, gaussian(1)))":                                                             "arz",
		"sequence(gaussian(1), poisson(0.1, laplace(1)))":                                                  "arz",
		"poisson(0.1, discrete-gaussian(2, 1))":                                                            "arz",
		"poisson(0.1, discrete-laplace(2, 1))":                                                             "arz",
		"repeat(2, without-replacement(10, 2, gaussian(1)))":                                               "r",
		"sequence(randomized-response(0.5, 2), exponential(1))":                                            "rz",
		"sequence(assumed-dp(1, 0, add-or-remove-one), permute-and-flip(1))":                               "a",
		"assumed-xi-zcdp(1, 1, zero-out)":                                                                  "z",
		"assumed-zcdp(1, replace-one)":                                                                     "r",
		"tree-aggregation(1, 5)":                                                                           "arz",
		"banded-matrix(1, 2, 5, 1)":                                                                        "arz",
		"objective-perturbation(1, 0.5)":                                                                   "az",
		"sequence(last-iterate(1, 0.5, 5), repeat-and-select(1, 2, gaussian(1)), adaptive-clipping(1, 1))": "arz",
		"mixture-of-gaussians(1, 1, 1)":                                                                    "az",
		"truncated-poisson(0.1, 100, 20, gaussian(1))":                                                     "arz",
		"with-replacement(10, 2, gaussian(1))":                                                             "r",
		"partition(4, gaussian(1))":                                                                        "arz",
		"repeat(2, random-allocation(4, gaussian(1)))":                                                     "arz",
	} {
		e, err := ParseEvent(text)
		if err != nil {
			t.Fatal(err)
		}
		for letter, n := range map[string]privacy.Neighboring{"a": privacy.AddOrRemoveOne, "r": privacy.ReplaceOne, "z": privacy.ZeroOut} {
			if proved := CheckNeighboring(e, n) == nil; proved != strings.Contains(relations, letter) {
				t.Errorf("%s under %v: proved is %v", text, n, proved)
			}
		}
		if CheckNeighboring(e, 0) == nil {
			t.Errorf("%s: proved under no relation", text)
		}
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add("sequence(gaussian(3), repeat(60, gaussian(1.1)))")
	f.Add("non-private()")
	f.Add("assumed-xi-zcdp(0.05, 0.1, zero-out)")
	f.Add("poisson(0.25, discrete-laplace(3, 1))")
	f.Add("repeat(3, random-allocation(100, adaptive-clipping(1.1, 9)))")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseEvent(text)
		if err != nil {
			return
		}
		back, err := ParseEvent(e.String())
		if err != nil || !reflect.DeepEqual(back, e) {
			t.Errorf("%q read as %v, then as %v, %v", text, e, back, err)
		}
	})
}
