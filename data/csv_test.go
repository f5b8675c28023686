package data_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// nan stands for a missing value in the tables of this package's tests.
var nan = float32(math.NaN())

// sameValues compares values, NaN being equal to NaN.
func sameValues(got, want []float32) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if got[i] != want[i] && (got[i] == got[i] || want[i] == want[i]) {
			return false
		}
	}
	return true
}

// TestReadLayouts writes one table in many ways and wants the same values of all.
func TestReadLayouts(t *testing.T) {
	const plain = "age,job,id,label\n1,clerk,7,no\n2.5,smith,8,yes\n,clerk,9,no\n"
	swap := func(delimiter string) string { return strings.ReplaceAll(plain, ",", delimiter) }
	cases := []struct{ name, text, delimiter string }{
		{"plain", plain, ""},
		{"no last line end", strings.TrimSpace(plain), ""},
		{"CRLF", strings.ReplaceAll(plain, "\n", "\r\n"), ""},
		{"byte order mark", "\ufeff" + plain, ""},
		{"byte order mark and quotes", "\ufeff\"age\"" + strings.TrimPrefix(plain, "age"), ""},
		{"gzip", gzipped(plain), ""},
		{"two gzip members", gzipped(plain[:30]) + gzipped(plain[30:]), ""},
		{"gzip with byte order mark", gzipped("\ufeff" + plain), ""},
		{"semicolons", swap(";"), ""},
		{"tabs", swap("\t"), ""},
		{"bars", swap("|"), ""},
		{"told", swap("^"), "^"},
		{"told in words", swap(" "), "space"},
		{"told and quoted", "age;job;id;label\n1;\"clerk\";\";\";no\n2.5;smith;8;yes\n;clerk;9;no\n", "semicolon"},
		{"other delimiters in a quoted cell", "age,job,\"id\",label\n1,clerk,\";;;;;;\",no\n2.5,smith,8,yes\n,clerk,9,no\n", ""},
		{"spaces around cells", " age , job,id ,label \n 1 ,clerk , 7, no\n2.5,\tsmith,8,yes \n  ,clerk,9,no\n", ""},
		{"spaces before quotes", "age, \"job\", id, label\n1, \"clerk\", 7, \"no\"\n2.5, smith, 8, yes\n, clerk, 9, no\n", ""},
		{"every cell quoted", "\"age\",\"job\",\"id\",\"label\"\n\"1\",\"clerk\",\"7\",\"no\"\n\"2.5\",\" smith \",\"8\",\"yes\"\n\"\",\"clerk\",\"9\",\"no\"\n", ""},
		{"quotes and line ends in quotes", "age,job,id,label\n1,clerk,\"a \"\"b\"\"\nc, d\",no\n2.5,smith,\"\r\n\",yes\n,clerk,9,no\n", ""},
		{"other order", "label,id,job,age\nno,7,clerk,1\nyes,8,smith,2.5\nno,9,clerk,\n", ""},
		{"without the ignored column", "age,job,label\n1,clerk,no\n2.5,smith,yes\n,clerk,no\n", ""},
		{"empty lines", "\n\nage,job,id,label\n\n1,clerk,7,no\n\n2.5,smith,8,yes\n,clerk,9,no\n\n", ""},
		{"other numbers", "age,job,id,label\n+1.0e0,clerk,7,no\n25e-1,smith,8,yes\nNaN,clerk,9,no\n", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := smallSchema
			if c.delimiter != "" {
				text = strings.Replace(text, "target:", "delimiter: \""+c.delimiter+"\"\ntarget:", 1)
			}
			d, err := readCSVText(mustSchema(t, text), c.text, data.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := d.Column(0), []float32{1, 2.5, nan}; !sameValues(got, want) {
				t.Errorf("age: got %v, want %v", got, want)
			}
			if got, want := d.Column(1), []float32{0, 1, 0}; !sameValues(got, want) {
				t.Errorf("job: got %v, want %v", got, want)
			}
			if got, want := d.Target(), []float32{0, 1, 0}; !sameValues(got, want) || d.Records() != 3 {
				t.Errorf("label: got %v in %d records, want %v", got, d.Records(), want)
			}
		})
	}
}

// TestReadDelimiters wants the source's delimiter before the schema's, and an impossible one
// refused.
func TestReadDelimiters(t *testing.T) {
	s := mustSchema(t, strings.Replace(smallSchema, "target:", "delimiter: pipe\ntarget:", 1))
	path := writeFile(t, "t.csv", "age;job;label\n1;clerk;no\n")
	ctx := context.Background()
	if d, err := data.Read(ctx, s, data.Source{Path: path, Delimiter: ';'}, data.ReadOptions{}); err != nil || d.Records() != 1 {
		t.Errorf("told by the source: got error %v, want one record", err)
	}
	if _, err := data.Read(ctx, s, data.Source{Path: path}, data.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "delimiter pipe") {
		t.Errorf("told by the schema: got error %v, want one that names the delimiter", err)
	}
	for _, r := range []rune{'"', '\n', '\r', 'a', '7', 0xFFFD, -1} {
		_, err := data.Read(ctx, s, data.Source{Path: path, Delimiter: r}, data.ReadOptions{})
		var e *data.FileError
		if !errors.As(err, &e) || !strings.Contains(e.Problem, "the delimiter is") {
			t.Errorf("delimiter %q: got error %v, want one about the delimiter", r, err)
		}
	}
}

// TestReadDetectsOutsideQuotes wants marks inside a quoted name not to count as delimiters.
func TestReadDetectsOutsideQuotes(t *testing.T) {
	s := mustSchema(t, strings.Replace(smallSchema, "  id:", "  \"a;b;c;d;e\":", 1))
	d, err := readCSVText(s, "age,job,\"a;b;c;d;e\",label\n1,clerk,7,no\n", data.ReadOptions{})
	if err != nil || d.Records() != 1 {
		t.Errorf("got error %v, want one record", err)
	}
}

// TestReadOptions reads one table with every option.
func TestReadOptions(t *testing.T) {
	s := mustSchema(t, `dither-schema: 1
name: t
max-records: 10
target: {column: y, levels: [a, b]}
columns:
  x: {numeric: [0, 9], out-of-range: drop, missing: zero, fill: 4}
  g: {levels: [u, v], unknown: other, missing: drop}
  h: ignore
`)
	const text = "x,g,h,y\n1,u,p,a\n99,v,q,b\n,w,p,b\n3,,r,a\n4,v,?,c\n5,v,r,\n"
	cases := []struct {
		name      string
		o         data.ReadOptions
		x, y      []float32
		dropped   []bool
		g, h      []int32
		levels    []string
		wantError string
	}{
		{name: "plain", x: []float32{1, nan}, y: []float32{0, 1}, g: []int32{0, 2}},
		{name: "without target", o: data.ReadOptions{WithoutTarget: true}, x: []float32{1, nan, 4, 5}, g: []int32{0, 2, 1, 1}},
		{name: "keep dropped", o: data.ReadOptions{KeepDropped: true}, x: []float32{1, nan, nan, 3, 4, 5}, y: []float32{0, 1, 1, 0, nan, nan},
			dropped: []bool{false, true, false, true, true, true}, g: []int32{0, 1, 2, -1, 1, 1}},
		{name: "extra", o: data.ReadOptions{Extra: []string{"h"}}, x: []float32{1, nan}, y: []float32{0, 1}, g: []int32{0, 2}, h: []int32{0, 0}, levels: []string{"p"}},
		{name: "extra, dropped kept", o: data.ReadOptions{Extra: []string{"h"}, KeepDropped: true, WithoutTarget: true}, x: []float32{1, nan, nan, 3, 4, 5},
			dropped: []bool{false, true, false, true, false, false}, g: []int32{0, 1, 2, -1, 1, 1}, h: []int32{0, 1, 0, 2, -1, 2}, levels: []string{"p", "q", "r"}},
		{name: "extra unknown", o: data.ReadOptions{Extra: []string{"z"}}, wantError: `"z"`},
		{name: "bound reached", o: data.ReadOptions{MaxRecords: 6}, x: []float32{1, nan}, y: []float32{0, 1}, g: []int32{0, 2}},
		{name: "bound passed by a dropped row", o: data.ReadOptions{MaxRecords: 5}, wantError: "line 7: the file has more rows than max-records, 5"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, err := readCSVText(s, text, c.o)
			if c.wantError != "" {
				if err == nil || !strings.Contains(err.Error(), c.wantError) {
					t.Fatalf("got error %v, want %q", err, c.wantError)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d.Records() != len(c.x) || !sameValues(d.Column(0), c.x) || !sameValues(d.Target(), c.y) || (d.Target() == nil) != c.o.WithoutTarget {
				t.Errorf("got %d records, x %v, y %v, want x %v, y %v", d.Records(), d.Column(0), d.Target(), c.x, c.y)
			}
			for i := range c.x {
				if want := c.dropped != nil && c.dropped[i]; d.Dropped(i) != want {
					t.Errorf("row %d dropped: got %v, want %v", i, d.Dropped(i), want)
				}
			}
			if g, levels, groupErr := d.Group("g"); groupErr != nil || !reflect.DeepEqual(g, c.g) || !reflect.DeepEqual(levels, []string{"u", "v"}) {
				t.Errorf("group g: got %v %v %v, want %v", g, levels, groupErr, c.g)
			}
			h, levels, err := d.Group("h")
			if (err == nil) != (c.h != nil) || !reflect.DeepEqual(h, c.h) || !reflect.DeepEqual(levels, c.levels) {
				t.Errorf("group h: got %v %q %v, want %v %q", h, levels, err, c.h, c.levels)
			}
		})
	}
}

// TestReadNoRows reads tables without rows: for predictions they are empty, and for everything else an error.
func TestReadNoRows(t *testing.T) {
	s := parsed(t, plainSchema)
	folder, joined := t.TempDir(), parsed(t, joinedSchema)
	path := filepath.Join(folder, "empty.csv")
	if err := os.WriteFile(path, []byte("id,a,b,y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []data.ReadOptions{{}, {KeepDropped: true}, {WithoutTarget: true}, {WithoutTarget: true, KeepDropped: true}} {
		text, err := readCSVText(s, "id,a,b,y\n", o)
		file, failed := data.Read(t.Context(), s, data.Source{Path: path}, o)
		both, refused := data.Read(t.Context(), joined, joinedFiles(t, "person,age,ill\n", joinedVisits), o)
		for name, c := range map[string]struct {
			d   *data.Dataset
			err error
		}{"text": {text, err}, "file": {file, failed}, "joined": {both, refused}} {
			switch {
			case !o.WithoutTarget || !o.KeepDropped:
				if c.err == nil || !strings.Contains(c.err.Error(), "no records") {
					t.Errorf("%s, %+v: got error %v, want one about a table without records", name, o, c.err)
				}
			case c.err != nil:
				t.Errorf("%s: %v", name, c.err)
			case c.d.Records() != 0 || c.d.Target() != nil || c.d.Schema() == nil:
				t.Errorf("%s: got %d records, want none", name, c.d.Records())
			}
		}
	}
}

// TestReadNoBytes reads tables without a byte, or without more than a mark. If they have no header line, they are read
// like tables without rows. Otherwise they are refused, and so is a file that is named as one of a binary format.
func TestReadNoBytes(t *testing.T) {
	const empty, noRows = "the file is empty", "no records"
	named := strings.Replace(plainSchema, "target:", "header: none\ntarget:", 1)
	folder := t.TempDir()
	for _, c := range []struct {
		file, text, schema string
		src                data.Source
		words              string // of the error, of predictions too if it is not noRows
	}{
		{"none.csv", "", named, data.Source{}, noRows},
		{"none.csv", "", plainSchema, data.Source{Columns: []string{"id", "a", "b"}}, noRows},
		{"mark.csv", "\xef\xbb\xbf", named, data.Source{}, noRows},
		{"none.csv.gz", gzipped(""), named, data.Source{}, noRows},
		{"none", "", named, data.Source{}, noRows},
		{"none.jsonl", "", plainSchema, data.Source{}, noRows},
		{"none.csv", "", plainSchema, data.Source{}, empty},
		{"none.parquet", "", named, data.Source{}, empty},
		{"none.ARROW", "", named, data.Source{}, empty},
	} {
		c.src.Path = filepath.Join(folder, c.file)
		if err := os.WriteFile(c.src.Path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := read(t, c.schema, c.src, data.ReadOptions{WithoutTarget: true, KeepDropped: true})
		switch {
		case c.words == noRows && (err != nil || d.Records() != 0):
			t.Errorf("%s for predictions: got %v, want a table without rows", c.file, err)
		case c.words != noRows && (err == nil || !strings.Contains(err.Error(), c.words)):
			t.Errorf("%s for predictions: got error %v, want %q", c.file, err, c.words)
		}
		if c.src.Columns != nil { // without the target
			continue
		}
		if _, err = read(t, c.schema, c.src, data.ReadOptions{}); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: got error %v, want %q", c.file, err, c.words)
		}
	}
}

// TestReadWithoutTargetColumn reads rows to be scored, whose target nobody knows.
func TestReadWithoutTargetColumn(t *testing.T) {
	s := mustSchema(t, smallSchema)
	d, err := readCSVText(s, "job,age\nclerk,5\n", data.ReadOptions{WithoutTarget: true})
	if err != nil || d.Target() != nil || !sameValues(d.Row(nil, 0), []float32{5, 0}) {
		t.Errorf("got %v, error %v, want the row 5, 0 without target", d, err)
	}
}

// TestReadAllDropped wants an empty table, not an error, when no row can be used.
func TestReadAllDropped(t *testing.T) {
	s := mustSchema(t, smallSchema)
	d, err := readCSVText(s, header+"1,clerk,0,maybe\n", data.ReadOptions{})
	if err != nil || d.Records() != 0 || d.Target() == nil || len(d.Target()) != 0 {
		t.Errorf("got %v, error %v, want no record and an empty target", d, err)
	}
}

// TestReadStops wants a cancelled reading to end with the context's error.
func TestReadStops(t *testing.T) {
	s, text := speedTable(t, 3000)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := data.ReadFrom(ctx, s, "t.csv", strings.NewReader(text), data.ReadOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("before: got error %v, want %v", err, context.Canceled)
	}
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	r := &cancelReader{r: strings.NewReader(text), after: len(text) / 2, cancel: cancel}
	if _, err := data.ReadFrom(ctx, s, "t.csv", r, data.ReadOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("half way: got error %v, want %v", err, context.Canceled)
	}
}

// cancelReader cancels a context half way.
type cancelReader struct {
	r      *strings.Reader
	after  int
	cancel func()
}

func (c *cancelReader) Read(p []byte) (int, error) {
	if c.r.Len() < c.after {
		c.cancel()
	}
	return c.r.Read(p)
}

// TestReadRefusesDraft wants a schema with an open declaration refused before the file is
// opened, and the column named.
func TestReadRefusesDraft(t *testing.T) {
	s, err := data.ParseSchema("t.yaml", []byte(schemaStart+"  a: DECLARE\n"+schemaEnd))
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() error{
		"Validate": s.Validate,
		"Read": func() error {
			_, err := data.Read(context.Background(), s, data.Source{Path: "none.csv"}, data.ReadOptions{})
			return err
		},
		"ReadFrom": func() error { _, err := readCSVText(s, "a,rest,y\n1,1,no\n", data.ReadOptions{}); return err },
		"Check":    func() error { _, err := data.Check(context.Background(), s, data.Source{Path: "none.csv"}); return err },
	} {
		if err := read(); err == nil || !strings.Contains(err.Error(), `schema "t": column "a" is not declared`) {
			t.Errorf("%s: got error %v, want one that names schema t and column a", name, err)
		}
	}
}
