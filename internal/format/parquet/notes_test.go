package parquet

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/columnar"
)

// TestNotes wants comments from each kind of description, and none from one that cannot be read.
func TestNotes(t *testing.T) {
	for name, c := range map[string]struct {
		notes         map[string]string
		table, column string
	}{
		"nothing":            {nil, "", ""},
		"both keys":          {map[string]string{"comment": "a", "description": "b"}, "a", ""},
		"no base64":          {map[string]string{arrowKey: "?"}, "", ""},
		"no message":         {map[string]string{arrowKey: "/////wAAAAA="}, "", ""},
		"a message cut off":  {map[string]string{arrowKey: "/////xAAAAAQAAAA"}, "", ""},
		"no JSON":            {map[string]string{jsonKeys[0]: "{", "comment": "a"}, "a", ""},
		"Spark":              {map[string]string{jsonKeys[0]: `{"fields": [{"name": "y", "metadata": {"comment": 1}}, {"name": "x", "metadata": {"comment": "c"}}]}`}, "", "c"},
		"Iceberg":            {map[string]string{jsonKeys[1]: `{"fields": [{"name": "x", "type": {"fields": 1}, "doc": "c"}]}`}, "", "c"},
		"Avro":               {map[string]string{jsonKeys[2]: `{"doc": "d", "fields": [{"name": "x", "type": ["null", "int"], "doc": "c"}]}`}, "d", "c"},
		"deep JSON":          {map[string]string{jsonKeys[0]: strings.Repeat("[", 1<<20)}, "", ""},
		"another JSON value": {map[string]string{jsonKeys[0]: `[1, "x"]`}, "", ""},
	} {
		columns, table := (&footer{notes: c.notes}).describe()
		if table != c.table || columns["x"].Comment != c.column {
			t.Errorf("%s: got %q and %q, want %q and %q", name, table, columns["x"].Comment, c.table, c.column)
		}
	}
}

// TestNotesAreBounded wants a description that is too long skipped, and the footer read on.
func TestNotesAreBounded(t *testing.T) {
	text := func(b []byte, s string) []byte {
		n := len(s)
		for ; n >= 0x80; n >>= 7 {
			b = append(b, byte(n)|0x80)
		}
		return append(append(b, byte(n)), s...)
	}
	for _, c := range []struct {
		size int
		kept bool
	}{{maxNote, true}, {maxNote + 1, false}} {
		footer := []byte{0x29, 0x1c, 0x15, 0x02} // the schema: one element of a type, with a name
		footer = append(text(append(footer, 0x38), "root"), 0)
		footer = append(footer, 0x39, 0x2c) // two notes
		for _, pair := range [][2]string{{"Description", strings.Repeat("x", c.size)}, {"other", "y"}} {
			footer = append(text(append(text(append(footer, 0x18), pair[0]), 0x18), pair[1]), 0)
		}
		content := file(nil, append(footer, 0))
		got, ok := readFooter(strings.NewReader(string(content)), int64(len(content)))
		if !ok || len(got.notes["description"]) != map[bool]int{true: c.size}[c.kept] || len(got.notes) > 1 {
			t.Errorf("a note of %d bytes: got %v and %d notes", c.size, ok, len(got.notes))
		}
	}
	if !columnar.IsComment("Comment") || columnar.IsComment("pandas") {
		t.Error("the keys of comments are others")
	}
}
