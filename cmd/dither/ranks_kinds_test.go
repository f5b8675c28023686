package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/format/parquet"
	"github.com/ditherml/dither/internal/together"
)

// sameOnRanks trains on a table without noise, alone and on three ranks, and wants the same
// weights. The arguments of the ranks are own, unless it is nil.
func sameOnRanks(t *testing.T, name string, args, own []string) {
	t.Helper()
	flags := []string{"--non-private", "--steps", "4", "--clipping-norm", "1", "--quiet", "--out"}
	alone := "alone " + name
	mustInvoke(t, append(append([]string{"train"}, args...), append(flags, alone)...)...)
	if own == nil {
		own = args
	}
	const size = 3
	_, errs := trainOnRanks(size, append(append([]string{}, own...), append(flags, "ranks "+name)...)...)
	for rank, err := range errs {
		if err != nil {
			t.Fatalf("%s: rank %d of %d: %v", name, rank, size, err)
		}
	}
	a, b := weightsOf(t, alone), weightsOf(t, "ranks "+name)
	if a != b || len(numbersIn(a)) < 3 {
		t.Errorf("%s: the weights of %d ranks are\n%s\nwant those of one process\n%s", name, size, b, a)
	}
}

// parquetFile writes rows of texts that a header names as a Parquet file.
func parquetFile(t *testing.T, path string, header []string, rows [][]string) {
	t.Helper()
	var columns []parquet.Output
	for _, name := range header {
		columns = append(columns, parquet.Output{Name: name, Kind: parquet.Strings})
	}
	var out bytes.Buffer
	w, err := parquet.NewWriter(&out, columns)
	for _, r := range rows {
		if err == nil {
			err = w.Write(r)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path, out.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const ranksSchema = `dither-schema: 1
name: kinds
row: one visit
max-records: 8000
target: {column: y, levels: ["0", "1"]}
defaults: {missing: zero, out-of-range: clamp, unknown: other}
columns:
`

// TestRanksReadEveryKind wants the model of one process from three ranks that read a table of any kind:
// one file, a folder of files, partitions by names of folders, files with labels, and databases.
func TestRanksReadEveryKind(t *testing.T) {
	const rows, files = 6000, 6 // six blocks of one file, so that each of three ranks has two
	arrows, err := filepath.Abs("../../internal/format/arrow/testdata/plain.arrow")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	header := []string{"who", "a", "job", "note", "y"}
	var lines, sparse strings.Builder
	var packed bytes.Buffer
	var matrix, labels []byte
	var cells [files][][]string
	z := gzip.NewWriter(&packed)
	fmt.Fprintln(z, strings.Join(header, ","))
	for i := range rows {
		a, b, y := byte(i*7%11), byte(i*i%13), byte(i*i%13*(i%3)/13)
		r := []string{fmt.Sprint("p", i*i%700), fmt.Sprint(a), []string{"clerk", "smith", "farmer"}[b%3], fmt.Sprintf("word%d is here", b), fmt.Sprint(y)}
		fmt.Fprintln(z, strings.Join(r, ","))
		fmt.Fprintf(&lines, `{"who":%q,"a":%s,"job":%q,"note":%q,"y":%s}`+"\n", r[0], r[1], r[2], r[3], r[4])
		fmt.Fprintf(&sparse, "%d 1:%d 2:%d\n", y, a, b)
		matrix, labels = append(matrix, a, b), append(labels, y)
		cells[i*files/rows] = append(cells[i*files/rows], r)
	}
	if err = z.Close(); err != nil {
		t.Fatal(err)
	}
	writeText(t, "t.csv.gz", packed.String())
	writeText(t, "t.jsonl", lines.String())
	writeText(t, "t.libsvm", sparse.String())
	writeText(t, "t.npy", npyBytes(matrix, fmt.Sprintf("(%d, 2)", rows)))
	writeText(t, "y.npy", npyBytes(labels, fmt.Sprintf("(%d,)", rows)))
	db := sqliteFile(t, "t.sqlite", "CREATE TABLE visits (who TEXT, a INTEGER, job TEXT, note TEXT, y INTEGER)")
	for k, some := range cells {
		parquetFile(t, fmt.Sprintf("parts/p-%d.parquet", k), header, some)
		parquetFile(t, fmt.Sprintf("tree/year=%d/half=%d/p.parquet", 2000+k/2, k%2), header, some)
		insert, values := "INSERT INTO visits VALUES "+strings.Repeat("(?,?,?,?,?),", len(some)), []any(nil)
		for _, r := range some {
			for _, cell := range r {
				values = append(values, cell)
			}
		}
		if _, err := db.Exec(strings.TrimSuffix(insert, ","), values...); err != nil {
			t.Fatal(err)
		}
		writeText(t, fmt.Sprintf("arrow-%d.arrow", k), readText(t, arrows))
	}
	named := "  who: ignore\n  a: {numeric: [0, 10]}\n  job: {levels: [clerk, smith]}\n"
	writeText(t, "s.yaml", ranksSchema+named+"  note: ignore\n")
	writeText(t, "tree.yaml", ranksSchema+named+"  note: ignore\n  half: ignore\n  year: {numeric: [2000, 2002]}\n")
	writeText(t, "texts.yaml", ranksSchema+named+"  note: {text: {buckets: 256}}\n")
	writeText(t, "numbers.yaml", ranksSchema+"  a: {numeric: [0, 10]}\n  b: {numeric: [0, 13]}\n")
	ignored := "  u16: ignore\n  i64: ignore\n  f32: ignore\n  f16: ignore\n  d: ignore\n  big: ignore\n  large: ignore\n  none: ignore\n  day: ignore\n  view: ignore\n  dn: ignore\n"
	writeText(t, "arrow.yaml", strings.Replace(arrowSchema, "records: 400", "records: 4000", 1)+ignored+"  lst: ignore\n  st: ignore\n  fl: ignore\n")
	persons := []string{"--unit", "person:who", "--max-records-per-person", "3"}
	for name, args := range map[string][]string{
		"gzip":           {"--schema", "s.yaml", "--data", "t.csv.gz"},
		"gzip persons":   append([]string{"--schema", "s.yaml", "--data", "t.csv.gz"}, persons...),
		"JSON lines":     {"--schema", "texts.yaml", "--data", "t.jsonl"},
		"Parquet":        {"--schema", "texts.yaml", "--data", "parts"},
		"Parquet file":   {"--schema", "s.yaml", "--data", "parts/p-3.parquet"},
		"few files":      {"--schema", "s.yaml", "--data", "parts/p-[12].parquet"},
		"texts persons":  append([]string{"--schema", "texts.yaml", "--data", "parts"}, persons...),
		"folders":        {"--schema", "tree.yaml", "--data", "tree"},
		"folder persons": {"--schema", "tree.yaml", "--data", "tree", "--unit", "person:year", "--max-records-per-person", "100"},
		"Arrow":          {"--schema", "arrow.yaml", "--data", "arrow-*.arrow"},
		"LIBSVM":         {"--schema", "numbers.yaml", "--data", "t.libsvm"},
		"LIBSVM persons": append([]string{"--schema", "numbers.yaml", "--data", "t.libsvm"}, "--unit", "person:a", "--max-records-per-person", "200"),
		"NPY":            {"--schema", "numbers.yaml", "--data", "t.npy", "--labels", "y.npy"},
	} {
		sameOnRanks(t, name, args, nil)
	}
	database := []string{"--schema", "texts.yaml", "--data", "sqlite:t.sqlite", "--query"}
	every := "SELECT who, a, job, note, y FROM visits"
	sameOnRanks(t, "SQLite", append(database, every), append(database, every+" WHERE rowid % {ranks} = {rank}"))
	for _, words := range []string{"all", "none"} { // rows are scaled by frequencies, or whitened in full
		three := []string{"--schema", "s.yaml", "--whiten", "yes", "--interactions", words, "--data"}
		sameOnRanks(t, "streamed "+words, append(three, "parts/p-[012].parquet"), append(three, "parts/p-{rank}.parquet", "--stream"))
	}
	// Two tables of the ranks are all rows.
	_, errs := trainOnRanks(2, "--schema", "s.yaml", "--data", "parts/p-{rank}.parquet", "--stream", "--epsilon", "1", "--steps", "3", "--quiet", "--out", "streamed")
	for rank, failed := range errs {
		if failed != nil {
			t.Fatalf("rank %d of 2 that stream: %v", rank, failed)
		}
	}
	mustInvoke(t, "verify", "streamed")
}

// ranks wants processes that read rows of their own from a server to make the model of one process.
func (p *databaseTest) ranks(t *testing.T) {
	table := []string{"--data", p.url, "--schema", p.schema, "--whiten", "no", "--query"}
	sameOnRanks(t, "server", append(table, "SELECT * FROM train"), append(table, "SELECT * FROM train WHERE (ctid::text::point)[1]::int % {ranks} = {rank}"))
	_, errs := trainOnRanks(2, append(table[:4:4], "--table", "train", "--quiet", "--out", "none")...)
	told := 0
	for _, err := range errs {
		if err != nil && !together.IsSilent(err) && strings.Contains(err.Error(), "{rank}") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("got %v, want one line that asks for a query with {rank}", errs)
	}
}
