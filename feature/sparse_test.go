package feature

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/encoder"
)

// randomColumn is a column of any kind, under which 0 may be good, clamped, missing, of a bin, a level
// or unknown.
func randomColumn(r *rand.Rand, j int) data.Column {
	treatments := []data.Treatment{data.Indicator, data.Zero}
	c := data.Column{Name: fmt.Sprint("c", j), Kind: data.Numeric, OutOfRange: []data.Treatment{data.Clamp, data.AsMissing}[r.IntN(2)], Missing: treatments[r.IntN(2)]}
	c.Lower = float64(r.IntN(4) - 2)
	c.Upper = c.Lower + 1 + float64(r.IntN(4))
	c.Fill = c.Lower + r.Float64()*(c.Upper-c.Lower)
	switch r.IntN(5) {
	case 0:
		c.Bins = []float64{c.Lower + 0.25, c.Lower + 0.5}
	case 1:
		c.Lower = math.Max(c.Lower, 0)
		c.Upper, c.Fill, c.Transform = c.Lower+3, c.Lower, data.TransformLog1p
	case 2:
		c = data.Column{Name: c.Name, Kind: data.Categorical, Levels: []string{"1", "0", "a"}[r.IntN(2):], Missing: c.Missing,
			Unknown: []data.Treatment{data.Other, data.Zero, data.AsMissing}[r.IntN(3)]}
	}
	return c
}

// randomSparse is a table of random cells under a random schema.
func randomSparse(t *testing.T, r *rand.Rand, width, records int) *data.Dataset {
	t.Helper()
	s := &data.Schema{MaxRecords: records, Target: data.Target{Column: "y", Levels: []string{"0", "1"}}}
	for j := range width {
		s.Columns = append(s.Columns, randomColumn(r, j))
	}
	start, columns, values, marks := []int{0}, []uint32{}, []float32{}, s.Marks()
	for range records {
		for j := range width {
			if r.IntN(3) == 0 {
				v, _ := s.Columns[j].Cell([]string{"0", "1", "-1", "2.5", "?", "a"}[r.IntN(6)], marks)
				columns, values = append(columns, uint32(j)), append(values, v)
			}
		}
		start = append(start, len(columns))
	}
	d, err := data.NewSparse(s, start, columns, values, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestSparseEntries compares the entries of sparse records with what Encode writes for the whole row,
// and wants them ascending.
func TestSparseEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	several, defaults := 0, 0
	for range 200 {
		d := randomSparse(t, r, 1+r.IntN(12), 20)
		e, err := encoder.New(d.Schema())
		if err != nil {
			t.Fatal(err)
		}
		s, want := e.Sparse(d.Absent()), make([]float64, e.Dim())
		defaults += s.Defaults()
		for i := range d.Records() {
			columns, values := d.Cells(i)
			index, x := s.Entries(columns, values, nil, nil)
			several = max(several, len(index))
			e.Encode(want, d.Row(nil, i))
			got := make([]float64, e.Dim())
			for k, j := range index {
				got[j] = x[k]
				if x[k] == 0 || k > 0 && j <= index[k-1] {
					t.Fatalf("entries %v %v: want them ascending and not 0", index, x)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("record %v %v: got %v, want %v", columns, values, got, want)
			}
		}
	}
	if several < 8 || defaults < 200 {
		t.Errorf("got at most %d entries and %d defaults in all: the test is idle", several, defaults)
	}
}

// TestSparseEntriesDefaults wants a column whose bounds begin at 0 to cost nothing where it has no
// cell.
func TestSparseEntriesDefaults(t *testing.T) {
	s := &data.Schema{MaxRecords: 1, Target: data.Target{Column: "y", Levels: []string{"0", "1"}}, Columns: []data.Column{
		{Name: "a", Kind: data.Numeric, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero},
		{Name: "b", Kind: data.Numeric, Lower: -1, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero},
		{Name: "c", Kind: data.Numeric, Upper: 9, Transform: data.TransformLog1p, OutOfRange: data.Clamp, Missing: data.Zero},
	}}
	d, err := data.NewSparse(s, []int{0, 0}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := encoder.New(s)
	if err != nil {
		t.Fatal(err)
	}
	index, x := e.Sparse(d.Absent()).Entries(nil, nil, nil, nil)
	if !slices.Equal(index, []uint32{1}) || !slices.Equal(x, []float64{0.5}) {
		t.Errorf("got entries %v %v, want 0.5 in column 1 alone", index, x)
	}
}

// BenchmarkSparseEntries encodes records of 75 cells under 50 000 columns.
func BenchmarkSparseEntries(b *testing.B) {
	const width, cells = 50000, 75
	s, err := (&data.Schema{MaxRecords: 1, Columns: []data.Column{{Name: "f", Kind: data.Numeric, Upper: 1, Repeat: width}}}).Expand()
	if err != nil {
		b.Fatal(err)
	}
	e, err := encoder.New(s)
	if err != nil {
		b.Fatal(err)
	}
	columns, values := make([]uint32, cells), make([]float32, cells)
	for k := range columns {
		columns[k], values[k] = uint32(k*width/cells), 0.5
	}
	sparse := e.Sparse(make([]float32, width))
	var index []uint32
	var x []float64
	b.ReportAllocs()
	for b.Loop() {
		index, x = sparse.Entries(columns, values, index[:0], x[:0])
	}
}
