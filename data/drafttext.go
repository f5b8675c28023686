package data

import (
	"bufio"
	"slices"
	"strings"
)

// draftTable opens a text for a draft: the names of its columns, and its rows. head is the
// beginning of the text.
func draftTable(src Source, b *bufio.Reader, head []byte, target string) (*table, rowReader, error) {
	names, err := expandNames(src.Columns)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case hasLIBSVMName(src.Path) || src.Delimiter == 0 && isLIBSVM(head):
		return draftLIBSVM(src, b, names, target)
	case names == nil && (hasJSONName(src.Path) || src.Delimiter == 0 && isJSONLines(head)):
		return draftJSON(src, b)
	}
	t, err := openTable(request{schema: &Schema{}, file: src.Path, delimiter: src.Delimiter, names: names, noQuotes: src.NoQuotes}, b)
	return t, t, err
}

// draftLIBSVM names the indexes of a LIBSVM file. The file says neither their number nor their
// meaning.
func draftLIBSVM(src Source, b *bufio.Reader, names []string, target string) (*table, rowReader, error) {
	if len(names) == 0 {
		return nil, nil, &FileError{File: src.Path, Problem: "a file in the LIBSVM format names no columns", Want: "the names of its indexes, in order", Remedy: `give them as Source.Columns "x[1:124]" for 123 features, and the label's as Draft.Target`}
	}
	if f := faultHeader(names); f != nil {
		return nil, nil, &FileError{File: src.Path, Problem: f.problem, Want: f.want, Remedy: f.remedy}
	}
	if slices.Contains(names, target) {
		return nil, nil, &FileError{File: src.Path, Problem: "the target is one of the columns", Want: "a name of its own for the label of each line", Remedy: "take it out of Source.Columns"}
	}
	skipMark(b)
	s := &Schema{Target: Target{Column: target}}
	for _, name := range names {
		s.Columns = append(s.Columns, Column{Name: name})
	}
	if _, err := matchIndexes(request{schema: s, file: src.Path}); err != nil {
		return nil, nil, err
	}
	t := &table{file: src.Path, header: append(slices.Clone(names), target)}
	return t, sparseReader{newSparse(request{schema: s, file: src.Path}, b)}, nil
}

// sparseReader reads a LIBSVM file row by row.
type sparseReader struct{ *sparse }

func (s sparseReader) next() ([]string, int, error) {
	for {
		text, err := s.sparse.next()
		if err != nil {
			return nil, 0, err
		}
		if text == "" {
			continue
		}
		return s.cells, s.line, s.parse(text)
	}
}

// draftJSON uses the keys of the first record as the names of the columns.
func draftJSON(src Source, b *bufio.Reader) (*table, rowReader, error) {
	skipMark(b)
	head, _ := b.Peek(b.Size())
	first := newJSONRows(src.Path, bufio.NewReader(strings.NewReader(string(head))), nil)
	text, err := first.object()
	if err != nil {
		return nil, nil, emptyFile(src.Path)
	}
	names, err := first.keys(text)
	if err != nil {
		return nil, nil, err
	}
	rows := newJSONRows(src.Path, b, names)
	for i := range rows.bools {
		rows.bools[i] = true
	}
	return &table{file: src.Path, header: names, headerLine: first.line}, rows, nil
}
