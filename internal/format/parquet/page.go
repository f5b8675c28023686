package parquet

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/zstd"
)

// The types of pages.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3
)

// pageHeader is the head of a page.
type pageHeader struct {
	kind         int32
	uncompressed int32
	size         int32
	crc          int32
	checked      bool // crc is given
	values, rows int32
	encoding     encoding
	levels       encoding // of the definition levels of a page of version 1
	levelSize    int32    // of a page of version 2
	plain        bool     // values of a page of version 2 are not compressed
}

// maxHeader bounds the head of a page, which may hold the least and the largest text of the page.
const maxHeader = 64 << 20

// readHeader reads the head of a page from a stream with left bytes, and returns its length.
func readHeader(from *bufio.Reader, left int64) (h pageHeader, length int64, ok bool) {
	d := &decoder{from: from, left: min(left, maxHeader)}
	before := d.left
	h = pageHeader{kind: -1, uncompressed: -1, size: -1, values: -1, rows: -1, encoding: -1, levels: encodingRLE}
	d.structure(func(id int, t wireType) {
		switch {
		case id == 1 && d.expect(t, wireI32):
			h.kind = d.small()
		case id == 2 && d.expect(t, wireI32):
			h.uncompressed = d.small()
		case id == 3 && d.expect(t, wireI32):
			h.size = d.small()
		case id == 4 && d.expect(t, wireI32):
			h.crc, h.checked = d.small(), true
		case (id == 5 || id == 7 || id == 8) && d.expect(t, wireStruct):
			d.structure(func(field int, t wireType) { d.pageField(&h, id, field, t) })
		default:
			d.skip(t)
		}
	})
	return h, before - d.left, !d.failed && h.size >= 0 && h.uncompressed >= 0
}

// pageField reads a field of the header of a data page, a dictionary page or a data page of version 2.
func (d *decoder) pageField(h *pageHeader, of, id int, t wireType) {
	dst := map[[2]int]*int32{{5, 1}: &h.values, {5, 2}: (*int32)(&h.encoding), {5, 3}: (*int32)(&h.levels),
		{7, 1}: &h.values, {7, 2}: (*int32)(&h.encoding),
		{8, 1}: &h.values, {8, 3}: &h.rows, {8, 4}: (*int32)(&h.encoding), {8, 5}: &h.levelSize}[[2]int{of, id}]
	switch {
	case dst != nil && d.expect(t, wireI32):
		*dst = d.small()
	case of == 8 && id == 6 && d.expect(t, wireI32):
		if d.small() != 0 { // repetition levels, which a column of one value for each row lacks
			d.fail()
		}
	case of == 8 && id == 7:
		h.plain = t == wireFalse
	case dst == nil && (of != 8 || id != 6):
		d.skip(t)
	}
}

// body reads the bytes of a page after its head, and verifies their checksum if there is one.
func (h *pageHeader) body(from io.Reader, dst []byte) ([]byte, bool) {
	if cap(dst) < int(h.size) {
		dst = make([]byte, h.size)
	}
	dst = dst[:h.size]
	if _, err := io.ReadFull(from, dst); err != nil {
		return dst, false
	}
	return dst, !h.checked || crc32.ChecksumIEEE(dst) == uint32(h.crc)
}

// refusedName returns the name of a codec that is not read, or "" for the others.
func (c codec) refusedName() string {
	switch c {
	case codecNone, codecSnappy, codecGzip, codecZstd:
		return ""
	case codecLZO:
		return "lzo"
	case codecBrotli:
		return "brotli"
	case codecLZ4, codecLZ4Raw:
		return "lz4"
	}
	return "a codec that is not known"
}

// unpacker decompresses the pages of one column.
type unpacker struct {
	zstd *zstd.Decoder
	gzip *gzip.Reader
}

// unpack decompresses src, which must give exactly size bytes, into fresh memory, because texts
// stay in it.
func (u *unpacker) unpack(c codec, src []byte, size int) ([]byte, bool) {
	switch c {
	case codecNone:
		return bytes.Clone(src), len(src) == size
	case codecSnappy:
		return unsnap(src, size)
	case codecGzip:
		return u.gunzip(src, size)
	case codecZstd:
		return u.unzstd(src, size)
	}
	return nil, false
}

func (u *unpacker) gunzip(src []byte, size int) ([]byte, bool) {
	var err error
	if u.gzip == nil {
		u.gzip, err = gzip.NewReader(bytes.NewReader(src))
	} else {
		err = u.gzip.Reset(bytes.NewReader(src))
	}
	if err != nil {
		return nil, false
	}
	var dst bytes.Buffer
	n, err := dst.ReadFrom(io.LimitReader(u.gzip, int64(size)+1))
	return dst.Bytes(), err == nil && n == int64(size)
}

// maxPage bounds a page after decompression. Writers make pages of 1 MB, and dictionaries are
// rarely larger.
const maxPage = 1 << 30

// A page of more than freePage bytes decompresses to at most maxRatio times its size, as whole files
// do. Writers make smaller pages.
const (
	freePage = 16 << 20
	maxRatio = 1000
)

// isBomb reports whether the page claims to decompress to more than its size allows.
func (h *pageHeader) isBomb() bool {
	return h.uncompressed > freePage && h.uncompressed/maxRatio > h.size
}

func (u *unpacker) unzstd(src []byte, size int) ([]byte, bool) {
	var err error
	if u.zstd == nil {
		u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage))
		if err != nil {
			return nil, false
		}
	}
	var head zstd.Header
	if failed := head.Decode(src); failed == nil && head.HasFCS && head.FrameContentSize != uint64(size) {
		return nil, false
	}
	dst, err := u.zstd.DecodeAll(src, make([]byte, 0, size))
	return dst, err == nil && len(dst) == size
}

func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}
