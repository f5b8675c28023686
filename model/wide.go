package model

import (
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
)

// wideFeatures is the largest number of features at which a model without whitening reads all
// features. Beyond it, a model without whitening reads only the nonzero features, whether a row is
// sparse or not. All representations of a row then give the same bits.
const wideFeatures = 1000

// sparseMap is the result of feature.Map.Sparse.
type sparseMap func(index []uint32, x []float64) (scale, shift, intercept float64)

// wide holds the numbers with which a model of many features predicts.
type wide struct {
	features sparseMap
	linear   Linear
	weights  []float64
	centers  []float64 // the product of the center with the weights of each score
}

// newWide returns nil for a model that reads all features.
func newWide(m *feature.Map, linear Linear, weights []float64) *wide {
	if m.Pipeline.Dim() <= wideFeatures || m.Whitening != nil || m.Evidence != nil || m.Transforms() {
		return nil
	}
	w := &wide{features: m.Sparse(), linear: linear, weights: weights, centers: make([]float64, linear.Columns)}
	for k := range w.centers {
		column := weights[k*linear.Dim : (k+1)*linear.Dim]
		for j, c := range m.Center {
			w.centers[k] += c * column[j]
		}
	}
	return w
}

// scores writes the scores of a row to dst.
func (w *wide) scores(dst []float64, index []uint32, x []float64) {
	scale, shift, intercept := w.features(index, x)
	for k := range dst {
		column := w.weights[k*w.linear.Dim : (k+1)*w.linear.Dim]
		sum := 0.0
		for e, j := range index {
			sum += x[e] * column[j]
		}
		dst[k] = scale*sum - shift*w.centers[k]
		if intercept > 0 {
			dst[k] += intercept * column[w.linear.Dim-1]
		}
	}
}

// Reader predicts the records of one data set. It is for one goroutine.
type Reader struct {
	model   *Model
	data    *data.Dataset
	sparse  *encoder.Sparse // nil if rows are read whole
	values  []float32
	scratch *Scratch       // nil for a network
	ahead   *networkReader // nil for a linear model
	index   []uint32       // of one row for a network
	entries []float64
	rows    readerRoom // of several rows
}

// NewReader returns a reader that predicts the records of a data set under the model's schema. It
// keeps the data set.
func (m *Model) NewReader(d *data.Dataset) *Reader {
	r := &Reader{model: m, data: d}
	if m.trained != nil {
		r.ahead = m.newNetworkReader()
		if m.trained.sparse != nil && d.Sparse() {
			r.sparse = m.features.Encoder().Sparse(d.Absent())
		}
		return r
	}
	r.scratch = m.NewScratch()
	if m.wide != nil && d.Sparse() {
		r.sparse = m.features.Encoder().Sparse(d.Absent())
	}
	return r
}

// Predict writes the prediction for record i to dst, of length Outputs. The prediction has the same
// bits as the result of Model.Predict for the record's row. Sparse data sets are faster if the
// model has more than 1000 features and does not whiten rows. The time is then proportional to the
// number of the record's stored cells.
func (r *Reader) Predict(dst []float64, i int) {
	if r.ahead != nil {
		r.predictAhead(dst, i)
		return
	}
	if r.sparse == nil {
		r.values = r.data.Row(r.values, i)
		r.model.Predict(dst, r.values, r.scratch)
		return
	}
	s := r.scratch
	columns, values := r.data.Cells(i)
	s.index, s.entries = r.sparse.Entries(columns, values, s.index[:0], s.entries[:0])
	r.model.predictEntries(dst, s)
}

// predictEntries predicts the row whose entries are in the scratch.
func (m *Model) predictEntries(dst []float64, s *Scratch) {
	m.wide.scores(dst[:m.linear.Columns], s.index, s.entries)
	m.finish(dst)
}
