package data_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/columnar"
)

// numbersFormat reads files of numbers, one on a line after the mark FAKE, as the column a.
type numbersFormat struct{ memory }

func (f *numbersFormat) Open(file io.ReaderAt, size int64) (columnar.File, error) {
	text := make([]byte, size)
	if _, err := file.ReadAt(text, 0); err != nil {
		return nil, err
	}
	m := &memory{}
	var numbers []float64
	for _, word := range strings.Fields(string(text))[1:] {
		var v float64
		if _, err := fmt.Sscan(word, &v); err != nil {
			return nil, err
		}
		numbers = append(numbers, v)
	}
	m.columns, m.cells, m.records = []columnar.Column{{Name: "a", Kind: columnar.Numbers}}, []columnar.Cells{{Numbers: numbers}}, int64(len(numbers))
	return m, nil
}

const partitionSchema = `dither-schema: 1
max-records: 9
target: {column: y, levels: ["no", "yes"]}
defaults: {missing: zero, out-of-range: clamp, unknown: other}
columns:
  a: {numeric: [0, 100]}
  town: {levels: ["a b", c/d, e]}
  k: ignore
  year: {numeric: [2000, 2100]}
`

// partitions writes a table in folders, and returns the source of it.
func partitions(t *testing.T, files map[string]string) data.Source {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return data.Source{Path: folder, Formats: []columnar.Format{&numbersFormat{}}}
}

func tree() map[string]string {
	return map[string]string{
		"town=a%20b/year=2020/k=1/y=no/0":                         "FAKE 1 2",
		"town=c%2Fd/year=2021/k=1/y=yes/0":                        "FAKE 3",
		"town=c%2Fd/year=2021/k=1/y=yes/_SUCCESS":                 "",
		"town=e/year=__HIVE_DEFAULT_PARTITION__/k=1/y=yes/0":      "FAKE 4",
		"town=nowhere/year=1999/k=1/y=no/1":                       "FAKE 5",
		"town=c%2Fd/year=2021/k=1/y=no/0":                         "FAKE 6",
		"_delta_log/0":                                            "{",
		"town=e/year=__HIVE_DEFAULT_PARTITION__/k=1/y=yes/.0.crc": "x",
	}
}

// TestPartitions wants the folders of a file as columns of it, by the folder and by patterns.
func TestPartitions(t *testing.T) {
	ctx := context.Background()
	s := mustSchema(t, partitionSchema)
	const csv = "a,town,k,year,y\n1,a b,1,2020,no\n2,a b,1,2020,no\n6,c/d,1,2021,no\n3,c/d,1,2021,yes\n4,e,1,,yes\n5,nowhere,1,1999,no\n"
	want, err := read(t, partitionSchema, data.Source{Path: writeFile(t, "t.csv", csv)}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	src := partitions(t, tree())
	for _, pattern := range []string{"", "town=*", "town=*/year=*/k=1/y=*/*", "town=*/*"} {
		from := src
		from.Path = filepath.Join(src.Path, pattern)
		got, failed := data.Read(ctx, s, from, data.ReadOptions{})
		if failed != nil || rows(got) != rows(want) {
			t.Errorf("%q: got %v, %v, want %v", pattern, got, failed, rows(want))
		}
		if _, failed = data.Resolve(ctx, s, from, data.ReadOptions{}); failed != nil {
			t.Errorf("%q: the header is refused: %v", pattern, failed)
		}
		report, failed := data.Check(ctx, s, from)
		if failed != nil || report.Rows != 6 || report.Columns[1].Unknown != 1 || report.Columns[2].OutOfRange != 1 || report.Columns[2].Missing != 1 {
			t.Errorf("%q: checked as %+v, %v", pattern, report, failed)
		}
	}
	drafted, err := data.DraftSchema(ctx, src, data.Draft{Target: "y"})
	if err != nil || len(drafted.Columns) != 4 || drafted.Columns[1].Name != "town" || len(drafted.Columns[1].Levels) != 0 {
		t.Errorf("drafted as %+v, %v", drafted, err)
	}
}

// TestPartitionFaults wants faults named without the value of a folder.
func TestPartitionFaults(t *testing.T) {
	for name, c := range map[string]struct {
		change func(files map[string]string)
		want   string
	}{
		"other keys":        {func(files map[string]string) { files["town="+planted+"/y=no/0"] = "FAKE 1" }, "folders of different keys"},
		"no folder":         {func(files map[string]string) { files["0"] = "FAKE 1" }, "folders of different keys"},
		"keys out of order": {func(files map[string]string) { files["year=1/town="+planted+"/k=1/y=no/0"] = "FAKE 1" }, "folders of different keys"},
		"CSV":               {func(files map[string]string) { files["town="+planted+"/year=1/k=1/y=no/0"] = "a\n1\n" }, "town=*/year=*/k=*/y=*/0: a file in a folder named key=value is no Parquet"},
		"damaged":           {func(files map[string]string) { files["town="+planted+"/year=1/k=1/y=no/0"] = "FAKE x" }, "town=*/year=*/k=*/y=*/0: the file cannot be read to its end"},
		"no UTF-8":          {func(files map[string]string) { files["town=%ff/year=1/k=1/y=no/0"] = "FAKE 1" }, "not UTF-8"},
		"a column twice": {func(files map[string]string) {
			clear(files)
			files["a=1/town="+planted+"/year=1/k=1/y=no/0"] = "FAKE 1"
		}, "as it names column 1"},
		"too many rows": {func(files map[string]string) { files["town=x/year=1/k=1/y=no/0"] = "FAKE 1 2 3 4" }, "more rows than max-records, 9"},
	} {
		files := tree()
		c.change(files)
		_, err := data.Read(context.Background(), mustSchema(t, partitionSchema), partitions(t, files), data.ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), planted) {
			t.Errorf("%s: got %v, want %q and no value", name, err, c.want)
		}
	}
}
