package arrow

import (
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxBuffer bounds a buffer after decompression, in bytes.
	maxBuffer = 1 << 30
	// maxRatio is the largest ratio of a buffer's sizes, for more than freeBytes.
	maxRatio  = 1000
	freeBytes = 1 << 20

	codecLZ4, codecZstd = 0, 1
)

// buffer is a part of a batch: in the file, or decompressed.
type buffer struct {
	file         io.ReaderAt
	from, length int64
	data         []byte // decompressed
	packed       bool
	scratch      []byte
}

// read returns bytes of the buffer, valid until the next call. It panics beyond the end.
func (b *buffer) read(from, n int64) []byte {
	if from < 0 || n < 0 || from > b.length || n > b.length-from {
		panic("bytes beyond a buffer")
	}
	if b.packed {
		return b.data[from : from+n]
	}
	if b.scratch == nil || int64(cap(b.scratch)) < n {
		b.scratch = make([]byte, n)
	}
	b.scratch = b.scratch[:n]
	if n > 0 {
		if _, err := b.file.ReadAt(b.scratch, b.from+from); err != nil {
			panic("a file that cannot be read")
		}
	}
	return b.scratch
}

// keep returns bytes of the buffer that later calls do not change.
func (b *buffer) keep(from, n int64) []byte {
	text := b.read(from, n)
	if !b.packed {
		b.scratch = nil
	}
	return text
}

// load reads the whole buffer into memory.
func (b *buffer) load() {
	if !b.packed {
		if b.length > maxBuffer {
			panic("a buffer of too many bytes")
		}
		b.data, b.packed = b.keep(0, b.length), true
	}
}

// unpack decompresses the buffer. A buffer begins with its decompressed size, which is -1 for a
// buffer that is not compressed after all.
func (b *buffer) unpack(codec int8, z **zstd.Decoder) {
	if codec < 0 || b.length == 0 {
		return
	}
	size := int64(binary.LittleEndian.Uint64(b.read(0, 8)))
	packed := b.length - 8
	if size == -1 {
		b.from, b.length = b.from+8, packed
		return
	}
	if size < 0 || size > maxBuffer || size > freeBytes && size/maxRatio > packed {
		panic("a buffer of too many bytes")
	}
	text, ok := b.read(8, packed), false
	switch codec {
	case codecLZ4:
		b.data, ok = unlz4(text, int(size))
	case codecZstd:
		b.data, ok = unzstd(text, int(size), z)
	}
	if !ok || int64(len(b.data)) != size {
		panic("a buffer that cannot be decompressed")
	}
	b.length, b.packed, b.scratch = size, true, nil
}

func unzstd(src []byte, size int, z **zstd.Decoder) ([]byte, bool) {
	if *z == nil {
		made, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return nil, false
		}
		*z = made
	}
	dst, err := (*z).DecodeAll(src, make([]byte, 0, size))
	return dst, err == nil
}

// unlz4 decompresses the frames of src, which must give exactly size bytes. Checksums are not
// verified.
//
// Source: https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md.
func unlz4(src []byte, size int) ([]byte, bool) {
	const (
		frame       = 0x184d2204
		version     = 0xc0
		blockSums   = 0x10
		contentSize = 0x08
		contentSum  = 0x04
		dictionary  = 0x01
		plain       = 1 << 31
	)
	dst := make([]byte, 0, size)
	for len(src) > 0 {
		if len(src) < 7 || binary.LittleEndian.Uint32(src) != frame {
			return nil, false
		}
		flags := src[4]
		if flags&version != 0x40 || flags&dictionary != 0 {
			return nil, false
		}
		src = src[6:]
		if flags&contentSize != 0 {
			src = src[min(8, len(src)):]
		}
		src = src[min(1, len(src)):] // a checksum of the header
		begin := len(dst)
		for {
			if len(src) < 4 {
				return nil, false
			}
			n := binary.LittleEndian.Uint32(src)
			src = src[4:]
			if n == 0 {
				break
			}
			length := int(n &^ plain)
			if length > len(src) {
				return nil, false
			}
			ok := true
			if n&plain != 0 {
				if ok = length <= size-len(dst); ok {
					dst = append(dst, src[:length]...)
				}
			} else {
				dst, ok = unlz4Block(dst, begin, src[:length], size)
			}
			if src = src[length:]; flags&blockSums != 0 {
				src = src[min(4, len(src)):]
			}
			if !ok {
				return nil, false
			}
		}
		if flags&contentSum != 0 {
			src = src[min(4, len(src)):]
		}
	}
	return dst, len(dst) == size
}

// unlz4Block appends the text of a block to dst, which has at most size bytes then. A match begins
// after begin.
func unlz4Block(dst []byte, begin int, src []byte, size int) ([]byte, bool) {
	// length returns a length whose first four bits are n.
	length := func(n int) (int, bool) {
		for more := n == 15; more; {
			if len(src) == 0 || n > size {
				return 0, false
			}
			n += int(src[0])
			more = src[0] == 255
			src = src[1:]
		}
		return n, true
	}
	for len(src) > 0 {
		token := int(src[0])
		src = src[1:]
		literals, ok := length(token >> 4)
		if !ok || literals > len(src) || literals > size-len(dst) {
			return dst, false
		}
		dst = append(dst, src[:literals]...)
		if src = src[literals:]; len(src) == 0 {
			return dst, true // the last sequence has no match
		}
		if len(src) < 2 {
			return dst, false
		}
		back := int(binary.LittleEndian.Uint16(src))
		src = src[2:]
		match, ok := length(token & 15)
		if match += 4; !ok || back == 0 || back > len(dst)-begin || match > size-len(dst) {
			return dst, false
		}
		for match > 0 {
			n := min(match, back)
			from := len(dst) - back
			dst = append(dst, dst[from:from+n]...)
			match -= n
		}
	}
	return dst, true
}
