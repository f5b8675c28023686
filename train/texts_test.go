package train

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
)

// textData is a table of texts whose words tell the level, with a number beside them.
func textData(t *testing.T, records int) (*data.Schema, *data.Dataset) {
	t.Helper()
	s, err := data.ParseSchema("s.yaml", []byte(`dither-schema: 1
row: one review
max-records: 400
target: {column: y, levels: [bad, good]}
columns:
  review: {text: {buckets: 4096}}
  year: {numeric: [1990, 2020], out-of-range: clamp, missing: zero}
`))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(81, 82))
	var b strings.Builder
	b.WriteString("review,year,y\n")
	for i := range records {
		level := []string{"bad", "good"}[i%2]
		fmt.Fprintf(&b, "\"a %s film number %d, seen %s\",%d,%s\n", []string{"dull", "fine"}[i%2], r.IntN(90), []string{"once", "twice"}[r.IntN(2)], 1990+r.IntN(31), level)
	}
	d, err := data.ReadFrom(context.Background(), s, "t.csv", strings.NewReader(b.String()), data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// TestTextDefaults wants the rows of texts sparse and their defaults in the plan, and the others where a
// request asks for them.
func TestTextDefaults(t *testing.T) {
	s, d := textData(t, 60)
	r := ask()
	r.Epsilon, r.ClippingNorm, r.Intercept = 1, 0, 0
	setup, err := NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	if setup.Features.Intercept != option.TextIntercept || setup.Plan.Clipping.Bound != defaultClipping || setup.Plan.Dim != 4096+2 {
		t.Errorf("got intercept %v, clipping %+v, %d features", setup.Features.Intercept, setup.Plan.Clipping, setup.Plan.Dim)
	}
	if len(setup.Plan.Preparation) != 1 || setup.Plan.Preparation[0].Kind != option.CountStatistic {
		t.Errorf("got preparation %v, want the count alone", setup.Plan.Preparation)
	}
	if kind := setup.rowType(d, 0); kind != release.Sparse {
		t.Errorf("got rows of type %v, want sparse ones", kind)
	}
	r.ClippingNorm, r.Intercept = 0.7, 0.3
	if setup, err = NewPlan(r, s); err != nil || setup.Plan.Clipping.Bound != 0.7 || setup.Features.Intercept != 0.3 {
		t.Errorf("got intercept %v, clipping %+v, error %v, want those asked for", setup.Features.Intercept, setup.Plan.Clipping, err)
	}
}

// TestTextRowsLookAtOneRecord permutes the records: the noiseless sum of each must keep its entries.
func TestTextRowsLookAtOneRecord(t *testing.T) {
	s, d := textData(t, 60)
	r := ask()
	setup, err := NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]float64, setup.Model.Weights())
	random := rand.New(rand.NewPCG(83, 84))
	for j := range weights {
		weights[j] = random.NormFloat64()
	}
	want := proposals(t, setup, d, weights, 60, false)
	order := random.Perm(60)[:37]
	start, columns, values, target := []int{0}, []uint32{}, []float32{}, []float32{}
	for _, i := range order {
		at, v := d.Cells(i)
		columns, values, target = append(columns, at...), append(values, v...), append(target, d.Target()[i])
		start = append(start, len(columns))
	}
	other, err := data.NewSparse(s, start, columns, values, target)
	if err != nil {
		t.Fatal(err)
	}
	got := proposals(t, setup, other, weights, 8, false)
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
