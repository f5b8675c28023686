package data_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// TestCellCounts compares the counts of a table that was read with the report of Check, which classifies one cell
// after another. The tables are read in parallel, cell by cell, from columns, from an array, sparse, and with a text.
func TestCellCounts(t *testing.T) {
	m, text := memoryTable(3000)
	array := []byte("\x93NUMPY\x01\x00")
	header := "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3), }"
	array = append(binary.LittleEndian.AppendUint16(array, uint16(len(header))), header...)
	for _, v := range []float64{1, 0, 1, 12, 1, 0, math.NaN(), 7, 1, -3, math.Inf(1), 0} {
		array = binary.LittleEndian.AppendUint64(array, math.Float64bits(v))
	}
	shape := "dither-schema: 1\nmax-records: 4000\ntarget: {column: %s, levels: [\"0\", \"1\"]}\ncolumns:\n%s"
	words := fmt.Sprintf(shape, "y", "  n: {numeric: [0, 10], out-of-range: clamp, missing: zero}\n  w: {text: {buckets: 256}, missing: zero}\n  c: {levels: [a, b], unknown: zero, missing: indicator}\n")
	for name, c := range map[string]struct {
		schema string
		src    data.Source
	}{
		"lines":   {memorySchema, data.Source{Path: writeFile(t, "t.csv", text)}},
		"quotes":  {memorySchema, data.Source{Path: writeFile(t, "t.csv", strings.ReplaceAll(text, "w,", "\"w\n\","))}},
		"columns": {memorySchema, m.source(t)},
		"parts":   {memorySchema, data.Source{Path: "-"}},
		"array":   {fmt.Sprintf(shape, `"c[2]"`, "  \"c[0]\": {numeric: [0, 10], out-of-range: clamp, missing: zero}\n  \"c[1]\": {levels: [\"0\", \"1\"], unknown: other, missing: zero}\n"), data.Source{Path: writeFile(t, "t.npy", string(array))}},
		"sparse":  {fmt.Sprintf(shape, "label", "  \"f[1:4]\": {numeric: [1, 2], out-of-range: clamp, missing: zero}\n  \"f[4:6]\": {levels: [\"0\", \"2\"], unknown: other, missing: zero}\n"), data.Source{Path: writeFile(t, "t.svm", "0 1:3 2:1.5\n1 4:2 5:7\n1 3:nan 4:9 5:2\n")}},
		"texts":   {words, data.Source{Path: writeFile(t, "t.csv", "n,w,c,y\n1,one word,a,0\n,,x,1\n11,\"two, words\",b,1\n-1,three,,0\n12,x,z,1\n")}},
	} {
		s, src := mustSchema(t, c.schema), c.src
		if src.Path == "-" {
			src = data.Source{Path: writeFile(t, "t.csv", text)}
		}
		report, err := data.Check(context.Background(), s, src)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d, err := data.Read(context.Background(), s, src, data.ReadOptions{KeepDropped: true})
		if c.src.Path == "-" {
			d, err = data.ReadFrom(context.Background(), s, "t", strings.NewReader(text), data.ReadOptions{KeepDropped: true})
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		seen := 0
		for j, got := range d.CellCounts() {
			f, found := s.Features()[j], report.Columns[j]
			want := data.CellCounts{Missing: found.Missing + found.Unparsable}
			switch {
			case f.Kind == data.Text:
				want.Missing = 0
			case f.OutOfRange == data.Clamp:
				want.Clamped = found.OutOfRange
			case f.Kind == data.Numeric:
				want.Missing += found.OutOfRange // a dropped cell holds NaN
			}
			if f.Unknown == data.AsMissing {
				want.Missing += found.Unknown
			} else {
				want.Unknown = found.Unknown
			}
			if got != want {
				t.Errorf("%s, column %s: got %+v, want %+v", name, f.Name, got, want)
			}
			seen += got.Missing + got.Unknown + got.Clamped
		}
		if seen < 4 {
			t.Errorf("%s: %d cells are counted, want a table that has some", name, seen)
		}
	}
}
