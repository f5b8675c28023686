package erm

import (
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// TestRecommend holds the choice to the table of docs/methods.md, and to methods that can be planned.
func TestRecommend(t *testing.T) {
	read := func(name string) *data.Schema {
		s, err := data.ReadSchema("testdata/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	levels, _ := builtinSet(t)
	text, err := data.ParseSchema("reviews", []byte("dither-schema: 1\nrow: one review\nmax-records: 30000\ntarget: {column: label, levels: [\"0\", \"1\"]}\ncolumns:\n  words: {text: {}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name           string
		schema         *data.Schema
		epsilon, delta float64
		loss           model.Loss
		method, reason string
	}{
		{"levels", levels, 1, 1e-6, nil, option.MethodGD, "most accurate"},
		{"levels, pure", levels, 1, 0, nil, option.MethodOutput, "delta is 0"},
		{"text, pure", text, 1, 0, nil, option.MethodFrankWolfe, "logarithm"},
		{"text", text, 1, 1e-6, nil, option.MethodGD, "most accurate"},
		{"levels, baseline", levels, math.Inf(1), 1e-6, nil, option.MethodGD, "the minimum"},
		{"diamonds", read("diamonds"), 1, 1e-5, nil, option.MethodGD, "0.00038"},
		{"diamonds, much", read("diamonds"), 3, 1e-5, nil, option.MethodSufficientStatistics, "0.00014"},
		{"diamonds, little", read("diamonds"), 0.1, 1e-5, nil, option.MethodGD, "more than"},
		{"diamonds, pure", read("diamonds"), 1, 0, nil, option.MethodSufficientStatistics, "Laplace"},
		{"diamonds, quantile", read("diamonds"), 1, 1e-5, model.Quantile(0.5, 0.1), option.MethodGD, "not for this loss"},
		{"diamonds, quantile, pure", read("diamonds"), 1, 0, model.Huber(0.25), option.MethodOutput, "delta is 0"},
		{"houses", read("california-housing"), 0.5, 1e-5, nil, option.MethodGD, "0.0016"},
		{"houses, much", read("california-housing"), 3, 1e-5, nil, option.MethodSufficientStatistics, "0.00031"},
	} {
		r := Request{Epsilon: c.epsilon, Delta: c.delta, Neighboring: privacy.AddOrRemoveOne, Loss: c.loss}
		got, reason, err := Recommend(r, c.schema)
		if err != nil || got != c.method || !strings.Contains(reason, c.reason) {
			t.Errorf("%s: got %s because of %q, error %v, want %s because of %q", c.name, got, reason, err, c.method, c.reason)
			continue
		}
		if r.Method = got; r.Method == option.MethodGD {
			continue
		}
		if _, err = NewSetup(r, c.schema); err != nil {
			t.Errorf("%s: %s cannot be planned: %v", c.name, got, err)
		}
	}
	if _, _, err := Recommend(Request{Epsilon: math.Inf(1)}, &data.Schema{}); err == nil {
		t.Error("a baseline of an empty schema: got no error")
	}
}
