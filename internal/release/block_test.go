package release

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLoadAtInMemoryOfOtherRows holds that nothing of other rows stays in a block that is filled anew: their labels, lengths
// and measures.
func TestLoadAtInMemoryOfOtherRows(t *testing.T) {
	labeled := rowsOf(t, []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, []float32{7, 8, 9}, 2)
	plain, err := NewRows(3, RowsOptions{Dim: 1, Step: recursionStep}, func(dst []float64, first, n int) {
		copy(dst, []float64{-0.1, 0.7, 0.8}[first:first+n])
	})
	if err != nil {
		t.Fatal(err)
	}
	old, err := labeled.LoadAt([]int{0, 1, 2}, Block{})
	if err != nil || !slices.Equal(old.Labels(), []float32{7, 8, 9}) {
		t.Fatalf("got labels %v and error %v, want those of the rows", old.Labels(), err)
	}
	got, err := plain.LoadAt([]int{2, 0}, old)
	if err != nil || got.Labels() != nil || got.Len() != 2 {
		t.Fatalf("got %d rows, labels %v and error %v, want two without labels", got.Len(), got.Labels(), err)
	}
	want, err := plain.LoadAt([]int{2, 0}, Block{})
	if err != nil {
		t.Fatal(err)
	}
	var x, y [1]int16
	for i := range 2 {
		got.CopyRow(x[:], i)
		if want.CopyRow(y[:], i); x != y || got.Norm(i) != want.Norm(i) || got.Record(i) != want.Record(i) {
			t.Errorf("row %d is %v of norm %v, want %v of norm %v", i, x, got.Norm(i), y, want.Norm(i))
		}
	}
	if back, err := labeled.LoadAt([]int{1}, got); err != nil || !slices.Equal(back.Labels(), []float32{8}) {
		t.Errorf("got labels %v and error %v, want 8", back.Labels(), err)
	}
}

// TestListedRowsAreSeen holds that listed rows of a part of the records, loaded as some rows and seen as others of the same
// integers, have the norms that each has when it is loaded as those.
func TestListedRowsAreSeen(t *testing.T) {
	const n, dim, first = 40, 5, 11
	for _, kind := range rowTypes {
		x := coordinates(rand.New(rand.NewPCG(35, uint64(kind))), kind, n, dim)
		plain := typedRows(t, x, kind, Standardization{}, first, n-first)
		framed, err := plain.Standardized(Standardization{Normalize: NormalizeClip, Radius: 0.5, Intercept: 0.25, Center: make([]float64, dim)})
		if err != nil {
			t.Fatal(err)
		}
		listed := []int{30, 12, 39, 11}
		b, err := plain.LoadAt(listed, Block{})
		if err != nil {
			t.Fatal(err)
		}
		if b, err = framed.Standardize(b, Block{}); err != nil {
			t.Fatal(err)
		}
		for k, i := range listed {
			want, err := framed.Load(i, 1, Block{})
			if err != nil {
				t.Fatal(err)
			}
			if b.Norm(k) != want.Norm(0) || b.Record(k) != i || b.beta(k) != want.beta(0) || b.tail(k) != want.tail(0) {
				t.Errorf("%v, record %d: got norm %v, β %d, intercept %d of record %d, want %v, %d, %d", kind, i, b.Norm(k), b.beta(k), b.tail(k), b.Record(k), want.Norm(0), want.beta(0), want.tail(0))
			}
		}
	}
}
