package dither_test

import (
	"strings"
	"testing"

	"github.com/ditherml/dither"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/query"
)

// TestAskingOfAnotherStatistic: a detail that the statistic does not take is refused, and nothing is spent.
func TestAskingOfAnotherStatistic(t *testing.T) {
	s, err := data.ParseSchema("patients", []byte(patientText))
	if err != nil {
		t.Fatal(err)
	}
	b := newBudget(t)
	before := b.Left()
	for field, c := range map[string]struct {
		question string
		plan     query.Plan
	}{
		"Edges":          {"mean age", query.Plan{Edges: []float64{20, 40}}},
		"Quantiles":      {"histogram age", query.Plan{Quantiles: []float64{0.5}}},
		"Points":         {"sum age", query.Plan{Points: 10}},
		"Of":             {"quantiles age", query.Plan{Of: "median"}},
		"Blocks":         {"count", query.Plan{Blocks: 10}},
		"ThresholdDelta": {"variance age", query.Plan{ThresholdDelta: 1e-9}},
	} {
		_, err := dither.Query(t.Context(), b, s, patients(10), c.question, dither.Asking(c.plan))
		if err == nil || !strings.Contains(err.Error(), "plan of Asking has "+field) {
			t.Errorf("%s of %s: %v, want a refusal", field, c.question, err)
		}
	}
	if b.Left() != before {
		t.Errorf("refused questions left %v of %v", b.Left(), before)
	}
	if _, err := dither.Query(t.Context(), b, s, patients(10), "histogram age", dither.Asking(query.Plan{Edges: []float64{30, 50}})); err != nil {
		t.Errorf("edges of a histogram: %v", err)
	}
}
