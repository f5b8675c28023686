package artefact

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// evaluationPlan is a plan of a private evaluation of a target, on rows or on persons.
func evaluationPlan(t *testing.T, target string, person *query.Person) evaluate.Plan {
	t.Helper()
	s, err := data.ParseSchema("s.yaml", []byte("dither-schema: 1\nrow: one row\nmax-records: 900\ntarget: {column: y, "+target+"}\ncolumns:\n  x: {numeric: [0, 1], missing: zero, out-of-range: clamp}\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := evaluate.NewPlan(evaluate.Request{Epsilon: 1, Neighboring: privacy.AddOrRemoveOne, Person: person}, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEvaluationRoundTrip(t *testing.T) {
	for name, p := range map[string]evaluate.Plan{
		"two levels":     evaluationPlan(t, "levels: [a, b]", nil),
		"three levels":   evaluationPlan(t, "levels: [a, b, c]", nil),
		"levels, person": evaluationPlan(t, "levels: [a, b]", &query.Person{Column: "who", MaxRows: 4}),
		"numeric":        evaluationPlan(t, "bounds: [0, 9]", nil),
	} {
		numbers := make([]float64, p.Numbers())
		for j := range numbers {
			numbers[j] = float64(1 + j*j%7)
		}
		f, err := NewEvaluation(p, numbers)
		if err != nil {
			t.Fatal(err)
		}
		text, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeEvaluation(text)
		if err != nil || back.Check() != nil {
			t.Fatalf("%s: %v, %v", name, err, back.Check())
		}
		again, err := back.Encode()
		if err != nil || string(again) != string(text) {
			t.Errorf("%s: the file reads back as another (%v)", name, err)
		}
		back.Numbers[0] += 1
		if back.Check() == nil {
			t.Errorf("%s: another number was not noticed", name)
		}
	}
	for _, text := range []string{"", "{}", `{"format":"dither-evaluation","format-version":7}`, `{"format":"dither-evaluation","format-version":6,"more":1}`, `{"format":"dither-evaluation","format-version":6} {}`} {
		if _, err := DecodeEvaluation([]byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	for _, old := range []string{"1", "2", "3", "4", "5"} {
		if _, err := DecodeEvaluation([]byte(`{"format":"dither-evaluation","format-version":` + old + `}`)); err == nil || !strings.Contains(err.Error(), "older program") {
			t.Errorf("a file of version %s: got %v, want a refusal that says so", old, err)
		}
	}
}
