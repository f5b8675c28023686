// Package wholerows keeps the rows of a table as integers between models. It predicts all rows with
// one model after the other.
package wholerows

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
)

// Rows are the features of many rows before normalization, as integers of a unit. They are exact,
// or nearly so, if one unit has them all as small multiples, such as bytes of pictures and
// indicators. Otherwise they are in two limbs (kernel.SplitInt). The error of a feature is at most
// 2^-24 of the largest, or 2^-27 of Pipeline.Bound. Rows are immutable and safe for concurrent use.
type Rows struct {
	dim, rows, limbs int
	unit, tolerance  float64   // the largest distance of features from multiples, in units
	blocks           [][]int16 // feature after feature; for each the higher limbs of all rows of the block, then the lower
	squares          []float64 // of the features themselves
	extent           kernel.IntExtent
}

const (
	// Block is the number of rows in a block of Rows, except the last.
	Block = 96
	// mostMultiple is the largest multiple of a unit for which one limb is tried.
	mostMultiple = 4095
	// tolerance is the largest distance of features from multiples in one limb, relative to the
	// largest feature.
	tolerance = 0x1p-24
)

// New returns the features of n rows of a pipeline. Each goroutine requests its own function, which
// returns the values of row i as Dataset.Row does. New returns nil if a feature is not a finite
// number within Pipeline.Bound, or there are no rows.
func New(c *feature.Pipeline, n int, values func() func(i int) []float32) *Rows {
	if n == 0 {
		return nil
	}
	first := make([]float64, min(n, Block)*c.Dim())
	c.FeaturesOf(first, len(first)/c.Dim(), c.NewScratch(), values())
	one := Rows{dim: c.Dim(), rows: n, limbs: 1, unit: kernel.CommonUnit(first, mostMultiple, tolerance)}
	if one.unit > 0 {
		one.tolerance = tolerance * kernel.MaxAbs(first) / one.unit
		if one.fill(c, values) {
			return &one
		}
	}
	bound, _ := c.Bound()
	two := Rows{dim: c.Dim(), rows: n, limbs: 2, unit: bound / (kernel.LimbUnit * kernel.LimbUnit)}
	if !two.fill(c, values) {
		return nil
	}
	return &two
}

// fill writes all rows and reports whether the unit and the limbs hold them.
func (w *Rows) fill(c *feature.Pipeline, values func() func(i int) []float32) bool {
	w.blocks, w.squares = make([][]int16, (w.rows+Block-1)/Block), make([]float64, w.rows)
	var next atomic.Int64
	var fails atomic.Bool
	var mutex sync.Mutex
	parallel.Each(min(runtime.GOMAXPROCS(0), len(w.blocks)), func(int) {
		row, scratch, x := values(), c.NewScratch(), make([]float64, Block*w.dim)
		var extent kernel.IntExtent
		for b := int(next.Add(1)) - 1; b < len(w.blocks) && !fails.Load(); b = int(next.Add(1)) - 1 {
			from, n := w.Block(b)
			c.FeaturesOf(x[:n*w.dim], n, scratch, func(r int) []float32 { return row(from + r) })
			of, ok := w.put(b, x[:n*w.dim])
			if extent = extent.With(of); !ok {
				fails.Store(true)
			}
		}
		mutex.Lock()
		w.extent = w.extent.With(extent)
		mutex.Unlock()
	})
	return !fails.Load()
}

// put writes the features of a block, one row after the other. It reports whether the unit and the
// limbs hold them.
func (w *Rows) put(b int, x []float64) (extent kernel.IntExtent, ok bool) {
	from, n := w.Block(b)
	numbers := make([]int16, w.limbs*len(x)) // row after row of the higher limbs, then of the lower
	high, low := numbers[:len(x)], numbers[len(x):]
	if w.limbs == 1 {
		ok = kernel.ToInt(high, x, w.unit, w.tolerance)
	} else {
		ok = kernel.SplitInt(high, low, x, w.unit)
	}
	for r := range w.limbs * n {
		extent = extent.With(kernel.ExtentOf(numbers[r*w.dim : (r+1)*w.dim]))
	}
	for r := range n {
		norm := kernel.Norm(x[r*w.dim : (r+1)*w.dim])
		w.squares[from+r] = norm * norm
	}
	w.blocks[b] = make([]int16, len(numbers))
	kernel.Transpose(w.blocks[b], numbers, w.limbs*n, w.dim)
	return extent, ok
}

// Rows returns the number of rows.
func (w *Rows) Rows() int { return w.rows }

// Dim returns the number of features.
func (w *Rows) Dim() int { return w.dim }

// Blocks returns the number of blocks.
func (w *Rows) Blocks() int { return len(w.blocks) }

// Block returns the rows in block b: this number from first on.
func (w *Rows) Block(b int) (first, rows int) {
	first = b * Block
	return first, min(Block, w.rows-first)
}

// Square returns the squared norm of the features of row i.
func (w *Rows) Square(i int) float64 { return w.squares[i] }

// Unit returns the unit of the products that Multiply writes for integer columns.
func (w *Rows) Unit() float64 { return w.unit }

// Extent bounds the integers of every row.
func (w *Rows) Extent() kernel.IntExtent { return w.extent }

// Multiply returns the products of the rows of block b with columns of integers, row after row. It
// reuses the memory of room if that is large enough. The product of row r and column k is Σ_j
// x_j·columns[j·count+k] in units, exact as far as the limbs hold the features. The argument
// columns has shape Dim × count, and no product may exceed 62 bits. The group is from
// kernel.ProductGroup.
func (w *Rows) Multiply(room []int64, b int, columns []int16, count, group int) []int64 {
	_, n := w.Block(b)
	room = slices.Grow(room[:0], w.limbs*n*count)[:w.limbs*n*count]
	clear(room)
	kernel.AddProductInt(room, columns, w.blocks[b], kernel.IntShape{Rows: w.dim, Left: count, Right: w.limbs * n, Group: group})
	high := room[:n*count]
	if w.limbs == 2 {
		for i, low := range room[n*count:] {
			high[i] = high[i]*kernel.LimbUnit + low
		}
	}
	return high
}
