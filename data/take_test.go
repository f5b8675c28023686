package data_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
)

// TestTake compares rows, targets and cells of a dense and of a sparse data set with those of the rows
// that were taken.
func TestTake(t *testing.T) {
	s := &data.Schema{MaxRecords: 100, Target: data.Target{Column: "y", Levels: []string{"-1", "1"}}, Columns: []data.Column{
		{Name: "a", Kind: data.Numeric, Upper: 9}, {Name: "b", Kind: data.Numeric, Upper: 9}}}
	dense, err := data.New(s, [][]float32{{0, 1, 2, 3}, {5, 0, 7, 0}}, []float32{0, 1, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	sparse, err := data.NewSparse(s, []int{0, 1, 2, 4, 5}, []uint32{1, 0, 0, 1, 0}, []float32{5, 1, 2, 7, 3}, []float32{0, 1, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]*data.Dataset{"dense": dense, "sparse": sparse} {
		for _, rows := range [][]int{{}, {3, 1}, {0, 1, 2, 3}, {2, 2}} {
			got := d.Take(rows)
			if got.Records() != len(rows) || got.Sparse() != d.Sparse() {
				t.Fatalf("%s %v: got %d records", name, rows, got.Records())
			}
			for k, i := range rows {
				a, b := got.Row(nil, k), d.Row(nil, i)
				if !slices.Equal(a, b) || got.Target()[k] != d.Target()[i] || fmt.Sprint(got.Cells(k)) != fmt.Sprint(d.Cells(i)) {
					t.Errorf("%s %v: row %d is %v, want %v", name, rows, k, a, b)
				}
			}
		}
	}
}
