package data_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// FuzzParseSchema wants no panic, one-line errors, and what is valid to round-trip.
func FuzzParseSchema(f *testing.F) {
	f.Add(data.PrivateSchema)
	for _, c := range roundTrips {
		f.Add(c.text)
	}
	for _, text := range []string{checkSchema, speedSchema, schemaStart + patternColumns, schemaStart + "  a: DECLARE\n" + schemaEnd, "a: &x [*x]", "? [a]\n: b", "{", "\x00", "!!binary aGk="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := data.ParseSchema("f.yaml", []byte(text))
		if err != nil {
			var e *data.FileError
			if !errors.As(err, &e) || strings.ContainsAny(err.Error(), "\r\n") {
				t.Fatalf("got error %q, want a *FileError of one line", err)
			}
			return
		}
		if err = s.Validate(); err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Fatalf("got error %q, want one line", err)
			}
			return
		}
		written, err := s.YAML()
		if err != nil {
			t.Fatalf("YAML: %v", err)
		}
		again, err := data.ParseSchema("f.yaml", written)
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("got  %+v, error %v\nwant %+v\n%s", again, err, s, written)
		}
	})
}

// mark stands for the marker in a fuzzed text: it is a control character, which the fuzzer
// moves as one byte and which no error of ours holds by chance.
const mark = "\x01"

// FuzzReadCSV wants no panic, no more rows than max-records, and the marker, which stands
// wherever the fuzzer puts it, in no error.
func FuzzReadCSV(f *testing.F) {
	for _, text := range []string{
		header + "1,clerk,0,no\n", header + mark + "," + mark + ",\"" + mark + "\"\"\n\"," + mark + "\n", mark + "," + mark + "\n" + mark,
		"\ufeff" + header, header + mark + "\n", header + "\"" + mark, header + mark + "\"" + mark, strings.ReplaceAll(header, ",", mark),
		"age;job;label\r\n1;" + mark + ";no\r\n\r\n", header + mark + "\xff", header + strings.Repeat(mark+",a,b,no\n", 5), "", "\x1f\x8b" + mark, gzipped(header),
	} {
		f.Add(text, false, false)
	}
	f.Add(header+"1,a,"+mark+",yes\n2,b,c,no\n", true, true)
	s := mustSchema(f, smallSchema)
	f.Fuzz(func(t *testing.T, text string, keep, without bool) {
		text = strings.ReplaceAll(text, mark, planted)
		o := data.ReadOptions{KeepDropped: keep, WithoutTarget: without, MaxBytes: 1 << 20}
		if keep {
			o.Extra = []string{"job"}
		}
		d, err := data.ReadFrom(context.Background(), s, "f.csv", strings.NewReader(text), o)
		if err != nil {
			oneLine(t, err)
			return
		}
		if d.Records() > s.MaxRecords || len(d.Column(0)) != d.Records() || !without && len(d.Target()) != d.Records() {
			t.Fatalf("got %d records, want at most %d and columns of that length", d.Records(), s.MaxRecords)
		}
		for i := range d.Records() {
			row := d.Row(nil, i)
			if age, job := row[0], row[1]; age < 0 || age > 100 || job < 0 || job > 2 {
				t.Fatalf("row %d: got %v, want values within the declaration", i, row)
			}
			if !without && !d.Dropped(i) && d.Target()[i] != 0 && d.Target()[i] != 1 {
				t.Fatalf("row %d: got target %v, want 0 or 1", i, d.Target()[i])
			}
		}
	})
}
