package data

import (
	"bufio"
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// sparseTable reads a LIBSVM text under sparseSchema.
func sparseTable(t *testing.T, text string, o ReadOptions) *Dataset {
	t.Helper()
	q, b, err := newRequest(sparseSchema(), "t", 0, o)
	if err != nil {
		t.Fatal(err)
	}
	if err = scanLIBSVM(context.Background(), q, bufio.NewReaderSize(strings.NewReader(text), chunkBytes)); err != nil {
		t.Fatal(err)
	}
	return b.dataset(o.KeepDropped)
}

// TestSparseCellsAndAbsent wants the cells of the file without the ignored column. Other cells are
// the number 0 as each column treats it.
func TestSparseCellsAndAbsent(t *testing.T) {
	d := sparseTable(t, "-1 1:2 2:3 3:9 5:2\n+1 2:1 5:1 6:1.0\n", ReadOptions{})
	nan := float32(math.NaN())
	// Columns a, b, d, e, f: 0 is good; out of range and dropped; out of range and missing; an unknown
	// level and dropped; the level 0.0.
	if want := []float32{0, nan, nan, nan, 0}; !sameFloats(d.Absent(), want) {
		t.Errorf("absent: got %v, want %v", d.Absent(), want)
	}
	for i, want := range []struct {
		columns []uint32
		values  []float32
	}{{[]uint32{0, 1, 3}, []float32{2, 3, 1}}, {[]uint32{1, 3, 4}, []float32{1, 0, 1}}} {
		if columns, values := d.Cells(i); !slices.Equal(columns, want.columns) || !sameFloats(values, want.values) {
			t.Errorf("record %d: got %v %v, want %v %v", i, columns, values, want.columns, want.values)
		}
	}
	dense, err := New(d.Schema(), [][]float32{{1}, {1}, {1}, {1}, {1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if columns, values := dense.Cells(0); dense.Sparse() || dense.Absent() != nil || columns != nil || values != nil {
		t.Error("a table in columns says that it is sparse")
	}
}

// TestSparseSlice compares the rows of slices of slices, and what Group says, with the whole.
func TestSparseSlice(t *testing.T) {
	text, _ := sparseTexts(300)
	whole := sparseTable(t, text, ReadOptions{KeepDropped: true})
	s := whole.Slice(20, 250).Slice(30, 200)
	if s.Records() != 170 || !s.Sparse() {
		t.Fatalf("got %d records, want 170 sparse ones", s.Records())
	}
	for i := range s.Records() {
		if got, want := s.Row(nil, i), whole.Row(nil, 50+i); !sameFloats(got, want) {
			t.Fatalf("row %d: got %v, want %v", i, got, want)
		}
	}
	got, levels, err := s.Group("e")
	want, _, _ := whole.Group("e")
	if err != nil || len(levels) != 2 || !slices.Equal(got, want[50:220]) {
		t.Errorf("group: got %v %v, error %v, want those of the whole", got, levels, err)
	}
}

// TestSparseBlocks wants the blocks of a LIBSVM file to be the parts of the whole.
func TestSparseBlocks(t *testing.T) {
	text, _ := sparseTexts(500)
	path := filepath.Join(t.TempDir(), "t.libsvm")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []ReadOptions{{}, {KeepDropped: true, Extra: []string{"c"}}} {
		whole := sparseTable(t, text, o)
		for _, size := range []int{1, 7, 100, 1000} {
			at := 0
			err := ReadBlocks(context.Background(), sparseSchema(), Source{Path: path}, o, size, func(d *Dataset) error {
				if !d.Sparse() || d.Records() != min(size, whole.Records()-at) {
					t.Fatalf("block of %d from record %d: got %d records", size, at, d.Records())
				}
				for i := range d.Records() {
					if !sameFloats(d.Row(nil, i), whole.Row(nil, at+i)) || d.Target()[i] != whole.Target()[at+i] && d.Target()[i] == d.Target()[i] {
						t.Fatalf("block of %d from record %d: record %d is another one", size, at, i)
					}
				}
				at += d.Records()
				return nil
			})
			if err != nil || at != whole.Records() {
				t.Errorf("blocks of %d: got %d records, error %v, want %d", size, at, err, whole.Records())
			}
		}
	}
}

// TestSparseBlocksEarly wants blocks to be passed on before the end of the file is read: a fault in
// its last line is found after them.
func TestSparseBlocksEarly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.libsvm")
	if err := os.WriteFile(path, []byte(strings.Repeat("+1 2:2 5:1\n", 25)+"+1 9:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	blocks := 0
	err := ReadBlocks(context.Background(), sparseSchema(), Source{Path: path}, ReadOptions{}, 10, func(*Dataset) error {
		blocks++
		return nil
	})
	if err == nil || blocks != 2 {
		t.Errorf("got %d blocks and error %v, want 2 blocks and a fault", blocks, err)
	}
}

// TestNewSparse wants what a LIBSVM file of the same cells gives, and wrong shapes refused.
func TestNewSparse(t *testing.T) {
	want := sparseTable(t, "-1 1:2 2:3 5:2\n+1 2:1 5:1 6:1.0\n", ReadOptions{})
	got, err := NewSparse(sparseSchema(), []int{0, 3, 6}, []uint32{0, 1, 3, 1, 3, 4}, []float32{2, 3, 1, 1, 0, 1}, []float32{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if !sameFloats(got.Row(nil, i), want.Row(nil, i)) || got.Target()[i] != want.Target()[i] {
			t.Errorf("row %d: got %v, want %v", i, got.Row(nil, i), want.Row(nil, i))
		}
	}
	for name, c := range map[string]struct {
		start   []int
		columns []uint32
		values  []float32
		target  []float32
	}{
		"no start":           {nil, nil, nil, nil},
		"first start":        {[]int{1, 1}, []uint32{0}, []float32{1}, nil},
		"last start":         {[]int{0, 1}, []uint32{0, 1}, []float32{1, 1}, nil},
		"start descends":     {[]int{0, 2, 1, 2}, []uint32{0, 1}, []float32{1, 1}, nil},
		"start beyond":       {[]int{0, 3, 2}, []uint32{0, 1}, []float32{1, 1}, nil},
		"values too few":     {[]int{0, 2}, []uint32{0, 1}, []float32{1}, nil},
		"target too short":   {[]int{0, 1, 2}, []uint32{0, 1}, []float32{1, 1}, []float32{0}},
		"column beyond":      {[]int{0, 1}, []uint32{5}, []float32{1}, nil},
		"columns descend":    {[]int{0, 2}, []uint32{1, 0}, []float32{1, 1}, nil},
		"column twice":       {[]int{0, 2}, []uint32{1, 1}, []float32{1, 1}, nil},
		"column far outside": {[]int{0, 1}, []uint32{math.MaxUint32}, []float32{1}, nil},
	} {
		if _, err = NewSparse(sparseSchema(), c.start, c.columns, c.values, c.target); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// TestSparseMemory reads 2000 records of 3 entries under 50 000 columns, which are 400 MB as
// columns. The data set has less than 1 MB in addition to the schema.
func TestSparseMemory(t *testing.T) {
	s, err := (&Schema{MaxRecords: 2000, Target: Target{Column: "y", Levels: []string{"0", "1"}},
		Columns: []Column{{Name: "f", Kind: Numeric, Upper: 1, OutOfRange: Clamp, Missing: Zero, Repeat: 50000}}}).Expand()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.libsvm")
	if err = os.WriteFile(path, []byte(strings.Repeat("1 7:0.5 4000:1 49999:0.25\n", 2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	d, err := Read(context.Background(), s, Source{Path: path}, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d.features = nil // what the schema takes
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 1<<20 {
		t.Errorf("%d records of 3 cells take %d bytes, want at most 1 MiB", d.Records(), held)
	}
}
