package data

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode"
)

// plainDelimiter reports whether cells can be told apart byte by byte. The delimiter must be one
// byte, and no byte that can continue a number.
func plainDelimiter(r rune) bool { return r < 0x80 && r != '+' && r != '-' && r != '.' }

// scan reads the rows of a block, up to the first fault.
func (p *part) scan(b *block) {
	text, line := b.text, b.line
	for len(text) > 0 && p.err == nil {
		next := bytes.IndexByte(text, '\n') + 1
		row := text[:max(0, next-1)]
		if next == 0 {
			row, next = text, len(text)
		}
		row = bytes.TrimSuffix(row, []byte{'\r'})
		lines := 1
		switch {
		case len(row) == 0:
		case !b.quotes || bytes.IndexByte(row, '"') < 0:
			p.plainRow(line, row)
		case p.split(row):
			p.splitRow(line)
		default:
			next, lines = p.generalRow(line, text, b.last)
		}
		text, line = text[next:], line+lines
	}
}

// split finds the cells of a row on one line, where each quoted cell holds no further quote. It
// reports false for any other row.
func (p *part) split(row []byte) bool {
	p.cells = p.cells[:0]
	for {
		if trimsSpace(rune(p.plan.delimiter)) {
			row = bytes.TrimLeftFunc(row, unicode.IsSpace)
		}
		cell, end := row, 0
		if len(row) > 0 && row[0] == '"' {
			if end = bytes.IndexByte(row[1:], '"') + 1; end == 0 {
				return false
			}
			cell, row = row[1:end], row[end+1:]
			if len(row) > 0 && row[0] != p.plan.delimiter {
				return false
			}
			end = 0
		} else {
			if end = bytes.IndexByte(row, p.plan.delimiter); end < 0 {
				end = len(row)
			}
			if cell = row[:end]; bytes.IndexByte(cell, '"') >= 0 {
				return false
			}
		}
		p.cells = append(p.cells, cell)
		if end == len(row) {
			return true
		}
		row = row[end+1:]
	}
}

// splitRow adds the row whose cells split found.
func (p *part) splitRow(line int) {
	if !p.accept(line, len(p.cells)) {
		return
	}
	for i, cell := range p.cells {
		p.cell(&p.plan.cells[i], cell)
	}
	p.rows++
}

// errBlockEnd is the error at the end of a block that is not the end of the text.
var errBlockEnd = errors.New("data: a block ends")

// blockText is the text of a block from a row on.
type blockText struct {
	text []byte
	last bool
}

func (t *blockText) Read(p []byte) (int, error) {
	switch n := copy(p, t.text); {
	case n > 0:
		t.text = t.text[n:]
		return n, nil
	case t.last:
		return 0, io.EOF
	}
	return 0, errBlockEnd
}

// generalRow reads the first row of a text by encoding/csv and returns its number of bytes and
// lines. It leaves out a row that the block cuts off before a failure of reading.
func (p *part) generalRow(line int, text []byte, last bool) (bytesRead, lines int) {
	r := newCSV(bufio.NewReader(&blockText{text, last}), rune(p.plan.delimiter))
	cells, err := r.Read()
	switch {
	case errors.Is(err, errBlockEnd):
		return len(text), 0
	case err != nil:
		p.err = parseFailure(p.plan.q.file, line-1, err)
		return len(text), 0
	}
	p.cells = p.cells[:0]
	for _, cell := range cells {
		p.cells = append(p.cells, []byte(cell))
	}
	p.splitRow(line)
	n := int(r.InputOffset())
	return n, bytes.Count(text[:n], []byte{'\n'})
}
