package train

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/privacy"
)

// sparseTables is one random table twice: sparse, and in columns. Column 0 has bounds around 0, so
// that its absent cell is encoded as 1/2.
func sparseTables(t *testing.T, width, records int) (sparse, dense *data.Dataset) {
	t.Helper()
	s, err := (&data.Schema{Row: "one person", Records: records, MaxRecords: records, Target: data.Target{Column: "y", Levels: []string{"0", "1", "2"}}, Columns: []data.Column{
		{Name: "a", Kind: data.Numeric, Lower: -1, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero},
		{Name: "f", Kind: data.Numeric, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero, Repeat: width - 1},
	}}).Expand()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(31, 32))
	start, columns, values, target := []int{0}, []uint32{}, []float32{}, []float32{}
	for range records {
		sum := 0
		for j := r.IntN(20); j < width; j += 1 + r.IntN(40) {
			columns, values = append(columns, uint32(j)), append(values, r.Float32())
			sum += j % 3
		}
		start, target = append(start, len(columns)), append(target, float32(sum%3))
	}
	if sparse, err = data.NewSparse(s, start, columns, values, target); err != nil {
		t.Fatal(err)
	}
	whole := make([][]float32, width)
	for j := range whole {
		whole[j] = sparse.Column(j)
	}
	if dense, err = data.New(s, whole, target); err != nil {
		t.Fatal(err)
	}
	return sparse, dense
}

// TestFitSparse trains without noise on one table as sparse records and as columns: the rows are of
// other types, and the weights agree up to the rounding of scores to float32, 2^-24 relative to
// products of at most about 1, over 20 steps. A file of encoded records gives what memory does.
func TestFitSparse(t *testing.T) {
	sparse, dense := sparseTables(t, 200, 300)
	for _, center := range []Tristate{Yes, No} {
		r := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 20, Center: center, Whiten: No}
		setup, err := NewPlan(r, sparse.Schema())
		if err != nil {
			t.Fatal(err)
		}
		if kind := setup.rowType(sparse, 0); kind != release.Sparse || setup.rowType(dense, 0) != release.Int16 {
			t.Fatalf("type of rows: got %v, want sparse ones and others", kind)
		}
		var weights [2][]float64
		for i, d := range []*data.Dataset{sparse, dense} {
			result, fitErr := Fit(context.Background(), budget(t, math.Inf(1)), setup, d, Options{Momentum: 0.9})
			if fitErr != nil {
				t.Fatal(fitErr)
			}
			weights[i] = result.Model.Weights()
		}
		largest := 0.0
		for j, w := range weights[0] {
			largest = max(largest, math.Abs(w))
			if !(math.Abs(w-weights[1][j]) < 1e-4) {
				t.Fatalf("center %v: weight %d is %v for sparse records, %v for columns", center, j, w, weights[1][j])
			}
		}
		if largest < 0.1 {
			t.Errorf("center %v: the largest weight is %v: nothing was learned", center, largest)
		}
		if got := fitFile(t, setup, sparse); fmt.Sprint(got) != fmt.Sprint(weights[0]) {
			t.Errorf("center %v: a file gives other weights than memory", center)
		}
	}
}

// fitFile trains on a file that was written in two parts.
func fitFile(t *testing.T, s Setup, d *data.Dataset) []float64 {
	t.Helper()
	var file bytes.Buffer
	e, err := NewEncoder(s, Options{}, &file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []*data.Dataset{d.Slice(0, 100), d.Slice(100, d.Records())} {
		if err = e.Append(part); err != nil {
			t.Fatal(err)
		}
	}
	if err = e.Close(nil); err != nil {
		t.Fatal(err)
	}
	result, err := FitFile(context.Background(), budget(t, math.Inf(1)), s, bytes.NewReader(file.Bytes()), int64(file.Len()), Options{Momentum: 0.9})
	if err != nil {
		t.Fatal(err)
	}
	return result.Model.Weights()
}

// TestRowTypeOfSparseTables wants sparse rows only where few columns have a feature for the number 0.
func TestRowTypeOfSparseTables(t *testing.T) {
	for _, c := range []struct {
		name         string
		lower, upper float64
		want         release.RowType
	}{{"bounds from 0", 0, 1, release.Sparse}, {"bounds above 0", 1, 2, release.Sparse}, {"bounds around 0", -1, 1, release.Int16}} {
		s, err := (&data.Schema{MaxRecords: 1, Columns: []data.Column{{Name: "f", Kind: data.Numeric, Lower: c.lower, Upper: c.upper, OutOfRange: data.Clamp, Missing: data.Zero, Repeat: 50}}}).Expand()
		if err != nil {
			t.Fatal(err)
		}
		d, err := data.NewSparse(s, []int{0, 0}, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		chain, err := feature.NewPipeline(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Setup{Features: &feature.Map{Pipeline: chain}}).rowType(d, 0); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
