package arrow

import "encoding/binary"

// flat is a position in a flatbuffer: a table, or the start of a buffer. Methods panic beyond the
// end of the buffer; see recovered.
type flat struct {
	text []byte
	at   int
}

func (f flat) i16(at int) int16 { return int16(binary.LittleEndian.Uint16(f.text[at:])) }
func (f flat) i32(at int) int32 { return int32(binary.LittleEndian.Uint32(f.text[at:])) }
func (f flat) i64(at int) int64 { return int64(binary.LittleEndian.Uint64(f.text[at:])) }

// root returns the outermost table of a buffer.
func root(text []byte) flat { return flat{text, 0}.target(0) }

// target returns what the reference at a place points to. References point forward.
func (f flat) target(at int) flat {
	to := int64(at) + int64(binary.LittleEndian.Uint32(f.text[at:]))
	return flat{f.text[:len(f.text):len(f.text)], int(to)}
}

// field returns the place of a field of a table, or 0 if the table lacks it.
func (f flat) field(i int) int {
	table := f.at - int(f.i32(f.at))
	if size := int(uint16(f.i16(table))); 4+2*i+2 > size {
		return 0
	}
	if offset := int(uint16(f.i16(table + 4 + 2*i))); offset > 0 {
		return f.at + offset
	}
	return 0
}

// byteAt, short, long and word return the number in a field, or a default.
func (f flat) byteAt(i int, missing byte) byte {
	if at := f.field(i); at > 0 {
		return f.text[at]
	}
	return missing
}

func (f flat) short(i int, missing int16) int16 {
	if at := f.field(i); at > 0 {
		return f.i16(at)
	}
	return missing
}

func (f flat) word(i int, missing int32) int32 {
	if at := f.field(i); at > 0 {
		return f.i32(at)
	}
	return missing
}

func (f flat) long(i int) int64 {
	if at := f.field(i); at > 0 {
		return f.i64(at)
	}
	return 0
}

// table returns the table in a field.
func (f flat) table(i int) (flat, bool) {
	if at := f.field(i); at > 0 {
		return f.target(at), true
	}
	return flat{}, false
}

// vector returns the place of the first element of a list in a field, and the number of elements of
// a size. The list lies in the buffer.
func (f flat) vector(i, size int) (at, n int) {
	list, ok := f.table(i)
	if !ok {
		return 0, 0
	}
	n = int(binary.LittleEndian.Uint32(list.text[list.at:]))
	if at = list.at + 4; n > (len(list.text)-at)/size {
		panic("a list that is too long")
	}
	return at, n
}

// text returns the text in a field.
func (f flat) string(i int) string {
	at, n := f.vector(i, 1)
	return string(f.text[at : at+n])
}
