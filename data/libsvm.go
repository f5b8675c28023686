package data

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLineBytes bounds one line of a LIBSVM file.
const maxLineBytes = 16 << 20

// hasLIBSVMName reports whether a file has a name of LIBSVM files.
func hasLIBSVMName(path string) bool {
	return hasExtension(path, ".libsvm") || hasExtension(path, ".svm") || hasExtension(path, ".svmlight")
}

// isLIBSVM reports whether a text begins as a LIBSVM file does. Take its first line with more than
// a number, comments aside. After a number it has an index, a colon and a number, or qid and a
// colon.
func isLIBSVM(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte{'\n'})
		fields := strings.Fields(string(withoutComment(line)))
		if len(fields) == 0 {
			continue
		}
		if _, err := strconv.ParseFloat(fields[0], 64); err != nil {
			return false
		}
		if len(fields) == 1 {
			continue
		}
		index, value, colon := strings.Cut(fields[1], ":")
		_, err := strconv.ParseFloat(value, 64)
		return colon && (index == "qid" || allDigits(index) && err == nil)
	}
	return false
}

// withoutComment returns a line up to its first #.
func withoutComment(line []byte) []byte {
	line, _, _ = bytes.Cut(line, []byte{'#'})
	return line
}

// sparse reads a LIBSVM file line by line. The format is that of the README of Chih-Chung Chang and
// Chih-Jen Lin, "LIBSVM: A Library for Support Vector Machines",
// https://github.com/cjlin1/libsvm/blob/master/README. Comments follow Thorsten Joachims,
// "SVM-light", section "How to use", https://www.cs.cornell.edu/people/tj/svm_light/.
type sparse struct {
	q       request
	r       *bufio.Reader
	buffer  []byte
	line    int
	cells   []string // one for each column of the schema, then the target
	zeros   []string // cells of a row without entries
	entries []int    // positions in cells of the entries of the line
	levels  []levelTexts
	rows    *sparseRows // nil for a sink that takes complete rows only
	block   *blockSink  // whose builder rows passes them to, or nil
}

// scanLIBSVM passes every line of a LIBSVM text to the sink. Index i is the i-th column of
// the schema.
func scanLIBSVM(ctx context.Context, q request, r *bufio.Reader) error {
	head, err := r.Peek(chunkBytes)
	if err != nil && err != io.EOF {
		return err
	}
	if kind := notText(head); kind != "" {
		return &FileError{File: q.file, Problem: "it is " + kind, Want: "a table as text", Remedy: "write the table in the LIBSVM format, or rename the file"}
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		_, _ = r.Discard(len("\ufeff"))
	}
	if err = refuseDates(q, "in the LIBSVM format"); err != nil {
		return err
	}
	if err = refuseTexts(q, "in the LIBSVM format"); err != nil {
		return err
	}
	l, err := matchIndexes(q)
	if err != nil {
		return err
	}
	q.sink.begin(l)
	return newSparse(q, r).scan(ctx)
}

func newSparse(q request, r *bufio.Reader) *sparse {
	columns := q.schema.Columns
	s := &sparse{q: q, r: r, cells: make([]string, len(columns)+1), zeros: make([]string, len(columns)+1), levels: make([]levelTexts, len(columns)+1)}
	marks := q.schema.Marks()
	for i := range columns {
		switch c := &columns[i]; {
		case c.Kind == Categorical && i > 0 && sameTexts(c.Levels, columns[i-1].Levels):
			s.levels[i] = s.levels[i-1]
		case c.Kind == Categorical:
			s.levels[i] = newLevelTexts(c.texts(), marks)
		}
		s.zeros[i] = s.levels[i].find("0")
	}
	copy(s.cells, s.zeros)
	s.levels[len(columns)] = newLevelTexts(q.schema.Target.Levels, marks)
	switch sink := q.sink.(type) {
	case *builder:
		s.rows = newSparseRows(sink)
	case *blockSink:
		s.rows, s.block = newSparseRows(sink.builder), sink
	}
	return s
}

// matchIndexes maps the schema to the indexes by position. A column whose name is a number must
// stand at that position, so that a schema of chosen indexes is not misread.
func matchIndexes(q request) (layout, error) {
	if err := refusePassed(q, "in the LIBSVM format"); err != nil {
		return layout{}, err
	}
	columns := q.schema.Columns
	l := layout{width: len(columns) + 1, target: -1}
	if !q.withoutTarget {
		l.target = len(columns)
	}
	for i := range columns {
		if name := columns[i].Name; allDigits(name) && name != strconv.Itoa(i+1) {
			return layout{}, &FileError{File: q.file, Problem: fmt.Sprintf("column %q of the schema stands at position %d, which is its index in a LIBSVM file", name, i+1),
				Want: "column names that are no numbers, or each at the position it names", Remedy: "declare all columns in order, as ignore those that are not wanted"}
		}
		if columns[i].Kind != Ignored {
			l.features = append(l.features, i)
		}
	}
	for _, name := range q.extra {
		l.extra = append(l.extra, slices.IndexFunc(columns, func(c Column) bool { return c.Name == name }))
	}
	return l, nil
}

// scan passes all records to the sink.
func (s *sparse) scan(ctx context.Context) error {
	for rows := 0; ; {
		if s.line%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		text, err := s.next()
		if err == io.EOF && rows == 0 {
			return noRecords(s.q.file)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if text == "" {
			continue
		}
		if rows == s.q.maxRecords {
			return tooMany(s.q, s.line)
		}
		if err = s.parse(text); err != nil {
			return err
		}
		rows++
		*s.q.rows++
		if s.rows == nil {
			s.q.sink.cells(s.line, s.cells)
			continue
		}
		s.rows.add(s.cells, s.entries)
		if s.block != nil {
			s.block.complete()
		}
	}
}

func (s *sparse) fail(entry int, problem, want, remedy string) error {
	return &FileError{File: s.q.file, Line: s.line, Column: entry, Problem: problem, Want: want, Remedy: remedy}
}

// next returns the next line without its comment and outer spaces. The error is io.EOF after
// the last line.
func (s *sparse) next() (string, error) {
	s.line++
	s.buffer = s.buffer[:0]
	for {
		part, err := s.r.ReadSlice('\n')
		if len(s.buffer)+len(part) > maxLineBytes {
			return "", s.fail(0, "the line is longer than 16 MiB", "one record on each line", "look for line ends that are missing")
		}
		s.buffer = append(s.buffer, part...)
		switch {
		case err == io.EOF && len(s.buffer) == 0:
			return "", io.EOF
		case err == nil || err == io.EOF:
			return s.text()
		case err != bufio.ErrBufferFull:
			return "", err
		}
	}
}

// text returns the line in the buffer, if it is text.
func (s *sparse) text() (string, error) {
	line := bytes.TrimSpace(withoutComment(s.buffer))
	switch {
	case bytes.IndexByte(line, 0) >= 0:
		return "", s.fail(0, "a NUL byte was found", "text", "write the table as text in UTF-8")
	case !utf8.Valid(line):
		return "", s.fail(0, "bytes were found that are not UTF-8", "text in UTF-8", "write the table as text in UTF-8")
	}
	return string(line), nil
}

// parse fills the cells from a line. An entry that the line leaves out is 0. Any text after a colon
// is a cell, which the schema treats.
func (s *sparse) parse(text string) error {
	for _, i := range s.entries {
		s.cells[i] = s.zeros[i]
	}
	s.entries = s.entries[:0]
	target, last, entry := len(s.cells)-1, 0, 0
	for field := range strings.FieldsSeq(text) {
		entry++
		index, value, colon := strings.Cut(field, ":")
		if entry == 1 && !colon {
			s.cells[target] = s.levels[target].find(field)
			continue
		}
		if entry == 1 && !s.q.withoutTarget {
			return s.fail(entry, "the line has no label", "the label before the entries", "write a label on each line")
		}
		if index == "qid" && colon {
			return s.fail(entry, "the entry is a qid", "lines that stand for themselves", "remove the qid; rows that a query joins are not counted together by the guarantee for single rows")
		}
		i, err := s.index(entry, index, colon, last)
		if err != nil {
			return err
		}
		s.cells[i-1] = s.levels[i-1].find(value)
		s.entries = append(s.entries, i-1)
		last = i
	}
	return nil
}

// index returns the index of an entry, which is greater than the last one and at most the number of
// columns. No error quotes it.
func (s *sparse) index(entry int, text string, colon bool, last int) (int, error) {
	columns := len(s.cells) - 1
	i, digits := wholeNumber(text, columns)
	switch {
	case !colon || !digits:
		return 0, s.fail(entry, "the entry has no index before a colon", "index:value", "mend the line")
	case i > columns:
		return 0, s.fail(entry, "the index is greater than the number of columns", fmt.Sprintf("at most %d as in the schema", columns), "use the schema of this table, or declare more columns")
	case i == 0:
		return 0, s.fail(entry, "the index is 0", "indexes from 1", "write the table with indexes that begin at 1")
	case i <= last:
		return 0, s.fail(entry, "the index is not greater than the one before it", "ascending indexes, each once", "sort the entries of each line")
	}
	return i, nil
}

// wholeNumber returns the integer in a text of digits, and reports whether the text is one. For an
// integer beyond most it returns some integer beyond most.
func wholeNumber(text string, most int) (i int, digits bool) {
	for k := range len(text) {
		digit := text[k] - '0'
		if digit > 9 {
			return 0, false
		}
		if i <= most {
			i = 10*i + int(digit)
		}
	}
	return i, text != ""
}
