package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/columnar"
)

// TestWriter reads back what a Writer wrote: several row groups, missing cells, long names, and every float64 to the bit.
func TestWriter(t *testing.T) {
	for _, rows := range []int{0, 1, 7, groupRows, groupRows + 9} {
		columns := []Output{{"row", Integers, true}, {"x", Doubles, false}, {"text", Strings, false}, {"always", Strings, true}}
		for i := range min(rows, 20) % 20 * 3 { // of 7 rows, more than a short list of columns
			columns = append(columns, Output{fmt.Sprint("probability of ", strings.Repeat("é", i)), Doubles, false})
		}
		var b bytes.Buffer
		w, err := NewWriter(&b, columns)
		if err != nil {
			t.Fatal(err)
		}
		numbers := []float64{0, 0.1, -1e-310, math.MaxFloat64, 1.0 / 3, 12345678901234567}
		row := make([]string, len(columns))
		for i := range rows {
			row[0] = strconv.Itoa(i - 3)
			row[1], row[2], row[3] = strconv.FormatFloat(numbers[i%len(numbers)], 'g', -1, 64), fmt.Sprint("é", i), ""
			if i%5 == 2 {
				row[1], row[2], row[3] = "", "", "a\nb"
			}
			for k := 4; k < len(row); k++ {
				row[k] = row[1]
			}
			if err = w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		if err = w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := Format{}.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil || f.Records() != int64(rows) || len(f.Columns()) != len(columns) {
			t.Fatalf("%d rows: got %v, %v", rows, f, err)
		}
		for i, c := range f.Columns() {
			if c.Name != columns[i].Name || c.Required != columns[i].Required || (c.Kind == columnar.Texts) != (columns[i].Kind == Strings) || c.Refused != nil {
				t.Errorf("column %d: got %+v, want %+v", i, c, columns[i])
			}
			cells, err := f.Reader(i).Next(rows)
			if err != nil {
				t.Fatal(c.Name, err)
			}
			for k := range rows {
				missing := k%5 == 2
				switch {
				case i == 0 && cells.Numbers[k] != float64(k-3),
					(i == 1 || i > 3) && missing != math.IsNaN(cells.Numbers[k]),
					(i == 1 || i > 3) && !missing && math.Float64bits(cells.Numbers[k]) != math.Float64bits(numbers[k%len(numbers)]),
					i == 2 && missing != (cells.Codes[k] < 0),
					i == 2 && !missing && string(cells.Texts[cells.Codes[k]]) != fmt.Sprint("é", k),
					i == 3 && string(cells.Texts[cells.Codes[k]]) != map[bool]string{true: "a\nb"}[missing]:
					t.Fatalf("column %s, row %d: got another cell than was written", c.Name, k)
				}
			}
		}
	}
}

// failingWriter takes some bytes.
type failingWriter int

func (f *failingWriter) Write(p []byte) (int, error) {
	if *f -= failingWriter(len(p)); *f < 0 {
		return 0, errors.New("full")
	}
	return len(p), nil
}

// TestWriterFails wants the errors of a full disk at every place, and of cells that are no numbers.
func TestWriterFails(t *testing.T) {
	write := func(room int) error {
		to := failingWriter(room)
		w, err := NewWriter(&to, []Output{{"x", Doubles, false}})
		for range groupRows + 1 {
			if err == nil {
				err = w.Write([]string{"1"})
			}
		}
		if err == nil {
			err = w.Close()
		}
		return err
	}
	for _, room := range []int{0, 4, 30, 8300, 8*groupRows + 8240} {
		if write(room) == nil {
			t.Errorf("%d bytes of room: got no error", room)
		}
	}
	if err := write(10 * groupRows); err != nil {
		t.Error(err)
	}
	for _, kind := range []OutputKind{Integers, Doubles} {
		w, err := NewWriter(&bytes.Buffer{}, []Output{{"x", kind, false}})
		if err != nil {
			t.Fatal(err)
		}
		if err = w.Write([]string{"s3cret"}); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("got %v, want an error without the cell", err)
		}
	}
}
