package train

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
)

// TestScales divides features by the square roots of their frequencies. Noise hides the smallest of
// them. Without noise an empty cell leaves the scales of others far above the grid of rows.
func TestScales(t *testing.T) {
	got := moment{mean: []float64{0.97, 0.07, -0.02, 0.22}, noise: 0.01}.scales()
	for j, want := range []float64{math.Sqrt(0.05), math.Sqrt(0.5), 1, math.Sqrt(0.2)} {
		if math.Abs(got[j]-want) > 1e-12 {
			t.Errorf("scale %d is %v, want %v", j, got[j], want)
		}
	}
	if least := slices.Min((moment{mean: []float64{1, 0, 0.5}}).scales()); least < 0x1p-8 {
		t.Errorf("the least scale without noise is %v, want at least 2^-8", least)
	}
	for _, v := range (moment{mean: []float64{0, 0}}).scales() {
		if v != 1 {
			t.Errorf("a scale without records and noise is %v, want 1", v)
		}
	}
}

// TestScaledRowsAreThoseOfTheMap compares sparse rows of scaled features with the rows that the map of
// the model makes, and wants frequencies, no mean and no covariance in the plan.
func TestScaledRowsAreThoseOfTheMap(t *testing.T) {
	setup, d := crossedSetup(t, ask(), `{"pairs": "all", "bins": 64}`, 300)
	if p := setup.Plan.Preparation; len(p) != 1 || p[0].Kind != option.FrequencyStatistic || setup.Plan.Steps != option.WhitenedSteps {
		t.Fatalf("the plan prepares rows by %+v, want their frequencies alone", p)
	}
	encoded, err := setup.encode(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	if fraction, _ := math.Frexp(encoded.rows.Step()); fraction != 0.5 {
		t.Errorf("cells are on a grid of step %v, want a power of two", encoded.rows.Step())
	}
	ready, err := setup.prepare(payEverything{}, encoded)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := setup.descend(encoded, ready)
	if err != nil {
		t.Fatal(err)
	}
	m := ready.features
	if !scaledFeatures(m) || slices.Min(m.Whitening.Scales) > 0.9 || rows.Dim() != m.Dim() {
		t.Fatalf("rows have %d features and scales from %v, want %d and some far below 1", rows.Dim(), slices.Min(m.Whitening.Scales), m.Dim())
	}
	weights := make([]float64, m.Dim())
	for j := range weights {
		weights[j] = math.Sin(float64(j))
	}
	want, s := make([]float64, m.Dim()), m.NewScratch(1)
	for i := range d.Records() {
		m.Apply(want, 1, s, func(int) []float32 { return d.Row(make([]float32, 3), i) })
		block, failed := rows.Load(i, 1, release.Block{})
		if failed != nil {
			t.Fatal(failed)
		}
		score, got := 0.0, make([]float32, 1)
		for j, w := range weights {
			score += w * want[j]
		}
		scorer := rows.Scorer(weights, 1)
		scorer.Scores(got, block)
		if math.Abs(float64(got[0])-score) > 2e-3 {
			t.Fatalf("row %d has score %v, want %v", i, got[0], score)
		}
	}
}

// TestFrequenciesTrain trains a model whose scales were paid for, and refuses one without a payment.
func TestFrequenciesTrain(t *testing.T) {
	r := ask()
	setup, d := crossedSetup(t, r, `{"pairs": "all"}`, 4000)
	result, err := Fit(context.Background(), budget(t, r.Epsilon), setup, d, Options{Momentum: 0.9})
	if err != nil {
		t.Fatal(err)
	}
	if err = CheckModel(setup.Plan, result.Model); err != nil {
		t.Errorf("the model of the plan: %v", err)
	}
	unpaid := setup.Plan
	if unpaid.Preparation = nil; CheckModel(unpaid, result.Model) == nil {
		t.Error("scales that were not paid for: got no error")
	}
	both := setup.Plan
	both.Preparation = append(slices.Clone(both.Preparation), PreparationStep{Kind: option.VarianceStatistic, NoiseMultiplier: 100, Bound: 1, Numbers: result.Model.Features().Pipeline.Dim()})
	if CheckModel(both, result.Model) == nil {
		t.Error("scales that were paid for twice: got no error")
	}
	loose := setup.Plan
	loose.Preparation = slices.Clone(loose.Preparation)
	if loose.Preparation[0].Bound /= 2; CheckModel(loose, result.Model) == nil {
		t.Error("half of the bound: got no error")
	}
}
