package parquet

import (
	"bufio"
	"encoding/binary"
	"io"
)

// Footers and page headers are in the compact protocol of Apache Thrift
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). A decoder
// reads known fields one by one and skips the rest. Depth and lengths are bounded before anything
// is kept. So no file makes the program use memory or stack beyond its own size.

// wireType is the type of a value of the compact protocol.
type wireType uint8

const (
	wireStop wireType = iota
	wireTrue
	wireFalse
	wireByte
	wireI16
	wireI32
	wireI64
	wireDouble
	wireBinary
	wireList
	wireSet
	wireMap
	wireStruct
	wireUUID
)

// maxDepth bounds the nesting of values. The deepest nesting of the Parquet format is 8.
const maxDepth = 32

// decoder reads values from a stream with at most left bytes. After the first failure it returns
// zeros, and failed is true.
type decoder struct {
	from   *bufio.Reader
	left   int64
	depth  int
	failed bool
}

// fail marks the input as damaged.
func (d *decoder) fail() { d.failed, d.left = true, 0 }

func (d *decoder) byte() byte {
	if d.left < 1 {
		d.fail()
		return 0
	}
	b, err := d.from.ReadByte()
	if err != nil {
		d.fail()
		return 0
	}
	d.left--
	return b
}

// varint reads an unsigned integer of at most 64 bits.
func (d *decoder) varint() uint64 {
	var v uint64
	for shift := uint(0); shift < 70; shift += 7 {
		b := d.byte()
		if shift == 63 && b > 1 {
			break
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	d.fail()
	return 0
}

// integer reads a signed integer in zigzag form.
func (d *decoder) integer() int64 {
	v := d.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// small reads a signed integer of 32 bits.
func (d *decoder) small() int32 {
	v := d.integer()
	if v != int64(int32(v)) {
		d.fail()
	}
	return int32(v)
}

// length reads a length in bytes or elements. Each element takes at least a byte.
func (d *decoder) length() int64 {
	n := d.varint()
	if n > uint64(d.left) {
		d.fail()
		return 0
	}
	return int64(n)
}

// text reads a binary value.
func (d *decoder) text() string { return d.bytes(d.length()) }

// bytes reads n bytes.
func (d *decoder) bytes(n int64) string {
	b := make([]byte, n)
	if _, err := io.ReadFull(d.from, b); err != nil {
		d.fail()
		return ""
	}
	d.left -= int64(len(b))
	return string(b)
}

// discard skips n bytes.
func (d *decoder) discard(n int64) {
	if n > d.left {
		d.fail()
		return
	}
	if _, err := io.CopyN(io.Discard, d.from, n); err != nil {
		d.fail()
		return
	}
	d.left -= n
}

// structure reads the fields of a struct. The function field is called for each, and must read or
// skip its value.
func (d *decoder) structure(field func(id int, t wireType)) {
	d.depth++
	defer func() { d.depth-- }()
	if d.depth > maxDepth {
		d.fail()
	}
	id := 0
	for !d.failed {
		head := d.byte()
		t := wireType(head & 15)
		if t == wireStop {
			return
		}
		if delta := int(head >> 4); delta > 0 {
			id += delta
		} else {
			id = int(d.small())
		}
		field(id, t)
	}
}

// list reads the elements of a list. The function element is called for each, and must read or skip
// it.
func (d *decoder) list(t wireType, element func(t wireType)) {
	if t != wireList && t != wireSet {
		d.fail()
		return
	}
	head := d.byte()
	n := int64(head >> 4)
	if n == 15 {
		n = d.length()
	}
	for ; n > 0 && !d.failed; n-- {
		element(wireType(head & 15))
	}
}

// skip skips a value.
func (d *decoder) skip(t wireType) {
	switch t {
	case wireTrue, wireFalse:
	case wireByte:
		d.byte()
	case wireI16, wireI32, wireI64:
		d.varint()
	case wireDouble:
		d.discard(8)
	case wireUUID:
		d.discard(16)
	case wireBinary:
		d.discard(d.length())
	case wireStruct:
		d.structure(func(_ int, t wireType) { d.skip(t) })
	case wireList, wireSet, wireMap:
		d.skipMany(t)
	default:
		d.fail()
	}
}

// skipMany skips a list, a set or a map. Boolean elements take a byte each.
func (d *decoder) skipMany(t wireType) {
	d.depth++
	defer func() { d.depth-- }()
	if d.depth > maxDepth {
		d.fail()
		return
	}
	element := func(t wireType) {
		if t == wireTrue || t == wireFalse {
			t = wireByte
		}
		d.skip(t)
	}
	if t != wireMap {
		d.list(t, element)
		return
	}
	n := d.length()
	if n == 0 {
		return
	}
	types := d.byte()
	for ; n > 0 && !d.failed; n-- {
		element(wireType(types >> 4))
		element(wireType(types & 15))
	}
}

// expect marks the input as damaged if a value has the wrong type.
func (d *decoder) expect(got, want wireType) bool {
	if got != want {
		d.fail()
	}
	return got == want
}

// littleEndian32 returns the length that precedes levels and texts.
func littleEndian32(b []byte) int { return int(binary.LittleEndian.Uint32(b)) }
