package mechanism

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ditherml/dither/linalg"
)

// rowsFile is where blocks are read from. It is safe for concurrent use.
type rowsFile struct {
	r        io.ReaderAt
	table    fileTable
	readings []atomic.Uint32 // of each block
	stat     func() (fs.FileInfo, error)
	size     int64
	written  time.Time
	free     *sync.Pool // of *blockMemory
}

// newRowsFile remembers what the file is now.
func newRowsFile(r io.ReaderAt, t fileTable) (*rowsFile, error) {
	f := &rowsFile{r: r, table: t, readings: make([]atomic.Uint32, len(t.Blocks)), free: &sync.Pool{New: func() any { return &blockMemory{} }}}
	if known, ok := r.(fs.File); ok {
		f.stat = known.Stat
		info, err := f.stat()
		if err != nil {
			return nil, fmt.Errorf("mechanism: look at the file of rows: %w", err)
		}
		f.size, f.written = info.Size(), info.ModTime()
	}
	return f, nil
}

// unchanged refuses a file that was written to since it was opened, as far as it can be seen.
func (f *rowsFile) unchanged() error {
	if f.stat == nil {
		return nil
	}
	info, err := f.stat()
	if err != nil {
		return fmt.Errorf("mechanism: look at the file of rows: %w", err)
	}
	if info.Size() != f.size || !info.ModTime().Equal(f.written) {
		return errDamaged("it was written to while it was in use")
	}
	return nil
}

// keepsMeasures reports whether the measures of all rows are kept in memory.
func (f *rowsFile) keepsMeasures() bool {
	rows := Rows{kind: f.table.Type, dim: f.table.Dim}
	return f.table.Type == Bit && rows.rowBytes() >= keptMeasures
}

// read fills own with block k, and holds its checksum if it is time to, or if its measures are kept.
func (f *rowsFile) read(k int, form payload, own *blockMemory) (err error) {
	b := f.table.Blocks[k]
	own.words = room(own.words, (b.Bytes+7)/8)
	bytes := linalg.Bytes(own.words)[:b.Bytes]
	if n, failed := f.r.ReadAt(bytes, b.Offset); n < len(bytes) {
		return fmt.Errorf("mechanism: read a block of rows: %w", failed)
	}
	if due := f.readings[k].Add(1)%checkEvery == 1; (due || f.keepsMeasures()) && crc32.Checksum(bytes, castagnoli) != b.Sum {
		return errDamaged("a block has another checksum")
	}
	if own.x, err = form.decode(own.x, own.words, b.Rows, b.Entries); err != nil {
		return err
	}
	if own.labels = own.labels[:0]; f.table.Labels {
		own.labels = room(own.labels, b.Rows)
		copy(linalg.Bytes(own.labels), bytes[len(bytes)-4*b.Rows:])
	}
	return nil
}

// blockOf returns the block that row i is in.
func (f *rowsFile) blockOf(i int) int {
	return sort.Search(len(f.table.Blocks), func(k int) bool { return f.table.Blocks[k].First > i }) - 1
}

// turns hands out the numbers of blocks, each once, in ascending order. Goroutines may share it.
type turns struct {
	next atomic.Int64
	end  int64
}

// newTurns returns the turns of the blocks that have the rows from ≤ i < to.
func (f *rowsFile) newTurns(from, to int) *turns {
	t := &turns{}
	if from < to {
		t.next.Store(int64(f.blockOf(from)))
		t.end = int64(f.blockOf(to-1)) + 1
	}
	return t
}

// take returns the next block, if there is one.
func (t *turns) take() (int, bool) {
	k := t.next.Add(1) - 1
	return int(k), k < t.end
}

// each calls do with the blocks of the turns that this call takes, in memory that is used again, and their
// numbers.
func (f *rowsFile) each(form payload, t *turns, do func(own *blockMemory, k int) error) error {
	if err := f.unchanged(); err != nil {
		return err
	}
	own := f.free.Get().(*blockMemory)
	defer f.free.Put(own)
	for k, more := t.take(); more; k, more = t.take() {
		if err := f.read(k, form, own); err != nil {
			return err
		}
		if err := do(own, k); err != nil {
			return err
		}
	}
	return nil
}

// check reads all blocks once.
func (f *rowsFile) check() error {
	form := newPayload(f.table.Type, 0, f.table.Dim)
	return f.together(form, func(*blockMemory, int) error { return nil })
}

// together is each for all blocks, on all processors.
func (f *rowsFile) together(form payload, do func(own *blockMemory, k int) error) error {
	turns := f.newTurns(0, f.table.Count)
	var lock sync.Mutex
	var failed error
	parallel(len(f.table.Blocks), func(int, int) {
		if err := f.each(form, turns, do); err != nil {
			lock.Lock()
			defer lock.Unlock()
			failed = errors.Join(failed, err)
		}
	})
	return failed
}
