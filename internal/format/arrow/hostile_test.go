package arrow

import (
	"encoding/binary"
	"testing"

	"github.com/ditherml/dither/internal/columnar"
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

// TestDatedNumbers wants dates in days and moments in seconds, whatever their unit, and rounded down to what is kept.
func TestDatedNumbers(t *testing.T) {
	for _, c := range []struct {
		v    values
		n    int64
		want float64
	}{
		{values{id: typeDate, bits: 32, signed: true}, -1, -1},
		{values{id: typeDate, bits: 64, signed: true, perSecond: 1e3}, -1, -1},
		{values{id: typeDate, bits: 64, signed: true, perSecond: 1e3}, 86400000, 1},
		{values{id: typeTimestamp, bits: 64, perSecond: 1}, -5, -5},
		{values{id: typeTimestamp, bits: 64, perSecond: 1e3}, 250, 0.25},
		{values{id: typeTimestamp, bits: 64, perSecond: 1e6}, -1, -1e-6},
		{values{id: typeTimestamp, bits: 64, perSecond: 1e9}, -1, -1e-6},
	} {
		b := binary.LittleEndian.AppendUint64(nil, uint64(c.n))[:c.v.width()]
		if got := c.v.number()(b); got != c.want {
			t.Errorf("%+v of %d: got %v, want %v", c.v, c.n, got, c.want)
		}
	}
	for id, want := range map[typeID]columnar.Kind{typeDate: columnar.Dates, typeTimestamp: columnar.Times, typeTime: 0, typeDuration: 0, typeInterval: 0} {
		c := (&field{values: values{id: id, bits: 64}}).describe()
		if c.Kind != want || (c.Refused != nil) != (want == 0) {
			t.Errorf("type %d: got %+v", id, c)
		}
	}
}
