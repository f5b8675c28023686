package evaluate

import (
	"encoding/json"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// TestPlanKeepsItsBytes compares the JSON of plans with the JSON of plans that did not share a header.
func TestPlanKeepsItsBytes(t *testing.T) {
	const begin, end = `{"form":2,"neighboring":"add-or-remove-one","unit":"one \u003cperson\u003e",`,
		`"delta":0.000001,"max-records":100,"noise":"laplace","noise-multiplier":1.5,"levels":["a","b"],"edges":[0,1],"threshold":0.5,"lower":1,"upper":2,"residual-bound":1,"group-column":"g","groups":["x"]}`
	p := Plan{Form: 2, Subject: certificate.Subject{Neighboring: privacy.AddOrRemoveOne, Unit: "one <person>", RowsPerPerson: 2, Delta: 1e-6, MaxRecords: 100}, Noise: "laplace", NoiseMultiplier: 1.5,
		Levels: []string{"a", "b"}, Edges: []float64{0, 1}, Threshold: 0.5, Lower: 1, Upper: 2, ResidualBound: 1, GroupColumn: "g", Groups: []string{"x"}}
	of := p
	of.Person, of.RowsPerPerson = &query.Person{Column: "who", MaxRows: 3}, 0
	for want, p := range map[string]Plan{begin + `"rows-per-person":2,` + end: p, begin + `"person":{"column":"who","max-rows":3},` + end: of} {
		text, err := json.Marshal(p)
		if err != nil || string(text) != want {
			t.Errorf("got %s, %v\nwant %s", text, err, want)
		}
	}
	q := testPlans()["number"]
	if q.Records = 10; q.Validate() == nil {
		t.Error("a declared number of records was taken")
	}
}
