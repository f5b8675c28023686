package rows

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"

	"github.com/ditherml/dither/internal/kernel"
)

// Writer writes rows to a file, which Open reads.
type Writer struct {
	Table  Table // what was written so far, and what all rows have in common
	w      *bufio.Writer
	offset int64
	bytes  []byte
}

// NewWriter returns a writer without rows yet.
func NewWriter(w io.Writer) *Writer { return &Writer{w: bufio.NewWriterSize(w, writeBytes)} }

// Append writes rows after those before, in blocks, with their labels or nil. They are of the type
// and dim of the table.
func (w *Writer) Append(x Storage, labels []float32) error {
	size := max(1, min(maxFileBlock, fileBlockBytes/w.Table.Type.RowBytes(w.Table.Dim)))
	if w.Table.Type == Sparse {
		size = sparseBlock
	}
	for at := 0; at < x.Count(); at += size {
		n := min(size, x.Count()-at)
		if err := w.block(x.Part(at, n), labels[min(at, len(labels)):min(at+n, len(labels))]); err != nil {
			return err
		}
	}
	return nil
}

// block writes one block.
func (w *Writer) block(x Storage, labels []float32) error {
	var entries int
	w.bytes, entries = x.Encode(w.bytes[:0])
	w.bytes = append(w.bytes, kernel.Bytes(labels)...)
	w.Table.Blocks = append(w.Table.Blocks, Block{w.Table.Count, x.Count(), entries, w.offset, len(w.bytes), crc32.Checksum(w.bytes, castagnoli)})
	w.Table.Count += x.Count()
	w.offset += int64(len(w.bytes))
	_, err := w.w.Write(w.bytes)
	return err
}

// Close writes the table; note, in JSON, is kept with it. It does not close the file.
func (w *Writer) Close(note json.RawMessage) error {
	w.Table.Note = note
	text, err := json.Marshal(w.Table)
	if err != nil {
		return err
	}
	length, sum := len(text), crc32.Checksum(text, castagnoli)
	text = binary.LittleEndian.AppendUint32(text, sum)
	text = binary.LittleEndian.AppendUint64(text, uint64(length))
	_, err = w.w.Write(append(text, fileMark...))
	return errors.Join(err, w.w.Flush())
}
