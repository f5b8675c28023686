package release

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/rows"
)

// Rows of a file enter when it is opened, and for each standardization once more: block after block,
// each as rows in memory do. What a record may add is held to the squared norm of the row that
// entered. A row that differs at a later reading makes the sum faulty, whatever the file has become
// (lemma 18 of docs/release-parts.md). Multipliers, β and intercepts are computed at each reading,
// from the integers that are added then. They are kept in memory for long rows of bits alone, and
// there the checksum of a block is held at each reading.

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
	longest := 0
	for _, b := range t.Blocks {
		longest = max(longest, b.Rows)
	}
	r.origin.places = uniform(longest)
	return r, r.measure()
}

// blockMix is what all readings of a block have in common: the product of its rows' products with
// the secret, and of the bits of its labels, with the secret of places.
type blockMix struct{ rows, labels uint64 }

// enterFile copies each block of the file once, and enters its rows as rows in memory. The measures
// go to all. The first standardization keeps what the blocks are, and others are held to that.
func (r *Rows) enterFile(all measures) error {
	t, o, opens := r.file.Table, r.origin, r.origin.blocks == nil
	if opens {
		o.blocks = slices.Repeat([]blockMix{{rows: notEntered}}, len(t.Blocks)) // no block that is read later is one
	}
	failed := make([]error, len(t.Blocks))
	parallel.Parts(len(t.Blocks), func(from, to int) {
		var read rows.Memory
		for k := from; k < to && failed[from] == nil; k++ {
			if failed[from] = r.file.Read(k, r.form, &read); failed[from] != nil {
				return
			}
			first, n := t.Blocks[k].First, t.Blocks[k].Rows
			in, is := *r, blockMix{labels: mixLabels(read.Labels, o.places)}
			in.file, in.x, in.count, in.origin = nil, read.X, n, &origin{plain: newPlain(n), secret: o.secret}
			in.origin.take(in.x, 0, n, o.secret[:r.dim])
			for i, mix := range in.origin.mix {
				is.rows = residue(is.rows + timesResidue(int64(mix), o.places[i]))
			}
			if opens {
				o.blocks[k] = is
			}
			if failed[from] = ErrComputation; o.blocks[k] == is {
				in.known = &entered{n2: piece(r.known.n2, first, n), mixes: piece(r.known.mixes, first, n)}
				failed[from] = in.measureSome(all.part(first, n), in.x, 0)
			}
		}
	})
	return cmp.Or(failed...)
}

// holdLabels refuses labels of block k that are not those that it had when the file was opened.
func (r *Rows) holdLabels(k int, labels []float32) error {
	if r.origin.blocks[k].labels != mixLabels(labels, r.origin.places) {
		return ErrComputation
	}
	return nil
}

// mixLabels returns the product of the bits of fewer than 2^33 labels with the secret.
func mixLabels(labels []float32, r []uint64) uint64 {
	var high, low uint64
	for i, v := range labels {
		high, low = addProduct(high, low, int64(math.Float32bits(v)), r[i])
	}
	return residue128(high, low)
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
