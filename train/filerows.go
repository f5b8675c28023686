package train

import (
	"errors"
	"os"
	"slices"
	"sync"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/release"
)

// rowsFile is the state of a table whose rows are read from a file at every use.
//
// Sums of rows hold each row to what entered when the file was opened. Other readings make something else of a
// row: scaled features, products, the sum of a person, a norm or a score. A plan with such readings reads a heldFile.
type rowsFile struct {
	scratch func() (*os.File, error)
	scaled  *os.File // of rows that were written again, or nil
	name    string   // of that file while it has one
	failed  error    // of a reading
	held    []*heldFile
	mutex   sync.Mutex
}

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
}

func newPacked(dim int) *packed {
	words := make([]uint64, (dim+3)/4)
	return &packed{words: words, row: kernel.View[int16](kernel.Bytes(words), 0, dim)}
}

// scale writes the rows with scaled features to another file, and returns the rows of that file.
func (f *rowsFile) scale(rows *release.Rows, m *feature.Map) (*release.Rows, error) {
	file, err := f.scratch()
	if err != nil {
		return nil, err
	}
	f.name = file.Name()
	w, held := release.NewRowsWriter(file), &growing{blocks: map[int64]heldBlock{}}
	add := func(b release.Block) error {
		scaled, failed := f.scaledRows(b, rows.Step(), m)
		if failed == nil {
			failed = held.add(scaled)
		}
		if failed == nil {
			failed = w.Append(scaled)
		}
		return failed
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
	from, err := held.file(f.scaled, info.Size())
	if err != nil {
		return nil, err
	}
	f.held = append(f.held, from)
	return release.OpenRows(from, info.Size(), frame(m))
}

// cause returns the error of a run: errRowChanged if a reading found that a file changed, or else err. What follows from
// such a reading in other goroutines is no cause.
func (f *rowsFile) cause(err error) error {
	if err != nil && slices.ContainsFunc(f.held, func(h *heldFile) bool { return h.changed.Load() }) {
		return errRowChanged
	}
	return err
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
