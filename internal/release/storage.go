package release

import (
	"slices"

	"github.com/ditherml/dither/internal/rows"
)

// RowType is the type in which the integers of rows are stored. A narrower type needs less memory.
type RowType = rows.Type

// The types of rows.
const (
	// Int16 is the type of integers from -32767 to 32767.
	Int16 = rows.Int16
	// Uint8 is the type of integers from 0 to 255.
	Uint8 = rows.Uint8
	// Bit is the type of integers that are 0 or 1.
	Bit = rows.Bit
	// Sparse is the type of integers from -32767 to 32767 that are mostly zero. Only nonzero
	// integers are stored.
	Sparse = rows.Sparse
)

// ErrDamaged is the error if a file of rows is not as it was written.
var ErrDamaged = rows.ErrDamaged

type (
	// storage keeps the integers of rows. What it does with them is checked.
	storage = rows.Storage
	// rowsFile is where rows of a file are read from.
	rowsFile = rows.File
	// room is memory for a row.
	room = rows.Room
	// products multiplies rows with weights.
	products = rows.Products
)

// blockMemory is the memory of a block that was read or copied.
type blockMemory struct {
	rows.Memory
	measures measures
}

// newWholeSum returns an empty sum with this total, of columns × r.dim zeros or nil.
func newWholeSum(r *Rows, columns int, total []int64) rows.Sum {
	return rows.NewSum(r.form, r.kind, columns, r.dim, total)
}

// grow returns a slice of n entries, in the memory of s if there is enough.
func grow[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// shorts returns the integers of rows of type Int16 in memory, row after row.
func shorts(r *Rows) []int16 { return rows.Ints(r.x) }
