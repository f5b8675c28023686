package release

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/rows"
)

// Rows of a file enter when it is opened. What a record may add is held to the squared norm of the
// row that entered. A row that differs at a later reading makes the sum faulty, whatever the file
// has become (lemma 18 of docs/release-parts.md). Multipliers, β and intercepts are
// computed at each reading, from the integers that are added then. They are kept in memory for long
// rows of bits alone, and there the checksum of a block is held at each reading.

// RowsWriter writes rows to a file, which OpenRows and ReadRows read.
type RowsWriter struct{ w *rows.Writer }

// NewRowsWriter returns a RowsWriter that writes to w. It has written no rows yet.
func NewRowsWriter(w io.Writer) *RowsWriter { return &RowsWriter{rows.NewWriter(w)} }

// Append writes the rows r, which must be in memory, after all rows that were written earlier. All
// rows must agree in type, number of coordinates and step, and in whether they have labels. Their
// standardizations do not matter.
func (w *RowsWriter) Append(r *Rows) error {
	t := &w.w.Table
	if t.Count == 0 && len(t.Blocks) == 0 {
		t.Type, t.Dim, t.Step, t.Labels = r.kind, r.dim, r.step, r.labels != nil
	}
	if r.file != nil || r.kind != t.Type || r.dim != t.Dim || r.step != t.Step || (r.labels != nil) != t.Labels {
		return fmt.Errorf("release: rows of type %v are written after those of type %v, want rows in memory that are alike in type, dim, step and labels", r.kind, t.Type)
	}
	return w.w.Append(r.x, r.labels)
}

// Close writes the end of the file. The end includes the argument note, which must be JSON. It does
// not close the writer.
func (w *RowsWriter) Close(note json.RawMessage) error { return w.w.Close(note) }

// FileNote returns the note that RowsWriter.Close wrote into a file of rows. The argument size is
// the size of the file in bytes. A file that has no rows in this format is an error.
func FileNote(r io.ReaderAt, size int64) (json.RawMessage, error) {
	t, err := rows.ReadTable(r, size)
	return t.Note, err
}

// OpenRows returns the rows of a file. The argument frame describes how they are standardized. The
// argument size is the size of the file in bytes. OpenRows reads the whole file once and verifies
// its checksums. Later the rows are read from the file whenever they are needed. The rows are all
// records of their table.
//
// The file must not change. If from states its size and the time of its last change, as an os.File
// does, a change is an error. The error occurs at the latest after a pass over the rows.
//
// On Linux, OpenRows may take a lease on the file. It does so if only the file's owner may read and
// write the file and if it is open for reading only. While the lease is held, programs that open
// the file for writing wait, as long as the system lets them. Blocks in the page cache are then
// used without a copy, and moving or removing the file counts as a change.
func OpenRows(from io.ReaderAt, size int64, frame Standardization) (*Rows, error) {
	t, err := rows.ReadTable(from, size)
	if err != nil {
		return nil, err
	}
	r, err := newRows(t.Count, RowsOptions{Dim: t.Dim, Step: t.Step, Type: t.Type, Frame: frame})
	if err != nil {
		return nil, err
	}
	r.free = &sync.Pool{New: func() any { return &blockMemory{} }}
	if r.file, err = rows.Open(from, t); err != nil {
		return nil, err
	}
	if err = r.file.Hold(); err != nil {
		return nil, err
	}
	if err = r.enterFile(); err != nil {
		return nil, err
	}
	return r, r.measure()
}

// enterFile reads the blocks of the file once, copied, and holds their checksums. It keeps the
// product of each row with the secret, and the labels: whatever is read later is held to them.
func (r *Rows) enterFile() error {
	t := r.file.Table
	r.origin.mix, r.labels = make([]uint64, r.count), make([]float32, r.count)
	failed := make([]error, len(t.Blocks))
	parallel.Parts(len(t.Blocks), func(from, to int) {
		var own reader
		var read rows.Memory
		for k := from; k < to && failed[from] == nil; k++ {
			if failed[from] = r.file.Read(k, r.form, &read); failed[from] != nil {
				return
			}
			for i := range t.Blocks[k].Rows {
				_, r.origin.mix[t.Blocks[k].First+i] = own.mix(read.X, i, r.origin.secret[:r.dim])
			}
			copy(r.labels[t.Blocks[k].First:], read.Labels)
		}
	})
	if !t.Labels {
		r.labels = nil
	}
	return cmp.Or(failed...)
}

// ReadRows returns the rows of a file in memory. The argument frame describes how they are
// standardized. The argument size is the size of the file in bytes. The file is read once, and its
// checksums are verified. The rows are all records of their table.
func ReadRows(from io.ReaderAt, size int64, frame Standardization) (*Rows, error) {
	t, err := rows.ReadTable(from, size)
	if err != nil {
		return nil, err
	}
	x, labels, err := t.InMemory(from)
	if err != nil {
		return nil, err
	}
	r, err := newRows(t.Count, RowsOptions{Dim: t.Dim, Step: t.Step, Type: t.Type, Frame: frame, Labels: labels})
	if err != nil {
		return nil, err
	}
	r.x = x
	return r, r.measure()
}
