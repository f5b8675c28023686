package release

import (
	"math"
	"strings"
	"testing"
)

// TestWholeRows holds that integers are kept as they are, with their squared norms, in blocks of several goroutines,
// that rows beyond the limit are all zero, and what is refused.
func TestWholeRows(t *testing.T) {
	const n, dim, limit = 1000, 3, 50
	number := func(i, j int) int16 { return int16((i*(j+2))%11 - 5) }
	worker := func() func(dst []int16, first, n int) {
		return func(dst []int16, first, n int) {
			for i := range n {
				for j := range dim {
					dst[i*dim+j] = number(first+i, j)
				}
			}
		}
	}
	rows, err := NewWholeRows(n, RowsOptions{Dim: dim, Step: 0.5, Limit: limit}, worker)
	if err != nil {
		t.Fatal(err)
	}
	block, err := rows.Load(0, n, Block{})
	if err != nil {
		t.Fatal(err)
	}
	beyond := 0
	for i := range n {
		var want, got [dim]int16
		n2 := int64(0)
		for j := range want {
			want[j] = number(i, j)
			n2 += int64(want[j]) * int64(want[j])
		}
		if n2 > limit {
			want, n2, beyond = [dim]int16{}, 0, beyond+1
		}
		if block.CopyRow(got[:], i); got != want || rows.n2[i] != n2 {
			t.Fatalf("row %d is %v with squared norm %d, want %v and %d", i, got, rows.n2[i], want, n2)
		}
	}
	if beyond == 0 || beyond == n {
		t.Errorf("%d of %d rows are beyond the limit, want some", beyond, n)
	}
	for want, o := range map[string]RowsOptions{"type sparse": {Dim: dim, Step: 1, Type: Sparse}, "type uint8": {Dim: dim, Step: 1, Type: Uint8}, "step of rows": {Dim: dim}} {
		if _, err = NewWholeRows(n, o, worker); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", o, err, want)
		}
	}
}

// TestNorms holds that the norms of a block are those of its rows, of rows on which every integer stands for the same,
// whether float32 has it or not.
func TestNorms(t *testing.T) {
	const n = 150
	for _, step := range []float64{0.25, 0.1} {
		rows, err := NewWholeRows(n, RowsOptions{Dim: 2, Step: step}, func() func(dst []int16, first, n int) {
			return func(dst []int16, first, n int) {
				for i := range n {
					dst[2*i], dst[2*i+1] = int16(first+i), 3
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		block, err := rows.Load(0, n, Block{})
		if err != nil {
			t.Fatal(err)
		}
		norms := make([]float64, n-1)
		block.Norms(norms)
		for i, got := range norms {
			if want := step * math.Sqrt(float64(i*i+9)); got != block.Norm(i) || math.Abs(got/want-1) > 1e-15 {
				t.Errorf("step %v: norm of row %d is %v, want %v", step, i, got, want)
			}
		}
	}
}
