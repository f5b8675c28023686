package encoder

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
)

// textSchema has texts between other columns, of which one has bins.
func textSchema(records int) *data.Schema {
	text := func(name string, buckets int) data.Column {
		return data.Column{Name: name, Kind: data.Text, Missing: data.Zero, Hashing: &data.Hashing{Buckets: buckets, NGrams: 1, StopWords: "none", Values: "logarithm"}}
	}
	return &data.Schema{MaxRecords: records, Target: data.Target{Column: "y", Levels: []string{"0", "1"}}, Columns: []data.Column{
		{Name: "age", Kind: data.Numeric, Lower: -1, Upper: 1, OutOfRange: data.Clamp, Missing: data.Indicator},
		text("title", 256),
		{Name: "size", Kind: data.Numeric, Upper: 9, Bins: []float64{3, 6}, OutOfRange: data.Clamp, Missing: data.Zero},
		{Name: "job", Kind: data.Categorical, Levels: []string{"a", "b"}, Unknown: data.Other, Missing: data.Indicator},
		text("body", 512),
		{Name: "pay", Kind: data.Numeric, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero},
	}}
}

// randomTexts is a table under textSchema; not every row has a cell in every column.
func randomTexts(t *testing.T, r *rand.Rand, records int) *data.Dataset {
	t.Helper()
	start, columns, values := []int{0}, []uint32{}, []float32{}
	for range records {
		for at := range 1 + 256 + 1 + 1 + 512 + 1 {
			isText := at >= 1 && at < 257 || at >= 259 && at < 771
			switch {
			case isText && r.IntN(50) > 0 || r.IntN(4) == 0:
				continue
			case isText:
				values = append(values, float32(r.IntN(9)-4)/4)
			default:
				values = append(values, []float32{0, 1, 0.25, float32(math.NaN())}[r.IntN(4)])
			}
			columns = append(columns, uint32(at))
		}
		start = append(start, len(columns))
	}
	d, err := data.NewSparse(textSchema(records), start, columns, values, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestEncodeText compares Encode, Entries and those of sparse records with each other, and single
// features with what they stand for.
func TestEncodeText(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	d := randomTexts(t, r, 200)
	e, err := New(d.Schema())
	if err != nil {
		t.Fatal(err)
	}
	// age, missing, 256 buckets, three bins, a, b, other, missing, 512 buckets, pay
	if e.Dim() != 2+256+3+4+512+1 || e.Values() != 772 || e.Columns() != 6 || !e.Signed() || e.Indicators() {
		t.Fatalf("got %d features of %d values in %d columns, signed %v", e.Dim(), e.Values(), e.Columns(), e.Signed())
	}
	if a, b := e.Names()[2].String(), e.Names()[2+256+3+4+511].String(); a != "title = bucket 0" || b != "body = bucket 511" {
		t.Errorf("got names %q and %q", a, b)
	}
	sparse, want := e.Sparse(d.Absent()), make([]float64, e.Dim())
	for i := range d.Records() {
		row := d.Row(nil, i)
		e.Encode(want, row)
		for b := range 256 {
			if want[2+b] != float64(row[1+b]) {
				t.Fatalf("bucket %d is feature %v, want %v", b, want[2+b], row[1+b])
			}
		}
		if pay := row[771]; pay == pay && want[e.Dim()-1] != float64(pay) {
			t.Fatalf("pay is %v, want %v", want[e.Dim()-1], pay)
		}
		at, values := d.Cells(i)
		for _, entries := range []func() ([]uint32, []float64){
			func() ([]uint32, []float64) { return e.Entries(row, nil, nil) },
			func() ([]uint32, []float64) { return sparse.Entries(at, values, nil, nil) },
		} {
			index, x := entries()
			got := make([]float64, e.Dim())
			for k, j := range index {
				if got[j] = x[k]; x[k] == 0 || k > 0 && j <= index[k-1] {
					t.Fatalf("entries %v %v: want them ascending and not 0", index, x)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("record %d: got %v, want %v", i, got, want)
			}
		}
	}
}
