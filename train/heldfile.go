package train

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync/atomic"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/rows"
)

// heldFile is a file of rows that has the same bytes at each reading. A block is compared with the SHA-256 that it had
// at first, and a reading of another block is an error. What stands after the blocks is kept in memory.
type heldFile struct {
	file   io.ReaderAt
	size   int64
	blocks map[int64]heldBlock // by the place where they begin
	end    []byte              // of the file, after the blocks
	// changed notes that a reading has found other bytes. Goroutines that did not read them may fail too, and first.
	changed *atomic.Bool
}

type heldBlock struct {
	bytes int
	sum   [sha256.Size]byte
}

// errRowChanged is the error of a run whose file of rows has other bytes at a later reading.
var errRowChanged error = rowChanged{}

type rowChanged struct{}

func (rowChanged) Error() string {
	return "train: the encoded table changed while it was read, want files that stay as they are; encode the table again"
}

// Unwrap returns release.ErrDamaged.
func (rowChanged) Unwrap() error { return release.ErrDamaged }

// holdFile reads the file once and returns it as it is then.
func holdFile(file io.ReaderAt, size int64) (*heldFile, error) {
	table, err := rows.ReadTable(file, size)
	if err != nil {
		return nil, err
	}
	f, at := &heldFile{file: file, size: size, blocks: map[int64]heldBlock{}, changed: new(atomic.Bool)}, int64(0)
	if n := len(table.Blocks); n > 0 {
		at = table.Blocks[n-1].Offset + int64(table.Blocks[n-1].Bytes)
	}
	f.end = make([]byte, size-at)
	if _, err = file.ReadAt(f.end, at); err != nil && err != io.EOF {
		return nil, err
	}
	again, err := rows.ReadTable(f, size)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(table.Blocks, again.Blocks) {
		return nil, errRowChanged
	}
	held, errs := make([]heldBlock, len(table.Blocks)), make([]error, len(table.Blocks))
	parallel.Parts(len(table.Blocks), func(first, end int) {
		var text []byte
		for k := first; k < end; k++ {
			b := table.Blocks[k]
			text = append(text[:0], make([]byte, b.Bytes)...)
			if n, failed := file.ReadAt(text, b.Offset); n < len(text) {
				errs[k] = fmt.Errorf("train: read a block of rows: %w", failed)
				return
			}
			held[k] = heldBlock{b.Bytes, sha256.Sum256(text)}
		}
	})
	for k, b := range table.Blocks {
		if errs[k] != nil {
			return nil, errs[k]
		}
		f.blocks[b.Offset] = held[k]
	}
	return f, nil
}

// ReadAt reads a whole block, or what stands after the blocks.
func (f *heldFile) ReadAt(p []byte, at int64) (int, error) {
	if after := f.size - int64(len(f.end)); at >= after {
		return bytes.NewReader(f.end).ReadAt(p, at-after)
	}
	b, ok := f.blocks[at]
	if !ok || b.bytes != len(p) {
		return 0, fmt.Errorf("train: %d bytes of a file of rows are read at %d, want a block", len(p), at)
	}
	if n, err := f.file.ReadAt(p, at); n < len(p) {
		return n, err
	}
	if sha256.Sum256(p) != b.sum {
		clear(p)
		f.changed.Store(true)
		return 0, errRowChanged
	}
	return len(p), nil
}

// growing are the blocks of a file of rows that is being written.
type growing struct {
	table  rows.Table
	blocks map[int64]heldBlock
}

// add adds rows in memory that are appended to the file. Their blocks have the same bytes in a file of their own.
func (g *growing) add(r *release.Rows) error {
	var own bytes.Buffer
	w := release.NewRowsWriter(&own)
	if err := errors.Join(w.Append(r), w.Close(nil)); err != nil {
		return err
	}
	t, err := rows.ReadTable(bytes.NewReader(own.Bytes()), int64(own.Len()))
	if err != nil {
		return err
	}
	offset, before := int64(0), g.table
	if n := len(before.Blocks); n > 0 {
		offset = before.Blocks[n-1].Offset + int64(before.Blocks[n-1].Bytes)
	}
	g.table = t
	g.table.Blocks, g.table.Count = before.Blocks, before.Count+t.Count
	for _, b := range t.Blocks {
		text := own.Bytes()[b.Offset : b.Offset+int64(b.Bytes)]
		b.First, b.Offset = b.First+before.Count, b.Offset+offset
		g.table.Blocks = append(g.table.Blocks, b)
		g.blocks[b.Offset] = heldBlock{len(text), sha256.Sum256(text)}
	}
	return nil
}

// file returns the file that was written. It is an error if its end names other blocks.
func (g *growing) file(file io.ReaderAt, size int64) (*heldFile, error) {
	f, at := &heldFile{file: file, size: size, blocks: g.blocks, changed: new(atomic.Bool)}, int64(0)
	if n := len(g.table.Blocks); n > 0 {
		at = g.table.Blocks[n-1].Offset + int64(g.table.Blocks[n-1].Bytes)
	}
	if size < at {
		return nil, errRowChanged
	}
	f.end = make([]byte, size-at)
	if _, err := file.ReadAt(f.end, at); err != nil && err != io.EOF {
		return nil, err
	}
	table, err := rows.ReadTable(f, size)
	if err != nil {
		return nil, err
	}
	if len(table.Blocks) != len(g.table.Blocks) || len(table.Blocks) > 0 && !reflect.DeepEqual(table.Blocks, g.table.Blocks) ||
		table.Type != g.table.Type || table.Dim != g.table.Dim || table.Step != g.table.Step || table.Labels != g.table.Labels || table.Count != g.table.Count {
		return nil, errRowChanged
	}
	return f, nil
}
