package rows

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/ditherml/dither/internal/kernel"
)

// Rows in a file. The file holds blocks: each has the integers of some rows and then their labels.
// After them stand a table of the blocks in JSON, its checksum, its length and a mark. Integers and
// labels stand in the order of the processor that wrote them: such a file is for the machine that
// made it.
//
// Checksums guard the result, not the guarantee. They are held when a block is read for the first
// time and at every CheckEvery-th reading after it. Where the measures of rows are kept in memory,
// of long rows of bits, they are held at each reading.

const (
	fileMark = "dither-rows-1\n\x00\x00"
	// fileBlockBytes is how large a block is, about.
	fileBlockBytes = 1 << 18
	// maxFileBlock is the largest number of rows in a block.
	maxFileBlock = 1 << 14
	// sparseBlock is the number of sparse rows in a block.
	sparseBlock = 1 << 10
	// keptMeasures: rows of bits of at least this many bytes have their measures kept in memory,
	// since the product of bits with a center is slow.
	keptMeasures = 256
	// CheckEvery is at which readings of a block its checksum is held: the first and each this many
	// after it.
	CheckEvery = 64
	// writeBytes is how much is written at a time, a multiple of the largest page: the operating
	// system keeps a file that was written in large pieces in large pieces, which are read faster.
	writeBytes = 4 << 20
)

// Table is the end of a file of rows.
type Table struct {
	Type   Type    `json:"type"`
	Dim    int     `json:"dim"`
	Step   float64 `json:"step"`
	Labels bool    `json:"labels"`
	Count  int     `json:"count"`
	Blocks []Block `json:"blocks"`
	// Note is what the writer says of the file.
	Note json.RawMessage `json:"note,omitempty"`
}

// Block is one block: rows from First on.
type Block struct {
	First   int    `json:"first"`
	Rows    int    `json:"rows"`
	Entries int    `json:"entries,omitempty"` // of sparse rows
	Offset  int64  `json:"offset"`
	Bytes   int    `json:"bytes"`
	Sum     uint32 `json:"crc32c"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged is the error of a file of rows that is not as it was written.
var ErrDamaged = errors.New("rows: the file of rows is damaged, want it as it was written; remove it and encode the table again")

func damaged(what string) error { return fmt.Errorf("%w (%s)", ErrDamaged, what) }

// ReadTable reads and checks the end of a file.
func ReadTable(r io.ReaderAt, size int64) (t Table, err error) {
	end := make([]byte, 12+len(fileMark))
	at := size - int64(len(end))
	if at < 0 {
		return t, damaged("too short")
	}
	if _, err = r.ReadAt(end, at); err != nil && err != io.EOF {
		return t, err
	}
	length := int64(binary.LittleEndian.Uint64(end[4:]))
	if string(end[12:]) != fileMark || length < 2 || length > at {
		return t, damaged("no table at its end")
	}
	text := make([]byte, length)
	if _, err = r.ReadAt(text, at-length); err != nil && err != io.EOF {
		return t, err
	}
	if crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(end) || json.Unmarshal(text, &t) != nil {
		return t, damaged("no table at its end")
	}
	return t, t.check(at - length)
}

// check holds that the blocks follow one another and have the sizes that their rows take.
func (t Table) check(end int64) error {
	offset, count := int64(0), 0
	for _, b := range t.Blocks {
		if b.First != count || b.Offset != offset || b.Rows < 1 || b.Bytes < 0 || b.Entries < 0 || b.Bytes != t.blockBytes(b) {
			return damaged("its blocks do not follow one another")
		}
		offset, count = offset+int64(b.Bytes), count+b.Rows
	}
	if offset != end || count != t.Count || t.Dim < 1 || t.Type > Sparse {
		return damaged("its blocks are not those of its table")
	}
	return nil
}

// blockBytes is how many bytes a block takes.
func (t Table) blockBytes(b Block) int {
	n := 0
	switch t.Type {
	case Int16:
		n = 2 * b.Rows * t.Dim
	case Uint8:
		n = b.Rows * t.Dim
	case Bit:
		n = 8 * b.Rows * kernel.BitWords(t.Dim)
	case Sparse:
		n = 4*b.Rows + 6*b.Entries
	}
	if t.Labels {
		n += 4 * b.Rows
	}
	return n
}
