package parquet

import "encoding/binary"

// snappyGrowth bounds what one byte of a block in snappy's format can become: three bytes copy at most 64.
const snappyGrowth = 22

// unsnap decompresses a block in the format snappy, which must give exactly size bytes
// (https://github.com/google/snappy/blob/main/format_description.txt). The block has its length,
// then runs of plain bytes and copies of earlier bytes. It allocates nothing for a block that is
// too short for its size.
func unsnap(src []byte, size int) ([]byte, bool) {
	length, used := binary.Uvarint(src)
	if used <= 0 || length != uint64(size) || size/snappyGrowth > len(src) {
		return nil, false
	}
	src = src[used:]
	dst, at := make([]byte, size), 0
	for len(src) > 0 {
		tag := int(src[0])
		n, offset, head := tag>>2+1, 0, 1
		switch tag & 3 {
		case 0:
			if n > 60 { // the length minus 1 is in the next one to four bytes
				head += n - 60
				if len(src) < head {
					return nil, false
				}
				n = 0
				for k, b := range src[1:head] {
					n |= int(b) << (8 * k)
				}
				n++
			}
			src = src[head:]
			if n > len(src) || n > size-at {
				return nil, false
			}
			at += copy(dst[at:], src[:n])
			src = src[n:]
			continue
		case 1:
			if len(src) < 2 {
				return nil, false
			}
			n, offset, head = tag>>2&7+4, tag>>5<<8|int(src[1]), 2
		case 2:
			if len(src) < 3 {
				return nil, false
			}
			offset, head = int(binary.LittleEndian.Uint16(src[1:])), 3
		case 3:
			if len(src) < 5 {
				return nil, false
			}
			offset, head = int(binary.LittleEndian.Uint32(src[1:])), 5
		}
		src = src[head:]
		if offset < 1 || offset > at || n > size-at {
			return nil, false
		}
		// A copy that overlaps itself repeats its bytes: each turn doubles the number of bytes to
		// copy at once.
		for from, end := at-offset, at+n; at < end; {
			at += copy(dst[at:end], dst[from:at])
		}
	}
	return dst, at == size
}
