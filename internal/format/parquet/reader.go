package parquet

import (
	"bufio"
	"io"

	"github.com/ditherml/dither/internal/columnar"
)

// reader reads one column, page by page through all row groups.
type reader struct {
	file   io.ReaderAt
	groups []rowGroup // still to be read
	end    int64      // the end of the file's pages
	field  field
	kind   columnar.Kind

	left     int64 // remaining rows of the current group
	bytes    int64 // remaining bytes of the current chunk, compressed
	room     int64 // remaining bytes of the current chunk, decompressed
	stream   *bufio.Reader
	codec    codec
	unpacker unpacker
	packed   []byte

	page       cells
	dictionary dictionary
	cells      columnar.Cells
	levels     []uint64
	values     []uint64
}

// dictionary holds the values of the dictionary of a chunk.
type dictionary struct {
	read    bool
	numbers []float64
	exact   map[uint64]string // as columnar.Cells.Exact, by place in numbers
	texts   [][]byte
	base    int // the place at which texts begin in the cells that are being made, or -1
}

var _ columnar.Reader = (*reader)(nil)

// Next returns the next n cells.
func (r *reader) Next(n int) (cells columnar.Cells, err error) {
	defer recovered(&err)
	r.cells = columnar.Cells{Numbers: r.cells.Numbers[:0], Codes: r.cells.Codes[:0], Texts: r.cells.Texts[:0]}
	r.dictionary.base = -1
	for n > 0 {
		if r.page.rows == 0 {
			if err := r.nextPage(); err != nil {
				return columnar.Cells{}, err
			}
			continue
		}
		count := min(n, r.page.rows, 1<<16)
		if err := r.give(count); err != nil {
			return columnar.Cells{}, err
		}
		r.page.rows -= count
		n -= count
	}
	return r.cells, nil
}

// give appends the next cells of the page to the returned cells.
func (r *reader) give(count int) error {
	if cap(r.levels) < count {
		r.levels, r.values = make([]uint64, count), make([]uint64, count)
	}
	levels := r.levels[:count]
	present, ok := r.page.present(levels)
	if !ok {
		return damaged()
	}
	values := r.values[:present]
	switch {
	case r.page.texts != nil:
		return r.giveTexts(levels, values)
	case !r.page.numbers.next(values):
		return damaged()
	case r.kind == columnar.Texts:
		return r.giveCodes(levels, values)
	case r.kind == columnar.Bools:
		r.cells.Codes = spread(r.cells.Codes, levels, values, -1, func(v uint64) int32 { return int32(v & 1) })
		return nil
	case !r.page.codes:
		r.giveExact(levels, values, r.field.exact)
		r.cells.Numbers = spread(r.cells.Numbers, levels, values, missingNumber, r.field.number())
		return nil
	}
	known := r.dictionary.numbers
	if !below(values, len(known)) {
		return damaged()
	}
	if exact := r.dictionary.exact; len(exact) > 0 {
		r.giveExact(levels, values, func(v uint64) string { return exact[v] })
	}
	r.cells.Numbers = spread(r.cells.Numbers, levels, values, missingNumber, func(v uint64) float64 { return known[v] })
	return nil
}

// giveExact notes the exact texts of numbers that will be appended.
func (r *reader) giveExact(levels, values []uint64, exact func(v uint64) string) {
	if r.field.kind != typeInt64 {
		return
	}
	at := 0
	for i, level := range levels {
		if level != 0 {
			r.cells.SetExact(len(r.cells.Numbers)+i, exact(values[at]))
			at++
		}
	}
}

// giveTexts appends texts of a page without dictionary.
func (r *reader) giveTexts(levels, values []uint64) error {
	base, ok := len(r.cells.Texts), false
	if r.cells.Texts, ok = r.page.texts.next(r.cells.Texts, len(values)); !ok {
		return damaged()
	}
	for i := range values {
		values[i] = uint64(base + i)
	}
	r.cells.Codes = spread(r.cells.Codes, levels, values, -1, func(v uint64) int32 { return int32(v) })
	return checkTexts(r.cells.Texts[base:])
}

// giveCodes appends positions in the dictionary. The dictionary's texts are appended once in each
// part.
func (r *reader) giveCodes(levels, values []uint64) error {
	if !below(values, len(r.dictionary.texts)) {
		return damaged()
	}
	if r.dictionary.base < 0 {
		r.dictionary.base = len(r.cells.Texts)
		r.cells.Texts = append(r.cells.Texts, r.dictionary.texts...)
	}
	base := int32(r.dictionary.base)
	r.cells.Codes = spread(r.cells.Codes, levels, values, -1, func(v uint64) int32 { return base + int32(v) })
	return nil
}

// below reports whether all values are below n.
func below(values []uint64, n int) bool {
	for _, v := range values {
		if v >= uint64(n) {
			return false
		}
	}
	return true
}

// nextPage reads a page of data, which may have 0 rows. A group must have its declared number of
// rows.
func (r *reader) nextPage() error {
	if r.left == 0 {
		return r.nextGroup()
	}
	h, length, ok := readHeader(r.stream, r.bytes)
	if ok = ok && !h.isBomb(); !ok || length+int64(h.size) > r.bytes || length+int64(h.uncompressed) > r.room || h.uncompressed > maxPage {
		return damaged()
	}
	r.bytes -= length + int64(h.size)
	r.room -= length + int64(h.uncompressed)
	if r.packed, ok = h.body(r.stream, r.packed); !ok {
		return damaged()
	}
	switch h.kind {
	case pageDictionary:
		return r.takeDictionary(h)
	case pageData, pageDataV2:
		return r.takePage(h)
	}
	return nil // a page of an index
}

// nextGroup begins the chunk of the next row group.
func (r *reader) nextGroup() error {
	if len(r.groups) == 0 {
		return damaged()
	}
	group := r.groups[0]
	c := group.chunks[r.field.at]
	r.groups = r.groups[1:]
	if c.kind != r.field.kind || c.values != group.rows || c.from < int64(len(magic)) || c.from > r.end || c.size > r.end-c.from {
		return damaged()
	}
	section := io.NewSectionReader(r.file, c.from, c.size)
	if r.stream == nil {
		r.stream = bufio.NewReaderSize(section, 1<<16)
	} else {
		r.stream.Reset(section)
	}
	r.left, r.bytes, r.room, r.codec = group.rows, c.size, c.uncompressed, c.codec
	r.dictionary = dictionary{base: -1}
	return nil
}

// takeDictionary reads the one dictionary of a chunk.
func (r *reader) takeDictionary(h pageHeader) error {
	page, ok := r.unpacker.unpack(r.codec, r.packed, int(h.uncompressed))
	if !ok || r.dictionary.read || h.values < 0 || h.encoding != encodingPlain && h.encoding != encodingPlainDictionary {
		return damaged()
	}
	r.dictionary.read = true
	if r.kind == columnar.Texts {
		r.dictionary.texts, ok = (&plainTexts{page}).next(nil, int(h.values))
		if !ok {
			return damaged()
		}
		return checkTexts(r.dictionary.texts)
	}
	width := r.field.width()
	if !r.kind.InNumbers() || int(h.values) > len(page)/width {
		return damaged()
	}
	values, number := make([]uint64, h.values), r.field.number()
	(&fixed{page, width}).next(values)
	for i, v := range values {
		r.dictionary.numbers = append(r.dictionary.numbers, number(v))
		if text := r.field.exact(v); text != "" {
			if r.dictionary.exact == nil {
				r.dictionary.exact = map[uint64]string{}
			}
			r.dictionary.exact[uint64(i)] = text
		}
	}
	return nil
}

// takePage begins a page of data.
func (r *reader) takePage(h pageHeader) error {
	if h.values < 0 || int64(h.values) > r.left || h.kind == pageDataV2 && h.rows != h.values {
		return damaged()
	}
	r.left -= int64(h.values)
	levels, values, ok := r.parts(h)
	if !ok {
		return damaged()
	}
	r.page = cells{rows: int(h.values)}
	if r.field.repeats == optional {
		r.page.levels = &hybrid{data: levels, width: 1}
	}
	if h.values == 0 || r.page.decode(h.encoding, r.field.element, r.kind, values) {
		return nil
	}
	return damaged()
}

// parts returns the definition levels and the values of a page.
func (r *reader) parts(h pageHeader) (levels, values []byte, ok bool) {
	if h.kind == pageDataV2 {
		n := int(h.levelSize)
		if n < 0 || n > len(r.packed) || n > int(h.uncompressed) {
			return nil, nil, false
		}
		how := r.codec
		if h.plain {
			how = codecNone
		}
		levels = append(levels, r.packed[:n]...)
		if len(r.packed) == n && int(h.uncompressed) == n { // nothing was compressed
			return levels, nil, true
		}
		values, ok = r.unpacker.unpack(how, r.packed[n:], int(h.uncompressed)-n)
		return levels, values, ok
	}
	if values, ok = r.unpacker.unpack(r.codec, r.packed, int(h.uncompressed)); !ok || r.field.repeats == required {
		return nil, values, ok
	}
	if h.levels != encodingRLE || len(values) < 4 || littleEndian32(values) > len(values)-4 {
		return nil, nil, false
	}
	n := littleEndian32(values)
	return values[4 : 4+n], values[4+n:], true
}

// decode chooses the decoder of the values.
func (c *cells) decode(e encoding, of element, kind columnar.Kind, values []byte) (ok bool) {
	if e == encodingDictionary || e == encodingPlainDictionary {
		if kind == columnar.Bools || len(values) > 0 && values[0] > 32 {
			return false
		}
		c.codes = true
		c.numbers = &hybrid{}
		if len(values) > 0 { // a page of missing cells alone may have no values
			c.numbers = &hybrid{data: values[1:], width: uint(values[0])}
		}
		return true
	}
	switch kind {
	case columnar.Bools:
		return c.decodeBools(e, values)
	case columnar.Texts:
		return c.decodeTexts(e, values)
	}
	switch e {
	case encodingPlain:
		c.numbers = &fixed{values, of.width()}
	case encodingSplit:
		if of.kind == typeInt96 {
			return false
		}
		c.numbers = &split{data: values, width: of.width()}
	case encodingDelta:
		if of.kind != typeInt32 && of.kind != typeInt64 {
			return false
		}
		c.numbers, ok = newDelta(values)
		return ok
	default:
		return false
	}
	return true
}

func (c *cells) decodeBools(e encoding, values []byte) bool {
	switch {
	case e == encodingPlain:
		c.numbers = &hybrid{packed: values, width: 1, run: 8 * uint64(len(values))}
	case e == encodingRLE && len(values) >= 4:
		c.numbers = &hybrid{data: values[4:], width: 1}
	default:
		return false
	}
	return true
}

func (c *cells) decodeTexts(e encoding, values []byte) (ok bool) {
	switch e {
	case encodingPlain:
		c.texts = &plainTexts{values}
		return true
	case encodingDeltaLength, encodingDeltaText:
		c.texts, ok = newDeltaTexts(values, e == encodingDeltaText)
		return ok
	}
	return false
}

// Close ends the reading.
func (r *reader) Close() error {
	r.unpacker.close()
	return nil
}
