package rows

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWriteSortedSorts writes pieces of every type, with and without labels, and wants the rows in the order of their
// keys, however few are sorted at a time.
func TestWriteSortedSorts(t *testing.T) {
	for kind := Int16; kind <= Sparse; kind++ {
		for _, labels := range []bool{false, true} {
			for _, most := range []int64{1, 5000, 1 << 30} {
				t.Run(fmt.Sprint(kind, labels, most), func(t *testing.T) {
					r := rand.New(rand.NewPCG(5, 1))
					type row struct {
						key   uint32
						cells []int16
						label float32
					}
					var all []row
					var file bytes.Buffer
					var pieces []Piece
					for range 7 {
						n := r.IntN(90)
						x, rows := filled(r, kind, n, 70)
						p, own := Piece{Offset: int64(file.Len())}, make([]float32, n)
						for i := range n {
							p.Keys, own[i] = append(p.Keys, r.Uint32N(20)<<28|r.Uint32N(3)), float32(len(all)+i)
						}
						slices.Sort(p.Keys)
						for i := range n {
							all = append(all, row{p.Keys[i], rows[i], own[i]})
						}
						w := NewWriter(&file)
						w.Table.Type, w.Table.Dim, w.Table.Step, w.Table.Labels = kind, 70, 0.5, labels
						if !labels {
							own = nil
						}
						if err := w.Append(x, own); err != nil {
							t.Fatal(err)
						}
						if err := w.Close(nil); err != nil {
							t.Fatal(err)
						}
						p.Size = int64(file.Len()) - p.Offset
						pieces = append(pieces, p)
					}
					var out bytes.Buffer
					w := NewWriter(&out)
					if err := w.WriteSorted(bytes.NewReader(file.Bytes()), pieces, most); err != nil {
						t.Fatal(err)
					}
					if err := w.Close(nil); err != nil {
						t.Fatal(err)
					}
					slices.SortStableFunc(all, func(a, b row) int { return cmp.Compare(a.key, b.key) })
					table, err := ReadTable(bytes.NewReader(out.Bytes()), int64(out.Len()))
					if err != nil || table.Step != 0.5 || table.Labels != labels {
						t.Fatalf("the table is %+v, %v", table, err)
					}
					x, got, err := table.InMemory(bytes.NewReader(out.Bytes()))
					if err != nil || x.Count() != len(all) {
						t.Fatalf("%d rows, %v, want %d", x.Count(), err, len(all))
					}
					for i, cells := range rowsOf(t, x, 70) {
						if !slices.Equal(cells, all[i].cells) || labels && got[i] != all[i].label {
							t.Fatalf("row %d is another", i)
						}
					}
				})
			}
		}
	}
}

// TestWriteSortedRefuses wants an error for pieces of several types, and for keys that are not one for each row.
func TestWriteSortedRefuses(t *testing.T) {
	var file bytes.Buffer
	var pieces []Piece
	for _, dim := range []int{3, 4} {
		w, at := NewWriter(&file), int64(file.Len())
		w.Table.Type, w.Table.Dim, w.Table.Step = Uint8, dim, 1
		if err := w.Append(New(Uint8, 2, dim), nil); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(nil); err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, Piece{at, int64(file.Len()) - at, []uint32{1, 2}})
	}
	few, damaged := pieces[0], pieces[0]
	few.Keys, damaged.Size = few.Keys[:1], damaged.Size-1
	for name, p := range map[string][]Piece{"two widths": pieces, "a key too few": {few}, "a damaged piece": {damaged}} {
		if err := NewWriter(&bytes.Buffer{}).WriteSorted(bytes.NewReader(file.Bytes()), p, 1); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
