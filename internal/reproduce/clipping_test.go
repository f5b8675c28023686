package reproduce

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train/neural"
)

// TestWaysToClip runs a few steps of each way. Noise multipliers are deterministic: estimated norms need more noise
// than exact ones at one epsilon, and micro-batches the same, for twice the norm.
func TestWaysToClip(t *testing.T) {
	m := stripes(t, 600)
	base := networkTrial{epsilon: 3, layers: network.MLP(3, 4), steps: 5, sampling: neural.Sampling{Kind: option.SamplingFull}}
	all, err := measureWays(context.Background(), experiment.Environment{}, m, base)
	if err != nil {
		t.Fatal(err)
	}
	exact := all[0]
	for i, got := range all {
		name := clippingWays()[i].name
		if !(got.step > 0) || !(got.heap >= 0) || !(got.accuracy >= 0 && got.accuracy <= 100) {
			t.Errorf("%s: measured %+v, want a time, memory and an accuracy", name, got)
		}
		if i == 1 && !(got.noise > 1.05*exact.noise) || i != 1 && got.noise != exact.noise {
			t.Errorf("%s: the noise multiplier is %v and that of exact norms %v, want more for estimated norms alone", name, got.noise, exact.noise)
		}
	}
	checkFigure(t, waysFigure(all))
}

// TestRules runs a few steps of each rule.
func TestRules(t *testing.T) {
	if !thorough {
		t.Skip("a network for each rule: run with -tags long")
	}
	var rows table
	drawn, err := rows.rules(context.Background(), experiment.Environment{}, stripes(t, 600), networkTrial{epsilon: 8, layers: network.MLP(3, 4), epochs: 1})
	if err != nil {
		t.Fatal(err)
	}
	checkFigure(t, drawn)
	if len(rows.rows) != len(rulesTried()) || len(drawn.Panels[0].Series) != len(rulesTried()) {
		t.Errorf("got %d rows and %d curves, want one each for %v", len(rows.rows), len(drawn.Panels[0].Series), rulesTried())
	}
}

// TestLayersBehindPublicOnes trains behind frozen layers, which stay to the bit, while the others begin anew and move.
func TestLayersBehindPublicOnes(t *testing.T) {
	m := stripes(t, 600)
	of, err := networkTrial{epsilon: math.Inf(1), layers: network.MLP(3, 4), steps: 20}.fit(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := behind(of.Network(), 3, of.NetworkWeights())
	if err != nil {
		t.Fatal(err)
	}
	after, err := trial.fit(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	trained, first := after.Network().Trained(), 9*4+4
	if trained != 4*3+3 {
		t.Fatalf("%d numbers are trained, want those of the last layer, 15", trained)
	}
	if got, want := after.NetworkWeights()[trained:], of.NetworkWeights()[:first]; !slices.Equal(got, want) {
		t.Errorf("frozen layers are %v, want %v", got, want)
	}
	if slices.Equal(trial.options.Initial[:trained], of.NetworkWeights()[first:]) || slices.Equal(trial.options.Initial[:trained], after.NetworkWeights()[:trained]) {
		t.Error("the last layer began with the public weights, or did not move")
	}
}
