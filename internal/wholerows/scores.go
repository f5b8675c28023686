package wholerows

import (
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/model"
)

// Scores predicts rows that are kept as integers between models. It computes exact products of a
// row. Products with the columns of the whitening give only the norm of the whitened row. Products
// with vectors give the scores: the weights after the whitening, and the center. Scores is
// immutable and safe for concurrent use.
//
// Numbers of the whitening and of each vector are rounded to 2^-27 of the largest. A whitening of
// integers of one unit, as training makes it, is not rounded. The rounding of rows is documented at
// Rows. The norm of a whitened row comes from its numbers in float32. The difference of a score
// from Model.Predict's is relative to the product of the norms of the weights and of the mapped
// row. It is at most 2^-20 unless rounding errors conspire; about 10^-7 was seen. Some rows would
// lose more: rows near the center, or shortened much by the whitening. Model.Predict predicts
// these.
type Scores struct {
	model     *model.Model
	data      *data.Dataset
	rows      *Rows
	placing   rowTransform
	columns   []int16 // dim × count: the whitening in side columns, in limbs, then the vectors, each in two limbs
	count     int
	side      int // of the whitening; 0 without
	limbs     int // of the whitening
	unit      float64
	least     float64 // the least squared norm of a row after the whitening that rounding can resolve, for rows of norm 1
	group     int
	units     []float64 // of the vectors: scores, center, whitened center turned back
	constants []float64 // of each score, the product of the center and its vector
}

// mostDim is the largest number of features whose products of two limbs fit in 62 bits.
const mostDim = 1 << 10

// NewScores returns a predictor of rows of a data set under the model's schema, which must be the
// rows in rows. It returns nil for a model that does not fit. Such a model takes no features, has evidence of states, whitens by
// other than a matrix, or has more than 1024 features. It also does not fit if its products of
// weights and whitening are not finite.
func NewScores(m *model.Model, d *data.Dataset, rows *Rows) *Scores {
	f := m.Features()
	dim := f.Pipeline.Dim()
	if !m.TakesFeatures() || dim > mostDim || dim != rows.Dim() || f.Evidence != nil || f.Whitening != nil && f.Whitening.Matrix == nil {
		return nil
	}
	w := &Scores{model: m, data: d, rows: rows}
	vectors, after := w.vectors()
	w.placing = newPlacing(f, after)
	if !w.lay(vectors) {
		return nil
	}
	return w
}

// vectors returns the vectors that rows are multiplied by in addition to the whitening, one after
// the other, and the whitened center.
func (w *Scores) vectors() (vectors, after []float64) {
	m, f, dim := w.model, w.model.Features(), w.rows.Dim()
	behind := make([]float64, 0, (m.Linear().Columns+2)*dim)
	for k := range m.Linear().Columns {
		behind = append(behind, m.Weights()[k*m.Linear().Dim:k*m.Linear().Dim+dim]...)
	}
	if f.Whitening != nil {
		matrix := kernel.NewMatrix(f.Whitening.Matrix, dim, dim)
		if f.Center != nil {
			after = make([]float64, dim)
			kernel.Gemm(kernel.NewMatrix(after, 1, dim), 1, kernel.NewMatrix(f.Center, 1, dim), matrix, 0)
			behind = append(behind, after...)
		}
		turned := make([]float64, len(behind))
		kernel.Gemm(kernel.NewMatrix(turned, len(turned)/dim, dim), 1, kernel.NewMatrix(behind, len(behind)/dim, dim), matrix.Transposed(), 0)
		behind = turned
	}
	w.constants = make([]float64, m.Linear().Columns)
	if f.Center == nil {
		return behind, after
	}
	for k := range w.constants {
		w.constants[k] = kernel.Dot(f.Center, behind[k*dim:(k+1)*dim])
	}
	scores := m.Linear().Columns * dim
	vectors = append(append(append(vectors, behind[:scores]...), f.Center...), behind[scores:]...)
	return vectors, after
}

// lay rounds the whitening and the vectors and lays their columns next to each other. It reports
// whether they are finite.
func (w *Scores) lay(vectors []float64) bool {
	dim := w.rows.Dim()
	var matrix [][]int16 // limbs, row after row
	if f := w.model.Features().Whitening; f != nil {
		matrix = w.roundMatrix(f.Matrix)
	}
	n := len(vectors) / dim
	w.count = w.limbs*w.side + 2*n
	w.columns, w.units = make([]int16, dim*w.count), make([]float64, n)
	for l, limb := range matrix {
		for j := range dim {
			copy(w.columns[j*w.count+l*w.side:], limb[j*dim:(j+1)*dim])
		}
	}
	high, low := make([]int16, dim), make([]int16, dim)
	for v := range w.units {
		own := vectors[v*dim : (v+1)*dim]
		w.units[v] = splitUnit(own)
		if !kernel.SplitInt(high, low, own, w.units[v]) {
			return false
		}
		for j := range dim {
			at := w.columns[j*w.count+w.limbs*w.side+2*v:]
			at[0], at[1] = high[j], low[j]
		}
	}
	w.group = kernel.ProductGroup(w.extent(), w.rows.Extent())
	return true
}

// extent bounds all columns.
func (w *Scores) extent() (extent kernel.IntExtent) {
	dim, columns := w.rows.Dim(), make([]int16, len(w.columns))
	kernel.Transpose(columns, w.columns, dim, w.count)
	for k := range w.count {
		extent = extent.With(kernel.ExtentOf(columns[k*dim : (k+1)*dim]))
	}
	return extent
}

const (
	// exactly is the largest distance of a matrix' numbers from multiples of a unit, relative to
	// the largest number.
	exactly = 0x1p-40
	// shortest is the least norm of a row after the whitening, relative to the norms of the
	// whitening and of the row before it. Rounding to 2^-27 then has an error of at most 2^-20 for
	// a norm of at least 1.
	shortest = 0x1p-8
)

// roundMatrix returns the whitening as integers, in one limb if they fit.
func (w *Scores) roundMatrix(matrix []float64) [][]int16 {
	w.side = w.rows.Dim()
	norm := shortest * kernel.Norm(matrix)
	w.least = norm * norm
	one := make([]int16, len(matrix))
	if w.unit = kernel.CommonUnit(matrix, math.MaxInt16, exactly); w.unit > 0 && kernel.ToInt(one, matrix, w.unit, exactly*math.MaxInt16) {
		w.limbs = 1
		return [][]int16{one}
	}
	two := make([]int16, len(matrix))
	w.limbs, w.unit = 2, splitUnit(matrix)
	kernel.SplitInt(one, two, matrix, w.unit)
	return [][]int16{one, two}
}

// splitUnit returns the least unit in which two limbs hold finite numbers.
func splitUnit(x []float64) float64 {
	return max(kernel.MaxAbs(x)*(1+0x1p-50)/(kernel.LimbUnit*kernel.LimbUnit), math.SmallestNonzeroFloat64)
}
