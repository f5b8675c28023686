package rows

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
)

// filled returns storage of random rows, and the rows.
func filled(r *rand.Rand, kind Type, n, dim int) (Storage, [][]int16) {
	x, want := New(kind, n, dim), make([][]int16, n)
	for i := range want {
		want[i] = make([]int16, dim)
		var index []uint32
		var values []int16
		for j := range want[i] {
			v := int16(r.IntN(int(min(kind.Largest(), 300)) + 1))
			if (kind == Int16 || kind == Sparse) && r.IntN(2) == 0 {
				v = -v
			}
			if want[i][j] = v; v != 0 {
				index, values = append(index, uint32(j)), append(values, v)
			}
		}
		if kind == Sparse {
			Append(x, index, values)
		} else {
			x.Put(i, want[i])
		}
	}
	return x, want
}

// rowsOf returns the rows of storage, copied and read.
func rowsOf(t *testing.T, x Storage, dim int) [][]int16 {
	t.Helper()
	out := make([][]int16, x.Count())
	for i := range out {
		row := make([]int16, dim)
		x.CopyRow(row, i)
		index, values, octets := x.Read(i, &Room{})
		read := make([]int16, dim)
		for j, v := range octets {
			read[j] = int16(v)
		}
		for k, v := range values {
			j := k
			if index != nil {
				j = int(index[k])
			}
			read[j] = v
		}
		if out[i] = row; !slices.Equal(row, read) {
			t.Fatalf("row %d is copied as %v and read as %v", i, row, read)
		}
	}
	return out
}

// TestStorageGivesWhatItGot fills storage of each type, takes parts and copies of it, and writes it to a file in blocks:
// each gives the rows that it was made of.
func TestStorageGivesWhatItGot(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	same := func(what string, got, want [][]int16) {
		t.Helper()
		if !slices.EqualFunc(got, want, func(a, b []int16) bool { return slices.Equal(a, b) }) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	for _, kind := range []Type{Int16, Uint8, Bit, Sparse} {
		for _, dim := range []int{1, 7, 64, 70} {
			name := fmt.Sprintf("%v of %d", kind, dim)
			x, want := filled(r, kind, 9, dim)
			same(name, rowsOf(t, x, dim), want)
			same(name+", a part", rowsOf(t, x.Part(2, 5), dim), want[2:7])
			listed := [][]int16{want[8], want[0], want[0], want[3]}
			same(name+", copies", rowsOf(t, x.Take(nil, []int{8, 0, 0, 3}), dim), listed)
			same(name+", extended", rowsOf(t, x.Take(nil, []int{8}).Extend(x, []int{0, 0, 3}), dim), listed)
			square, dots, m := make([]int64, 9), make([]int64, 9), make([]int64, dim)
			for j := range m {
				m[j] = r.Int64N(1<<40) - 1<<39
			}
			x.Norms2(square)
			x.Dots(dots, m, nil)
			for i, row := range want {
				s, d := int64(0), int64(0)
				for j, v := range row {
					s, d = s+int64(v)*int64(v), d+int64(v)*m[j]
				}
				if square[i] != s || dots[i] != d {
					t.Errorf("%s, row %d: square %d and product %d, want %d and %d", name, i, square[i], dots[i], s, d)
				}
			}
			var text bytes.Buffer
			w := NewWriter(&text)
			w.Table.Type, w.Table.Dim, w.Table.Step, w.Table.Labels = kind, dim, 1, true
			for at := 0; at < 9; at += 4 {
				n := min(4, 9-at)
				if err := w.Append(x.Part(at, n), []float32{0, 1, 2, 3, 4, 5, 6, 7, 8}[at:at+n]); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(nil); err != nil {
				t.Fatal(err)
			}
			file := bytes.NewReader(text.Bytes())
			table, err := ReadTable(file, file.Size())
			if err != nil || len(table.Blocks) != 3 {
				t.Fatalf("%s: %d blocks, error %v, want three", name, len(table.Blocks), err)
			}
			read, labels, err := table.InMemory(file)
			if err != nil || !slices.Equal(labels, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8}) {
				t.Fatalf("%s: labels %v, error %v", name, labels, err)
			}
			same(name+", from a file", rowsOf(t, read, dim), want)
		}
	}
}

// TestSumIsTheDefinition adds rows times integers near the end of what float64 holds, row after row and column after
// column, whole and in parts, and compares with integers modulo 2^64.
func TestSumIsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for _, kind := range []Type{Int16, Uint8, Bit, Sparse} {
		for _, columns := range []int{1, 3} {
			const n, dim = 11, 67
			x, rows := filled(r, kind, n, dim)
			byRows, byColumns := NewSum(x, kind, columns, dim, nil), NewSum(x, kind, columns, dim, make([]int64, columns*dim))
			parts, want := [2]Sum{}, make([]int64, columns*dim)
			for i := range parts {
				parts[i] = NewSum(x, kind, columns, dim, nil)
			}
			for step := range 6 {
				q, turned, most := make([]float64, n*columns), make([]float64, n*columns), int64(1)<<(20+r.IntN(30))
				for i := range q {
					q[i] = float64(r.Int64N(most) - most/2)
					for j, v := range rows[i/columns] {
						want[i%columns*dim+j] += int64(q[i]) * int64(v)
					}
				}
				kernel.Transpose(turned, q, n, columns)
				byRows.Add(x, q)
				byColumns.AddColumns(x, turned)
				parts[step%2].Add(x, q)
				if step == 3 {
					parts[0].Take(&parts[1])
				}
			}
			byRows.Flush()
			byColumns.Flush()
			parts[0].Take(&parts[1])
			parts[0].Take(&parts[1]) // holds nothing any more
			for _, got := range [][]int64{byRows.Total, byColumns.Total, parts[0].Total} {
				if !slices.Equal(got, want) {
					t.Errorf("%v, %d columns: the sum is not that of the rows times integers", kind, columns)
				}
			}
		}
	}
}
