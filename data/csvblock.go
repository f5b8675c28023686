package data

import (
	"bytes"
	"io"
	"slices"
)

const (
	// tableBlockBytes is the approximate size of one block of a CSV text.
	tableBlockBytes = 1 << 20
	// guardBytes is the number of bytes that the guard checks at once, less than the limit of a
	// cell.
	guardBytes = 256 << 10
)

// block is a part of a CSV text that begins and ends with a row.
type block struct {
	text []byte
	// line is the line of the file at which the text begins.
	line int
	// quotes reports that the text has a quote, and last that it ends with the file. A text that
	// ends neither with the file nor with a row stands before a failure of reading.
	quotes, last bool
	part         *part
	done         chan struct{}
}

// blockReader cuts a text into blocks.
type blockReader struct {
	in   io.Reader
	line int
	rest []byte // of the text, after the last row end
	size int    // of a block, about
	// noQuotes reports that a quote is a character like others.
	noQuotes bool
}

// fill reads the next block. The error says why no block follows it: io.EOF, or a failure. Before a
// failure the text is cut after its last complete line.
func (r *blockReader) fill(b *block) error {
	b.text = append(b.text[:0], r.rest...)
	var err error
	cut := 0
	for wanted := r.size; cut == 0 && err == nil; wanted *= 2 {
		for len(b.text) < wanted && err == nil {
			err = r.more(b)
		}
		if err == nil {
			cut = r.rowEnd(b.text)
		}
	}
	if err == io.EOF {
		cut = len(b.text)
	} else if err != nil {
		cut = bytes.LastIndexByte(b.text, '\n') + 1
	}
	r.rest = append(r.rest[:0], b.text[cut:]...)
	b.text, b.last = b.text[:cut], err == io.EOF
	b.quotes = !r.noQuotes && bytes.IndexByte(b.text, '"') >= 0
	b.line = r.line
	r.line += bytes.Count(b.text, []byte{'\n'})
	return err
}

// more reads once.
func (r *blockReader) more(b *block) error {
	used := len(b.text)
	b.text = slices.Grow(b.text, guardBytes)
	n, err := r.in.Read(b.text[used : used+guardBytes])
	b.text = b.text[:used+n]
	return err
}

// rowEnd returns the position after the last line end of a text at which a row ends, or 0.
func (r *blockReader) rowEnd(text []byte) int {
	if r.noQuotes {
		return bytes.LastIndexByte(text, '\n') + 1
	}
	return rowEnd(text)
}

// rowEnd returns the position after the last line end with an even number of quotes before it, or
// 0. The text begins with a row. Such a line end stands in no quoted cell, since every readable row
// before it has an even number of quotes. The fault of an unreadable row shows before that line
// end.
func rowEnd(text []byte) int {
	quotes := bytes.Count(text, []byte{'"'})
	for end := len(text); ; {
		newline := bytes.LastIndexByte(text[:end], '\n')
		if newline < 0 {
			return 0
		}
		quotes -= bytes.Count(text[newline:end], []byte{'"'})
		if quotes%2 == 0 {
			return newline + 1
		}
		end = newline
	}
}
