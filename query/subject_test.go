package query

import (
	"encoding/json"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/privacy"
)

// TestPlanKeepsItsBytes compares the JSON of plans with the JSON of plans that did not share a header.
func TestPlanKeepsItsBytes(t *testing.T) {
	const begin = `{"statistic":"quantiles","expressions":["age \u003c3"],"where":"w","by":"b","lower":[1],"upper":[2],"cells":1,"edges":[1],"quantiles":[0.5],"points":5,"of":"mean","blocks":4,` +
		`"noise":"laplace","noise-multiplier":1.5,"threshold-delta":1e-9,"confidence":0.95,"neighboring":"add-or-remove-one","delta":0.000001,"unit":"one \u003cperson\u003e",`
	p := Plan{Statistic: "quantiles", Expressions: []string{"age <3"}, Where: "w", By: "b", Lower: []float64{1}, Upper: []float64{2}, Cells: 1, Edges: []float64{1}, Quantiles: []float64{0.5}, Points: 5, Of: "mean", Blocks: 4,
		Noise: "laplace", NoiseMultiplier: 1.5, ThresholdDelta: 1e-9, Confidence: 0.95,
		Subject: certificate.Subject{Neighboring: privacy.AddOrRemoveOne, Delta: 1e-6, Unit: "one <person>", RowsPerPerson: 2, MaxRecords: 100}}
	of := p
	of.Person, of.RowsPerPerson = &Person{"who", 3}, 0
	for want, p := range map[string]Plan{begin + `"rows-per-person":2,"max-records":100}`: p, begin + `"person":{"column":"who","max-rows":3},"max-records":100}`: of} {
		text, err := json.Marshal(p)
		if err != nil || string(text) != want {
			t.Errorf("got %s, %v\nwant %s", text, err, want)
		}
	}
	q := planOf(countStatistic)
	q.Records = 10
	if asked, err := NewQuestion(schemaOf(t, schemaText), q); err == nil {
		t.Errorf("a declared number of records was taken: %+v", asked.Plan())
	}
}
