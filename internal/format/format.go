// Package format is the registry of the kinds of files that hold a table, and of the compressions
// that such a file may have. It also recognizes paths of several such files. The help texts, the
// errors and docs/schema.md name what is listed here.
package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Kind is a kind of file that holds a table.
type Kind struct {
	Name string
	// Endings are the endings of names of such files, in lower case, before the ending of a
	// compression.
	Endings []string
	// Plain says that the file must be an uncompressed file on disk: no gzip, no standard input.
	Plain bool
	// Parts says that a table in parts may have parts of this kind.
	Parts bool
	// Magics are the possible first bytes of a file whose reader finds its parts by their places.
	Magics []string
	// Found says how columns are found, and Header where their names are, for docs/schema.md.
	Found, Header string
}

// Kinds lists the formats of data.Read and the usual data.Source.Formats, in the order of the help
// text.
func Kinds() []Kind {
	const position, none = "by position; the target is the last column, or in the file of `--labels`", "-"
	return []Kind{
		{Name: "CSV", Endings: []string{".csv", ".tsv", ".data", ".test"}, Parts: true, Found: "by name", Header: "first line, or `header`, or `--columns`"},
		{Name: "JSON lines", Endings: []string{".jsonl", ".ndjson"}, Parts: true, Found: "by key; a key missing from a record is a missing cell", Header: none},
		{Name: "Parquet", Endings: []string{".parquet"}, Plain: true, Parts: true, Magics: []string{"PAR1"}, Found: "by name", Header: "in the file"},
		{Name: "Arrow", Endings: []string{".arrow", ".arrows", ".feather", ".ipc"}, Plain: true, Parts: true, Magics: []string{"ARROW1\x00\x00", "\xff\xff\xff\xff"}, Found: "by name", Header: "in the file"},
		{Name: "LIBSVM", Endings: []string{".libsvm", ".svm", ".svmlight"}, Found: "index i is the i-th column of the schema; a column whose index is not on a line is 0", Header: none},
		{Name: "IDX", Endings: []string{".idx", "-ubyte"}, Found: position, Header: none},
		{Name: "NPY", Endings: []string{".npy"}, Found: position, Header: none},
		{Name: "NPZ", Endings: []string{".npz"}, Plain: true, Magics: []string{"PK\x03\x04"}, Found: position, Header: none},
	}
}

// Compression is a compression of whole files.
type Compression struct {
	// Name is its name, Ending the ending of names of such files, and Magic their first bytes.
	Name, Ending, Magic string
}

// Compressions lists the compressions that data.Read and the usual data.Source.Formats undo.
func Compressions() []Compression {
	return []Compression{{"gzip", ".gz", "\x1f\x8b"}, {"zstd", ".zst", "\x28\xb5\x2f\xfd"}, {"xz", ".xz", "\xfd7zXZ\x00"}}
}

// Unpacked returns a path in lower case, without the ending of a compression.
func Unpacked(path string) string {
	path = strings.ToLower(path)
	for _, c := range Compressions() {
		if name, ok := strings.CutSuffix(path, c.Ending); ok {
			return name
		}
	}
	return path
}

// Opaque reports whether a file that begins with head is compressed or has parts that are found by
// their places. Then its bytes in order are not what a reader of the table sees. head has 8 bytes
// or the whole file.
func Opaque(head []byte) bool {
	for _, c := range Compressions() {
		if bytes.HasPrefix(head, []byte(c.Magic)) {
			return true
		}
	}
	for _, f := range Kinds() {
		for _, magic := range f.Magics {
			if bytes.HasPrefix(head, []byte(magic)) {
				return true
			}
		}
	}
	return false
}

// NamesOpaque reports whether a path has an ending of a format whose parts are found by their places.
func NamesOpaque(path string) bool {
	return slices.ContainsFunc(Kinds(), func(k Kind) bool {
		return len(k.Magics) > 0 && slices.ContainsFunc(k.Endings, func(e string) bool { return strings.HasSuffix(Unpacked(path), e) })
	})
}

// Names lists the names of the formats in words: "CSV, … or NPZ".
func Names() string { return named("or", func(Kind) bool { return true }) }

// PartNames lists, in words, the names of the formats of parts.
func PartNames() string { return named("or", func(f Kind) bool { return f.Parts }) }

// CompressionNames lists the names of the compressions in words.
func CompressionNames() string {
	var names []string
	for _, c := range Compressions() {
		names = append(names, c.Name)
	}
	return words("or", names)
}

func named(conjunction string, has func(Kind) bool) string {
	var names []string
	for _, f := range Kinds() {
		if has(f) {
			names = append(names, f.Name)
		}
	}
	return words(conjunction, names)
}

// words joins two or more names.
func words(conjunction string, names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + conjunction + " " + names[last]
}

// Reference returns the part of docs/schema.md that the registry decides: a table of the formats,
// and what may be compressed and may be in parts.
func Reference() string {
	var b strings.Builder
	b.WriteString("| format | endings of names | how its columns are found | header |\n| --- | --- | --- | --- |\n")
	for _, f := range Kinds() {
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", f.Name, strings.Join(f.Endings, "`, `"), f.Found, f.Header)
	}
	plain := func(f Kind) bool { return f.Plain }
	fmt.Fprintf(&b, "\nEvery format except %s may be compressed with %s, and may be read\nfrom standard input as `-`. ", named("and", plain), CompressionNames())
	fmt.Fprintf(&b, "A table in several files has parts in %s.\n", PartNames())
	return b.String()
}
