package parquet

import (
	"encoding/binary"
)

// encoding names how the values of a page are stored.
type encoding int32

const (
	encodingPlain           encoding = 0
	encodingPlainDictionary encoding = 2
	encodingRLE             encoding = 3
	encodingDelta           encoding = 5
	encodingDeltaLength     encoding = 6
	encodingDeltaText       encoding = 7
	encodingDictionary      encoding = 8
	encodingSplit           encoding = 9
)

// integers returns the unsigned integers of a page one part after the other. Each call of next
// fills dst and reports whether the page has enough numbers. No decoder keeps more than the page
// itself.
type integers interface{ next(dst []uint64) bool }

// fixed decodes PLAIN numbers of 4 or 8 bytes, and moments of 12.
type fixed struct {
	data  []byte
	width int
}

func (f *fixed) next(dst []uint64) bool {
	if len(f.data) < f.width*len(dst) {
		return false
	}
	for i := range dst {
		switch f.width {
		case 4:
			dst[i] = uint64(binary.LittleEndian.Uint32(f.data[4*i:]))
		case 8:
			dst[i] = binary.LittleEndian.Uint64(f.data[8*i:])
		default:
			dst[i] = stamp96(f.data[12*i:])
		}
	}
	f.data = f.data[f.width*len(dst):]
	return true
}

// stamp96 returns an INT96, which has the nanoseconds of a day and the number of the day in the Julian
// calendar, in 64 bits. A moment of whole microseconds is twice their number since 1970. Any other moment
// is twice the number of nanoseconds, plus 1. A moment that neither can hold is noStamp, which is missing.
func stamp96(b []byte) uint64 {
	const epoch, dayMicros, farthest, near = 2440588, 86400e6, 5e7, 53_000 // days
	nanos, day := int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint32(b[8:]))-epoch
	micros, rest := day*dayMicros+nanos/1000, nanos%1000
	switch {
	case day > farthest || nanos < 0 || nanos > 2*1000*dayMicros:
		return noStamp
	case rest == 0:
		return uint64(micros << 1)
	case day < -near || day > near:
		return noStamp
	}
	return uint64((micros*1000+rest)<<1 | 1)
}

// noStamp stands for a moment that is missing. No moment is so early.
const noStamp = 1 << 63

// unstamped returns the number of units of stamp96, and how many of them are in a second.
func unstamped(bits uint64) (n, perSecond int64) {
	if bits&1 != 0 {
		return int64(bits) >> 1, 1e9
	}
	return int64(bits) >> 1, 1e6
}

// split decodes BYTE_STREAM_SPLIT: all first bytes, then all second bytes, and so on.
type split struct {
	data      []byte
	width, at int
}

func (s *split) next(dst []uint64) bool {
	count := len(s.data) / s.width
	if count*s.width != len(s.data) || count-s.at < len(dst) {
		return false
	}
	for i := range dst {
		v := uint64(0)
		for k := range s.width {
			v |= uint64(s.data[k*count+s.at+i]) << (8 * k)
		}
		dst[i] = v
	}
	s.at += len(dst)
	return true
}

// bitsAt returns width bits of data from a position in bits, lowest first; bits beyond the end are 0.
func bitsAt(data []byte, at int, width uint) uint64 {
	if width == 0 {
		return 0
	}
	first, shift := at/8, uint(at%8)
	var window [16]byte
	if first+9 <= len(data) {
		copy(window[:9], data[first:first+9])
	} else if first < len(data) {
		copy(window[:], data[first:])
	}
	v := binary.LittleEndian.Uint64(window[:]) >> shift
	if shift > 0 {
		v |= uint64(window[8]) << (64 - shift)
	}
	return v << (64 - width) >> (64 - width)
}

// hybrid decodes runs of one value and bit-packed groups of eight (RLE in the format's words).
type hybrid struct {
	data   []byte
	width  uint
	run    uint64 // remaining values of the run
	value  uint64 // of a run of one value
	packed []byte // of a bit-packed run, or nil
	at     int    // the position in packed, in bits
}

func (h *hybrid) next(dst []uint64) bool {
	for len(dst) > 0 {
		if h.run == 0 && !h.begin() {
			return false
		}
		n := int(min(h.run, uint64(len(dst))))
		for i := range dst[:n] {
			if dst[i] = h.value; h.packed != nil {
				dst[i] = bitsAt(h.packed, h.at, h.width)
				h.at += int(h.width)
			}
		}
		h.run -= uint64(n)
		dst = dst[n:]
	}
	return true
}

// begin reads the head of a run. A bit-packed run that the page cuts short has only its available
// values.
func (h *hybrid) begin() bool {
	head, n := binary.Uvarint(h.data)
	if n <= 0 || head < 2 {
		return false
	}
	h.data = h.data[n:]
	if head&1 == 0 {
		size := int(h.width+7) / 8
		if len(h.data) < size {
			return false
		}
		h.run, h.packed, h.value = head>>1, nil, bitsAt(h.data[:size], 0, h.width)
		h.data = h.data[size:]
		return true
	}
	groups := head >> 1
	size := uint64(len(h.data))
	if h.width == 0 {
		size = 0
	} else if groups <= size/uint64(h.width) {
		size = groups * uint64(h.width)
	}
	h.packed, h.at, h.data = h.data[:size:size], 0, h.data[size:]
	if h.run = groups * 8; h.width > 0 {
		h.run = min(groups, 1<<32) * 8
		h.run = min(h.run, 8*size/uint64(h.width))
	}
	return h.run > 0
}

// delta decodes DELTA_BINARY_PACKED: a first value, then blocks of differences. Each part has a
// width of its own.
type delta struct {
	data           []byte
	left           uint64 // remaining values
	value          uint64 // the next one
	perPart, parts int
	least          uint64
	widths         []byte // of the remaining parts of the block
	part           []byte
	at, inPart     int // bits read of the part, values still in it
	width          uint
}

// maxBlock bounds the values of a block; writers use 128 or 256.
const maxBlock = 1 << 16

// newDelta reads the head of the values.
func newDelta(data []byte) (*delta, bool) {
	var head [4]uint64
	for i := range head {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return nil, false
		}
		head[i], data = v, data[n:]
	}
	block, parts := head[0], head[1]
	if block == 0 || block > maxBlock || parts == 0 || parts > block || block%parts != 0 || block/parts%8 != 0 {
		return nil, false
	}
	return &delta{data: data, left: head[2], value: zigzag(head[3]), perPart: int(block / parts), parts: int(parts)}, true
}

// zigzag returns the bits of a signed integer in zigzag form.
func zigzag(v uint64) uint64 { return v>>1 ^ -(v & 1) }

func (d *delta) next(dst []uint64) bool {
	if uint64(len(dst)) > d.left {
		return false
	}
	for i := range dst {
		dst[i] = d.value
		if d.left--; d.left == 0 {
			return i == len(dst)-1
		}
		if d.inPart == 0 && !d.begin() {
			return false
		}
		d.value += d.least + bitsAt(d.part, d.at, d.width)
		d.at += int(d.width)
		d.inPart--
	}
	return true
}

// begin moves to the next part, or to the next block if there is none.
func (d *delta) begin() bool {
	if len(d.widths) == 0 {
		least, n := binary.Uvarint(d.data)
		if n <= 0 || len(d.data) < n+d.parts {
			return false
		}
		d.least, d.widths, d.data = zigzag(least), d.data[n:n+d.parts], d.data[n+d.parts:]
	}
	d.width, d.widths = uint(d.widths[0]), d.widths[1:]
	size := d.perPart / 8 * int(d.width)
	if d.width > 64 || len(d.data) < size {
		return false
	}
	d.part, d.data, d.at, d.inPart = d.data[:size], d.data[size:], 0, d.perPart
	return true
}

// rest skips all values and returns the bytes after them.
func (d delta) rest() ([]byte, bool) {
	for d.left > 1 {
		if d.inPart == 0 && !d.begin() {
			return nil, false
		}
		passed := min(uint64(d.inPart), d.left-1)
		d.left -= passed
		d.inPart -= int(passed)
	}
	return d.data, true
}
