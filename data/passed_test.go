package data_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// TestReadPassesColumns wants columns that the schema does not name for predictions where they are asked
// for, and refuses all others with the remedy.
func TestReadPassesColumns(t *testing.T) {
	const schema = `dither-schema: 1
max-records: 9
target: {column: y, levels: ["no", "yes"]}
columns:
  id: ignore
  a: {numeric: [0, 10], out-of-range: clamp, missing: zero}
`
	const text = "note,a,y,id,town\n" + planted + ",3,no,4,x\n" + planted + ",5,,6,\n"
	file := func(name, text string) data.Source { return data.Source{Path: writeFile(t, name, text)} }
	named := file("t.csv", strings.Join(strings.SplitAfter(text, "\n")[1:], ""))
	named.Columns = []string{"note", "a", "y", "id", "town"}
	json := file("t.jsonl", `{"note": "`+planted+`", "a": 3, "id": 4, "town": "x"}`+"\n"+`{"note": "`+planted+`", "a": 5, "id": 6}`+"\n")
	matrix := data.Source{Path: npyFile(t, "t.npy", npy("<f4", "(1, 3)", []byte("123412341234")))}
	sparse := file("t.libsvm", "0 1:1 2:3\n")
	const remedy = "take it out of the table, or let dither predict copy it with --pass-through and its name"
	for _, c := range []struct {
		name, extra string
		src         data.Source
		words       string // of the error, or ""
	}{
		{"CSV", "town,note,id", file("t.csv", text), ""},
		{"CSV, twice", "town,note,note,id,id", file("t.csv", text), ""},
		{"named", "note,id,town", named, ""},
		{"JSON", "town,id,note", json, ""},
		{"CSV without one", "town", file("t.csv", text), "t.csv line 1, column 1: the schema does not name this column of the header, want only declared columns; " + remedy},
		{"named without one", "note", named, `t.csv column 5: the schema does not name column "town", want only declared columns; ` + remedy},
		{"JSON without one", "note", json, "t.jsonl line 1, column 4: the schema does not name this key of the record, want only declared columns; " + remedy},
		{"absent", "town,note,nobody", file("t.csv", text), `t.csv line 1: the table has no column "nobody", want each column of --pass-through`},
		{"absent by name", "town,note,nobody", named, `t.csv: the table has no column "nobody"`},
		{"target", "town,note,y", named, `column to read is "y", the target of the schema`},
		{"matrix", "town", matrix, `column "town" is to be passed through and the file is an array of numbers`},
		{"sparse", "town", sparse, `column "town" is to be passed through and the file is in the LIBSVM format`},
	} {
		extra := strings.Split(c.extra, ",")
		s := mustSchema(t, schema)
		before := len(s.Columns)
		d, err := data.Read(t.Context(), s, c.src, data.ReadOptions{WithoutTarget: true, KeepDropped: true, Extra: extra})
		if c.words != "" {
			if err == nil || !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), planted) {
				t.Errorf("%s: got error %v, want %q", c.name, err, c.words)
			}
			continue
		}
		if err != nil || d.Schema() != s || len(s.Columns) != before || d.Records() != 2 || d.Row(nil, 1)[0] != 5 {
			t.Fatalf("%s: got %v, error %v, want 2 rows under the schema as it was", c.name, d, err)
		}
		for name, want := range map[string][]string{"town": {"x"}, "note": {planted}, "id": {"4", "6"}} {
			codes, levels, failed := d.Group(name)
			if failed != nil || !slices.Equal(levels, want) || codes[0] != 0 || codes[1] != map[string]int32{"town": -1, "note": 0, "id": 1}[name] {
				t.Errorf("%s, %s: got %v of %q, error %v, want %q", c.name, name, codes, levels, failed, want)
			}
		}
		for _, o := range []data.ReadOptions{{Extra: extra}, {Extra: extra, WithoutTarget: true}, {Extra: extra, KeepDropped: true}} {
			if _, err = data.Read(t.Context(), s, c.src, o); err == nil || !strings.Contains(err.Error(), "want a column that the schema names") {
				t.Errorf("%s with %+v: got error %v, want one, since this is no prediction", c.name, o, err)
			}
		}
	}
}
