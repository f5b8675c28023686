package arrow

import (
	"encoding/binary"
	"testing"
)

// TestSharedDescriptions wants a schema refused whose columns have eight children each that are the same description,
// on many levels: a buffer of 2 KB that stands for 8^30 columns.
func TestSharedDescriptions(t *testing.T) {
	const levels, children = 31, 8
	text := make([]byte, 16)
	for i, v := range []uint16{16, 8, 0, 0, 0, 0, 0, 4} { // the vtable: children alone
		binary.LittleEndian.PutUint16(text[2*i:], v)
	}
	first := len(text)
	for range levels {
		at := len(text)
		text = binary.LittleEndian.AppendUint32(text, uint32(at))
		text = binary.LittleEndian.AppendUint32(text, 4)
		text = binary.LittleEndian.AppendUint32(text, children)
		for i := range children {
			text = binary.LittleEndian.AppendUint32(text, uint32(4*(children-i)))
		}
	}
	text = append(text, make([]byte, 8)...)
	binary.LittleEndian.PutUint32(text[len(text)-8:], uint32(len(text)-8)) // of the last table
	s := schemaReader{version: 4, room: 4 * len(text)}
	err := func() (err error) {
		defer recovered(&err)
		s.field(flat{text, first}, 0)
		return nil
	}()
	if err == nil || s.room >= 0 {
		t.Errorf("got %v with room for %d bytes, want an error without room", err, s.room)
	}
}

// TestLZ4 wants blocks that refer beyond their text, or that hold more than they claim, refused.
func TestLZ4(t *testing.T) {
	frame := func(block ...byte) []byte {
		text := append([]byte{0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82}, byte(len(block)), 0, 0, 0)
		return append(append(text, block...), 0, 0, 0, 0)
	}
	for _, c := range []struct {
		block []byte
		size  int
		want  string
	}{
		{[]byte{0x30, 'a', 'b', 'c'}, 3, "abc"},
		{[]byte{0x12, 'a', 1, 0, 0x00}, 7, "aaaaaaa"},
		{[]byte{0x12, 'a', 1, 0, 0x00}, 6, ""},
		{[]byte{0x12, 'a', 2, 0, 0x00}, 7, ""},
		{[]byte{0x12, 'a', 0, 0, 0x00}, 7, ""},
		{[]byte{0x1f, 'a', 1, 0, 255, 255, 255}, 7, ""},
		{[]byte{0x40, 'a'}, 4, ""},
	} {
		got, ok := unlz4(frame(c.block...), c.size)
		if ok != (c.want != "") || ok && string(got) != c.want {
			t.Errorf("%v: got %q, %v, want %q", c.block, got, ok, c.want)
		}
	}
}

// TestNullsWithoutBits wants a column refused that counts nulls and does not say which cells they are.
func TestNullsWithoutBits(t *testing.T) {
	seen := func(nulls int64) (err error) {
		defer recovered(&err)
		p := part{rows: 4, nulls: nulls}
		p.eachNull(0, 4, func(int64) {})
		return nil
	}
	if err := seen(2); err == nil {
		t.Error("two nulls without bits give no error")
	}
	if err := seen(0); err != nil {
		t.Errorf("no nulls without bits: %v", err)
	}
}
