package rows

import (
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"sort"
	"sync/atomic"

	"github.com/ditherml/dither/internal/kernel"
)

// File is where blocks of rows are read from. It is safe for concurrent use.
type File struct {
	r        io.ReaderAt
	Table    Table
	readings []atomic.Uint32 // of each block
	known    fs.File         // nil: r says nothing of itself
	was      fileState
	Held     *heldFile // nil: blocks are copied
	Pace     Pace
}

// Open returns a file with this table, and remembers what the file is now.
func Open(r io.ReaderAt, t Table) (*File, error) {
	f := &File{r: r, Table: t, readings: make([]atomic.Uint32, len(t.Blocks))}
	return f, f.remember()
}

// Memory is the memory of a block that was read or copied.
type Memory struct {
	X      Storage
	Labels []float32
	words  []uint64 // what was read from a file
}

// KeepsMeasures reports whether the measures of all rows are kept in memory.
func (f *File) KeepsMeasures() bool {
	return f.Table.Type == Bit && f.Table.Type.RowBytes(f.Table.Dim) >= keptMeasures
}

// Read fills own with a copy of block k, and holds its checksum if it is time to, or if its
// measures are kept.
func (f *File) Read(k int, form Storage, own *Memory) error {
	bytes, err := f.copied(f.Table.Blocks[k], own)
	if err != nil {
		return err
	}
	return f.decode(k, form, own, bytes)
}

// copied returns a copy of the bytes of a block, in the memory of own.
func (f *File) copied(b Block, own *Memory) ([]byte, error) {
	own.words = grow(own.words, (b.Bytes+7)/8)
	bytes := kernel.Bytes(own.words)[:b.Bytes]
	if n, failed := f.r.ReadAt(bytes, b.Offset); n < len(bytes) {
		return nil, fmt.Errorf("rows: read a block of rows: %w", failed)
	}
	return bytes, nil
}

// decode fills own with block k of these bytes, as Read does.
func (f *File) decode(k int, form Storage, own *Memory, bytes []byte) (err error) {
	b := f.Table.Blocks[k]
	if due := f.readings[k].Add(1)%CheckEvery == 1; (due || f.KeepsMeasures()) && crc32.Checksum(bytes, castagnoli) != b.Sum {
		return damaged("a block has another checksum")
	}
	if own.X, err = form.Decode(own.X, bytes, b.Rows, b.Entries); err != nil {
		return err
	}
	if own.Labels = own.Labels[:0]; f.Table.Labels {
		own.Labels = grow(own.Labels, b.Rows)
		copy(kernel.Bytes(own.Labels), bytes[len(bytes)-4*b.Rows:])
	}
	return nil
}

// see is Read where the integers stand in the file itself if v has them, until it looks at another
// block.
func (f *File) see(k int, form Storage, own *Memory, v *view) error {
	b := f.Table.Blocks[k]
	if v != nil {
		if bytes := v.look(b.Offset, b.Bytes); bytes != nil {
			return f.decode(k, form, own, bytes)
		}
	}
	return f.Read(k, form, own)
}

// BlockOf returns the block that row i is in.
func (f *File) BlockOf(i int) int {
	return sort.Search(len(f.Table.Blocks), func(k int) bool { return f.Table.Blocks[k].First > i }) - 1
}

// Turns hands out the numbers of blocks, each once, in ascending order. Goroutines may share it.
type Turns struct {
	next atomic.Int64
	end  int64
}

// NewTurns returns the turns of the blocks that have the rows from ≤ i < to.
func (f *File) NewTurns(from, to int) *Turns {
	t := &Turns{}
	if from < to {
		t.next.Store(int64(f.BlockOf(from)))
		t.end = int64(f.BlockOf(to-1)) + 1
	}
	return t
}

// Take returns the next block, if there is one.
func (t *Turns) take() (int, bool) {
	k := t.next.Add(1) - 1
	return int(k), k < t.end
}

// Each calls do with the numbers of the blocks of the turns that this call takes, each when it
// stands in own. Without an error, the file was the same all the time.
func (f *File) Each(form Storage, t *Turns, own *Memory, do func(k int) error) error {
	if err := f.unchanged(); err != nil {
		return err
	}
	view := f.Held.view(&f.Pace)
	defer view.close(own)
	err := view.guard(func() error {
		for k, more := t.take(); more; k, more = t.take() {
			if err := f.see(k, form, own, view); err != nil {
				return err
			}
			if err := do(k); err != nil {
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

// InMemory returns the integers and labels of all rows.
func (t Table) InMemory(r io.ReaderAt) (x Storage, labels []float32, err error) {
	f, err := Open(r, t)
	if err != nil {
		return nil, nil, err
	}
	x = New(t.Type, t.Count, t.Dim)
	if t.Type != Sparse {
		x = x.Part(0, 0) // no rows yet, in memory for all
	}
	form, own := New(t.Type, 0, t.Dim), &Memory{}
	for k, b := range t.Blocks {
		if err = f.Read(k, form, own); err != nil {
			return nil, nil, err
		}
		all := make([]int, b.Rows)
		for i := range all {
			all[i] = i
		}
		x, labels = x.Extend(own.X, all), append(labels, own.Labels...)
	}
	return x, labels, nil
}
