package arrow

import (
	"bytes"
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"github.com/ditherml/dither/internal/columnar"
)

// reader reads one column, batch by batch.
type reader struct {
	table *table
	field *field
	at    int // the column
	zstd  *zstd.Decoder

	batch int   // the next one
	row   int64 // of the current batch
	left  int64 // rows of the current batch
	part  part

	dictionary struct {
		next    int   // batch of the dictionary
		bytes   int64 // of its texts, their places and its numbers
		numbers columnar.Cells
		texts   [][]byte
		base    int // the place of texts in the cells that are being made, or -1
	}
	cells columnar.Cells
}

var _ columnar.Reader = (*reader)(nil)

// Reader reads a column.
func (t *table) Reader(column int) columnar.Reader {
	return &reader{table: t, field: &t.fields[column], at: column}
}

// Close ends the reading.
func (r *reader) Close() error {
	if r.zstd != nil {
		r.zstd.Close()
	}
	return nil
}

// part is the buffers of a column in a batch.
type part struct {
	values
	rows, nulls       int64
	bits, data, texts buffer
	blobs             []buffer // of views
}

// open opens the buffers of values from the given places of a batch on.
func (r *reader) open(b *batch, v values, at counts) part {
	p := part{values: v}
	p.rows, p.nulls = b.node(at.nodes)
	if p.rows < 0 || p.nulls > p.rows {
		panic("a column of fewer than no rows, or of more nulls than rows")
	}
	if v.id == typeNull {
		return p
	}
	first := at.buffers + b.extra(at.views)
	take := func(i int) buffer {
		out := b.buffer(r.table, first+i)
		out.unpack(b.compression, &r.zstd)
		return out
	}
	p.bits, p.data = take(0), take(1)
	switch v.id {
	case typeUtf8, typeLargeUtf8:
		p.texts = take(2)
	case typeUtf8View:
		for i := range int(b.views[at.views]) {
			p.blobs = append(p.blobs, take(2+i))
			p.blobs[i].load()
		}
	}
	return p
}

// Next returns the next n cells.
func (r *reader) Next(n int) (cells columnar.Cells, err error) {
	defer recovered(&err)
	r.cells = columnar.Cells{Numbers: r.cells.Numbers[:0], Codes: r.cells.Codes[:0], Texts: r.cells.Texts[:0]}
	r.dictionary.base = -1
	for n > 0 {
		if r.left == 0 {
			r.nextBatch()
			continue
		}
		count := min(int64(n), r.left, 1<<16)
		if err := r.give(count); err != nil {
			return columnar.Cells{}, err
		}
		r.row += count
		r.left -= count
		n -= int(count)
	}
	return r.cells, nil
}

// nextBatch opens the next record batch, and reads what is new in the dictionary.
func (r *reader) nextBatch() {
	if r.batch == len(r.table.batches) {
		panic("fewer rows than wanted")
	}
	b := r.table.batches[r.batch]
	stored := r.field.values
	if r.field.dictionary {
		stored = r.field.index
		batches := r.table.dictionaries[r.field.id]
		for r.dictionary.next < len(batches) && batches[r.dictionary.next].from <= r.batch {
			r.extend(batches[r.dictionary.next])
			r.dictionary.next++
		}
	}
	r.part = r.open(b, stored, r.table.places[r.at])
	r.row, r.left = 0, b.rows
	if r.part.rows != b.rows {
		panic("a column of other length")
	}
	r.batch++
}

// dictionaryCell is the memory of a value of a dictionary: a number, or the place of a text.
const dictionaryCell = 24

// extend reads a batch of the dictionary.
func (r *reader) extend(b dictionaryBatch) {
	d := &r.dictionary
	if d.base = -1; !b.delta {
		d.numbers, d.texts = columnar.Cells{}, nil
	}
	p := r.open(b.batch, r.field.values, counts{})
	if !b.delta {
		d.bytes = 0
	}
	d.bytes += p.texts.length
	for i := range p.blobs {
		d.bytes += p.blobs[i].length
	}
	d.bytes += min(p.rows, maxBuffer) * dictionaryCell // and the bytes of its texts
	if p.rows != b.rows || d.bytes > r.table.maxDictionary {
		panic("a dictionary of other length, or one that is too large")
	}
	for from := int64(0); from < p.rows; from += 1 << 16 {
		n := min(p.rows-from, 1<<16)
		if p.isText() {
			d.texts = p.appendTexts(d.texts, from, n)
		} else {
			p.appendNumbers(&d.numbers, from, n)
		}
	}
}

func (v values) isText() bool {
	return v.id == typeUtf8 || v.id == typeLargeUtf8 || v.id == typeUtf8View
}

// give appends the next cells of the batch.
func (r *reader) give(n int64) error {
	c := &r.cells
	switch p := &r.part; {
	case r.field.dictionary:
		return r.giveCodes(n)
	case p.isText():
		base := len(c.Texts)
		c.Texts = p.appendTexts(c.Texts, r.row, n)
		for i, text := range c.Texts[base:] {
			code := int32(base + i)
			if text == nil {
				code = -1
			}
			c.Codes = append(c.Codes, code)
		}
		return checkTexts(c.Texts[base:])
	case p.id == typeBool:
		base := len(c.Codes)
		bits := p.data.read(r.row/8, (r.row+n+7)/8-r.row/8)
		for i := range n {
			at := r.row%8 + i
			c.Codes = append(c.Codes, int32(bits[at/8]>>(at%8)&1))
		}
		p.eachNull(r.row, n, func(i int64) { c.Codes[base+int(i)] = -1 })
	default:
		p.appendNumbers(c, r.row, n)
	}
	return nil
}

// giveCodes appends cells of a column with a dictionary.
func (r *reader) giveCodes(n int64) error {
	d, c := &r.dictionary, &r.cells
	var places columnar.Cells
	r.part.appendNumbers(&places, r.row, n)
	if !r.field.values.isText() {
		for _, v := range places.Numbers {
			if !math.IsNaN(v) {
				at := place(v, len(d.numbers.Numbers))
				c.SetExact(len(c.Numbers), d.numbers.Exact[at])
				v = d.numbers.Numbers[at]
			}
			c.Numbers = append(c.Numbers, v)
		}
		return nil
	}
	if d.base < 0 {
		if err := checkTexts(d.texts); err != nil {
			return err
		}
		d.base = len(c.Texts)
		c.Texts = append(c.Texts, d.texts...)
	}
	for _, v := range places.Numbers {
		code := int32(-1)
		if !math.IsNaN(v) {
			if at := place(v, len(d.texts)); d.texts[at] != nil {
				code = int32(d.base + at)
			}
		}
		c.Codes = append(c.Codes, code)
	}
	return nil
}

// place returns a position in a dictionary of n values. It panics beyond it.
func place(v float64, n int) int {
	if v < 0 || v >= float64(n) {
		panic("a position beyond the dictionary")
	}
	return int(v)
}

// eachNull calls null for the rows of a range that are null.
func (p *part) eachNull(from, n int64, null func(i int64)) {
	if p.nulls > 0 && p.bits.length == 0 {
		panic("nulls without their bits")
	}
	if p.nulls == 0 || p.bits.length == 0 {
		return
	}
	bits := p.bits.read(from/8, (from+n+7)/8-from/8)
	for i := range n {
		if at := from%8 + i; bits[at/8]>>(at%8)&1 == 0 {
			null(i)
		}
	}
}

// appendNumbers appends numbers of a range of rows; a null is NaN.
func (p *part) appendNumbers(dst *columnar.Cells, from, n int64) {
	base := len(dst.Numbers)
	if p.id == typeNull {
		for range n {
			dst.Numbers = append(dst.Numbers, math.NaN())
		}
		return
	}
	width := int64(p.width())
	data := p.data.read(from*width, n*width)
	number := p.number()
	for i := range n {
		dst.Numbers = append(dst.Numbers, number(data[i*width:(i+1)*width]))
	}
	if exact := p.exact(); exact != nil {
		for i := range n {
			dst.SetExact(base+int(i), exact(data[i*width:(i+1)*width]))
		}
	}
	p.eachNull(from, n, func(i int64) {
		dst.Numbers[base+int(i)] = math.NaN()
		delete(dst.Exact, base+int(i))
	})
}

// appendTexts appends texts of a range of rows; a null is nil. The texts stay as they are.
func (p *part) appendTexts(dst [][]byte, from, n int64) [][]byte {
	base := len(dst)
	switch p.id {
	case typeUtf8:
		dst = p.offsetTexts(dst, 4, from, n)
	case typeLargeUtf8:
		dst = p.offsetTexts(dst, 8, from, n)
	default:
		dst = p.viewTexts(dst, from, n)
	}
	p.eachNull(from, n, func(i int64) { dst[base+int(i)] = nil })
	return dst
}

func (p *part) offsetTexts(dst [][]byte, width, from, n int64) [][]byte {
	data := p.data.read(from*width, (n+1)*width)
	offset := func(i int64) int64 {
		if width == 4 {
			return int64(int32(binary.LittleEndian.Uint32(data[4*i:])))
		}
		return int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
	first, last := offset(0), offset(n)
	if last-first > maxBuffer {
		panic("texts of too many bytes")
	}
	texts := p.texts.keep(first, last-first)
	for i := range n {
		a, b := offset(i)-first, offset(i+1)-first
		dst = append(dst, texts[a:b:b])
	}
	return dst
}

// viewTexts appends texts of at most 12 bytes from the views, and others from the blobs.
func (p *part) viewTexts(dst [][]byte, from, n int64) [][]byte {
	const width, inline = 16, 12
	data := p.data.keep(from*width, n*width)
	total := int64(0)
	for i := range n {
		view := data[i*width : (i+1)*width]
		length := int64(binary.LittleEndian.Uint32(view))
		if length <= inline {
			dst = append(dst, view[4:4+length:4+length])
			continue
		}
		if total += length; total > maxBuffer {
			panic("texts of too many bytes")
		}
		blob := &p.blobs[binary.LittleEndian.Uint32(view[8:])]
		dst = append(dst, blob.keep(int64(binary.LittleEndian.Uint32(view[12:])), length))
	}
	return dst
}

// checkTexts refuses texts that no CSV file can hold.
func checkTexts(texts [][]byte) error {
	for _, text := range texts {
		if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			return &columnar.Problem{Problem: "bytes were found that are not UTF-8, or a NUL byte", Want: "texts in UTF-8", Remedy: "write the column as texts, or declare it as ignore"}
		}
	}
	return nil
}
