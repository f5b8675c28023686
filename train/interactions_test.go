package train

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/release"
)

// crossedSetup is a plan for rows of cells, and records, some with missing numbers. The level of
// the target is told by two numbers together and by neither alone.
func crossedSetup(t *testing.T, r Request, pairs string, records int) (Setup, *data.Dataset) {
	t.Helper()
	s, err := data.ParseSchema("s.yaml", []byte(`dither-schema: 1
row: one person
records: 4000
max-records: 5000
target: {column: y, levels: [no, yes]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  a: {numeric: [0, 1]}
  b: {numeric: [0, 1]}
  c: {levels: [x, y]}
`))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(41, 42))
	columns, target := make([][]float32, 3), make([]float32, records)
	for i := range target {
		a, b := random.Float32(), random.Float32()
		if (a < 0.5) != (b < 0.5) {
			target[i] = 1
		}
		if random.IntN(20) == 0 {
			a = float32(math.NaN())
		}
		columns[0], columns[1], columns[2] = append(columns[0], a), append(columns[1], b), append(columns[2], float32(random.IntN(3)))
	}
	d, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	r.Transforms = []feature.Spec{{Name: "interactions", Parameters: json.RawMessage(pairs)}}
	setup, err := NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	return setup, d
}

// TestInteractionRows compares the encoded sparse rows with the features, which are on the grid up to
// half a step.
func TestInteractionRows(t *testing.T) {
	setup, d := crossedSetup(t, ask(), `{"pairs": "all", "weight": 0.3}`, 300)
	if kind := setup.rowType(d, 0); kind != release.Sparse {
		t.Errorf("got rows of type %v, want sparse ones", kind)
	}
	encoded, err := setup.encode(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, n := setup.Features.Pipeline, d.Records()
	got, want := make([]float64, n*c.Dim()), make([]float64, n*c.Dim())
	encoded.features(got, 0, n)
	c.FeaturesOf(want, n, c.NewScratch(), func(i int) []float32 { return d.Row(make([]float32, 3), i) })
	for j := range want {
		if math.Abs(got[j]-want[j]) > encoded.rows.Step()/2 {
			t.Fatalf("number %d is %v, want %v", j, got[j], want[j])
		}
	}
}

// TestInteractionRowsLookAtOneRecord permutes the records and changes the size of blocks: what each
// proposes must stay.
func TestInteractionRowsLookAtOneRecord(t *testing.T) {
	r := ask()
	r.Whiten = No
	setup, d := crossedSetup(t, r, `{"pairs": "all"}`, 60)
	random := rand.New(rand.NewPCG(43, 44))
	weights := make([]float64, setup.Model.Weights())
	for j := range weights {
		weights[j] = random.NormFloat64()
	}
	want, order := proposals(t, setup, d, weights, 60, false), random.Perm(60)[:37]
	got := proposals(t, setup, d.Take(order), weights, 8, false)
	for k, i := range order {
		if got[k] != want[i] {
			t.Errorf("record %d proposes %v, among others %v", i, want[i], got[k])
		}
	}
	slices.Sort(want)
	if len(slices.Compact(want)) < 30 {
		t.Error("most records propose the same: the test is idle")
	}
}

// TestInteractionsNeedNoOrder trains without noise on permuted records and with other numbers of threads.
func TestInteractionsNeedNoOrder(t *testing.T) {
	r := ask()
	r.Epsilon, r.Steps = math.Inf(1), 5
	for _, r.Whiten = range []Tristate{No, Yes} {
		setup, d := crossedSetup(t, r, `{"pairs": [["b", "a"]]}`, 1000)
		weights := func(threads int, d *data.Dataset) []float64 {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			result, err := Fit(context.Background(), budget(t, math.Inf(1)), setup, d, Options{Momentum: 0.9})
			if err != nil {
				t.Fatal(err)
			}
			return result.Model.Weights()
		}
		want := weights(1, d)
		if got := weights(3, d); !slices.Equal(got, want) {
			t.Errorf("whitening %v: three threads give other weights", r.Whiten)
		}
		if got := weights(2, d.Take(rand.New(rand.NewPCG(45, 46)).Perm(1000))); !slices.Equal(got, want) {
			t.Errorf("whitening %v: another order of the records gives other weights", r.Whiten)
		}
	}
}

// TestInteractionsLearnWhatColumnsCannot trains privately where neither number alone tells the target. With
// the pair the accuracy is above 0.8, without it below 0.6.
func TestInteractionsLearnWhatColumnsCannot(t *testing.T) {
	r := ask()
	r.Epsilon = 3
	for _, c := range []struct {
		parameters  string
		above, upTo float64
	}{{`{"pairs": "none", "bins": 64}`, 0.4, 0.6}, {`{"pairs": "all"}`, 0.8, 1}} {
		setup, d := crossedSetup(t, r, c.parameters, 4000)
		result, err := Fit(context.Background(), budget(t, r.Epsilon), setup, d, Options{Momentum: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		m, p, right := result.Model, make([]float64, 1), 0
		scratch := m.NewScratch()
		for i, y := range d.Target() {
			m.Predict(p, d.Row(make([]float32, 3), i), scratch)
			if (p[0] > 0.5) == (y > 0.5) {
				right++
			}
		}
		if got := float64(right) / 4000; got < c.above || got > c.upTo {
			t.Errorf("%s: accuracy %v, want from %v to %v", c.parameters, got, c.above, c.upTo)
		}
	}
}
