package chain

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
)

// The file is a row of blocks: two heads, one block each, and then the records. A record begins at
// a block and is filled up with zeros, so that no write touches a block with bytes that were
// acknowledged.
const (
	blockSize    = 4096
	recordsBegin = 2 * blockSize
	version      = 1

	headMagic, recordMagic = "dither chain", "dcr\n"
	headSize, recordHeader = 96, 64
	maxRecord              = (recordHeader + MaxPayload + blockSize - 1) / blockSize * blockSize
)

// position is the place between two records: what a head says, and what a reader has reached.
type position struct {
	records uint64   // how many records are before it
	at      int64    // the byte at which the next record begins
	hash    [32]byte // of the record before it
}

// start is the position before the first record.
var start = position{at: recordsBegin}

// encodeHead returns the bytes of a head.
func encodeHead(p position) []byte {
	b := append(make([]byte, 0, headSize), headMagic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint64(b, p.records)
	b = binary.LittleEndian.AppendUint64(b, uint64(p.at))
	b = append(b, p.hash[:]...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// decodeHead reads a head of headSize bytes; ok is false for one that is torn or damaged.
func decodeHead(b []byte) (p position, ok bool) {
	p = position{binary.LittleEndian.Uint64(b[16:]), int64(binary.LittleEndian.Uint64(b[24:])), [32]byte(b[32:])}
	return p, bytes.Equal(b, encodeHead(p))
}

// writtenBy returns the version that a head or a record claims, 0 for what is neither.
func writtenBy(b []byte, magic string) uint32 {
	if !bytes.HasPrefix(b, []byte(magic)) {
		return 0
	}
	return binary.LittleEndian.Uint32(b[len(magic):])
}

// padded returns the bytes that a record with this payload takes.
func padded(payload int) int { return (recordHeader + payload + blockSize - 1) / blockSize * blockSize }

// encodeRecord returns the bytes of a record, filled up with zeros.
func encodeRecord(r Record) []byte {
	b := append(make([]byte, 0, padded(len(r.Payload))), recordMagic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(r.Payload)))
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, r.Seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Time))
	b = append(append(b, r.Hash[:]...), r.Payload...)
	binary.LittleEndian.PutUint32(b[12:], checksum(b))
	return b[:cap(b)]
}

// checksum returns the CRC-32 of a record without the four bytes of the checksum. It tells damaged
// bytes from records that were edited or moved.
func checksum(b []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(b[:12]), crc32.IEEETable, b[16:])
}

// decodeRecord reads the record at the beginning of b and returns how many bytes it takes. The
// problem says why there is none; its content and its place in the chain are not looked at.
func decodeRecord(b []byte) (r Record, size int, problem string) {
	if len(b) < blockSize {
		return r, 0, "ends early"
	}
	switch written := writtenBy(b, recordMagic); {
	case written == 0:
		return r, 0, "does not begin as one"
	case written != version:
		return r, 0, "has another version"
	}
	n := int(binary.LittleEndian.Uint32(b[8:]))
	if n < 1 || n > MaxPayload {
		return r, 0, "has an impossible length"
	}
	if size = padded(n); len(b) < size {
		return r, 0, "ends early"
	}
	end := recordHeader + n
	if checksum(b[:end]) != binary.LittleEndian.Uint32(b[12:]) || len(bytes.Trim(b[end:size], "\x00")) > 0 {
		return r, 0, "has another checksum than its bytes"
	}
	return Record{
		Seq: binary.LittleEndian.Uint64(b[16:]), Time: int64(binary.LittleEndian.Uint64(b[24:])),
		Hash: [32]byte(b[32:]), Payload: bytes.Clone(b[recordHeader:end]),
	}, size, ""
}

// walk reads records from a position on, as far as each follows the one before it. It returns them,
// the position before each and after the last, and why the remaining bytes are no record. An intact
// record that does not follow is strange: no interrupted write makes one.
func walk(b []byte, from position) (records []Record, passed []position, problem string, strange bool) {
	passed = []position{from}
	for len(b) > 0 {
		r, size, wrong := decodeRecord(b)
		if wrong != "" {
			return records, passed, wrong, false
		}
		if r.Seq != from.records || r.Hash != Link(from.hash, r.Seq, r.Time, r.Payload) {
			return records, passed, "does not follow the record before it", true
		}
		from = position{from.records + 1, from.at + int64(size), r.Hash}
		records, passed, b = append(records, r), append(passed, from), b[size:]
	}
	return records, passed, "is missing", false
}
