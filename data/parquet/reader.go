package parquet

import (
	"bytes"
	"io"
	"math"
	"unicode/utf8"

	"github.com/ditherml/dither/data"
	"github.com/parquet-go/parquet-go"
)

// reader reads one column, page by page through all row groups.
type reader struct {
	groups   []parquet.RowGroup // still to be read
	pages    parquet.Pages      // of the current group, or nil
	left     int64              // rows of the current group still to come
	leaf     int
	optional bool
	kind     data.CellKind
	number   numbers

	cells data.Cells
	page  pageCells
}

// pageCells are the cells of one page; those before at were given.
type pageCells struct {
	at, rows int
	numbers  []float64
	codes    []int32
	texts    [][]byte
	values   []float64 // room for what is not null
	// dictionary is the one whose texts are in texts, or whose numbers are in known.
	dictionary parquet.Dictionary
	known      []float64
}

var _ data.ColumnReader = (*reader)(nil)

// Next returns the next n cells.
func (r *reader) Next(n int) (cells data.Cells, err error) {
	defer recovered(&err)
	r.cells = data.Cells{Numbers: r.cells.Numbers[:0], Codes: r.cells.Codes[:0], Texts: r.cells.Texts[:0]}
	for n > 0 {
		if r.page.at == r.page.rows {
			if err = r.nextPage(); err != nil {
				return data.Cells{}, err
			}
			continue
		}
		count := min(n, r.page.rows-r.page.at)
		r.give(count)
		n -= count
	}
	return r.cells, nil
}

// give moves cells of the page into the cells that are returned, once for each page.
func (r *reader) give(count int) {
	p := &r.page
	from, to := p.at, p.at+count
	p.at = to
	switch r.kind {
	case data.NumberCells:
		r.cells.Numbers = append(r.cells.Numbers, p.numbers[from:to]...)
	case data.BoolCells:
		r.cells.Codes = append(r.cells.Codes, p.codes[from:to]...)
	default:
		base := int32(len(r.cells.Texts))
		r.cells.Texts = append(r.cells.Texts, p.texts...)
		for _, code := range p.codes[from:to] {
			if code >= 0 {
				code += base
			}
			r.cells.Codes = append(r.cells.Codes, code)
		}
	}
}

// nextPage reads a page; rows may be 0. A group must have the rows that it says.
func (r *reader) nextPage() error {
	if r.pages == nil {
		if len(r.groups) == 0 {
			return damaged()
		}
		r.left = r.groups[0].NumRows()
		r.pages = r.groups[0].ColumnChunks()[r.leaf].Pages()
		r.groups = r.groups[1:]
	}
	page, err := r.pages.ReadPage()
	if err == io.EOF && r.left == 0 {
		err = r.pages.Close()
		r.pages = nil
		return err
	}
	if err != nil {
		return damaged()
	}
	defer parquet.Release(page)
	if r.left -= page.NumRows(); r.left < 0 || page.NumRows() != page.NumValues() {
		return damaged()
	}
	return r.take(page)
}

// take copies the cells of a page.
func (r *reader) take(page parquet.Page) error {
	p := &r.page
	p.at, p.rows = 0, int(page.NumRows())
	present := page.DefinitionLevels()
	if r.optional && len(present) != p.rows || !r.optional && len(present) != 0 {
		return damaged()
	}
	switch r.kind {
	case data.NumberCells:
		return r.takeNumbers(page, present)
	case data.BoolCells:
		return p.takeBools(page, present)
	}
	return p.takeTexts(page, present)
}

func (r *reader) takeNumbers(page parquet.Page, present []byte) error {
	p := &r.page
	values := page.Data()
	if dictionary := page.Dictionary(); dictionary != nil {
		if dictionary != p.dictionary {
			p.dictionary, p.known = dictionary, r.number(p.known[:0], dictionary.Page().Data())
		}
		p.values = p.values[:0]
		for _, code := range values.Int32() {
			p.values = append(p.values, p.known[code]) // a panic where the file is damaged
		}
	} else {
		p.values = r.number(p.values[:0], values)
	}
	var whole bool
	p.numbers, whole = spread(p.numbers[:0], p.values, present, p.rows, math.NaN())
	return wanted(whole)
}

func (p *pageCells) takeBools(page parquet.Page, present []byte) error {
	values := make([]parquet.Value, p.rows)
	n, err := page.Values().ReadValues(values)
	if n != p.rows || err != nil && err != io.EOF {
		return damaged()
	}
	p.codes = p.codes[:0]
	for _, v := range values {
		switch {
		case v.IsNull():
			p.codes = append(p.codes, -1)
		case v.Boolean():
			p.codes = append(p.codes, 1)
		default:
			p.codes = append(p.codes, 0)
		}
	}
	return wanted(len(present) == 0 || len(present) == p.rows)
}

func (p *pageCells) takeTexts(page parquet.Page, present []byte) error {
	var codes []int32
	values := page.Data()
	dictionary := page.Dictionary()
	switch {
	case dictionary == nil:
		p.split(values.ByteArray())
		for i := range p.texts {
			codes = append(codes, int32(i))
		}
	case dictionary == p.dictionary:
		codes = values.Int32()
	default:
		known := dictionary.Page().Data()
		p.split(known.ByteArray())
		codes = values.Int32()
	}
	if p.dictionary != dictionary || dictionary == nil {
		p.dictionary = dictionary
		if err := p.checkTexts(); err != nil {
			return err
		}
	}
	var whole bool
	p.codes, whole = spread(p.codes[:0], codes, present, p.rows, -1)
	return wanted(whole)
}

// checkTexts wants what a CSV file can hold.
func (p *pageCells) checkTexts() error {
	for _, text := range p.texts {
		if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			return &data.FileError{Problem: "bytes were found that are not UTF-8, or a NUL byte", Want: "texts in UTF-8", Remedy: "write the column as STRING, or declare it as ignore"}
		}
	}
	return nil
}

// split copies texts that lie one after the other.
func (p *pageCells) split(text []byte, offsets []uint32) {
	p.texts = p.texts[:0]
	text = bytes.Clone(text)
	for i := 1; i < len(offsets); i++ {
		p.texts = append(p.texts, text[offsets[i-1]:offsets[i]])
	}
}

// spread puts values where a definition level is 1, and missing elsewhere. It reports whether
// the values are as many as they should be.
func spread[T any](dst, values []T, present []byte, rows int, missing T) ([]T, bool) {
	if len(present) == 0 {
		return append(dst, values...), len(values) == rows
	}
	for _, level := range present {
		switch {
		case level == 0:
			dst = append(dst, missing)
		case len(values) == 0:
			return dst, false
		default:
			dst, values = append(dst, values[0]), values[1:]
		}
	}
	return dst, len(values) == 0
}

func wanted(ok bool) error {
	if !ok {
		return damaged()
	}
	return nil
}

// Close ends the reading.
func (r *reader) Close() (err error) {
	defer recovered(&err)
	if r.pages != nil {
		err = r.pages.Close()
		r.pages = nil
	}
	return err
}
