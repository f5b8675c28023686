package arrow

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/ditherml/dither/internal/columnar"
)

const (
	// magic are the first and, without the zeros, the last bytes of a file.
	magic = "ARROW1\x00\x00"
	// continuation are the first bytes of a message, and so of a stream.
	continuation = "\xff\xff\xff\xff"
	// maxMetadata bounds the description of one part of a file, in bytes.
	maxMetadata = 256 << 20
)

// Format recognizes and opens Arrow IPC files and streams. Its value has no state.
type Format struct{}

// Formats returns the formats for data.Source.Formats.
func Formats() []columnar.Format { return []columnar.Format{Format{}} }

var _ columnar.Table = Format{}

// Name returns "an Arrow file".
func (Format) Name() string { return "an Arrow file" }

// Knows reports whether a file begins as an Arrow file or stream does.
func (Format) Knows(head []byte) bool {
	return bytes.HasPrefix(head, []byte(magic)) || bytes.HasPrefix(head, []byte(continuation))
}

// table is an open file.
type table struct {
	file           io.ReaderAt
	size           int64
	room           int64 // bytes of metadata that may still be read
	fields         []field
	places         []counts // of the fields in a batch
	columns        []columnar.Column
	batches        []*batch
	dictionaries   map[int64][]dictionaryBatch
	maxDictionary  int64 // bytes of memory that the dictionary of a column may take
	comment        string
	records, bytes int64
	version        int16
}

var _ columnar.File = (*table)(nil)

// dictionaryBatch is a part of a dictionary that is valid from a record batch on.
type dictionaryBatch struct {
	*batch
	from  int
	delta bool
}

// Open reads all metadata of a file. It reads no cell.
func (Format) Open(file io.ReaderAt, size int64) (columns columnar.File, err error) {
	defer recovered(&err)
	t := &table{file: file, size: size, room: 2 * size, maxDictionary: maxBuffer, dictionaries: map[int64][]dictionaryBatch{}}
	var head [len(magic)]byte
	if _, failed := file.ReadAt(head[:], 0); failed != nil {
		return nil, damaged()
	}
	if string(head[:]) == magic {
		err = t.readFile()
	} else {
		err = t.readStream()
	}
	if err != nil {
		return nil, err
	}
	for _, b := range t.batches {
		t.records = add(t.records, b.rows)
		t.bytes = add(t.bytes, b.length)
	}
	return t, nil
}

// add returns the sum of two sizes, or -1 if a size is impossible.
func add(a, b int64) int64 {
	if a < 0 || b < 0 || a+b < 0 {
		return -1
	}
	return a + b
}

// readFile reads the footer, which names the places of all batches.
func (t *table) readFile() error {
	const end = len("ARROW1") + 4
	tail := t.section(t.size-int64(end), end)
	if string(tail[4:]) != "ARROW1" {
		return cutOff()
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if length > t.size-int64(end+len(magic)) {
		return damaged()
	}
	footer := root(t.section(t.size-int64(end)-length, int(length)))
	t.version = footer.short(0, 0)
	schema, ok := footer.table(1)
	if !ok {
		return damaged()
	}
	if err := t.readSchema(schema); err != nil {
		return err
	}
	for list := 2; list <= 3; list++ { // dictionaries, then records
		const blockBytes = 24
		at, n := footer.vector(list, blockBytes)
		for i := range n {
			place := at + blockBytes*i
			from, metadata, body := footer.i64(place), int64(footer.i32(place+8)), footer.i64(place+16)
			m, begins, _ := t.message(from)
			if m == nil || begins-from != metadata || m.long(3) != body || m.byteAt(1, 0) != byte(list) {
				return damaged()
			}
			if err := t.take(m, begins); err != nil {
				return err
			}
		}
	}
	return nil
}

// readStream reads the messages of a stream one after the other, without their bodies.
func (t *table) readStream() error {
	for at, first := int64(0), true; ; first = false {
		if at >= t.size {
			return cutOff()
		}
		m, body, ended := t.message(at)
		switch {
		case ended && !first:
			return nil
		case m == nil || ended:
			return damaged()
		}
		if first {
			schema, ok := m.table(2)
			if t.version = m.short(0, 0); !ok || m.byteAt(1, 0) != 1 {
				return damaged()
			}
			if err := t.readSchema(schema); err != nil {
				return err
			}
		} else if err := t.take(m, body); err != nil {
			return err
		}
		length := m.long(3)
		if length < 0 || length > t.size-body {
			return cutOff()
		}
		at = body + length
	}
}

// message reads the metadata at a place, and returns the place of the body. Ended reports the mark
// of the end.
func (t *table) message(from int64) (m *flat, body int64, ended bool) {
	head := t.section(from, 8)
	length := int64(binary.LittleEndian.Uint32(head[4:]))
	if string(head[:4]) != continuation {
		return nil, 0, false
	}
	if length == 0 {
		return nil, from + 8, true
	}
	text := root(t.section(from+8, int(length)))
	return &text, from + 8 + length, false
}

// section reads a part of the metadata. It panics if the part is not in the file.
func (t *table) section(from int64, length int) []byte {
	if from < 0 || length < 0 || length > maxMetadata || int64(length) > t.size-from {
		panic("a section beyond the file")
	}
	if t.room -= int64(length); t.room < 0 { // a footer can name one place many times
		panic("sections that overlap")
	}
	text := make([]byte, length)
	if _, err := t.file.ReadAt(text, from); err != nil {
		panic("a file that cannot be read")
	}
	return text
}

func (t *table) readSchema(schema flat) error {
	if schema.short(0, 0) != 0 {
		return &columnar.Problem{Problem: "the Arrow file is big-endian", Want: "a little-endian file", Remedy: "write it on another machine"}
	}
	if t.version < 3 || t.version > 4 {
		return &columnar.Problem{Problem: "the Arrow file has another version of metadata", Want: "version 4 or 5", Remedy: "write it again with a newer library"}
	}
	at, n := schema.vector(1, 4)
	s := schemaReader{version: t.version, room: 4 * len(schema.text)}
	t.comment = s.comment(schema, 2)
	var next counts
	for i := range n {
		t.fields = append(t.fields, s.field(schema.target(at+4*i), 0))
		f := &t.fields[i]
		t.places = append(t.places, next)
		next.add(f)
		t.columns = append(t.columns, f.describe())
		t.declare(f)
	}
	t.places = append(t.places, next)
	return nil
}

// declare notes the dictionaries of a column.
func (t *table) declare(f *field) {
	if f.dictionary {
		t.dictionaries[f.id] = nil
	}
	for i := range f.children {
		t.declare(&f.children[i])
	}
}

// take takes the metadata of a batch.
func (t *table) take(m *flat, body int64) error {
	const isDictionary, isRecords = 2, 3
	content, ok := m.table(2)
	length := m.long(3)
	if !ok || length < 0 || length > t.size-body {
		return cutOff()
	}
	switch m.byteAt(1, 0) {
	case isDictionary:
		id := content.long(0)
		data, ok := content.table(1)
		before, declared := t.dictionaries[id]
		if !ok || !declared {
			return damaged()
		}
		t.dictionaries[id] = append(before, dictionaryBatch{t.newBatch(data, body, length), len(t.batches), content.byteAt(2, 0) != 0})
	case isRecords:
		b := t.newBatch(content, body, length)
		if want := t.places[len(t.fields)]; b.nodes != want.nodes || len(b.views) != want.views || b.buffers != want.buffers+b.extra(want.views) {
			return damaged()
		}
		t.batches = append(t.batches, b)
	default:
		return damaged()
	}
	return nil
}

// batch is the metadata of some rows.
type batch struct {
	content        flat
	body, length   int64
	rows           int64
	compression    int8 // -1 for none
	nodes, buffers int
	nodesAt        int
	buffersAt      int
	views          []int64 // additional buffers of each column of views
}

func (t *table) newBatch(content flat, body, length int64) *batch {
	const node, buffer = 16, 16
	b := &batch{content: content, body: body, length: length, rows: content.long(0), compression: -1}
	b.nodesAt, b.nodes = content.vector(1, node)
	b.buffersAt, b.buffers = content.vector(2, buffer)
	if c, ok := content.table(3); ok {
		b.compression = int8(c.byteAt(0, 0))
		if c.byteAt(1, 0) != 0 {
			b.compression = 127 // another method
		}
	}
	at, n := content.vector(4, 8)
	for i := range n {
		b.views = append(b.views, content.i64(at+8*i))
		if b.views[i] < 0 || b.views[i] > int64(b.buffers) {
			panic("a number of buffers beyond all")
		}
	}
	return b
}

// extra returns the number of additional buffers of the first columns of views.
func (b *batch) extra(columns int) int {
	sum := 0
	for _, n := range b.views[:columns] {
		sum += int(n)
	}
	return sum
}

// buffer returns a buffer of the batch.
func (b *batch) buffer(t *table, i int) buffer {
	if i < 0 || i >= b.buffers {
		panic("a buffer beyond all")
	}
	const bytes = 16
	from, length := b.content.i64(b.buffersAt+bytes*i), b.content.i64(b.buffersAt+bytes*i+8)
	if from < 0 || length < 0 || from > b.length || length > b.length-from {
		panic("a buffer beyond the batch")
	}
	return buffer{file: t.file, from: b.body + from, length: length}
}

// node returns the number of rows and of nulls of a column in the batch.
func (b *batch) node(i int) (rows, nulls int64) {
	if i < 0 || i >= b.nodes {
		panic("a column beyond all")
	}
	const bytes = 16
	return b.content.i64(b.nodesAt + bytes*i), b.content.i64(b.nodesAt + bytes*i + 8)
}

// Columns returns the fields of the file's outermost level.
func (t *table) Columns() []columnar.Column { return t.columns }

// Comment returns the value of the key comment or description of the schema.
func (t *table) Comment() string { return t.comment }

// Described returns the columns and the comment in a schema message, in which other formats keep
// the description of a table. It returns nothing if the message cannot be read.
func Described(message []byte) (columns []columnar.Column, comment string) {
	var err error
	defer recovered(&err) // a panic leaves what was described before
	t := &table{file: bytes.NewReader(message), size: int64(len(message)), room: 2 * int64(len(message)), dictionaries: map[int64][]dictionaryBatch{}}
	m, _, _ := t.message(0)
	if m == nil {
		return nil, ""
	}
	t.version = m.short(0, 0)
	if schema, ok := m.table(2); ok && m.byteAt(1, 0) == 1 && t.readSchema(schema) == nil {
		return t.columns, t.comment
	}
	return nil, ""
}

// Records returns the sum over the record batches.
func (t *table) Records() int64 { return t.records }

// Bytes returns the sum over the bodies of the record batches.
func (t *table) Bytes() int64 { return t.bytes }

// damaged returns the error for most faults of a file.
func damaged() error {
	return &columnar.Problem{Problem: "the Arrow file is damaged, or of a kind that is not read", Want: "a whole file that pyarrow or Polars wrote, say", Remedy: "copy it again, or write it again"}
}

// cutOff returns the error for a file without its end.
func cutOff() error {
	return &columnar.Problem{Problem: "the Arrow file is cut off", Want: "a whole file, or a stream with its mark of the end", Remedy: "copy it again, or close its writer"}
}

// recovered turns a panic into an error, because the text of a panic may quote the file.
func recovered(err *error) {
	if recover() != nil {
		*err = damaged()
	}
}
