package parquet

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/ditherml/dither/internal/columnar"
)

// file returns a file with a footer and bytes before it.
func file(pages, footer []byte) []byte {
	f := append([]byte(magic), pages...)
	f = append(f, footer...)
	f = binary.LittleEndian.AppendUint32(f, uint32(len(footer)))
	return append(f, magic...)
}

// TestHostileFooters wants footers refused that ask for stack or memory beyond their size.
func TestHostileFooters(t *testing.T) {
	for name, footer := range map[string][]byte{
		"structs in structs":       bytes.Repeat([]byte{0x1c}, 3_000_000),
		"lists in lists":           append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 3_000_000)...),
		"maps in maps":             append([]byte{0x1b}, bytes.Repeat([]byte{0x01, 0xbb}, 1_000_000)...),
		"a list of 2^60 elements":  {0x29, 0xfc, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10},
		"a text of 2^40 bytes":     {0x29, 0x1c, 0x48, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40},
		"a number of eleven bytes": {0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
		"nothing":                  {},
		"an empty struct":          {0},
		"a type that is not known": {0x1f},
	} {
		f := file(nil, footer)
		if c, err := (Format{}).Open(bytes.NewReader(f), int64(len(f))); err == nil {
			t.Errorf("%s: got %v, want an error", name, c)
		}
	}
	for _, f := range [][]byte{nil, []byte(magic), []byte("PAR1\xff\xff\xff\xffPAR1"), []byte("PAR1\x00\x00\x00\x80PAR1"), []byte("PAR1\x00\x00\x00\x00PARE")} {
		if _, err := (Format{}).Open(bytes.NewReader(f), int64(len(f))); err == nil {
			t.Errorf("%q: got no error", f)
		}
	}
}

// TestRepeatedIsRefused wants a column refused that has several values in a row.
func TestRepeatedIsRefused(t *testing.T) {
	for _, repeats := range []repetition{repeated, 3, -1} {
		f := field{element: element{name: "many", kind: typeDouble, leaf: true, repeats: repeats}}
		if c := describe(f); c.Refused == nil || c.Refused.Problem != "the column has several values in a row" {
			t.Errorf("repetition %d: got %v", repeats, c.Refused)
		}
	}
}

// TestBombs wants pages refused that ask for more values or bytes than they can have.
func TestBombs(t *testing.T) {
	var v [64]uint64
	uvarint := func(values ...uint64) (b []byte) {
		for _, v := range values {
			b = binary.AppendUvarint(b, v)
		}
		return b
	}
	for name, head := range map[string][]byte{
		"a block of 2^40":        uvarint(1<<40, 4, 10, 0),
		"no parts":               uvarint(128, 0, 10, 0),
		"parts of three":         uvarint(12, 4, 10, 0),
		"cut short":              uvarint(128, 4),
		"more parts than values": uvarint(128, 256, 10, 0),
	} {
		if _, ok := newDelta(head); ok {
			t.Errorf("%s: got a decoder", name)
		}
	}
	d, ok := newDelta(append(uvarint(128, 4, 1<<50, 0), 0, 65, 0, 0, 0))
	if !ok || d.next(v[:]) {
		t.Error("a part of 65 bits: got values")
	}
	if _, ok := newDeltaTexts(append(uvarint(128, 4, 1<<60, 0), 0, 0, 0, 0, 0), true); ok {
		t.Error("2^60 texts without bytes: got a decoder")
	}
	for _, data := range [][]byte{{0}, {1}, {2}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, {}} {
		if h := (&hybrid{data: data, width: 32}); h.next(v[:]) {
			t.Errorf("%x: got values", data)
		}
	}
	if h := (&hybrid{data: []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 1}, width: 1}); !h.next(v[:8]) || h.next(v[:8]) {
		t.Error("a long run with one byte: want its eight values and no more")
	}
	if _, ok := (&unpacker{}).unpack(codecSnappy, []byte{0xff, 0xff, 0xff, 0xff, 0x0f}, 10); ok {
		t.Error("snappy: got a page")
	}
}

// TestChecksumOfAPage wants a page refused whose bytes are not those of its checksum, and one that is cut short.
func TestChecksumOfAPage(t *testing.T) {
	page := []byte("some page")
	for name, c := range map[string]struct {
		head pageHeader
		want bool
	}{
		"right":       {pageHeader{size: 9, crc: int32(crc32.ChecksumIEEE(page)), checked: true}, true},
		"wrong":       {pageHeader{size: 9, crc: 1, checked: true}, false},
		"none":        {pageHeader{size: 9, crc: 1}, true},
		"cut short":   {pageHeader{size: 10}, false},
		"of a prefix": {pageHeader{size: 4, crc: int32(crc32.ChecksumIEEE(page)), checked: true}, false},
	} {
		if _, ok := c.head.body(bytes.NewReader(page), nil); ok != c.want {
			t.Errorf("%s: got %v, want %v", name, ok, c.want)
		}
	}
}

// TestBits compares bitsAt with bits that are read one by one.
func TestBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		b := make([]byte, r.IntN(24))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		at, width := r.IntN(8*len(b)+16), uint(r.IntN(65))
		want := uint64(0)
		for i := range int(width) {
			if p := at + i; p < 8*len(b) {
				want |= uint64(b[p/8]>>(p%8)&1) << i
			}
		}
		if got := bitsAt(b, at, width); got != want {
			t.Fatalf("%x from %d, %d bits: got %x, want %x", b, at, width, got, want)
		}
	}
}

// TestDecodersTakeAnyParts wants the same values whatever the sizes of the parts that are asked for.
func TestDecodersTakeAnyParts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	page := []byte{3, 0x4b, 0x91, 0xd2, 200, 1, 5, 3, 0xe4, 0x17, 0x5a, 6, 2} // packed, a run of 100, packed, a run of 3
	for name, decoder := range map[string]func() integers{
		"hybrid": func() integers { return &hybrid{data: page, width: 3} },
		"fixed":  func() integers { return &fixed{data: bytes.Repeat(page, 32), width: 4} },
		"split":  func() integers { return &split{data: bytes.Repeat(page, 32), width: 8} },
		"delta": func() integers {
			d, _ := newDelta(append([]byte{128, 1, 4, 110, 9, 3, 2, 0, 1, 7}, bytes.Repeat(page, 9)...))
			return d
		},
	} {
		all, whole := make([]uint64, 48), make([]uint64, 0, 48)
		if !decoder().next(all) {
			t.Fatalf("%s: got no values", name)
		}
		d := decoder()
		for len(whole) < len(all) {
			n := min(1+r.IntN(5), len(all)-len(whole))
			part := make([]uint64, n)
			if !d.next(part) {
				t.Fatalf("%s: got no values after %d", name, len(whole))
			}
			whole = append(whole, part...)
		}
		if !slices.Equal(whole, all) || slices.Max(all) == slices.Min(all) {
			t.Errorf("%s: in parts %v, at once %v", name, whole, all)
		}
	}
}

var _ columnar.Reader = (*reader)(nil)

// TestPageBombs wants pages refused that claim much more than they hold, under every compression, before memory is taken
// for them; and a page of 16 MiB of zeros read.
func TestPageBombs(t *testing.T) {
	pack := func(how codec, text []byte) []byte {
		var b bytes.Buffer
		switch how {
		case codecGzip:
			w := gzip.NewWriter(&b)
			if _, err := w.Write(text); err != nil || w.Close() != nil {
				t.Fatal(err)
			}
		case codecZstd:
			w, err := zstd.NewWriter(&b)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = w.Write(text); err != nil || w.Close() != nil {
				t.Fatal(err)
			}
		case codecSnappy:
			return snappy.Encode(nil, text)
		}
		return b.Bytes()
	}
	for _, how := range []codec{codecGzip, codecZstd, codecSnappy} {
		for _, c := range []struct {
			holds, claims int
			good          bool
		}{{freePage, freePage, true}, {8, 1 << 29, false}, {8, maxPage, false}, {1 << 20, 1 << 30, false}, {64 << 10, 8 << 10, false}, {8 << 10, 64 << 10, false}} {
			body := pack(how, make([]byte, c.holds))
			var head encoder
			head.i32(1, pageData)
			head.i32(2, int32(c.claims))
			head.i32(3, int32(len(body)))
			head.structure(5, func() {
				head.i32(1, 1)
				head.i32(2, int32(encodingPlain))
				head.i32(3, int32(encodingRLE))
			})
			page := append(head.end(), body...)
			r := &reader{stream: bufio.NewReader(bytes.NewReader(page)), bytes: int64(len(page)), room: 1 << 40, left: 1, codec: how, kind: columnar.Numbers, field: field{element: element{kind: typeDouble, leaf: true}}}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := r.nextPage()
			runtime.ReadMemStats(&after)
			r.unpacker.close()
			if (err == nil) != c.good {
				t.Errorf("codec %d, %d bytes that claim %d: got %v, want a page %v", how, c.holds, c.claims, err, c.good)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 {
				t.Errorf("codec %d, %d bytes that claim %d: %d bytes were allocated", how, c.holds, c.claims, used)
			}
		}
	}
}
