package parquet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"slices"
)

// The names and numbers of this file come from the Parquet format
// (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift).

// physicalType is the type in which values are stored.
type physicalType int32

const (
	typeBoolean physicalType = iota
	typeInt32
	typeInt64
	typeInt96
	typeFloat
	typeDouble
	typeByteArray
	typeFixed
)

// repetition is the number of values of a row.
type repetition int32

const (
	required repetition = iota
	optional
	repeated
)

// codec names a compression.
type codec int32

const (
	codecNone codec = iota
	codecSnappy
	codecGzip
	codecLZO
	codecBrotli
	codecLZ4
	codecZstd
	codecLZ4Raw
)

// logicalType is the set field of the union LogicalType.
type logicalType int

const (
	logicalNone    logicalType = 0
	logicalString  logicalType = 1
	logicalEnum    logicalType = 4
	logicalDecimal logicalType = 5
	logicalDate    logicalType = 6
	logicalTime    logicalType = 7
	logicalStamp   logicalType = 8
	logicalInteger logicalType = 10
	logicalJSON    logicalType = 12
)

// convertedNone stands for a missing ConvertedType.
const convertedNone = -1

// element is a node of the schema, which is a list in depth-first order.
type element struct {
	name      string
	kind      physicalType
	leaf      bool // kind is given
	repeats   repetition
	children  int32
	converted int32
	scale     int32
	logical   logicalType
	unsigned  bool  // logicalInteger
	bits      int8  // logicalInteger
	perSecond int64 // logicalStamp
	zoned     bool  // logicalStamp
}

// chunk is the place of the values of one column in one row group.
type chunk struct {
	kind                     physicalType
	codec                    codec
	values                   int64
	from, size, uncompressed int64
}

// rowGroup is a part of the rows.
type rowGroup struct {
	chunks []chunk // one for each leaf
	rows   int64
}

// footer is a file's description of itself.
type footer struct {
	schema []element
	groups []rowGroup
	notes  map[string]string // by key, of those in noteKeys
	end    int64             // the end of the pages
}

// maxFooter bounds the footer. A footer of 100,000 columns in 10 row groups has about 100 MB.
const maxFooter = 256 << 20

// readFooter reads the footer of a file. It returns false if the footer is damaged or encrypted.
func readFooter(file io.ReaderAt, size int64) (*footer, bool) {
	var tail [8]byte
	if size < int64(len(magic)+len(tail)) {
		return nil, false
	}
	if _, err := file.ReadAt(tail[:], size-8); err != nil || !bytes.HasSuffix(tail[:], []byte(magic)) {
		return nil, false
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	f := &footer{end: size - 8 - length, notes: map[string]string{}}
	if length > maxFooter || f.end < int64(len(magic)) {
		return nil, false
	}
	d := &decoder{from: bufio.NewReaderSize(io.NewSectionReader(file, f.end, length), 1<<16), left: length}
	d.structure(func(id int, t wireType) {
		switch id {
		case 2:
			d.list(t, func(t wireType) { f.schema = append(f.schema, d.element(t)) })
		case 4:
			d.list(t, func(t wireType) { f.groups = append(f.groups, d.rowGroup(t)) })
		case 5:
			d.list(t, func(t wireType) { d.note(t, f.notes) })
		default:
			d.skip(t)
		}
	})
	return f, !d.failed && len(f.schema) > 0
}

// element reads a SchemaElement.
func (d *decoder) element(t wireType) element {
	e := element{converted: convertedNone}
	if !d.expect(t, wireStruct) {
		return e
	}
	named := false
	d.structure(func(id int, t wireType) {
		switch {
		case id == 1 && d.expect(t, wireI32):
			e.kind, e.leaf = physicalType(d.small()), true
		case id == 3 && d.expect(t, wireI32):
			e.repeats = repetition(d.small())
		case id == 4 && d.expect(t, wireBinary):
			e.name, named = d.text(), true
		case id == 5 && d.expect(t, wireI32):
			e.children = d.small()
		case id == 6 && d.expect(t, wireI32):
			e.converted = d.small()
		case id == 7 && d.expect(t, wireI32):
			e.scale = d.small()
		case id == 10 && d.expect(t, wireStruct):
			d.logical(&e)
		default:
			d.skip(t)
		}
	})
	if !named {
		d.fail()
	}
	return e
}

// logical reads a LogicalType, a union.
func (d *decoder) logical(e *element) {
	d.structure(func(id int, t wireType) {
		if !d.expect(t, wireStruct) {
			return
		}
		e.logical = logicalType(id)
		e.unsigned = e.logical == logicalInteger
		d.structure(func(id int, t wireType) {
			switch {
			case e.logical == logicalDecimal && id == 1 && d.expect(t, wireI32):
				e.scale = d.small()
			case e.logical == logicalInteger && id == 2:
				e.unsigned = t != wireTrue
			case e.logical == logicalInteger && id == 1 && d.expect(t, wireByte):
				e.bits = int8(d.byte())
			case e.logical == logicalStamp && id == 1:
				e.zoned = t == wireTrue
			case e.logical == logicalStamp && id == 2 && d.expect(t, wireStruct):
				e.perSecond = d.unit()
			default:
				d.skip(t)
			}
		})
	})
}

// unit reads a TimeUnit, a union, and returns the units in a second.
func (d *decoder) unit() (perSecond int64) {
	d.structure(func(id int, t wireType) {
		perSecond = map[int]int64{1: 1e3, 2: 1e6, 3: 1e9}[id]
		d.skip(t)
	})
	return perSecond
}

// rowGroup reads a RowGroup.
func (d *decoder) rowGroup(t wireType) rowGroup {
	g := rowGroup{rows: -1}
	if !d.expect(t, wireStruct) {
		return g
	}
	d.structure(func(id int, t wireType) {
		switch {
		case id == 1:
			d.list(t, func(t wireType) { g.chunks = append(g.chunks, d.chunk(t)) })
		case id == 3 && d.expect(t, wireI64):
			g.rows = d.integer()
		default:
			d.skip(t)
		}
	})
	if g.rows < 0 {
		d.fail()
	}
	return g
}

// chunk reads a ColumnChunk. A chunk without metadata, which is encrypted, or in another file
// counts as damaged.
func (d *decoder) chunk(t wireType) chunk {
	var c chunk
	if !d.expect(t, wireStruct) {
		return c
	}
	found := false
	d.structure(func(id int, t wireType) {
		switch {
		case id == 1:
			d.fail()
		case id == 3 && d.expect(t, wireStruct):
			c, found = d.metadata(), true
		default:
			d.skip(t)
		}
	})
	if !found {
		d.fail()
	}
	return c
}

// metadata reads a ColumnMetaData.
func (d *decoder) metadata() (c chunk) {
	page, dictionary, codecOf := int64(-1), int64(0), int32(-1)
	c.kind, c.values, c.size, c.uncompressed = -1, -1, -1, -1
	d.structure(func(id int, t wireType) {
		switch {
		case id == 1 && d.expect(t, wireI32):
			c.kind = physicalType(d.small())
		case id == 4 && d.expect(t, wireI32):
			codecOf = d.small()
		case id == 5 && d.expect(t, wireI64):
			c.values = d.integer()
		case id == 6 && d.expect(t, wireI64):
			c.uncompressed = d.integer()
		case id == 7 && d.expect(t, wireI64):
			c.size = d.integer()
		case id == 9 && d.expect(t, wireI64):
			page = d.integer()
		case id == 11 && d.expect(t, wireI64):
			dictionary = d.integer()
		default:
			d.skip(t)
		}
	})
	c.codec, c.from = codec(codecOf), page
	if dictionary > 0 {
		c.from = min(page, dictionary)
	}
	if slices.Min([]int64{int64(c.kind), int64(c.codec), c.values, c.uncompressed, c.size, page}) < 0 {
		d.fail()
	}
	return c
}

// field is a column of the outermost level: a leaf, or a group of columns.
type field struct {
	element
	at int // the position of its first leaf among all leaves
}

// fields returns the fields of the schema. It also reports whether the schema is complete and every
// row group has a chunk for each leaf.
func (f *footer) fields() ([]field, bool) {
	var fields []field
	leaves, next, ok := 0, 1, true
	for range f.schema[0].children {
		if next >= len(f.schema) {
			return nil, false
		}
		e := field{f.schema[next], leaves}
		for open := int64(1); open > 0 && ok; open-- {
			if next >= len(f.schema) {
				return nil, false
			}
			node := f.schema[next]
			next++
			switch {
			case node.leaf && node.children == 0:
				leaves++
			case !node.leaf && node.children >= 0:
				open += int64(node.children)
			default:
				ok = false
			}
		}
		fields = append(fields, e)
	}
	for _, g := range f.groups {
		ok = ok && len(g.chunks) == leaves
	}
	return fields, ok && next == len(f.schema)
}
