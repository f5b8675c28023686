package erm

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// TestExponentialFindsTheBestPoint chooses at a large epsilon, where the point of the least clipped loss has
// all but a probability of 1e-9: one loss more by a thousandth of the bound in each of 1000 records costs
// exp(-ε).
func TestExponentialFindsTheBestPoint(t *testing.T) {
	s, d := small(t, 2, 1000)
	for _, choice := range []string{option.ChoiceFlip, option.ChoiceExponential} {
		setup, err := NewSetup(Request{Method: option.MethodExponential, Epsilon: 500, Neighboring: privacy.AddOrRemoveOne, GridPoints: 7, GridReach: 6, LossBound: 1, Choice: choice}, s)
		if err != nil {
			t.Fatal(err)
		}
		result, err := Fit(context.Background(), newLedger(t, setup.Plan), setup, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, least, best := make([]float64, 1000*3), math.Inf(1), []float64(nil)
		setup.Features.Apply(x, 1000, setup.Features.NewScratch(1000), func(i int) []float32 { return d.Row(make([]float32, 2), i) })
		for c := range 7 * 7 * 7 {
			w, loss := []float64{float64(c%7)*2 - 6, float64(c/7%7)*2 - 6, float64(c/49)*2 - 6}, 0.0
			for i := range 1000 {
				z := []float64{x[3*i]*w[0] + x[3*i+1]*w[1] + x[3*i+2]*w[2]}
				loss += min(1, model.Logistic.Value(z, float64(d.Target()[i])))
			}
			if loss < least {
				least, best = loss, w
			}
		}
		for j, w := range result.Model.Weights() {
			if math.Abs(w-best[j]) > 1e-9 {
				t.Errorf("%s: got %v, want %v of the least loss", choice, result.Model.Weights(), best)
				break
			}
		}
	}
}

func TestExponentialRefusals(t *testing.T) {
	s, _ := small(t, 3, 100)
	two, _ := small(t, 2, 100)
	for name, c := range map[string]struct {
		request Request
		want    string
	}{
		"nine weights": {Request{Loss: model.OneVsRest}, "9 weights"},
		"work":         {Request{GridPoints: 1000}, "multiply-adds"},
		"one point":    {Request{GridPoints: 1}, "points"},
		"reach":        {Request{GridReach: -1}, "reach"},
		"choice":       {Request{Choice: "best"}, "choice"},
	} {
		r, schema := c.request, two
		if r.Loss != nil {
			schema = s
		}
		r.Method, r.Epsilon, r.Neighboring = option.MethodExponential, 1, privacy.AddOrRemoveOne
		if _, err := NewSetup(r, schema); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
}
