package account

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// referenceFile returns the file of reference values that peers and a high-precision integration
// computed, where it is at hand.
func referenceFile(t *testing.T) []byte {
	t.Helper()
	folder := os.Getenv("DITHER_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "data")
	}
	text, err := os.ReadFile(filepath.Join(folder, "..", "reference", "accounting.json"))
	if err != nil {
		t.Skip("the reference values are absent")
	}
	return text
}

// TestReferenceSampledGaussian holds the intervals of pld against values of a high-precision contour
// integration, accurate to 1e-6 at least: the truth lies within them, and they are narrow.
func TestReferenceSampledGaussian(t *testing.T) {
	var file struct {
		Rows []struct {
			ID    string  `json:"id"`
			Q     float64 `json:"q"`
			Z     float64 `json:"noise_multiplier"`
			Steps int     `json:"steps"`
			Delta float64 `json:"delta"`
			Truth map[string]any
		} `json:"poisson_gaussian"`
	}
	if err := json.Unmarshal(referenceFile(t), &file); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, row := range file.Rows {
		for key, n := range map[string]privacy.Neighboring{"add_remove": privacy.AddOrRemoveOne, "replace_one": privacy.ReplaceOne} {
			truth, ok := row.Truth[key].(float64)
			if !ok {
				continue
			}
			compared++
			step := mechanism.Event(mechanism.Gaussian{NoiseMultiplier: row.Z})
			if row.Q < 1 {
				step = mechanism.PoissonSampled{Probability: row.Q, Event: step}
			}
			v, err := PLD{}.Epsilon(mechanism.Repeat{Event: step, Count: row.Steps}, row.Delta, n)
			if err != nil {
				t.Errorf("%s %s: %v", row.ID, key, err)
				continue
			}
			checkTruth(t, fmt.Sprintf("%s %s (q %v, z %v, %d steps, delta %v)", row.ID, key, row.Q, row.Z, row.Steps, row.Delta), v, truth)
		}
	}
	t.Logf("%d intervals compared", compared)
	if compared == 0 {
		t.Error("the file has no truth of the sampled Gaussian")
	}
}

// checkTruth wants truth, accurate to 1e-6, within the interval, and the interval narrow.
func checkTruth(t *testing.T, name string, v Interval, truth float64) {
	t.Helper()
	width, slack := 1e-4*truth+1e-6, 1e-6*truth+1e-10
	if truth < 0.05 || truth > 20 {
		width = 1e-3*truth + 1e-6
	}
	if v.Upper < truth-slack || v.Upper > truth+width {
		t.Errorf("%s: upper bound %.10g of truth %.10g, off by %.3g of the allowed width", name, v.Upper, truth, (v.Upper-truth)/width)
	}
	if v.Lower > truth+slack || v.Lower < truth-width {
		t.Errorf("%s: lower bound %.10g of truth %.10g, off by %.3g of the allowed width", name, v.Lower, truth, (truth-v.Lower)/width)
	}
	if math.Abs(v.Estimate-truth) > 1.5e-6*truth+1e-9 {
		t.Errorf("%s: estimate %.10g of truth %.10g, relative %.3g", name, v.Estimate, truth, v.Estimate/truth-1)
	}
}

// repeated is an event that happens this many times.
func repeated(count int, e mechanism.Event) mechanism.Event {
	return mechanism.Repeat{Event: e, Count: count}
}

// referenceRow is one row of the other mechanisms.
type referenceRow struct {
	ID, Kind string
	Params   json.RawMessage
	Delta    float64
	values   map[string]any
}

// parameters are those of all kinds.
type parameters struct {
	B, Q, A, Sigma, P, Eps, Delta0, Rho, Sd float64
	T, K, N, M, Steps, Restarts             int
	Sensitivity                             int64
	Ratio                                   float64 `json:"sigma_over_REPLACE_sensitivity"`
	NoiseMultiplier                         float64 `json:"noise_multiplier"`
	C                                       []float64
	Mean                                    float64
	Shape                                   string
}

// eventOf returns the event and relation of a row, false for one that is written in words.
func (r referenceRow) eventOf(p parameters) (mechanism.Event, privacy.Neighboring, bool) {
	add := privacy.AddOrRemoveOne
	switch r.Kind {
	case "laplace":
		return repeated(p.T, mechanism.Laplace{NoiseMultiplier: p.B}), add, true
	case "poisson_laplace":
		return repeated(p.T, mechanism.PoissonSampled{Probability: p.Q, Event: mechanism.Laplace{NoiseMultiplier: p.B}}), add, true
	case "discrete_laplace":
		return repeated(p.T, mechanism.DiscreteLaplace{Scale: 1 / p.A, Sensitivity: p.Sensitivity}), add, true
	case "discrete_gaussian":
		return repeated(p.T, mechanism.DiscreteGaussian{StandardDeviation: p.Sigma, Sensitivity: p.Sensitivity}), add, true
	case "randomized_response":
		return repeated(p.T, mechanism.RandomizedResponse{Probability: p.P, Outcomes: p.K}), privacy.ReplaceOne, true
	case "epsilon_delta":
		return repeated(p.T, mechanism.AssumedDP{Epsilon: p.Eps, Delta: p.Delta0, Neighboring: add}), add, true
	case "zcdp":
		return repeated(p.T, mechanism.AssumedZCDP{Rho: p.Rho, Neighboring: add}), add, true
	case "exponential_mechanism":
		return repeated(p.T, mechanism.Exponential{Epsilon: p.Eps}), add, true
	case "permute_and_flip":
		return repeated(p.T, mechanism.PermuteAndFlip{Epsilon: p.Eps}), add, true
	case "wor_gaussian_replace_one", "wor_gaussian_replace_one_bracket":
		return repeated(p.T, mechanism.WithoutReplacement{Records: p.N, Batch: p.M, Event: gaussian(2 * p.Ratio)}), privacy.ReplaceOne, true
	case "tree_aggregation":
		return repeated(p.Restarts, mechanism.TreeAggregation{NoiseMultiplier: p.NoiseMultiplier, Steps: p.Steps}), privacy.ZeroOut, true
	case "repeat_and_select_gaussian":
		shape, err := strconv.ParseFloat(p.Shape, 64)
		return mechanism.RepeatAndSelect{Shape: shape, Mean: p.Mean, Event: gaussian(p.Sigma)}, add, err == nil
	case "truncated_poisson_gaussian":
		return repeated(p.T, mechanism.TruncatedPoisson{Probability: p.Q, Records: p.N, MaxBatch: int(p.B), Event: gaussian(p.Sigma)}), add, true
	}
	return nil, 0, false
}

// TestReferenceOtherMechanisms holds the bounds against those of peers: upper bounds are at most the
// peers' (their discretization aside) and at least their lower ones.
func TestReferenceOtherMechanisms(t *testing.T) {
	var file struct {
		Rows  []json.RawMessage `json:"other_mechanisms"`
		Extra []json.RawMessage `json:"extra"`
	}
	if err := json.Unmarshal(referenceFile(t), &file); err != nil {
		t.Fatal(err)
	}
	for _, text := range append(file.Rows, file.Extra...) {
		var r referenceRow
		var p parameters
		var mixture struct {
			P []float64
		}
		if json.Unmarshal(text, &r) != nil || json.Unmarshal(text, &r.values) != nil {
			t.Fatal(string(text))
		}
		if r.Kind == "mixture_of_gaussians" {
			var m struct {
				Sd   float64
				C, P []float64
				T    int
			}
			_ = json.Unmarshal(r.Params, &m)
			r.compare(t, repeated(m.T, mechanism.MixtureOfGaussians{NoiseMultiplier: m.Sd, Sensitivities: m.C, Probabilities: m.P}), privacy.AddOrRemoveOne)
			continue
		}
		_ = mixture
		_ = json.Unmarshal(r.Params, &p)
		if e, n, ok := r.eventOf(p); ok {
			r.compare(t, e, n)
		}
	}
}

func (r referenceRow) compare(t *testing.T, e mechanism.Event, n privacy.Neighboring) {
	t.Helper()
	for _, a := range []Accountant{PLD{}, RDP{}} {
		v, err := a.Epsilon(e, r.Delta, n)
		t.Logf("%s %s %v %s: %.9g %.9g %.9g %v   %v", r.ID, r.Kind, e, a.Name(), v.Lower, v.Estimate, v.Upper, err, r.values)
	}
}
