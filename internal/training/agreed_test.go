package training

import (
	"bytes"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train/neural"
)

// rowsOf returns a map of a schema without a transform.
func rowsOf(t *testing.T, s *data.Schema) *feature.Map {
	t.Helper()
	chain, err := feature.NewPipeline(feature.ReadFile, s)
	if err != nil {
		t.Fatal(err)
	}
	return &feature.Map{Pipeline: chain, Norm: feature.NormUnit, Intercept: 0.5}
}

// TestRanksAgreeOnRows wants runs whose records become other rows to be told apart. Their plans can be equal.
func TestRanksAgreeOnRows(t *testing.T) {
	s, err := data.ParseSchema("s.yaml", []byte("dither-schema: 1\nrow: one person\nmax-records: 10\ntarget: {column: ill, levels: [a, b]}\ncolumns:\n  age: {numeric: [0, 80], missing: drop, out-of-range: clamp}\n"))
	if err != nil {
		t.Fatal(err)
	}
	agreedOn := func(change func(*feature.Map), loss model.Loss) string {
		r := &Run{Tables: Tables{Schema: s}}
		r.Draft.Neighboring, r.Setup.Features, r.Setup.Model.Loss = privacy.AddOrRemoveOne, rowsOf(t, s), loss
		change(r.Setup.Features)
		plan, failed := r.Agreed()
		if failed != nil {
			t.Fatal(failed)
		}
		return string(plan)
	}
	agreed := func(change func(*feature.Map)) string { return agreedOn(change, model.Logistic) }
	usual := agreed(func(*feature.Map) {})
	for name, change := range map[string]func(*feature.Map){
		"normalization": func(m *feature.Map) { m.Norm = feature.NormClip },
		"radius":        func(m *feature.Map) { m.Radius = 0.1 },
		"intercept":     func(m *feature.Map) { m.Intercept = 0.4 },
		"transforms": func(m *feature.Map) {
			m.Pipeline, err = feature.NewPipeline(feature.ReadFile, s, feature.Spec{Name: "fourier", Parameters: []byte(`{"features":8}`)})
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		if agreed(change) == usual {
			t.Errorf("ranks with another %s agree", name)
		}
	}
	if agreed(func(*feature.Map) {}) != usual {
		t.Error("ranks with equal rows do not agree")
	}
	losses := map[string]string{}
	for _, loss := range []model.Loss{model.Logistic, model.Softmax, model.OneVsRest, model.Hinge(0.5), model.Hinge(0.1), model.Huber(0.1), model.Huber(0.4), model.Squared} {
		plan := agreedOn(func(*feature.Map) {}, loss)
		if before, is := losses[plan]; is {
			t.Errorf("ranks with the losses %s and %s agree", before, loss.Name())
		}
		losses[plan] = loss.Name()
	}
}

// TestRanksGoOnFromOneCheckpoint wants runs that go on from two states of one plan to be told apart, because
// the gradients of ranks with other weights do not add up.
func TestRanksGoOnFromOneCheckpoint(t *testing.T) {
	s, err := data.ParseSchema("s.yaml", []byte("dither-schema: 1\nrow: one person\nmax-records: 10\ntarget: {column: ill, levels: [a, b]}\ncolumns:\n  age: {numeric: [0, 80], missing: drop, out-of-range: clamp}\n"))
	if err != nil {
		t.Fatal(err)
	}
	agreed := func(from *neural.Checkpoint) []byte {
		r := &Run{Tables: Tables{Schema: s}, Network: &Network{from: from}}
		r.Setup.Features = rowsOf(t, s)
		r.Draft.Neighboring = privacy.AddOrRemoveOne
		plan, failed := r.Agreed()
		if failed != nil {
			t.Fatal(failed)
		}
		return plan
	}
	one, other := agreed(&neural.Checkpoint{Weights: []float64{1}}), agreed(&neural.Checkpoint{Weights: []float64{2}})
	if bytes.Equal(one, other) || bytes.Equal(one, agreed(nil)) {
		t.Error("ranks with two checkpoints agree")
	}
	if !bytes.Equal(one, agreed(&neural.Checkpoint{Weights: []float64{1}})) {
		t.Error("ranks with one checkpoint do not agree")
	}
}
