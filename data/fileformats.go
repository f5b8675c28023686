package data

import "strings"

// FileFormat is a kind of file that holds a table.
type FileFormat struct {
	Name string
	// Endings are how names of such files end, in lower case, before .gz.
	Endings []string
	// Plain is whether the file must stand on disk as it is: no gzip, no standard input.
	Plain bool
}

// FileFormats lists what Read reads, and what Source.Formats usually adds, in the order in which help names them.
func FileFormats() []FileFormat {
	return []FileFormat{
		{Name: "CSV", Endings: []string{".csv", ".tsv", ".data", ".test"}},
		{Name: "JSON lines", Endings: []string{".jsonl", ".ndjson"}},
		{Name: "Parquet", Endings: []string{".parquet"}, Plain: true},
		{Name: "LIBSVM", Endings: []string{".libsvm", ".svm", ".svmlight"}},
		{Name: "IDX", Endings: []string{".idx", "-ubyte"}},
		{Name: "NPY", Endings: []string{".npy"}},
		{Name: "NPZ", Endings: []string{".npz"}, Plain: true},
	}
}

// FormatNames lists the names of the formats in words: "CSV, … or NPZ".
func FormatNames() string {
	var names []string
	for _, f := range FileFormats() {
		names = append(names, f.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
