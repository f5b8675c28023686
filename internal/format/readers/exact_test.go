package readers_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/format/readers"
)

// TestExactTexts wants integers, decimals and moments that no float64 holds to have the same texts from every kind of
// file. Two persons whose keys are 2^53 and 2^53 + 1 would be one person otherwise. Levels that are such integers differ, too.
func TestExactTexts(t *testing.T) {
	s, err := data.ParseSchema("s.yaml", []byte(`dither-schema: 1
max-records: 200
target: {column: y, levels: ["no", "yes"]}
columns:
  id: {levels: ["9007199254740992", "9007199254740993", "-9007199254740993"], unknown: other, missing: indicator}
  unsigned: {text: {buckets: 256}, missing: zero}
  price: ignore
  at: {levels: ["9999-12-31 23:59:59.999999", "2400-01-01 00:00:00"], unknown: other, missing: indicator}
  millis: ignore
  wide: ignore
`))
	if err != nil {
		t.Fatal(err)
	}
	without, err := data.ParseSchema("s.yaml", []byte("dither-schema: 1\nmax-records: 200\ntarget: {column: y, levels: [\"no\", \"yes\"]}\ncolumns:\n  id: {levels: [\"9007199254740992\", \"9007199254740993\", \"-9007199254740993\"], unknown: other, missing: indicator}\n"+
		"  unsigned: {text: {buckets: 256}, missing: zero}\n  price: ignore\n  at: {levels: [\"9999-12-31 23:59:59.999999\", \"2400-01-01 00:00:00\"], unknown: other, missing: indicator}\n  millis: ignore\n"))
	if err != nil {
		t.Fatal(err)
	}
	groups := []string{"id", "unsigned", "price", "at", "millis", "wide"}
	var want *data.Dataset
	for _, file := range []string{"wide.csv", "wide.arrow", "coded.arrow", "wide.parquet", "coded.parquet"} {
		of, names := s, groups
		if filepath.Ext(file) == ".parquet" { // which has no decimals of more than 64 bits
			of, names = without, groups[:5]
		}
		src := data.Source{Path: filepath.Join("testdata", file), Formats: readers.All()}
		d, err := data.Read(context.Background(), of, src, data.ReadOptions{Extra: names})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if want == nil {
			want = d
		}
		for _, name := range names {
			codes, levels, err := d.Group(name)
			wantCodes, wantLevels, failed := want.Group(name)
			if err != nil || failed != nil || !slices.Equal(codes, wantCodes) || !slices.Equal(levels, wantLevels) {
				t.Errorf("%s: %s: got %v %q %v, want %v %q", file, name, codes, levels, err, wantCodes, wantLevels)
			}
		}
		for i := range d.Records() {
			at, values := d.Cells(i)
			wantAt, wantValues := want.Cells(i)
			if !slices.Equal(at, wantAt) || fmt.Sprint(values) != fmt.Sprint(wantValues) {
				t.Errorf("%s: row %d: got the cells %v %v, want %v %v", file, i, at, values, wantAt, wantValues)
			}
		}
		if report, err := data.Check(context.Background(), of, src); err != nil || report.Columns[0].Unknown != 2 {
			t.Errorf("%s: got %+v, %v, want two unknown ids", file, report, err)
		}
	}
}

// TestRelatedFilesAreChecked: a related table may be in a file of any kind.
func TestRelatedFilesAreChecked(t *testing.T) {
	const text = `dither-schema: 1
max-records: 200
target: {column: y, levels: ["no", "yes"]}
columns: {price: ignore, unsigned: ignore, at: ignore, millis: ignore, wide: ignore, id: ignore}
related:
  visits:
    key: id
    max-rows: 3
    columns: {unsigned: ignore, price: {numeric: [0, 1e15], out-of-range: clamp}, at: ignore, millis: ignore, wide: ignore, y: ignore}
    features:
      visits: {count: true}
`
	for _, file := range []string{"wide.csv", "wide.arrow", "coded.arrow", "wide.parquet", "coded.parquet"} {
		declared := text
		if filepath.Ext(file) == ".parquet" { // which has no decimals of more than 64 bits
			declared = strings.Replace(text, "wide: ignore, y: ignore", "y: ignore", 1)
		}
		s, err := data.ParseSchema("s.yaml", []byte(declared))
		if err != nil {
			t.Fatal(err)
		}
		at := func(name string) data.Source {
			return data.Source{Path: filepath.Join("testdata", name), Formats: readers.All()}
		}
		src := at("wide.csv")
		src.Related = map[string]data.Source{"visits": at(file)}
		report, err := data.Check(context.Background(), s, src)
		if err != nil || report.RepeatedKeys != 2 || report.WithoutKey != 1 || fmt.Sprintf("%+v", report.Related) != "[{Name:visits Rows:7 Dropped:0 WithoutPerson:1 BeyondMaxRows:0}]" {
			t.Errorf("%s: got %+v, %v, want 7 rows of which one has no key", file, report, err)
		}
		if d, err := data.Read(context.Background(), s, src, data.ReadOptions{}); err != nil || d.Records() != 4 {
			t.Errorf("%s: got %v, %v, want the 4 persons with a key of their own", file, d, err)
		}
	}
}
