package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Output is a column that a Writer writes.
type Output struct {
	Name string
	Kind OutputKind
	// Required columns have no missing cells.
	Required bool
}

// OutputKind is the type of the cells of an Output.
type OutputKind uint8

// These are the kinds of columns that are written: INT64, DOUBLE, and BYTE_ARRAY as STRING.
const (
	Integers OutputKind = iota
	Doubles
	Strings
)

const (
	// groupRows and groupBytes bound the rows that are kept in memory, and so a page.
	groupRows  = 1 << 16
	groupBytes = 32 << 20
)

// Writer writes a Parquet file: plain values without compression, one page for each column of a row
// group. Its methods are called one after the other.
type Writer struct {
	to      io.Writer
	at      int64 // bytes that were written
	columns []Output
	pages   []pageCells
	rows    int // in the pages
	bytes   int // in the pages
	groups  []writtenGroup
}

// pageCells are the cells of a column that were not written yet.
type pageCells struct {
	values  []byte
	present []bool
}

// writtenGroup is the place of a row group.
type writtenGroup struct {
	rows        int
	from, sizes []int64
}

// NewWriter begins a file.
func NewWriter(to io.Writer, columns []Output) (*Writer, error) {
	w := &Writer{to: to, columns: columns, pages: make([]pageCells, len(columns))}
	return w, w.put([]byte(magic))
}

// Write appends a row. An empty cell of a column that is not required is missing. Numbers are read as
// strconv reads them.
func (w *Writer) Write(cells []string) error {
	for i, c := range w.columns {
		p, before := &w.pages[i], len(w.pages[i].values)
		present := c.Required || cells[i] != ""
		if p.present = append(p.present, present); present {
			values, err := appendValue(p.values, c.Kind, cells[i])
			if err != nil {
				return fmt.Errorf("parquet: a cell of column %q is no number, want one", c.Name)
			}
			p.values = values
		}
		w.bytes += len(p.values) - before
	}
	if w.rows++; w.rows < groupRows && w.bytes < groupBytes {
		return nil
	}
	return w.flush()
}

// appendValue appends a cell in the encoding PLAIN.
func appendValue(b []byte, kind OutputKind, cell string) ([]byte, error) {
	switch kind {
	case Integers:
		v, err := strconv.ParseInt(cell, 10, 64)
		return binary.LittleEndian.AppendUint64(b, uint64(v)), err
	case Doubles:
		v, err := strconv.ParseFloat(cell, 64)
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v)), err
	}
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(cell))), cell...), nil
}

// Close writes the rest and the footer. It does not close the file.
func (w *Writer) Close() error {
	if w.rows > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	footer := w.footer()
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return w.put(append(footer, magic...))
}

func (w *Writer) put(b []byte) error {
	w.at += int64(len(b))
	_, err := w.to.Write(b)
	return err
}

// flush writes the rows as a row group.
func (w *Writer) flush() error {
	group := writtenGroup{rows: w.rows}
	for i := range w.pages {
		p := &w.pages[i]
		var body []byte
		if !w.columns[i].Required {
			levels := packLevels(p.present)
			body = append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...)
		}
		size := len(body) + len(p.values)
		var head encoder
		head.i32(1, pageData)
		head.i32(2, int32(size))
		head.i32(3, int32(size))
		head.structure(5, func() {
			head.i32(1, int32(w.rows))
			head.i32(2, int32(encodingPlain))
			head.i32(3, int32(encodingRLE))
			head.i32(4, int32(encodingRLE))
		})
		group.from = append(group.from, w.at)
		for _, part := range [][]byte{head.end(), body, p.values} {
			if err := w.put(part); err != nil {
				return err
			}
		}
		group.sizes = append(group.sizes, w.at-group.from[i])
		p.values, p.present = p.values[:0], p.present[:0]
	}
	w.groups, w.rows, w.bytes = append(w.groups, group), 0, 0
	return nil
}

// packLevels returns levels of one bit in one bit-packed run.
func packLevels(present []bool) []byte {
	bits := make([]byte, (len(present)+7)/8)
	for i, is := range present {
		if is {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return append(binary.AppendUvarint(nil, uint64(len(bits))<<1|1), bits...)
}

// physical returns the type in which a kind is stored.
func (k OutputKind) physical() int32 {
	return int32([]physicalType{Integers: typeInt64, Doubles: typeDouble, Strings: typeByteArray}[k])
}

// footer returns the description of the file.
func (w *Writer) footer() []byte {
	var e encoder
	rows := 0
	for _, g := range w.groups {
		rows += g.rows
	}
	e.i32(1, 2) // the version of the format
	e.list(2, wireStruct, 1+len(w.columns))
	e.element(func() {
		e.text(4, "schema")
		e.i32(5, int32(len(w.columns)))
	})
	for _, c := range w.columns {
		e.element(func() { e.column(c) })
	}
	e.i64(3, int64(rows))
	e.list(4, wireStruct, len(w.groups))
	for _, g := range w.groups {
		e.element(func() { e.group(w.columns, g) })
	}
	e.text(6, "dither")
	return e.end()
}

// column writes a SchemaElement.
func (e *encoder) column(c Output) {
	repeats := optional
	if c.Required {
		repeats = required
	}
	e.i32(1, c.Kind.physical())
	e.i32(3, int32(repeats))
	e.text(4, c.Name)
	if c.Kind == Strings {
		e.i32(6, 0) // UTF8, for older readers
		e.structure(10, func() { e.structure(int(logicalString), func() {}) })
	}
}

// group writes a RowGroup.
func (e *encoder) group(columns []Output, g writtenGroup) {
	total := int64(0)
	e.list(1, wireStruct, len(columns))
	for i, c := range columns {
		total += g.sizes[i]
		e.element(func() {
			e.i64(2, g.from[i])
			e.structure(3, func() {
				e.i32(1, c.Kind.physical())
				e.list(2, wireI32, 2)
				e.number(int64(encodingPlain))
				e.number(int64(encodingRLE))
				e.list(3, wireBinary, 1)
				e.bytes(c.Name)
				e.i32(4, int32(codecNone))
				e.i64(5, int64(g.rows))
				e.i64(6, g.sizes[i])
				e.i64(7, g.sizes[i])
				e.i64(9, g.from[i])
			})
		})
	}
	e.i64(2, total)
	e.i64(3, int64(g.rows))
}

// encoder writes structs of the compact protocol of Apache Thrift, whose fields have ascending numbers.
type encoder struct {
	b    []byte
	last int // field of the current struct
}

func (e *encoder) field(id int, t wireType) {
	if by := id - e.last; by > 0 && by < 16 {
		e.b = append(e.b, byte(by)<<4|byte(t))
	} else {
		e.b = binary.AppendVarint(append(e.b, byte(t)), int64(id))
	}
	e.last = id
}

func (e *encoder) number(v int64) { e.b = binary.AppendVarint(e.b, v) }

func (e *encoder) bytes(text string) {
	e.b = append(binary.AppendUvarint(e.b, uint64(len(text))), text...)
}

func (e *encoder) i32(id int, v int32) {
	e.field(id, wireI32)
	e.number(int64(v))
}

func (e *encoder) i64(id int, v int64) {
	e.field(id, wireI64)
	e.number(v)
}

func (e *encoder) text(id int, text string) {
	e.field(id, wireBinary)
	e.bytes(text)
}

// list begins a list, whose elements follow.
func (e *encoder) list(id int, of wireType, n int) {
	e.field(id, wireList)
	if n < 15 {
		e.b = append(e.b, byte(n)<<4|byte(of))
		return
	}
	e.b = binary.AppendUvarint(append(e.b, 15<<4|byte(of)), uint64(n))
}

// element writes a struct without the number of a field.
func (e *encoder) element(fields func()) {
	before := e.last
	e.last = 0
	fields()
	e.b = append(e.b, byte(wireStop))
	e.last = before
}

func (e *encoder) structure(id int, fields func()) {
	e.field(id, wireStruct)
	e.element(fields)
}

// end ends the outermost struct.
func (e *encoder) end() []byte { return append(e.b, byte(wireStop)) }
