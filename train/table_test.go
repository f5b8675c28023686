package train

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// TestTableFitIsFit trains without privacy on pictures that are encoded once, kept in memory and read from a
// file: the same bits as Fit, with each structure of whitening and without, whatever the table was encoded
// for.
func TestTableFitIsFit(t *testing.T) {
	s, d := pictures(t, 70)
	plan := func(whiten Tristate, structure string) Setup {
		r := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Center: Yes, Whiten: whiten, Structure: structure, Steps: 5, Transforms: scatteringOf8x8(t), PrivateRadius: structure == option.StructureKronecker}
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		return setup
	}
	first := plan(No, "")
	text := encoded(t, first, d, 31, Options{})
	inMemory, err := NewTable(first, d, 0)
	if err != nil {
		t.Fatal(err)
	}
	fromFile, err := ReadTable(first, bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Momentum: 0.9}
	clipped, err := NewPlan(Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Center: Yes, Whiten: No, Steps: 5, Transforms: scatteringOf8x8(t), Normalization: feature.NormClip, Radius: 0.5}, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, setup := range []Setup{first, clipped, plan(Yes, option.StructureKronecker), plan(Yes, option.StructureFull), plan(Yes, option.StructureDiagonal)} {
		fit := func(run func(*ledger.Ledger) (*Result, error)) *model.Model {
			result, failed := run(rich(t, setup.Plan.Neighboring))
			if failed != nil {
				t.Fatal(failed)
			}
			return result.Model
		}
		want := fit(func(l *ledger.Ledger) (*Result, error) { return Fit(context.Background(), l, setup, d, o) })
		labels, p := predictions(want, d)
		for name, table := range map[string]*Table{"in memory": inMemory, "from a file": fromFile} {
			got := fit(func(l *ledger.Ledger) (*Result, error) { return table.Fit(context.Background(), l, setup, o) })
			for j, v := range want.Weights() {
				if math.Float64bits(got.Weights()[j]) != math.Float64bits(v) {
					t.Fatalf("%v, %s: weight %d is %v, want %v", setup.Plan.Preparation, name, j, got.Weights()[j], v)
				}
			}
			checkTablePredictions(t, table, got, labels, p)
		}
	}
}

// checkTablePredictions holds predictions of a table against those for the rows of the data set. Features are
// off by half a step of the grid of 16 bits, and predictions by little more here.
func checkTablePredictions(t *testing.T, table *Table, m *model.Model, labels, p []float64) {
	t.Helper()
	got, targets, err := table.Predict(m)
	if err != nil || len(got) != len(p) {
		t.Fatalf("got %d predictions and %v, want %d", len(got), err, len(p))
	}
	for i, v := range p {
		if math.Abs(got[i]-v) > 1e-3 {
			t.Fatalf("prediction %d is %v, want %v", i, got[i], v)
		}
	}
	for i, v := range labels {
		if float64(targets[i]) != v {
			t.Fatalf("target %d is %v, want %v", i, targets[i], v)
		}
	}
}

// TestTableRefusals holds what is refused before anything is spent.
func TestTableRefusals(t *testing.T) {
	s, d := pictures(t, 60)
	s.Records = 60
	plan := func(change func(*Request)) Setup {
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: No, Steps: 5, Transforms: scatteringOf8x8(t)}
		change(&r)
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		return setup
	}
	first := plan(func(*Request) {})
	text := encoded(t, first, d, 60, Options{})
	table, err := ReadTable(first, bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	few, batches := plan(func(*Request) {}), plan(func(r *Request) { r.Epsilon, r.Neighboring, r.BatchSize = math.Inf(1), privacy.ReplaceOne, 10 })
	few.Plan.MaxRecords, few.Plan.Records = 50, 50
	batches.Plan.Records, batches.Plan.MaxRecords = 59, 60
	raw := plan(func(r *Request) { r.Transforms = nil })
	for name, c := range map[string]struct {
		setup Setup
		want  string
	}{
		"more than the bound": {few, "max-records"},
		"another batch":       {batches, "more rows than the declared"},
		"other transforms":    {raw, "other columns or transforms"},
		"held out":            {plan(func(r *Request) { r.Holdout = &HoldoutRequest{Share: 0.2} }), "held out"},
	} {
		l := rich(t, c.setup.Plan.Neighboring)
		if _, err = table.Fit(context.Background(), l, c.setup, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error about %q", name, err, c.want)
		}
		if len(l.Event()) != 0 {
			t.Errorf("%s: the ledger has %d entries, want none", name, len(l.Event()))
		}
	}
	if _, err = ReadTable(raw, bytes.NewReader(text), int64(len(text))); err == nil {
		t.Error("a file of other features was taken")
	}
	if _, err = NewTable(first, d, 7); err == nil {
		t.Error("7 feature bits were taken")
	}
}

// TestDefaultsOfSteps holds how many steps a plan has unasked, and its clipping norm in units of the bound of a
// row.
func TestDefaultsOfSteps(t *testing.T) {
	s := toySchema(t)
	for name, c := range map[string]struct {
		change func(*Request)
		steps  int
		norm   float64
	}{
		"whitened":     {func(r *Request) { r.Whiten = Yes }, 120, 0.5},
		"not whitened": {func(r *Request) { r.Whiten = No }, 60, 0.5},
		"asked for":    {func(r *Request) { r.Whiten, r.Steps, r.ClippingNorm = Yes, 60, 0.7 }, 60, 0.7},
		"sampled":      {func(r *Request) { r.Whiten, r.SamplingProbability = Yes, 0.5 }, 40, 0.5},
		"baseline":     {func(r *Request) { r.Whiten, r.Epsilon = Yes, math.Inf(1) }, 300, 1},
		"hinge":        {func(r *Request) { r.Loss = model.Hinge(0) }, 120, 1},
	} {
		r := ask()
		c.change(&r)
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if setup.Plan.Steps != c.steps || setup.Plan.Clipping.Norm != c.norm {
			t.Errorf("%s: %d steps and clipping norm %v, want %d and %v", name, setup.Plan.Steps, setup.Plan.Clipping.Norm, c.steps, c.norm)
		}
	}
}

// TestTableDrawsBatchesWithARadius trains with a private radius and batches of fixed size, which several processes
// cannot draw. A table that keeps its records trains as Fit does. One from a file is refused before it is paid.
func TestTableDrawsBatchesWithARadius(t *testing.T) {
	s := toySchema(t)
	s.Records = 300
	for _, rows := range []int{0, 299, 300} {
		d := toyData(t, s, 300).Slice(0, rows)
		r := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.ReplaceOne, Center: No, Whiten: No, Steps: 5, BatchSize: 300, Normalization: feature.NormClip, PrivateRadius: true}
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		table, err := NewTable(setup, d, 0)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Fit(context.Background(), rich(t, privacy.ReplaceOne), setup, d, Options{Momentum: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		got, err := table.Fit(context.Background(), rich(t, privacy.ReplaceOne), setup, Options{Momentum: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		if !sameBits(got.Model.Weights(), want.Model.Weights()) {
			t.Errorf("%d rows: weights are %v, want %v", rows, got.Model.Weights(), want.Model.Weights())
		}
		text := encoded(t, setup, d, 101, Options{})
		read, err := ReadTable(setup, bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		l := rich(t, privacy.ReplaceOne)
		if _, err = read.Fit(context.Background(), l, setup, Options{Momentum: 0.9}); err == nil || !strings.Contains(err.Error(), "radius") {
			t.Errorf("%d rows of a file: got error %v", rows, err)
		}
	}
}
