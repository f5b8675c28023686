package neural

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/dynamics"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
)

// diagnosed is a table of two features and two classes, of which one record in eight lies on the other side.
func diagnosed(t *testing.T, n int) (*data.Schema, *data.Dataset) {
	t.Helper()
	s, err := data.ParseSchema("schema", []byte(`dither-schema: 1
row: one point
max-records: 1000
target: {column: y, levels: [a, b]}
defaults: {missing: zero, out-of-range: clamp}
columns:
  a: {numeric: [-1, 1]}
  b: {numeric: [-1, 1]}
`))
	if err != nil {
		t.Fatal(err)
	}
	columns, target := [][]float32{make([]float32, n), make([]float32, n)}, make([]float32, n)
	for i := range n {
		angle := 2.4 * float64(i)
		columns[0][i], columns[1][i] = float32(math.Cos(angle)), float32(math.Sin(angle))
		if (columns[0][i] > 0) != (i%8 == 7) {
			target[i] = 1
		}
	}
	d, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// TestDiagnosisIsTheTable wants the measured table of a small problem at fixed first weights: what is proved of each
// clipping holds, and what is not proved fails here.
func TestDiagnosisIsTheTable(t *testing.T) {
	s, d := diagnosed(t, 200)
	r := Request{Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Layers: network.MLP(1, 4)}
	n, err := DiagnoseNonPrivate(context.Background(), r, Diagnosing{Records: 8, Steps: 3000, Seed: 1}, s, d)
	if err != nil {
		t.Fatal(err)
	}
	if n.Records != 8 || n.NormRecords != 200 || n.Weights != 17 || n.Loss != "logistic" || len(n.Norms) != 3 || n.Norms[1].Part != "1.linear" {
		t.Errorf("got %+v, want 8 and 200 records, 17 weights and norms of the whole and of 2 layers", n)
	}
	rows := map[string]Convergence{}
	for _, c := range n.Clippings {
		rows[c.Name] = c.Measured
	}
	for _, name := range []string{"no clipping", "large threshold", "global"} {
		if got := rows[name]; got.Symmetric != "yes" || got.Positive != "yes" || got.PositiveForm != "yes" || got.Monotone != "yes" || got.Zero != "yes" || got.MonotoneNoisy != "no" {
			t.Errorf("%s: got %+v, want everything but a loss that only falls with noise", name, got)
		}
	}
	for _, name := range []string{"flat", "automatic"} {
		if got := rows[name]; got.Symmetric != "no" || got.Positive != "yes" || got.PositiveForm != "no" {
			t.Errorf("%s: got %+v, want positive eigenvalues and nothing else", name, got)
		}
	}
	if got := rows["flat"]; got.Monotone != "no" || got.Zero != "yes" {
		t.Errorf("flat: got %+v, want a loss that rises on its way to 0", got)
	}
	if got := rows["layerwise"]; got.Symmetric != "no" || got.Positive != "no" || got.PositiveForm != "no" || got.Monotone != "no" {
		t.Errorf("layerwise: got %+v, want neither symmetry, nor positive eigenvalues, nor a loss that only falls", got)
	}
	if len(n.Reasons()) == 0 || !slices.ContainsFunc(n.Reasons(), func(v string) bool { return strings.Contains(v, "quadratic form") }) {
		t.Errorf("got reasons %q, want one about the form", n.Reasons())
	}
	if !(n.Norms[0].Quantile(0.5) > 0) || !(math.Abs(math.Hypot(n.LayerNorm(1), n.LayerNorm(2))-n.LayerNorm(0)) <= 1e-12) {
		t.Errorf("norms: got median %v and parts %v, %v of %v", n.Norms[0].Quantile(0.5), n.LayerNorm(1), n.LayerNorm(2), n.LayerNorm(0))
	}
}

// TestMeasuredIsTheWorst wants a row to say no when any look at the kernel says so.
func TestMeasuredIsTheWorst(t *testing.T) {
	good := dynamics.Character{Norm: 1, Least: 0.1, LeastForm: 0.1}
	bad := dynamics.Character{Norm: 1, Least: -0.1, LeastForm: -0.2, Asymmetry: 0.5}
	d := ClippingDiagnosis{Kernel: good, Flow: &dynamics.Trajectory{Start: 1, Late: 0.5, Last: 0.2, Characters: []dynamics.Character{good, bad, good}}}
	if got, want := measured(d), (Convergence{Symmetric: "no", Positive: "no", PositiveForm: "no", Monotone: "yes", Zero: "under way"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	d.Flow.Characters, d.Flow.Rises, d.Flow.Late = nil, 1, 0.201
	if got, want := measured(d), (Convergence{Symmetric: "yes", Positive: "yes", PositiveForm: "yes", Monotone: "no", Zero: "no"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDiagnosisRefusals(t *testing.T) {
	s, d := diagnosed(t, 20)
	for _, c := range []struct {
		o    Diagnosing
		want string
	}{{Diagnosing{Records: -1}, "1 record"}, {Diagnosing{Norm: -1}, "clipping norm"}, {Diagnosing{LearningRate: math.Inf(1)}, "learning rate"}, {Diagnosing{NoiseMultiplier: math.NaN()}, "noise multiplier"}} {
		_, err := DiagnoseNonPrivate(context.Background(), Request{Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Layers: network.MLP(1, 4)}, c.o, s, d)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got error %v, want one with %q", c.o, err, c.want)
		}
	}
}
