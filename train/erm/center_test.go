package erm

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// TestCenterIsReleasedAndPaid wants the mean in the event, in the map of the model, and in the budget.
func TestCenterIsReleasedAndPaid(t *testing.T) {
	_, d := small(t, 2, 2000)
	for _, name := range []string{"output", "objective", "output baseline"} {
		setup := planned()[name]
		p := setup.Plan
		if p.Center == nil || !strings.HasPrefix(p.Event().String(), "sequence("+p.centerNoise().String()+", ") || !strings.HasPrefix(p.Steps()[0].Purpose, "mean") {
			t.Errorf("%s: the event is %v with center %+v, want a mean first", name, p.Event(), p.Center)
			continue
		}
		result, err := Fit(context.Background(), newLedger(t, p), setup, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		center := result.Model.Features().Center
		// Rows (u, v)/‖(u, v)‖ of uniform numbers have a mean of about 0.66 in both; the noise on it is below 0.01.
		if len(center) != 2 || math.Abs(center[0]-0.66) > 0.15 || math.Abs(center[1]-0.66) > 0.15 {
			t.Errorf("%s: the center is %v, want about 0.66 twice", name, center)
		}
		if setup.Features.Center != nil {
			t.Errorf("%s: the setup was changed by a run", name)
		}
		if err = p.checkMap(result.Model.Features(), setup.Schema); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		p.Center = nil
		if p.checkMap(result.Model.Features(), setup.Schema) == nil {
			t.Errorf("%s: a center that no plan pays for was taken", name)
		}
	}
	for _, name := range []string{"output l1", "exponential"} {
		if c := planned()[name].Plan.Center; c != nil {
			t.Errorf("%s: rows are centered by %+v beside a guarantee without delta", name, c)
		}
	}
}

func TestCenterRefusals(t *testing.T) {
	s, _ := small(t, 2, 100)
	undeclared := *s
	undeclared.Records = 0
	for name, c := range map[string]struct {
		schema *data.Schema
		change func(*Request)
		want   string
	}{
		"without a number of records": {&undeclared, func(*Request) {}, "number of records"},
		"rows without a bound":        {s, func(r *Request) { r.Normalization = feature.NormNone }, "normalization none"},
		"exact noise":                 {s, func(r *Request) { r.Delta = 0 }, "normal releases"},
		"a choice":                    {s, func(r *Request) { r.Method = option.MethodExponential }, "normal releases"},
	} {
		r := Request{Method: option.MethodOutput, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Center: train.Yes, Loss: model.Logistic}
		c.change(&r)
		if _, err := NewSetup(r, c.schema); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
	p := planned()["exponential"].Plan
	p.Center = &centerPlan{NoiseMultiplier: 3, Bound: 1, Numbers: 2}
	if p.Validate() == nil {
		t.Error("a plan of a choice with a center was taken")
	}
}
