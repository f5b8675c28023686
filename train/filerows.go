package train

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/rows"
)

// rowsFile is the state of a table whose rows are read from a file at every use.
//
// Sums of rows hold each row to what entered when the file was opened. Other readings make something else of a
// row: scaled features, products, the sum of a person, a norm or a score. Each row of these readings is held
// to its digest, taken before the file was opened. So a row that changes afterwards is used by none.
type rowsFile struct {
	scratch func() (*os.File, error)
	scaled  *os.File   // of rows that were written again, or nil
	name    string     // of that file while it has one
	digests [][16]byte // of each row, nil if all readings are sums of rows
	again   [][16]byte // of each row of the file scaled
	failed  error      // of a reading
	mutex   sync.Mutex
}

var errRowChanged = fmt.Errorf("train: a row of the file changed while it was in use, want a file that stands still: %w", release.ErrDamaged)

// scratchOr returns a function that makes a new empty file, by default one for temporary files.
func scratchOr(scratch func() (*os.File, error)) func() (*os.File, error) {
	if scratch != nil {
		return scratch
	}
	return func() (*os.File, error) { return os.CreateTemp("", "dither-") }
}

// packed is a row of integers, and the same memory as words of four integers each.
type packed struct {
	words []uint64
	row   []int16
	bytes []byte
}

func newPacked(dim int) *packed {
	words := make([]uint64, (dim+3)/4)
	return &packed{words: words, row: kernel.View[int16](kernel.Bytes(words), 0, dim)}
}

// digest returns the first half of the SHA-256 of the row.
func (p *packed) digest() [16]byte {
	p.bytes = p.bytes[:0]
	for k, word := range p.words {
		if word != 0 {
			p.bytes = binary.LittleEndian.AppendUint32(p.bytes, uint32(k))
			p.bytes = binary.LittleEndian.AppendUint64(p.bytes, word)
		}
	}
	sum := sha256.Sum256(p.bytes)
	return [16]byte(sum[:16])
}

// remember takes the digests of all rows.
func (f *rowsFile) remember(file io.ReaderAt, size int64) error {
	table, err := rows.ReadTable(file, size)
	if err != nil {
		return err
	}
	from, err := rows.Open(file, table)
	if err != nil {
		return err
	}
	f.digests = make([][16]byte, table.Count)
	form, errs := rows.New(table.Type, 0, table.Dim), make([]error, len(table.Blocks))
	parallel.Parts(len(table.Blocks), func(first, end int) {
		p, read := newPacked(table.Dim), rows.Memory{}
		for k := first; k < end; k++ {
			if errs[k] = from.Read(k, form, &read); errs[k] != nil {
				return
			}
			for i := range table.Blocks[k].Rows {
				read.X.CopyRow(p.row, i)
				f.digests[table.Blocks[k].First+i] = p.digest()
			}
		}
	})
	return errors.Join(errs...)
}

// same returns an error if a row of a block is not what it was. Row r of the block is row at(r) of the file that
// steps read: the file of scaled rows, if there is one. The scratch p has room for a row. A nil f holds no row.
func (f *rowsFile) same(b release.Block, at func(r int) int, p *packed) error {
	if f == nil {
		return nil
	}
	digests := f.digests
	if f.scaled != nil {
		digests = f.again
	}
	for r := range b.Len() {
		if b.CopyRow(p.row, r); p.digest() != digests[at(r)] {
			return errRowChanged
		}
	}
	return nil
}

// hold clears a row that is not what it was, and notes that. A nil f holds no row.
func (f *rowsFile) hold(i int, p *packed) {
	if f != nil && p.digest() != f.digests[i] {
		clear(p.words)
		f.note(errRowChanged)
	}
}

// scale writes the rows with scaled features to another file, and returns the rows of that file.
func (f *rowsFile) scale(rows *release.Rows, m *feature.Map) (*release.Rows, error) {
	file, err := f.scratch()
	if err != nil {
		return nil, err
	}
	f.name = file.Name()
	w, p := release.NewRowsWriter(file), newPacked(rows.Dim())
	add := func(b release.Block) error {
		scaled, failed := f.scaledRows(b, rows.Step(), m)
		if failed != nil {
			return failed
		}
		written, failed := scaled.Load(scaled.First(), scaled.Len(), release.Block{})
		if failed != nil {
			return failed
		}
		for i := range written.Len() {
			written.CopyRow(p.row, i)
			f.again = append(f.again, p.digest())
		}
		return w.Append(scaled)
	}
	if err = add(release.Block{}); err == nil { // a file without rows has a form too
		err = rows.Each(rows.First(), rows.Len(), add)
	}
	if err = errors.Join(err, f.error(), w.Close(nil), file.Close()); err != nil {
		return nil, err
	}
	if f.scaled, err = os.Open(f.name); err != nil {
		return nil, err
	}
	if os.Remove(f.name) == nil { // where an open file has to stay, close removes it
		f.name = ""
	}
	info, err := f.scaled.Stat()
	if err != nil {
		return nil, err
	}
	return release.OpenRows(f.scaled, info.Size(), frame(m))
}

// close closes the file of rows that were written again, and removes it.
func (f *rowsFile) close() {
	if f.scaled != nil {
		_ = f.scaled.Close()
	}
	if f.name != "" {
		_ = os.Remove(f.name)
	}
}

// note keeps the error of a reading in a pass that goes on without one. A nil f has no such readings.
func (f *rowsFile) note(err error) {
	if f == nil || err == nil {
		return
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.failed = err
}

// error returns an error that was noted.
func (f *rowsFile) error() error {
	if f == nil {
		return nil
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.failed
}
