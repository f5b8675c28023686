package release

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
)

// rowsFile is where blocks are read from. It is safe for concurrent use.
type rowsFile struct {
	r        io.ReaderAt
	table    fileTable
	readings []atomic.Uint32 // of each block
	known    fs.File         // nil: r says nothing of itself
	was      fileState
	held     *heldFile // nil: blocks are copied
	pace     pace
	free     *sync.Pool // of *blockMemory
}

// newRowsFile remembers what the file is now.
func newRowsFile(r io.ReaderAt, t fileTable) (*rowsFile, error) {
	f := &rowsFile{r: r, table: t, readings: make([]atomic.Uint32, len(t.Blocks)), free: &sync.Pool{New: func() any { return &blockMemory{} }}}
	return f, f.remember()
}

// keepsMeasures reports whether the measures of all rows are kept in memory.
func (f *rowsFile) keepsMeasures() bool {
	rows := Rows{kind: f.table.Type, dim: f.table.Dim}
	return f.table.Type == Bit && rows.rowBytes() >= keptMeasures
}

// read fills own with block k, and holds its checksum if it is time to, or if its measures are kept. The integers
// stand in the file itself if view has them, until it looks at another block.
func (f *rowsFile) read(k int, form storage, own *blockMemory, view *fileView) (err error) {
	b := f.table.Blocks[k]
	bytes, err := f.bytes(b, own, view)
	if err != nil {
		return err
	}
	if due := f.readings[k].Add(1)%checkEvery == 1; (due || f.keepsMeasures()) && crc32.Checksum(bytes, castagnoli) != b.Sum {
		return errDamaged("a block has another checksum")
	}
	if own.x, err = form.decode(own.x, bytes, b.Rows, b.Entries); err != nil {
		return err
	}
	if own.labels = own.labels[:0]; f.table.Labels {
		own.labels = grow(own.labels, b.Rows)
		copy(kernel.Bytes(own.labels), bytes[len(bytes)-4*b.Rows:])
	}
	return nil
}

// bytes returns the bytes of a block, in the file itself if view has them.
func (f *rowsFile) bytes(b fileBlock, own *blockMemory, view *fileView) ([]byte, error) {
	if view != nil {
		if bytes := view.look(b.Offset, b.Bytes); bytes != nil {
			return bytes, nil
		}
	}
	own.words = grow(own.words, (b.Bytes+7)/8)
	bytes := kernel.Bytes(own.words)[:b.Bytes]
	if n, failed := f.r.ReadAt(bytes, b.Offset); n < len(bytes) {
		return nil, fmt.Errorf("release: read a block of rows: %w", failed)
	}
	return bytes, nil
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
// numbers. Without an error, the file was the same all the time.
func (f *rowsFile) each(form storage, t *turns, do func(own *blockMemory, k int) error) error {
	if err := f.unchanged(); err != nil {
		return err
	}
	own := f.free.Get().(*blockMemory)
	defer f.free.Put(own)
	view := f.held.view(&f.pace)
	defer view.close(own)
	err := view.guard(func() error {
		for k, more := t.take(); more; k, more = t.take() {
			if err := f.read(k, form, own, view); err != nil {
				return err
			}
			if err := do(own, k); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return f.unchanged()
}

// check reads all blocks once.
func (f *rowsFile) check() error {
	form := newStorage(f.table.Type, 0, f.table.Dim)
	return f.together(form, func(*blockMemory, int) error { return nil })
}

// together is each for all blocks, on all processors.
func (f *rowsFile) together(form storage, do func(own *blockMemory, k int) error) error {
	turns := f.newTurns(0, f.table.Count)
	var lock sync.Mutex
	var failed error
	parallel.Parts(len(f.table.Blocks), func(int, int) {
		if err := f.each(form, turns, do); err != nil {
			lock.Lock()
			defer lock.Unlock()
			failed = errors.Join(failed, err)
		}
	})
	return failed
}
