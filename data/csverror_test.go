package data_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// planted stands in every cell of the malformed tables. It must never stand in an error.
const planted = "kQ7zWx"

// smallSchema has one column of each kind, with a treatment that drops no row.
const smallSchema = `dither-schema: 1
name: small
row: one person
max-records: 3
target: {column: label, levels: ["no", "yes"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  age: {numeric: [0, 100]}
  job: {levels: [clerk, smith]}
  id: ignore
`

// mustSchema parses and validates a schema.
func mustSchema(tb testing.TB, text string) *data.Schema {
	tb.Helper()
	s, err := data.ParseSchema("test.yaml", []byte(text))
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		tb.Fatalf("schema: %v", err)
	}
	return s
}

// readCSVText reads text as the file "t.csv".
func readCSVText(s *data.Schema, text string, o data.ReadOptions) (*data.Dataset, error) {
	return data.ReadFrom(context.Background(), s, "t.csv", strings.NewReader(text), o)
}

// gzipped compresses text.
func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// oneLine holds an error to the form of this package.
func oneLine(t *testing.T, err error) {
	t.Helper()
	text := err.Error()
	if !strings.HasPrefix(text, "data: ") || strings.ContainsAny(text, "\r\n\x00") || strings.HasSuffix(text, ".") {
		t.Errorf("got error %q, want one line that begins with \"data: \" and has no full stop", text)
	}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		if strings.Contains(strings.ToLower(cause.Error()), strings.ToLower(planted)) {
			t.Errorf("got error %q, want none that holds the text of a cell", cause)
		}
	}
}

const header = "age,job,id,label\n"

// plantedRow is a row of planted cells.
const plantedRow = planted + "," + planted + "," + planted + "," + planted + "\n"

// TestMalformedText reads every kind of malformed file and wants line, column and words,
// and never a cell.
func TestMalformedText(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + planted
	zip := "PK\x03\x04\x14\x00\x08\x00\x08\x00" + planted
	long := strings.Repeat(planted, 1<<18)
	cases := []struct {
		name, text   string
		line, column int
		words        string
		remedy       string
	}{
		{"empty", "", 0, 0, "the file is empty", "the file that holds the table"},
		{"line ends only", "\n\r\n\n", 0, 0, "the file is empty", ""},
		{"byte order mark only", "\xef\xbb\xbf", 0, 0, "the file is empty", ""},
		{"empty gzip", gzipped(""), 0, 0, "the file is empty", ""},
		{"header only", header, 0, 0, "holds no records", "the file that holds the table"},
		{"header without line end", strings.TrimSpace(header), 0, 0, "holds no records", ""},
		{"missing target", "age,job,id\n" + planted + "," + planted + "," + planted + "\n", 1, 0, `no target column "label"`, "schema of this table"},
		{"missing feature", "age,id,label\n" + planted + "," + planted + "," + planted + "\n", 1, 0, `no column "job"`, "schema of this table"},
		{"no header", planted + ",2,3,no\n" + plantedRow, 1, 0, "no column of the schema", "without a header"},
		{"no header, equal cells", plantedRow + plantedRow, 1, 0, "no column of the schema", "without a header"},
		{"no header after empty lines", "\n\n" + plantedRow, 3, 0, "no column of the schema", "without a header"},
		{"schema of another table", planted + "a," + planted + "b\n" + planted + "," + planted + "\n", 1, 0, "no column of the schema", "schema of this table"},
		{"wrong delimiter", strings.ReplaceAll(header+plantedRow, ",", "^"), 1, 0, "1 column was found with the delimiter comma, want 4", "delimiter"},
		{"undeclared column", "age,job,id," + planted + ",label\n", 1, 4, "the schema does not name this column", "add it to the schema"},
		{"undeclared column after empty lines", "\n\nage,job,id," + planted + ",label\n", 3, 4, "the schema does not name this column", ""},
		{"unnamed column", ",age,job,id,label\n", 1, 1, "the schema does not name this column", ""},
		{"duplicate header", "age,job,id,label,age\n", 1, 5, "as it names column 1", "rename"},
		{"duplicate undeclared header", planted + ",age,job,id,label," + planted + "\n", 1, 6, "as it names column 1", "rename"},
		{"short row", header + plantedRow + planted + "\n", 3, 0, "the row has 1 cell, want 4", "quotes"},
		{"long row", header + "1,clerk,0,no," + planted + "\n", 2, 0, "the row has 5 cells, want 4", "quotes"},
		{"ragged row after a quoted line end", header + "1,\"a\nb\",0,no\n" + planted + "\n", 4, 0, "the row has 1 cell", ""},
		{"unterminated quote", header + "1,clerk,0,no\n1,\"" + planted + ",0,no\n" + plantedRow, 3, 0, "a quoted cell is not closed", "mend the quotes"},
		{"quote inside a cell", header + planted + `"` + planted + ",a,0,no\n", 2, 0, "a quote stands inside a cell", "mend the quotes"},
		{"text behind a quote", header + `"` + planted + `"` + planted + ",a,0,no\n", 2, 0, "text follows its closing quote", "mend the quotes"},
		{"unterminated quote in the header", `age,"` + planted + "\n" + plantedRow, 1, 0, "a quoted cell is not closed", ""},
		{"PNG", png, 0, 0, "a PNG image", "save the table as CSV"},
		{"zip", zip, 0, 0, "a zip archive", "save the table as CSV"},
		{"gzip of a PNG", gzipped(png), 0, 0, "a PNG image", ""},
		{"gzip in gzip", gzipped(gzipped(header)), 0, 0, "a gzip file inside a gzip file", ""},
		{"NUL in the header", "age,job\x00" + planted, 1, 0, "a NUL byte", "save the table as CSV"},
		{"NUL in a row", header + "1,clerk,0,no\n1," + planted + "\x00,0,no\n", 3, 0, "a NUL byte", ""},
		{"NUL far behind a stray quote", header + `1,a"` + strings.Repeat(planted, 1<<15) + "\x00", 2, 0, "a NUL byte", ""},
		{"NUL below what is no header", planted + "\n" + planted + "\x00", 2, 0, "a NUL byte", ""},
		{"invalid UTF-8", "age,j\xf6b\n" + plantedRow, 1, 0, "not UTF-8", "save the table as CSV"},
		{"invalid UTF-8 in a row", header + "1," + planted + "\xf6,0,no\n", 2, 0, "not UTF-8", ""},
		{"character cut at the end", header + "1,clerk,0,n\xc3", 2, 0, "not UTF-8", ""},
		{"one stray byte", "\x80", 1, 0, "not UTF-8", ""},
		{"UTF-16", "\xff\xfea\x00g\x00e\x00", 0, 0, "UTF-16", ""},
		{"cut gzip", gzipped(header + strings.Repeat(plantedRow, 500))[:60], 0, 0, "the compressed file is cut off", "copy it again"},
		{"cut gzip header", gzipped(header)[:5], 0, 0, "the compressed file is cut off", "copy it again"},
		{"gzip without its end", cutEnd(gzipped(header + "1,clerk,0,no\n")), 0, 0, "the compressed file is cut off", ""},
		{"damaged gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + strings.Repeat("\xff", 40), 0, 0, "the compressed file is damaged", ""},
		{"text behind gzip", gzipped(header) + planted + planted, 0, 0, "the compressed file is damaged", ""},
		{"more rows than max-records", header + strings.Repeat(plantedRow, 9), 5, 0, "more rows than max-records, 3", "raise max-records"},
		{"cell of more than 1 MiB", header + "1," + long + ",0,no\n", 2, 0, "longer than 1 MiB", "quote"},
		{"quoted cell of more than 1 MiB", header + "1,clerk,\"" + long + "\",no\n", 2, 0, "longer than 1 MiB", "quote"},
		{"unterminated quote over many lines", header + "1,clerk,0,no\n1,\"" + strings.Repeat(planted+"\n", 1<<18) + "\n", 3, 0, "longer than 1 MiB", "never closed"},
	}
	s := mustSchema(t, smallSchema)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, err := readCSVText(s, c.text, data.ReadOptions{})
			var e *data.FileError
			if !errors.As(err, &e) {
				t.Fatalf("got %v and error %v, want a *FileError", d, err)
			}
			oneLine(t, err)
			if e.File != "t.csv" || e.Line != c.line || e.Column != c.column {
				t.Errorf("got file %q line %d column %d, want t.csv line %d column %d: %v", e.File, e.Line, e.Column, c.line, c.column, err)
			}
			if !strings.Contains(err.Error(), c.words) || !strings.Contains(e.Remedy, c.remedy) || e.Remedy == "" {
				t.Errorf("got %q, want %q with remedy %q", err, c.words, c.remedy)
			}
			if _, err := data.Check(context.Background(), s, data.Source{Path: writeFile(t, "t.csv", c.text)}); err == nil {
				t.Errorf("Check: got no error, want the one of Read")
			} else {
				oneLine(t, err)
			}
		})
	}
}

// cutEnd removes the check sum and length of a gzip file.
func cutEnd(gz string) string { return gz[:len(gz)-8] }

// writeFile writes a file into a new folder and returns its path.
func writeFile(tb testing.TB, name, text string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// TestMalformedPaths wants the path and the cause of what cannot be opened.
func TestMalformedPaths(t *testing.T) {
	folder := t.TempDir()
	s := mustSchema(t, smallSchema)
	cases := []struct {
		name, path, words string
		cause             error
	}{
		{"missing file", filepath.Join(folder, "none.csv"), "does not exist", fs.ErrNotExist},
		{"folder", folder, "it is a directory", nil},
		{"file as folder", filepath.Join(writeFile(t, "a.csv", header), "b.csv"), "", nil},
		{"PNG named csv", writeFile(t, "p.csv", "\x89PNG\r\n\x1a\n\x00\x00"+planted), "a PNG image", nil},
		{"zip named csv", writeFile(t, "z.csv", "PK\x03\x04\x14\x00\x08\x00"+planted), "a zip archive", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := data.Read(context.Background(), s, data.Source{Path: c.path}, data.ReadOptions{})
			var e *data.FileError
			if !errors.As(err, &e) {
				t.Fatalf("got error %v, want a *FileError", err)
			}
			oneLine(t, err)
			if e.File != c.path || !strings.Contains(err.Error(), c.words) {
				t.Errorf("got %q, want %q about %s", err, c.words, c.path)
			}
			if c.cause != nil && !errors.Is(err, c.cause) {
				t.Errorf("got cause %v, want %v", errors.Unwrap(err), c.cause)
			}
		})
	}
}

// TestDecompressionBomb packs a few bytes many times: the file must be given up soon
// after its first MiB, whatever follows.
func TestDecompressionBomb(t *testing.T) {
	s := mustSchema(t, strings.Replace(smallSchema, "max-records: 3", "max-records: 100000000", 1))
	zeros := strings.Repeat("\n", 4<<20)
	for _, c := range []struct{ name, text, words string }{
		{"empty lines", gzipped(header + zeros), "decompresses to more than 1000 times its size"},
		{"one cell", gzipped(header + strings.Repeat("1", 2<<20)), "longer than 1 MiB"},
		{"bomb that begins as a table", gzipped(header+strings.Repeat("1,clerk,0,no\n", 9)) + gzipped(zeros), "decompresses to more than 1000 times its size"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readCSVText(s, c.text, data.ReadOptions{})
			var e *data.FileError
			if !errors.As(err, &e) || !strings.Contains(e.Problem, c.words) {
				t.Errorf("got error %v, want %q", err, c.words)
			}
		})
	}
	rows := header + strings.Repeat("1,clerk,0,no\n", 9)
	_, err := readCSVText(s, rows, data.ReadOptions{MaxBytes: int64(len(rows)) - 1})
	if err == nil || !strings.Contains(err.Error(), "the file is too large") {
		t.Errorf("MaxBytes below the size: got error %v, want one about the size", err)
	}
	if _, err := readCSVText(s, gzipped(rows), data.ReadOptions{MaxBytes: int64(len(rows))}); err != nil {
		t.Errorf("MaxBytes of the size: got error %v, want none", err)
	}
}
