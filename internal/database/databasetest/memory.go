// Package databasetest holds what tests of several databases share.
package databasetest

import (
	"context"
	"io"
	"runtime"
	"testing"

	"github.com/ditherml/dither/internal/database"
)

const (
	// pieceBytes is the size of the pieces that Bounded reads.
	pieceBytes = 64 << 10
	// between is the number of bytes between two looks at the memory.
	between = 8 << 20
	// mostBytes is the most memory that a reading may hold.
	mostBytes = 16 << 20
)

// Bounded reads a table whose text has more than 64 MB, and wants less than 16 MB of memory in use at any
// look. It takes every column as it is.
func Bounded(t *testing.T, table database.Table) {
	t.Helper()
	used := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var total, peak uint64
	before := used()
	choose := func(columns []database.Column) (cells []database.Cell, _ error) {
		for i := range columns {
			cells = append(cells, database.Cell{Column: i, Form: database.Plain})
		}
		return cells, nil
	}
	err := table.Read(context.Background(), choose, func(r io.Reader) error {
		piece, looked := make([]byte, pieceBytes), uint64(0)
		for {
			n, err := r.Read(piece)
			if total += uint64(n); total >= looked+between {
				looked, peak = total, max(peak, used())
			}
			switch {
			case err == io.EOF:
				return nil
			case err != nil:
				return err
			}
		}
	})
	if err != nil || total < 64<<20 || peak > before+mostBytes {
		t.Errorf("got %d bytes (%v) with %d bytes of memory in use, and %d before; want more than 64 MB with at most 16 MB more than before", total, err, peak, before)
	}
}
