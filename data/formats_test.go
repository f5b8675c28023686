package data_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// plainSchema has columns a and b, an ignored id, and the target y.
const plainSchema = `dither-schema: 1
max-records: 6
target: {column: y, levels: ["no", "yes"]}
columns:
  id: ignore
  a: {numeric: [0, 10], out-of-range: clamp, missing: zero}
  b: {levels: [u, "v \"w"], unknown: other, missing: zero}
`

// plainText is the table under plainSchema that every format must read alike.
const plainTable = "id,a,b,y\n1,2.5,u,no\n2,,\"v \"\"w\",yes\n3,30,x,yes\n"

func read(t *testing.T, schema string, src data.Source, o data.ReadOptions) (*data.Dataset, error) {
	t.Helper()
	return data.Read(context.Background(), mustSchema(t, schema), src, o)
}

// rows are the values and targets of a data set.
func rows(d *data.Dataset) string {
	out := ""
	for i := range d.Records() {
		out += fmt.Sprint(d.Row(nil, i), d.Target()[i], ";")
	}
	return out
}

// TestFormatsAgree wants the same rows of one table in every way to write it as text.
func TestFormatsAgree(t *testing.T) {
	want, err := read(t, plainSchema, data.Source{Path: writeFile(t, "t.csv", plainTable)}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(plainTable, "\n")
	noQuotes := "1\t2.5\tu\tno\n\r\n2\t\tv \"w\tyes\r\n3\t30\t\"x\tyes"
	head, rest := body[:strings.Index(body, "2,,")], body[strings.Index(body, "2,,"):]
	folder := t.TempDir()
	for name, text := range map[string]string{"part-0": "id,a,b,y\n" + head, "part-1": "y,b,a,id\n", "part-2": "id,a,b,y\n" + rest, "_SUCCESS": "", ".part.crc": "x"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	with := func(key string) string { return strings.Replace(plainSchema, "target:", key+"\ntarget:", 1) }
	for name, c := range map[string]struct {
		schema string
		src    data.Source
	}{
		"columns":          {plainSchema, data.Source{Path: writeFile(t, "t.csv", body), Columns: []string{"id", "a", "b", "y"}}},
		"header":           {with("header: [id, a, b, y]"), data.Source{Path: writeFile(t, "t.csv", body)}},
		"header none":      {with("header: none"), data.Source{Path: writeFile(t, "t.csv", body)}},
		"no quotes":        {plainSchema, data.Source{Path: writeFile(t, "t.tsv", "id\ta\tb\ty\n"+noQuotes), NoQuotes: true}},
		"no quotes, space": {with("quote: none\ndelimiter: \"^\""), data.Source{Path: writeFile(t, "t.tsv", "id^a^b^y\n"+strings.ReplaceAll(noQuotes, "\t", "^"))}},
		"neither":          {with("header: none\nquote: none"), data.Source{Path: writeFile(t, "t.tsv", noQuotes)}},
		"folder":           {plainSchema, data.Source{Path: folder}},
		"pattern":          {plainSchema, data.Source{Path: filepath.Join(folder, "part-*")}},
		"json":             {plainSchema, data.Source{Path: writeFile(t, "t.jsonl", "\ufeff"+`{"id": {"x": [1]}, "a": 2.5, "b": "u", "y": "no"}`+"\n\n"+`{"y":"yes","a":null,"b":"v \"w"}`+"\r\n"+` {"a": 3e1, "b": true, "y": "yes"} `)}},
		"json by content":  {plainSchema, data.Source{Path: writeFile(t, "t.txt", `{"a": 2.5, "b": "u", "y": "no"}`+"\n"+`{"y":"yes","b":"v \"w"}`+"\n"+`{"a": 30, "b": [], "y": "yes"}`)}},
	} {
		got, err := read(t, c.schema, c.src, data.ReadOptions{})
		if name == "json by content" { // a list in a column that is read
			if err == nil || !strings.Contains(err.Error(), "line 3, column 2: the value is a list") {
				t.Errorf("%s: got error %v, want the list refused", name, err)
			}
			continue
		}
		if err != nil || rows(got) != rows(want) {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, rows(want))
		}
		report, err := data.Check(context.Background(), mustSchema(t, c.schema), c.src)
		if err != nil || report.Rows != 3 || report.Dropped != 0 || report.Columns[0].OutOfRange != 1 || report.Columns[0].Missing != 1 || report.Columns[1].Unknown != 1 {
			t.Errorf("%s: checked as %+v, %v", name, report, err)
		}
		if _, err = data.Resolve(context.Background(), mustSchema(t, c.schema), c.src, data.ReadOptions{Extra: []string{"id"}}); err != nil {
			t.Errorf("%s: the header is refused: %v", name, err)
		}
		blocks := ""
		err = data.ReadBlocks(context.Background(), mustSchema(t, c.schema), c.src, data.ReadOptions{}, 2, func(d *data.Dataset) error {
			blocks += rows(d)
			return nil
		})
		if err != nil || blocks != rows(want) {
			t.Errorf("%s: in blocks got %q, %v, want %q", name, blocks, err, rows(want))
		}
	}
}

// TestFormatsRefuse wants an error without a cell for what does not fit.
func TestFormatsRefuse(t *testing.T) {
	folder := t.TempDir()
	for i := range 4 {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint("p", i, ".csv")), []byte(plainTable), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sparse := t.TempDir()
	if err := os.WriteFile(filepath.Join(sparse, "p.svm"), []byte("0 1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	json := func(text string) data.Source { return data.Source{Path: writeFile(t, "t.jsonl", text)} }
	for name, c := range map[string]struct {
		schema, want string
		src          data.Source
	}{
		"a header after all":   {plainSchema, "the first row holds the names", data.Source{Path: writeFile(t, "t.csv", plainTable), Columns: []string{"id", "a", "b", "y"}}},
		"too few names":        {plainSchema, "the row has 4 cells, want 3", data.Source{Path: writeFile(t, "t.csv", "1,2,u,"+planted+"\n"), Columns: []string{"a", "b", "y"}}},
		"a name twice":         {plainSchema, `names "a" twice`, data.Source{Path: writeFile(t, "t.csv", plainTable), Columns: []string{"a", "a", "b", "y"}}},
		"a name too many":      {plainSchema, `does not name column "z"`, data.Source{Path: writeFile(t, "t.csv", "1,2,u,no,1\n"), Columns: []string{"id", "a", "b", "y", "z"}}},
		"a range that is none": {plainSchema, "name[from:to]", data.Source{Path: writeFile(t, "t.csv", plainTable), Columns: []string{"x[3:3]"}}},
		"a quote":              {plainSchema, "Source.NoQuotes", data.Source{Path: writeFile(t, "t.csv", "id,a,b,y\n1,2,"+planted+"\"x,no\n")}},
		"no parts":             {plainSchema, "directory without a file", data.Source{Path: t.TempDir()}},
		"no match":             {plainSchema, "no file stands there", data.Source{Path: filepath.Join(folder, "q*")}},
		"more rows in all":     {plainSchema, "more rows than max-records, 6", data.Source{Path: folder}},
		"sparse parts":         {plainSchema, "part of the table is in the LIBSVM format", data.Source{Path: sparse}},
		"labels beside parts":  {plainSchema, "labels", data.Source{Path: folder, Labels: "y.npy"}},
		"no object":            {plainSchema, "line 2: the line is no JSON object", json("{\"a\": 1}\n[\"" + planted + "\"]\n")},
		"half an object":       {plainSchema, "line 1: the line is no JSON object", json("{\"a\": \"" + planted)},
		"two objects":          {plainSchema, "no JSON object", json("{\"a\": 1} {\"a\": 1}\n")},
		"an unknown key":       {plainSchema, "line 1, column 2: the schema does not name", json("{\"a\": 1, \"" + planted + "\": 2}\n")},
		"a key twice":          {plainSchema, "column 2: the record has this key twice", json("{\"a\": 1, \"a\": 2}\n")},
		"nothing":              {plainSchema, "holds no records", json("\n\n")},
		"no UTF-8":             {plainSchema, "not UTF-8", json("{\"a\": \"\xff\"}\n")},
	} {
		_, err := read(t, c.schema, c.src, data.ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), planted) {
			t.Errorf("%s: got %v, want an error with %q and no cell", name, err, c.want)
		}
	}
}

// TestHeaderlessTables wants a table of prediction read with its target and without it.
func TestHeaderlessTables(t *testing.T) {
	schema := strings.Replace(plainSchema, "target:", "header: [y, a, b]\ntarget:", 1)
	for _, text := range []string{"no,1,u\n", "1,u\n"} {
		d, err := read(t, schema, data.Source{Path: writeFile(t, "t.csv", text)}, data.ReadOptions{WithoutTarget: true})
		if err != nil || !reflect.DeepEqual(d.Row(nil, 0), []float32{1, 0}) {
			t.Errorf("%q: got %v, %v", text, d, err)
		}
	}
	for key, want := range map[string]string{"header: [y, a]": `does not name column "b"`, "header: [y, a, b, b]": "twice", "header: []": "header is empty", "header: all": "want none, or", "quote: both": "want csv", "header: [\"x[2:1]\"]": "name[from:to]"} {
		path := writeFile(t, "s.yaml", strings.Replace(plainSchema, "target:", key+"\ntarget:", 1))
		if _, err := data.ReadSchema(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", key, err, want)
		}
	}
}

// TestResolveRefuses wants what Read refuses before a record refused, and nothing else.
func TestResolveRefuses(t *testing.T) {
	header := func(text string, o data.ReadOptions) error {
		_, err := data.Resolve(context.Background(), mustSchema(t, plainSchema), data.Source{Path: writeFile(t, "t.csv", text)}, o)
		return err
	}
	for text, want := range map[string]string{"id,a,y\n": `no column "b"`, "": "empty", "\x89PNG": "PNG"} {
		if err := header(text, data.ReadOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	if err := header(plainTable, data.ReadOptions{Extra: []string{"z"}}); err == nil {
		t.Error("a column that the schema does not name is accepted")
	}
	if err := header("id,a,b,y\n1,2\n", data.ReadOptions{}); err != nil {
		t.Errorf("a record was looked at: %v", err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"a.csv": plainTable, "b.csv": "id,a,y\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := data.Resolve(context.Background(), mustSchema(t, plainSchema), data.Source{Path: folder}, data.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "b.csv line 1") {
		t.Errorf("a second part without column b: got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := data.Resolve(ctx, mustSchema(t, plainSchema), data.Source{Path: writeFile(t, "t.csv", plainTable)}, data.ReadOptions{}); err != context.Canceled {
		t.Errorf("got %v, want the context's error", err)
	}
}

// TestDraftNamesColumns wants drafts of tables that name no columns themselves.
func TestDraftNamesColumns(t *testing.T) {
	names := []string{"x[1:4]"}
	svm, csv := writeFile(t, "t.svm", "-1 1:1 3:0.5\n+1 2:7\n"), writeFile(t, "t.csv", "1,0,2,-1\n3,\"x,3,+1\n")
	draft := data.Draft{Target: "y", Levels: map[string][]string{"y": {"-1", "+1"}}, Numeric: map[string][2]float64{"x[1:4]": {0, 9}}, MaxRecords: 10}
	s, err := data.DraftSchema(context.Background(), data.Source{Path: svm, Columns: names}, draft)
	if err != nil || s.Header != nil || len(s.Columns) != 3 || s.Validate() != nil {
		t.Fatalf("LIBSVM: got %+v, %v", s, err)
	}
	if report, failed := data.Check(context.Background(), s, data.Source{Path: svm}); failed != nil || !report.Clean || report.Rows != 2 {
		t.Errorf("LIBSVM: checked as %+v, %v", report, failed)
	}
	s, err = data.DraftSchema(context.Background(), data.Source{Path: csv, Columns: append(names, "y"), NoQuotes: true}, draft)
	if err != nil || !reflect.DeepEqual(s.Header, []string{"x1", "x2", "x3", "y"}) || !s.NoQuotes {
		t.Fatalf("CSV: got %+v, %v", s, err)
	}
	text, err := s.YAML()
	if err != nil || !strings.Contains(string(text), "header: none\nquote: none\n") {
		t.Errorf("CSV: got %s, %v", text, err)
	}
	if report, failed := data.Check(context.Background(), s, data.Source{Path: csv}); failed != nil || report.Columns[1].Unparsable != 1 {
		t.Errorf("CSV: checked as %+v, %v", report, failed)
	}
	s, err = data.DraftSchema(context.Background(), data.Source{Path: svm, Columns: names}, data.Draft{Target: "y", FromData: true})
	if err != nil || !s.Tainted() || !reflect.DeepEqual(s.Columns[2].Levels, []string{"0", "0.5"}) {
		t.Errorf("LIBSVM from data: got %+v, %v", s, err)
	}
	s, err = data.DraftSchema(context.Background(), data.Source{Path: writeFile(t, "t.ndjson", "{\"b\": 1, \"y\": true}\n{\"y\": false}\n")}, data.Draft{Target: "y", FromData: true})
	if err != nil || s.Columns[0].Name != "b" || !reflect.DeepEqual(s.Target.Levels, []string{"false", "true"}) {
		t.Errorf("JSON lines: got %+v, %v", s, err)
	}
	for _, src := range []data.Source{{Path: svm}, {Path: svm, Columns: []string{"y"}}, {Path: svm, Columns: []string{"a", "a"}}, {Path: svm, Columns: []string{"2"}}} {
		if _, err := data.DraftSchema(context.Background(), src, data.Draft{Target: "y"}); err == nil {
			t.Errorf("%+v: no error", src)
		}
	}
}

// TestCheckArrays wants the cells of arrays counted as those of tables.
func TestCheckArrays(t *testing.T) {
	path := npyFile(t, "x.npy", npy("<f8", "(2, 4)", []float64{0, 5, 0, 1, 0, 30, 7, 9}))
	schema := strings.NewReplacer("clamp", "drop", "u, ", "\"0\", ", "\"no\"", "\"1\"", "\"yes\"", "\"2\"").Replace(plainSchema)
	report, err := data.Check(context.Background(), mustSchema(t, schema), data.Source{Path: path})
	if err != nil || report.Rows != 2 || report.Dropped != 1 || report.Columns[0].OutOfRange != 1 || report.Columns[1].Unknown != 1 || report.Columns[2].Unknown != 1 ||
		!reflect.DeepEqual(report.Columns[0].FirstLines, []int{2}) || !reflect.DeepEqual(report.Columns[0].Examples, []string{`"30"`}) {
		t.Errorf("got %+v, %v", report, err)
	}
}

func FuzzReadJSONLines(f *testing.F) {
	for _, text := range []string{`{"a": 1, "b": "u", "y": "no"}`, "{}\n{\"a\":\n", `{"` + mark + `": 1}`, `{"a": "` + mark + `", "y": {}}`, `{"id": [` + mark, "\ufeff{\"a\": true}"} {
		f.Add(text)
	}
	s := mustSchema(f, plainSchema)
	f.Fuzz(func(t *testing.T, text string) {
		path := writeFile(t, "t.jsonl", strings.ReplaceAll(text, mark, planted))
		d, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{MaxBytes: 1 << 20})
		if err != nil {
			oneLine(t, err)
			return
		}
		for i := range d.Records() {
			if row := d.Row(nil, i); row[0] < 0 || row[0] > 10 || row[1] < 0 || row[1] > 2 {
				t.Fatalf("row %d: got %v, want values within the declaration", i, row)
			}
		}
	})
}
