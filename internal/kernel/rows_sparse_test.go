package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// anySparse returns sparse rows and the same rows as dense ones. The rows are a part of a
// longer matrix.
func anySparse(r *rand.Rand, rows, dim int, ones bool) (SparseRows, []int16) {
	x, dense := SparseRows{Start: []int{0}}, make([]int16, rows*dim)
	for i := range rows + 2 {
		for j := range dim {
			if r.IntN(4) > 0 {
				continue
			}
			v := int16(1)
			if !ones {
				v = anyEntries[int16](r, 1)[0]
			}
			x.Index, x.Value = append(x.Index, uint32(j)), append(x.Value, v)
			if i >= 1 && i <= rows {
				dense[(i-1)*dim+j] = v
			}
		}
		x.Start = append(x.Start, len(x.Index))
	}
	if ones {
		x.Value = nil
	}
	x.Start = x.Start[1 : rows+2]
	return x, dense
}

// TestMarginsSparse compares with sums in float64 in the order of the coordinates, where
// the entries that are not given add zeros: the same operations, and so the same bits.
func TestMarginsSparse(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 1))
	for turn := range 200 {
		s := rowShape{1 + r.IntN(20), r.IntN(60), 1 + r.IntN(20)}
		x, dense := anySparse(r, s.rows, s.dim, turn%2 == 0)
		w, got, want := anySingles(r, s.dim*s.columns), guarded(s.rows*s.columns), guarded(s.rows*s.columns)
		MarginsSparse(got[:s.rows*s.columns], x, w, s.columns)
		for at := range s.rows * s.columns {
			sum := 0.0
			for j, v := range dense[at/s.columns*s.dim:][:s.dim] {
				sum += float64(v) * float64(w[j*s.columns+at%s.columns])
			}
			want[at] = float32(sum)
		}
		expectSame(t, fmt.Sprintf("%+v", s), got, want)
	}
}

// TestMarginsSparseDoNotDependOnPlace compares rows alone and single columns with all.
func TestMarginsSparseDoNotDependOnPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	const rows, dim, columns = 12, 50, 19
	x, _ := anySparse(r, rows, dim, false)
	w, all := anySingles(r, dim*columns), make([]float32, rows*columns)
	MarginsSparse(all, x, w, columns)
	for i := range rows {
		row := x
		row.Start = x.Start[i : i+2]
		alone := make([]float32, columns)
		MarginsSparse(alone, row, w, columns)
		expectSame(t, fmt.Sprintf("row %d", i), alone, all[i*columns:(i+1)*columns])
		for k := range columns {
			column, one := make([]float32, dim), make([]float32, 1)
			for j := range column {
				column[j] = w[j*columns+k]
			}
			MarginsSparse(one, row, column, 1)
			expectSame(t, fmt.Sprintf("row %d, column %d", i, k), one, all[i*columns+k:][:1])
		}
	}
}

// TestAddIntSparse compares with the sums of the same rows as dense ones.
func TestAddIntSparse(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 1))
	for turn := range 200 {
		s := rowShape{1 + r.IntN(20), 1 + r.IntN(60), 1 + r.IntN(20)}
		x, dense := anySparse(r, s.rows, s.dim, turn%2 == 0)
		q := anyWhole(r, s.rows*s.columns, s.rows, 0x1p15)
		got, want := make([]float64, s.dim*s.columns), make([]float64, s.dim*s.columns)
		AddIntSparse(got, x, q, s.columns)
		addWholePortable(want, dense, s.dim, q, s.columns)
		for at, v := range got {
			if other := want[at%s.columns*s.dim+at/s.columns]; math.Float64bits(v) != math.Float64bits(other) {
				t.Fatalf("%+v, coordinate %d of column %d: got %v, want %v", s, at/s.columns, at%s.columns, v, other)
			}
		}
	}
}
