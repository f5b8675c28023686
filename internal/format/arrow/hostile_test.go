package arrow

import (
	"bytes"
	"encoding/binary"
	"os"
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

// TestDictionaryMemory wants every value of a dictionary counted, with its place and its bytes, over all batches that
// extend it, and no value of one that was replaced. One byte less than the count must be refused.
func TestDictionaryMemory(t *testing.T) {
	const rows = 300
	for name, want := range map[string]func(now, most int64) bool{
		"testdata/delta.arrows":                     func(now, most int64) bool { return now == most },
		"testdata/replaced.arrows":                  func(now, most int64) bool { return now <= most },
		"testdata/plain.arrow":                      func(now, most int64) bool { return now == most },
		"../readers/testdata/fine.arrow":            func(now, most int64) bool { return now == most },
		"../readers/testdata/described.arrow":       func(now, most int64) bool { return now == most },
		"../../format/arrow/testdata/stream.arrows": func(now, most int64) bool { return now == most },
	} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		read := func(column int, limit int64) (counted, most int64, err error) {
			f, err := Format{}.Open(bytes.NewReader(content), int64(len(content)))
			if err != nil {
				t.Fatal(err)
			}
			f.(*table).maxDictionary = limit
			r := f.Reader(column).(*reader)
			defer r.Close()
			for left := int(min(rows, f.Records())); left > 0 && err == nil; left-- {
				_, err = r.Next(1)
				most = max(most, r.dictionary.bytes)
			}
			values := int64(len(r.dictionary.numbers.Numbers) + len(r.dictionary.texts))
			texts := 0
			for _, text := range r.dictionary.texts {
				texts += len(text)
			}
			if least := 24*values + int64(texts); err == nil && (r.dictionary.bytes < least || r.dictionary.bytes > least+64) {
				t.Errorf("%s, column %d: got %d bytes for %d values with %d bytes of texts, want %d and little more", name, column, r.dictionary.bytes, values, texts, least)
			}
			return r.dictionary.bytes, most, err
		}
		f, err := Format{}.Open(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Columns() {
			if !f.(*table).fields[i].dictionary {
				continue
			}
			seen++
			now, most, err := read(i, maxBuffer)
			if err != nil || most == 0 || !want(now, most) {
				t.Errorf("%s, column %d: got %d bytes, at most %d, %v", name, i, now, most, err)
			}
			if _, _, err = read(i, most); err != nil {
				t.Errorf("%s, column %d: %d bytes are not enough: %v", name, i, most, err)
			}
			if _, _, err = read(i, most-1); err == nil {
				t.Errorf("%s, column %d: %d bytes are enough, want %d", name, i, most-1, most)
			}
		}
		if seen == 0 {
			t.Errorf("%s has no dictionary", name)
		}
	}
}

// TestDictionaryOfManyValues wants a dictionary refused whose values without bytes would take more memory than is
// allowed, before any is made.
func TestDictionaryOfManyValues(t *testing.T) {
	content, err := os.ReadFile("testdata/delta.arrows")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Format{}.Open(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Columns() {
		r := f.Reader(i).(*reader)
		if !r.field.dictionary {
			continue
		}
		for _, batches := range r.table.dictionaries {
			for k := range batches { // the node of the batch claims many rows, and so does the batch
				b := batches[k].batch
				b.rows = maxBuffer/dictionaryCell + 1
				binary.LittleEndian.PutUint64(b.content.text[b.nodesAt:], uint64(b.rows))
			}
		}
		if _, err = r.Next(1); err == nil || len(r.dictionary.texts) > 0 {
			t.Errorf("column %d: got %d values and %v, want none and an error", i, len(r.dictionary.texts), err)
		}
	}
}
