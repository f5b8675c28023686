package release

import (
	"bufio"
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
// What a record may add is verified with measures of the very integers that are added: those in the memory
// that a block was copied into, or those in the file itself while the operating system keeps writers away
// (fileView). They are computed anew each time, whatever the file has become, so that the bound of a sum does not
// depend on the disk. Where they are kept instead, of rows of bits that are long, the checksum of a block is held at
// each reading. Checksums otherwise guard the result, not the guarantee: they are held when a block is read for
// the first time and then every so often.

const (
	fileMark = "dither-rows-1\n\x00\x00"
	// fileBlockBytes is how large a block is, about.
	fileBlockBytes = 1 << 18
	// maxFileBlock is the largest number of rows in a block.
	maxFileBlock = 1 << 14
	// keptMeasures: rows of bits of at least this many bytes have their measures kept in memory,
	// since the product of bits with a center is slow.
	keptMeasures = 256
	// checkEvery is at which readings of a block its checksum is held: the first and each this many
	// after it.
	checkEvery = 64
	// writeBytes is how much is written at a time, a multiple of the largest page: the operating system keeps a
	// file that was written in large pieces in large pieces, which are read faster.
	writeBytes = 4 << 20
)

// fileTable is the end of a file of rows.
type fileTable struct {
	Type   RowType     `json:"type"`
	Dim    int         `json:"dim"`
	Step   float64     `json:"step"`
	Labels bool        `json:"labels"`
	Count  int         `json:"count"`
	Blocks []fileBlock `json:"blocks"`
	// Note is what the writer says of the file.
	Note json.RawMessage `json:"note,omitempty"`
}

// fileBlock is one block: rows from First on.
type fileBlock struct {
	First   int    `json:"first"`
	Rows    int    `json:"rows"`
	Entries int    `json:"entries,omitempty"` // of sparse rows
	Offset  int64  `json:"offset"`
	Bytes   int    `json:"bytes"`
	Sum     uint32 `json:"crc32c"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// RowsWriter writes rows to a file, from which OpenRows reads them.
type RowsWriter struct {
	w      *bufio.Writer
	table  fileTable
	offset int64
	bytes  []byte
}

// NewRowsWriter returns a writer without rows yet.
func NewRowsWriter(w io.Writer) *RowsWriter {
	return &RowsWriter{w: bufio.NewWriterSize(w, writeBytes)}
}

// Append writes rows in memory after those before. All must be alike in type, dim and step, and in
// whether they have labels; their frames do not matter.
func (w *RowsWriter) Append(r *Rows) error {
	t := &w.table
	if t.Count == 0 && len(t.Blocks) == 0 {
		t.Type, t.Dim, t.Step, t.Labels = r.kind, r.dim, r.step, r.labels != nil
	}
	if r.file != nil || r.kind != t.Type || r.dim != t.Dim || r.step != t.Step || (r.labels != nil) != t.Labels {
		return fmt.Errorf("release: rows of type %v are written after those of type %v, want rows in memory that are alike in type, dim, step and labels", r.kind, t.Type)
	}
	size := max(1, min(maxFileBlock, fileBlockBytes/r.rowBytes()))
	if r.kind == Sparse {
		size = maxBlockRows * 4
	}
	for at := 0; at < r.count; at += size {
		n := min(size, r.count-at)
		if err := w.block(r.x.part(at, n), piece(r.labels, at, n)); err != nil {
			return err
		}
	}
	return nil
}

// block writes one block.
func (w *RowsWriter) block(x storage, labels []float32) error {
	var entries int
	w.bytes, entries = x.encode(w.bytes[:0])
	w.bytes = append(w.bytes, kernel.Bytes(labels)...)
	w.table.Blocks = append(w.table.Blocks, fileBlock{w.table.Count, x.count(), entries, w.offset, len(w.bytes), crc32.Checksum(w.bytes, castagnoli)})
	w.table.Count += x.count()
	w.offset += int64(len(w.bytes))
	_, err := w.w.Write(w.bytes)
	return err
}

// Close writes the table; note, in JSON, is kept with it. It does not close the file.
func (w *RowsWriter) Close(note json.RawMessage) error {
	w.table.Note = note
	text, err := json.Marshal(w.table)
	if err != nil {
		return err
	}
	length, sum := len(text), crc32.Checksum(text, castagnoli)
	text = binary.LittleEndian.AppendUint32(text, sum)
	text = binary.LittleEndian.AppendUint64(text, uint64(length))
	_, err = w.w.Write(append(text, fileMark...))
	return errors.Join(err, w.w.Flush())
}

// FileNote returns the note of a file of rows of this size, or an error that says that it is none.
func FileNote(r io.ReaderAt, size int64) (json.RawMessage, error) {
	t, err := readTable(r, size)
	return t.Note, err
}

// OpenRows returns the rows of a file of this size, seen from a frame. All of it is read once now,
// and its checksums are held; then rows are read anew whenever they are asked for. The file must
// not change: a change is an error if r tells its size and when it was written, as an os.File does.
// The error comes at the latest after a pass over the rows. On Linux, a file that its user alone
// may read and write and that is open for reading only is held until it is closed: writers wait, at
// most as long as the system lets them. Blocks of it that are in the page cache are used there,
// without a copy. Then it is a change, too, to move or remove the file. The rows are all records of
// their table.
func OpenRows(r io.ReaderAt, size int64, frame Standardization) (*Rows, error) {
	t, err := readTable(r, size)
	if err != nil {
		return nil, err
	}
	rows, err := newRows(t.Count, RowsOptions{Dim: t.Dim, Step: t.Step, Type: t.Type, Frame: frame})
	if err != nil {
		return nil, err
	}
	if rows.file, err = newRowsFile(r, t); err != nil {
		return nil, err
	}
	if err = rows.file.hold(); err != nil {
		return nil, err
	}
	if err = rows.measure(); err != nil || rows.file.keepsMeasures() {
		return rows, err
	}
	return rows, rows.file.check()
}

// ErrDamaged is the error of a file of rows that is not as it was written.
var ErrDamaged = errors.New("release: the file of rows is damaged, want it as it was written; remove it and encode the table again")

func errDamaged(what string) error { return fmt.Errorf("%w (%s)", ErrDamaged, what) }

// readTable reads and checks the end of a file.
func readTable(r io.ReaderAt, size int64) (t fileTable, err error) {
	end := make([]byte, 12+len(fileMark))
	at := size - int64(len(end))
	if at < 0 {
		return t, errDamaged("too short")
	}
	if _, err = r.ReadAt(end, at); err != nil && err != io.EOF {
		return t, err
	}
	length := int64(binary.LittleEndian.Uint64(end[4:]))
	if string(end[12:]) != fileMark || length < 2 || length > at {
		return t, errDamaged("no table at its end")
	}
	text := make([]byte, length)
	if _, err = r.ReadAt(text, at-length); err != nil && err != io.EOF {
		return t, err
	}
	if crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(end) || json.Unmarshal(text, &t) != nil {
		return t, errDamaged("no table at its end")
	}
	return t, t.check(at - length)
}

// check holds that the blocks follow one another and have the sizes that their rows take.
func (t fileTable) check(end int64) error {
	offset, count := int64(0), 0
	for _, b := range t.Blocks {
		if b.First != count || b.Offset != offset || b.Rows < 1 || b.Bytes < 0 || b.Entries < 0 || b.Bytes != t.blockBytes(b) {
			return errDamaged("its blocks do not follow one another")
		}
		offset, count = offset+int64(b.Bytes), count+b.Rows
	}
	if offset != end || count != t.Count || t.Dim < 1 || t.Type > Sparse {
		return errDamaged("its blocks are not those of its table")
	}
	return nil
}

// blockBytes is how many bytes a block takes.
func (t fileTable) blockBytes(b fileBlock) int {
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
