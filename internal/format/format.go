// Package format names the kinds of files that hold a table. It also recognizes paths of several
// such files.
package format

import "strings"

// Kind is a kind of file that holds a table.
type Kind struct {
	Name string
	// Endings are the endings of names of such files, in lower case, before .gz.
	Endings []string
	// Plain says that the file must be an uncompressed file on disk: no gzip, no standard input.
	Plain bool
}

// Kinds lists the formats of data.Read and the usual data.Source.Formats, in the order of the help
// text.
func Kinds() []Kind {
	return []Kind{
		{Name: "CSV", Endings: []string{".csv", ".tsv", ".data", ".test"}},
		{Name: "JSON lines", Endings: []string{".jsonl", ".ndjson"}},
		{Name: "Parquet", Endings: []string{".parquet"}, Plain: true},
		{Name: "LIBSVM", Endings: []string{".libsvm", ".svm", ".svmlight"}},
		{Name: "IDX", Endings: []string{".idx", "-ubyte"}},
		{Name: "NPY", Endings: []string{".npy"}},
		{Name: "NPZ", Endings: []string{".npz"}, Plain: true},
	}
}

// Names lists the names of the formats in words: "CSV, … or NPZ".
func Names() string {
	var names []string
	for _, f := range Kinds() {
		names = append(names, f.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
