package data

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"
)

// hasJSONName reports whether a file has a name of JSON lines.
func hasJSONName(path string) bool {
	return hasExtension(path, ".jsonl") || hasExtension(path, ".ndjson")
}

// isJSONLines reports whether a text begins as JSON lines do: with an object.
func isJSONLines(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	return len(head) > 1 && head[0] == '{' && strings.ContainsRune("\"} \t", rune(head[1]))
}

// jsonRows reads records that are JSON objects, one on each line, as rows of cells. A string is a
// cell as it is, and a number by its digits. null is an empty cell, and so is a key that a record
// leaves out. The format is that of https://jsonlines.org and RFC 8259.
type jsonRows struct {
	file      string
	r         *bufio.Reader
	positions map[string]int
	// bools reports for each column that true and false are levels; elsewhere they are 1 and 0.
	// skipped columns may hold lists and objects.
	bools, skipped []bool
	cells          []string
	seen           []bool
	buffer         []byte
	line           int
	remedy         string // for a key that the schema does not name, or ""
}

func newJSONRows(file string, r *bufio.Reader, names []string) *jsonRows {
	j := &jsonRows{file: file, r: r, positions: make(map[string]int, len(names)), cells: make([]string, len(names)), seen: make([]bool, len(names)),
		bools: make([]bool, len(names)), skipped: make([]bool, len(names))}
	for i, name := range names {
		j.positions[name] = i
	}
	return j
}

var _ rowReader = (*jsonRows)(nil)

func (j *jsonRows) fail(key int, problem, want, remedy string) error {
	return &FileError{File: j.file, Line: j.line, Column: key, Problem: problem, Want: want, Remedy: remedy}
}

// object returns the next line that is not empty. The error is io.EOF after the last one.
func (j *jsonRows) object() ([]byte, error) {
	for {
		j.line++
		j.buffer = j.buffer[:0]
		for {
			part, err := j.r.ReadSlice('\n')
			if len(j.buffer)+len(part) > maxLineBytes {
				return nil, j.fail(0, "the line is longer than 16 MiB", "one record on each line", "look for line ends that are missing")
			}
			j.buffer = append(j.buffer, part...)
			if err == bufio.ErrBufferFull {
				continue
			}
			if err == nil || err == io.EOF && len(j.buffer) > 0 {
				break
			}
			return nil, err
		}
		text := bytes.TrimSpace(j.buffer)
		switch {
		case len(text) == 0:
			continue
		case !utf8.Valid(text):
			return nil, j.fail(0, "bytes were found that are not UTF-8", "text in UTF-8", "write the table as text in UTF-8")
		}
		return text, nil
	}
}

// next returns the cells of the next record, valid until the next call, and its line.
func (j *jsonRows) next() ([]string, int, error) {
	text, err := j.object()
	if err != nil {
		return nil, 0, err
	}
	clear(j.cells)
	clear(j.seen)
	err = j.pairs(text, func(key int, name string, d *json.Decoder) error {
		at, known := j.positions[name]
		switch {
		case !known:
			return j.fail(key, "the schema does not name this key of the record", "only declared columns", cmp.Or(j.remedy, "add it to the schema, as ignore if it is not wanted, or use the schema of this table"))
		case j.seen[at]:
			return j.fail(key, "the record has this key twice", "each key once", "mend the record")
		}
		j.seen[at] = true
		return j.value(key, at, d)
	})
	return j.cells, j.line, err
}

// keys returns the keys of a record in order.
func (j *jsonRows) keys(text []byte) ([]string, error) {
	var names []string
	err := j.pairs(text, func(_ int, name string, d *json.Decoder) error {
		names = append(names, name)
		var value json.RawMessage
		return d.Decode(&value)
	})
	return names, err
}

// pairs calls pair before each value of an object; pair reads the value.
func (j *jsonRows) pairs(text []byte, pair func(key int, name string, d *json.Decoder) error) error {
	broken := func() error {
		return j.fail(0, "the line is no JSON object", `one object on each line, such as {"age": 40, "sex": "f"}`, "write one record a line")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return broken()
	}
	for key := 1; d.More(); key++ {
		name, err := d.Token()
		text, isText := name.(string)
		if err != nil || !isText {
			return broken()
		}
		if err := pair(key, strings.TrimSpace(text), d); err != nil {
			if _, ours := err.(*FileError); ours {
				return err
			}
			return broken()
		}
	}
	if _, err := d.Token(); err != nil {
		return broken()
	}
	if _, err := d.Token(); err != io.EOF {
		return broken()
	}
	return nil
}

// value reads the value of a column into its cell.
func (j *jsonRows) value(key, at int, d *json.Decoder) error {
	if j.skipped[at] {
		var any json.RawMessage
		return d.Decode(&any)
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case nil:
	case string:
		j.cells[at] = v
	case json.Number:
		j.cells[at] = v.String()
	case bool:
		j.cells[at] = boolCell(v, j.bools[at])
	default:
		return j.fail(key, "the value is a list or an object", "a text, a number, true, false or null", "declare the column as ignore, or write its parts as columns")
	}
	return nil
}

// boolCell returns the cell of a bool: a level, or 1 or 0.
func boolCell(v, level bool) string {
	switch {
	case level && v:
		return "true"
	case level:
		return "false"
	case v:
		return "1"
	}
	return "0"
}

// scanJSON passes every record of JSON lines to the sink.
func scanJSON(ctx context.Context, q request, r *bufio.Reader) error {
	if err := refusePatterns(q, "in the JSON lines format, whose records have names"); err != nil {
		return err
	}
	skipMark(r)
	columns, names := q.schema.Columns, q.schema.allNames()
	rows := newJSONRows(q.file, r, names)
	l, last := layout{width: len(names), target: -1}, len(names)-1
	rows.skipped[last] = q.withoutTarget
	rows.bools[last] = !q.schema.Target.Regression() && q.schema.Target.Threshold == nil
	if !q.withoutTarget {
		l.target = last
	}
	for i := range columns {
		at := rows.positions[columns[i].source()]
		rows.bools[at], rows.skipped[at] = columns[i].isText(), columns[i].Kind == Ignored
		if columns[i].Kind != Ignored {
			l.features = append(l.features, at)
		}
	}
	for _, name := range q.extra {
		at := rows.positions[name]
		l.extra, rows.skipped[at] = append(l.extra, at), false
	}
	if q.predicts {
		rows.remedy = remedyPassThrough
	}
	q.sink.begin(l)
	return scanRows(ctx, q, rows)
}

// skipMark skips a byte order mark.
func skipMark(r *bufio.Reader) {
	if head, _ := r.Peek(len("\ufeff")); string(head) == "\ufeff" {
		_, _ = r.Discard(len(head))
	}
}
