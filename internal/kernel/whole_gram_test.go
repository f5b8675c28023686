package kernel

import (
	"math/rand/v2"
	"testing"
)

// TestAddGramInt compares every set of instructions with the definition: of few and many columns, of one and of several
// strips of them, with entries of all lengths, in groups that GramGroup gives, added to what is there.
func TestAddGramInt(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(17, 1))
		groups := map[int]bool{}
		for _, dim := range []int{1, 2, 15, 16, 33, 64, 95, 96, 97, 130, 200, 1100} {
			for _, bits := range []int{6, 13, 14, 16} {
				if dim == 1100 && bits != 14 {
					continue // many strips, of entries of one length
				}
				rows := r.IntN(70)
				x, got, want := make([]int16, rows*dim), make([]int64, dim*dim), make([]int64, dim*dim)
				for j := range x {
					x[j] = int16(r.IntN(1<<bits) - 1<<(bits-1))
				}
				for j := range got {
					got[j] = int64(r.IntN(100))
					want[j] = got[j]
				}
				for i := range rows {
					row := x[i*dim : (i+1)*dim]
					for j, v := range row {
						for k := range j + 1 {
							want[j*dim+k] += int64(v) * int64(row[k])
						}
					}
				}
				group := GramGroup(x, dim)
				groups[group] = true
				addGramWhole(set, got, x, dim, group)
				for j := range dim {
					for k := range j + 1 {
						if got[j*dim+k] != want[j*dim+k] {
							t.Fatalf("%d rows of %d entries of %d bits in groups of %d: entry %d, %d is %d, want %d", rows, dim, bits, group, j, k, got[j*dim+k], want[j*dim+k])
						}
					}
				}
			}
		}
		if len(groups) < 3 {
			t.Errorf("groups are %v, want several", groups)
		}
	})
}

// TestGramGroup holds that groups are as large as their contract allows, and no larger: with rows of one entry.
func TestGramGroup(t *testing.T) {
	many := func(n int, v int16) []int16 {
		x := make([]int16, n)
		for i := range x {
			x[i] = v
		}
		return x
	}
	for _, c := range []struct {
		x    []int16
		want int
	}{{nil, 256}, {many(300, 2896), 256}, {many(300, 2897), 128}, {many(300, -32768), 1}, {many(2, 32767), 256}, {many(3, 32767), 2}, {many(3, -32768), 1},
		{append(append(many(100, 0), -32768, -32768), many(100, 0)...), 1}, {append(append(many(100, 0), -32768), many(100, 0)...), 256}} {
		if got := GramGroup(c.x, 1); got != c.want {
			t.Errorf("%d rows from %v on: group %d, want %d", len(c.x), c.x[:min(3, len(c.x))], got, c.want)
		}
	}
}
