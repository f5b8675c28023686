package data

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/ditherml/dither/internal/format"
)

// table reads a CSV file row by row.
type table struct {
	file      string
	delimiter rune
	guard     *guard
	in        *bufio.Reader // the text that r has not read
	r         rowSource
	header    []string // trimmed
	// headerLine is the line of the header, after empty lines. nextLine is the line after it.
	headerLine, nextLine int
	named                bool // the names are not in the file
	database             bool // the text comes from a database
}

// openTable reads up to the end of the header, and nothing of a table without a header. Such a table may have no
// byte. A delimiter of 0 is detected.
func openTable(q request, r io.Reader) (*table, error) {
	file, delimiter := q.file, q.delimiter
	b := bufio.NewReaderSize(r, chunkBytes)
	head, err := b.Peek(chunkBytes)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if len(head) == 0 && (q.names == nil || format.NamesOpaque(file)) {
		return nil, emptyFile(file)
	}
	if kind := notText(head); kind != "" {
		return nil, &FileError{File: file, Problem: "it is " + kind, Want: "a table as text", Remedy: "save the table as CSV in UTF-8"}
	}
	whole := len(head) < chunkBytes
	if strings.HasPrefix(string(head[:min(3, len(head))]), "\ufeff") {
		head = head[3:]
		_, _ = b.Discard(3)
	}
	if delimiter == 0 {
		delimiter = detectDelimiter(head, q.noQuotes)
	}
	if !validDelimiter(delimiter) {
		return nil, &FileError{File: file, Problem: fmt.Sprintf("the delimiter is %q", delimiter), Want: "one character that is no quote, letter, digit or line end", Remedy: "leave it out to have it detected"}
	}
	// A file that is no text is refused before a header is searched in it.
	if _, err = newGuard(nil, file, delimiter, q.noQuotes).check(head, whole); err != nil {
		return nil, err
	}
	t := &table{file: file}
	t.open(b, delimiter, q.noQuotes)
	if q.names == nil {
		return t, t.readHeader()
	}
	first, _ := newRows(bufio.NewReader(bytes.NewReader(head)), delimiter, q.noQuotes).Read() // a row that cannot be read is an error of scanRows
	return t, t.nameColumns(q, q.names, first)
}

// open begins to read a text.
func (t *table) open(r io.Reader, delimiter rune, noQuotes bool) {
	t.delimiter, t.guard = delimiter, newGuard(r, t.file, delimiter, noQuotes)
	t.in = bufio.NewReaderSize(t.guard, chunkBytes)
	t.r = newRows(t.in, delimiter, noQuotes)
}

// newCSV returns the reader of encoding/csv. It reads no further than necessary from a
// bufio.Reader.
func newCSV(in *bufio.Reader, delimiter rune) *csv.Reader {
	r := csv.NewReader(in)
	r.Comma = delimiter
	r.ReuseRecord = true
	r.TrimLeadingSpace = trimsSpace(delimiter)
	r.FieldsPerRecord = -1
	return r
}

// trimsSpace reports whether spaces before a cell are cut, so that quotes may follow a space.
func trimsSpace(delimiter rune) bool { return !unicode.IsSpace(delimiter) }

func emptyFile(file string) error {
	return &FileError{File: file, Problem: "the file is empty", Want: "a header line and records", Remedy: "name the file that holds the table"}
}

func (t *table) readHeader() error {
	header, err := t.r.Read()
	if err != nil {
		if err = t.failure(err); err == io.EOF {
			return emptyFile(t.file)
		}
		return err
	}
	t.headerLine, _ = t.r.FieldPos(0)
	t.nextLine = t.headerLine + 1
	t.header = make([]string, len(header))
	for i, name := range header {
		t.nextLine += strings.Count(name, "\n") // in quotes
		t.header[i] = strings.Clone(strings.TrimSpace(name))
	}
	return nil
}

// next returns the cells of the next row, valid until the next call, and its
// line. The error is io.EOF at the end, or a *FileError, or the context's.
func (t *table) next() ([]string, int, error) {
	cells, err := t.r.Read()
	if err != nil {
		return nil, 0, t.failure(err)
	}
	line, _ := t.r.FieldPos(0)
	if len(cells) != len(t.header) {
		return nil, 0, ragged(t.file, line, len(cells), len(t.header))
	}
	return cells, line, nil
}

func ragged(file string, line, cells, want int) error {
	return &FileError{File: file, Line: line, Problem: fmt.Sprintf("the row has %s", plural(cells, "cell")),
		Want: fmt.Sprintf("%d as in the header, or as named", want), Remedy: "mend the row; a cell that holds the delimiter needs quotes"}
}

// failure returns an error of the CSV reader as a *FileError. A fault that the guard found comes
// first: the CSV reader may have failed because of that fault.
func (t *table) failure(err error) error {
	if t.guard.err != nil && t.guard.err != io.EOF {
		return t.guard.err
	}
	return parseFailure(t.file, 0, err)
}

// parseFailure returns a parse error of the CSV reader, which began after some lines of the file,
// as a *FileError. Other errors are passed on.
func parseFailure(file string, before int, err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	e := &FileError{File: file, Line: before + parse.StartLine, Want: "cells in plain quotes, with a quote inside doubled", Remedy: "mend the quotes of the row, or read quotes as characters with Source.NoQuotes or quote: none in the schema"}
	e.Problem = "a quoted cell is not closed, or text follows its closing quote"
	if errors.Is(parse.Err, csv.ErrBareQuote) {
		e.Problem = "a quote stands inside a cell that is not quoted"
	}
	return e
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// scanTable passes every row of a CSV text to the sink.
func scanTable(ctx context.Context, q request, in io.Reader) error {
	t, err := openTable(q, in)
	if err != nil {
		return err
	}
	l, err := matchHeader(q, t)
	if err != nil {
		return err
	}
	q.sink.begin(l)
	return t.scan(ctx, q)
}

// scan passes every row after the header to the sink.
func (t *table) scan(ctx context.Context, q request) error {
	parts, ok := q.sink.(partSink)
	if _, checks := q.sink.(*checker); checks || !ok || q.general || !plainDelimiter(t.delimiter) {
		return scanRows(ctx, q, t) // a checker looks at single rows
	}
	return scanBlocks(ctx, q, t, parts)
}

// scanRows passes every row to the sink, one by one.
func scanRows(ctx context.Context, q request, t rowReader) error {
	for rows := 0; ; rows++ {
		if rows%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		cells, line, err := t.next()
		if err == io.EOF && rows == 0 {
			return noRecords(q.file)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if rows == q.maxRecords {
			return tooMany(q, line)
		}
		q.sink.cells(line, cells)
		*q.rows++
	}
}

func noRecords(file string) error {
	return &FileError{File: file, Problem: "the file holds no records", Want: "at least one", Remedy: "name the file that holds the table", Err: errNoRecords}
}

func tooMany(q request, line int) error {
	if q.related != "" {
		return &FileError{File: q.file, Line: line, Problem: fmt.Sprintf("related table %q has more rows than max-records, %d", q.related, q.declared),
			Want: "a number of rows that memory holds", Remedy: "declare a larger max-records for it, or aggregate its rows for each person in a query"}
	}
	return &FileError{File: q.file, Line: line, Problem: fmt.Sprintf("the file has more rows than max-records, %d", q.declared),
		Want: "a declared upper bound", Remedy: "raise max-records to a number that is public, or split the file"}
}
