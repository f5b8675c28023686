package arrow

import (
	"strings"

	"github.com/ditherml/dither/internal/columnar"
)

// typeID is the type of a column in the metadata.
type typeID uint8

// These are the numbers of types in the format.
const (
	typeNull typeID = iota + 1
	typeInt
	typeFloat
	typeBinary
	typeUtf8
	typeBool
	typeDecimal
	typeDate
	typeTime
	typeTimestamp
	typeInterval
	typeList
	typeStruct
	typeUnion
	typeFixedBinary
	typeFixedList
	typeMap
	typeDuration
	typeLargeBinary
	typeLargeUtf8
	typeLargeList
	typeRunEnds
	typeBinaryView
	typeUtf8View
	typeListView
	typeLargeListView
)

// values are how the values of a column or of a dictionary are stored.
type values struct {
	id     typeID
	bits   int // of a number
	signed bool
	scale  int32 // of a decimal
	// perSecond is the number of units in a second, of a date in milliseconds or a moment; 0 for
	// a date in days. zoned reports that a moment belongs to a zone.
	perSecond int64
	zoned     bool
}

// field is a column, or a part of a nested column.
type field struct {
	name       string
	comment    string
	required   bool
	values     values
	dictionary bool
	id         int64  // of the dictionary
	index      values // of positions in the dictionary
	children   []field
	union      int // the number of buffers of a union
}

// maxDepth bounds nested columns.
const maxDepth = 32

// schemaReader reads the descriptions of columns. A small buffer can refer to one description many
// times, so room limits their number and names.
type schemaReader struct {
	version int16 // of the metadata
	room    int
}

// field reads the description of a column.
func (s *schemaReader) field(f flat, depth int) field {
	const least = 16 // bytes of a description
	_, length := f.vector(0, 1)
	if s.room -= length + least; depth > maxDepth || s.room < 0 {
		panic("columns that are nested too deeply, or too many")
	}
	out := field{name: f.string(0), required: f.byteAt(1, 0) == 0, comment: s.comment(f, 6)}
	kind, _ := f.table(3)
	out.values = readValues(typeID(f.byteAt(2, 0)), kind)
	if out.values.id == typeUnion {
		out.union = 1 + int(kind.short(0, 0)&1)
		if s.version < 4 {
			out.union++ // the bits of nulls
		}
	}
	if d, ok := f.table(4); ok {
		out.dictionary, out.id, out.index = true, d.long(0), values{id: typeInt, bits: 32, signed: true}
		if index, ok := d.table(1); ok {
			out.index = readValues(typeInt, index)
		}
	}
	at, n := f.vector(5, 4)
	for i := range n {
		out.children = append(out.children, s.field(f.target(at+4*i), depth+1))
	}
	return out
}

// comment returns the value of the key comment, or else of description, in a list of keys and values.
func (s *schemaReader) comment(f flat, list int) (text string) {
	const least = 16 // bytes of a key and a value
	at, n := f.vector(list, 4)
	for i := range n {
		pair := f.target(at + 4*i)
		_, key := pair.vector(0, 1)
		if s.room -= key + least; s.room < 0 {
			panic("keys that are too many")
		}
		name := strings.ToLower(pair.string(0))
		if _, length := pair.vector(1, 1); columnar.IsComment(name) && length <= columnar.MaxComment && (text == "" || name == "comment") {
			s.room -= length
			text = pair.string(1)
		}
	}
	return text
}

// readValues reads a type.
func readValues(id typeID, kind flat) values {
	v := values{id: id}
	switch id {
	case typeInt:
		v.bits, v.signed = int(kind.word(0, 0)), kind.byteAt(1, 0) != 0
	case typeFloat:
		v.bits = 16 << min(uint16(kind.short(0, 0)), 3)
	case typeDate:
		v.bits, v.signed = 32, true
		if kind.short(0, 1) != 0 {
			v.bits, v.perSecond = 64, 1e3
		}
	case typeTimestamp:
		v.bits, v.signed = 64, true
		v.perSecond = []int64{1, 1e3, 1e6, 1e9}[kind.short(0, 0)]
		_, n := kind.vector(1, 1)
		v.zoned = n > 0
	case typeDecimal:
		v.scale, v.bits = kind.word(1, 0), int(kind.word(2, 128))
	}
	return v
}

// width returns the number of bytes of a number, or 0 if such numbers are not read.
func (v values) width() int {
	switch {
	case v.id == typeInt && (v.bits == 8 || v.bits == 16 || v.bits == 32 || v.bits == 64),
		v.id == typeFloat && v.bits <= 64, v.id == typeDate, v.id == typeTimestamp,
		v.id == typeDecimal && (v.bits == 32 || v.bits == 64 || v.bits == 128 || v.bits == 256) && v.scale >= -maxScale && v.scale <= maxScale:
		return v.bits / 8
	}
	return 0
}

// maxScale bounds the scale of decimals, whose precision is at most 76.
const maxScale = 100

// describe returns what a column holds, or the reason why it cannot be read.
func (f *field) describe() columnar.Column {
	c := columnar.Column{Name: f.name, Comment: f.comment, Required: f.required, Coded: f.dictionary}
	if f.values.id == typeInt && f.values.bits == 8 && !f.dictionary {
		c.Lower, c.Upper = columnar.ByteBounds(f.values.signed)
	}
	switch v := f.values; v.id {
	case typeNull:
		c.Kind = columnar.Numbers
	case typeInt, typeFloat, typeDecimal:
		if c.Kind = columnar.Numbers; v.width() == 0 {
			c.Refused = refused("the numbers of the column have a width that is not read", "write them as float64")
		}
	case typeUtf8, typeLargeUtf8, typeUtf8View:
		c.Kind = columnar.Texts
	case typeBool:
		if c.Kind = columnar.Bools; f.dictionary {
			c.Refused = refused("the column has bools in a dictionary", "write them without one")
		}
	case typeDate:
		c.Kind = columnar.Dates
	case typeTimestamp:
		c.Kind, c.Zoned = columnar.Times, v.zoned
	case typeTime, typeInterval, typeDuration:
		c.Refused = refused("the cells are times of a day or durations", "write a number, such as a number of seconds")
	case typeBinary, typeLargeBinary, typeBinaryView, typeFixedBinary:
		c.Refused = refused("the cells are bytes", "write texts")
	case typeRunEnds:
		c.Refused = refused("the column stores runs of equal cells", "write it without that encoding")
	default:
		c.Refused = refused("the column is nested or has several values in a row", "write each of its values as a column")
	}
	if f.dictionary && f.values.id == typeNull {
		c.Refused = refused("the column has a dictionary without values", "write it without one")
	}
	if f.dictionary && f.index.width() == 0 {
		c.Refused = refused("the positions in the dictionary of the column have a width that is not read", "write them as int32")
	}
	return c
}

func refused(problem, remedy string) *columnar.Problem {
	return &columnar.Problem{Problem: problem, Want: "numbers, texts, dates or bools", Remedy: remedy + "; or declare it as ignore"}
}

// counts are the places of a column in the lists of a record batch.
type counts struct{ nodes, buffers, views int }

// add moves the places past a column.
func (c *counts) add(f *field) {
	if f.dictionary {
		c.nodes++
		c.buffers += 2
		return
	}
	c.nodes++
	switch f.values.id {
	case typeNull, typeRunEnds:
	case typeStruct, typeFixedList:
		c.buffers++
	case typeUnion:
		c.buffers += f.union
	case typeBinary, typeUtf8, typeLargeBinary, typeLargeUtf8, typeListView, typeLargeListView:
		c.buffers += 3
	case typeBinaryView, typeUtf8View:
		c.buffers += 2 // and those that the batch counts
		c.views++
	default:
		c.buffers += 2
	}
	for i := range f.children {
		c.add(&f.children[i])
	}
}
