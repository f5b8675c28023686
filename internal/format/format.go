// Package format names the kinds of files that hold a table, and tells which paths stand for several of them.
package format

import "strings"

// Kind is a kind of file that holds a table.
type Kind struct {
	Name string
	// Endings are how names of such files end, in lower case, before .gz.
	Endings []string
	// Plain is whether the file must stand on disk as it is: no gzip, no standard input.
	Plain bool
}

// Kinds lists what data.Read reads, and what data.Source.Formats usually adds, in the order in which help names them.
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
