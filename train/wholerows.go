package train

import (
	"math"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
)

// centering returns workers of release.NewWholeRows. They write the rows of the table
// under a map without whitening and intercept. Each row is made from its integers alone:
// normalized, centered and normalized again. A value beyond the limit of the grid is rounded toward
// zero.
func (t table) centering(m *feature.Map, o release.RowsOptions) func() func(dst []int16, first, n int) {
	center := make([]float32, o.Dim)
	for j, v := range m.Center {
		center[j] = float32(v)
	}
	step := t.rows.Step()
	return func() func(dst []int16, first, n int) {
		p, v, squares := newPacked(o.Dim), make([]float32, o.Dim), []int64(nil)
		return func(dst []int16, first, n int) {
			block := t.block(first, n)
			squares = append(squares[:0], make([]int64, block.Len())...)
			block.Squares(squares)
			for i, length := range squares {
				block.CopyRow(p.row, i)
				scale := step * m.Factor(step*math.Sqrt(float64(length)))
				square, factor := kernel.MoveInt(v, p.row, float32(scale), center), 1.0
				if m.Center != nil {
					factor = m.Factor(math.Sqrt(square))
				}
				own := dst[i*o.Dim : (i+1)*o.Dim]
				kernel.RoundInt(own, v, float32(factor/o.Step), math.MaxInt16)
				if kernel.SquareInt(own) > o.Limit {
					kernel.TruncateInt(own, v, float32(factor/o.Step), math.MaxInt16)
				}
			}
		}
	}
}

// block returns the rows from first to first+n that hold records. Without an error of t.file, it
// returns all of them.
func (t table) block(first, n int) release.Block {
	b, err := t.rows.Load(first, max(0, min(n, t.records-first)), release.Block{})
	if err != nil {
		t.file.note(err)
		return release.Block{}
	}
	return b
}

// roundMatrix rounds a matrix, in place, to integers of the smallest possible unit. Its rows are
// multiplied by vectors whose squared length in integers is at most limit. All sums of the
// products' terms must fit in 32 bits. By Cauchy and Schwarz those sums are at most the product of
// the lengths. The matrix was released, so this is post-processing. The model keeps the matrix that
// its rows were multiplied by. A matrix that has no unit is left unchanged.
func roundMatrix(matrix []float64, limit int64) *release.IntMatrix {
	side := int(math.Round(math.Sqrt(float64(len(matrix)))))
	largest, longest := 0.0, 0.0
	for i := range side {
		row := matrix[i*side : (i+1)*side]
		longest = max(longest, kernel.Norm(row))
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
	}
	most := math.MaxInt32/math.Sqrt(float64(limit)) - math.Sqrt(float64(side))/2 // a margin for the rounding
	unit := max(largest/math.MaxInt16, longest/most) * (1 + 1e-9)
	if !(most > 0) || !(unit > math.SmallestNonzeroFloat64*math.MaxInt16) || math.IsInf(unit, 1) {
		return nil
	}
	out := &release.IntMatrix{Numbers: make([]int16, len(matrix)), Unit: unit}
	for j, v := range matrix {
		q := math.RoundToEven(v / unit)
		out.Numbers[j], matrix[j] = int16(q), q*unit
	}
	return out
}

// whitening returns workers of release.NewWholeRows that write the centered rows under the map.
// Each row is multiplied exactly by the matrix, normalized, and given the intercept.
func (ready prepared) whitening(o release.RowsOptions) func() func(dst []int16, first, n int) {
	return func() func(dst []int16, first, n int) {
		side := ready.features.Pipeline.Dim()
		w := &whitener{prepared: ready, grid: o, v: make([]float32, side), row: make([]int16, side)}
		return w.write
	}
}

// mostFramed is the largest number of features of rows that are whitened by a frame. The rows of
// the matrix are then about 2^11 long, so that rounding to integers changes no direction
// noticeably.
const mostFramed = 1024

// framed reports whether rows are whitened by a frame (release.Standardization). Such rows stay as
// they are, and many models share them. Rows are framed if every step takes all of them. For a step
// of few rows a frame would cost more than it saves. With more than mostFramed features the
// products of the matrix with 16-bit rows would leave too few bits to the matrix.
func (s Setup) framed() bool {
	p := s.Plan
	return s.Features.Pipeline.Dim() <= mostFramed && p.alike(option.CovarianceStatistic) > 0 && p.Sampling == samplingFull && p.LastIterate == nil && p.Person == nil && s.Features.Norm == feature.NormUnit
}

// whitener is the scratch with which one goroutine whitens rows.
type whitener struct {
	prepared
	grid     release.RowsOptions
	row      []int16
	columns  []int16 // the rows of a block, coordinate after coordinate
	products []int64
	v        []float32
}

// write writes the rows of records, and none where there is no record.
func (w *whitener) write(dst []int16, first, n int) {
	block := table{rows: w.centered, records: w.centered.Len()}.block(first, n)
	side, there := len(w.row), block.Len()
	if there == 0 {
		return
	}
	if len(w.columns) < there*side {
		w.columns, w.products = make([]int16, there*side), make([]int64, there*side)
	}
	columns, products := w.columns[:there*side], w.products[:there*side]
	for i := range there {
		block.CopyRow(w.row, i)
		for j, v := range w.row {
			columns[j*there+i] = v
		}
	}
	clear(products)
	kernel.AddProductInt(products, w.whole.Numbers, columns, kernel.IntShape{Rows: side, Left: side, Right: there, Group: side})
	for i := range there {
		w.finish(dst[i*w.grid.Dim:(i+1)*w.grid.Dim], products[i*side:(i+1)*side])
	}
}

// finish writes a row of products as feature.Map ends one: normalized, and normalized again with
// the intercept.
func (w *whitener) finish(dst []int16, products []int64) {
	m := w.features
	unit := w.whole.Unit * w.centered.Step()
	norm := unit * math.Sqrt(kernel.SingleInt(w.v, products))
	factor, intercept := m.Factor(norm), m.Intercept
	if m.Norm == feature.NormUnit && intercept > 0 {
		both := math.Hypot(factor*norm, intercept)
		factor, intercept = factor/both, intercept/both
	}
	kernel.RoundInt(dst, w.v, float32(factor*unit/w.grid.Step), math.MaxInt16)
	if intercept > 0 {
		dst[len(products)] = int16(math.Round(intercept / w.grid.Step))
	}
}
