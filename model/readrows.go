package model

import "github.com/ditherml/dither/feature"

// PredictRows writes the predictions for n consecutive records to dst, of length n·Outputs. The
// argument first is the number of the first of these records. The predictions have the same bits as
// the results of Predict. If the model whitens rows, PredictRows is faster than Predict, because it
// multiplies the matrix by several rows at once.
func (r *Reader) PredictRows(dst []float64, first, n int) {
	k := r.model.Outputs()
	if !r.model.TakesFeatures() {
		for i := range n {
			r.Predict(dst[i*k:(i+1)*k], first+i)
		}
		return
	}
	r.makeRoom(n)
	chain := r.model.features.Pipeline
	x := r.rows.x[:n*chain.Dim()]
	chain.FeaturesOf(x, n, r.rows.chain, func(i int) []float32 {
		r.values = r.data.Row(r.values, first+i)
		return r.values
	})
	r.model.scoreMapped(dst, r.rows.mapped[:n*r.model.features.Dim()], x, n, r.rows.scratch)
}

// TakesFeatures reports whether PredictFeatures can compute predictions from precomputed features.
// Callers may then compute the features once for several models. It is true if the model is linear
// and either whitens its rows or has at most 1000 features.
func (m *Model) TakesFeatures() bool { return m.trained == nil && m.wide == nil }

// readerRoom is the scratch for several rows.
type readerRoom struct {
	n         int
	x, mapped []float64
	chain     *feature.PipelineScratch
	scratch   *feature.Scratch
}

// makeRoom makes scratch for n rows, unless it is large enough.
func (r *Reader) makeRoom(n int) {
	if f := r.model.features; r.rows.scratch == nil || r.rows.n < n {
		r.rows = readerRoom{n, make([]float64, n*f.Pipeline.Dim()), make([]float64, n*f.Dim()), f.Pipeline.NewScratch(), f.NewScratch(n)}
	}
}

// scoreMapped maps rows of features and predicts them with a linear model.
func (m *Model) scoreMapped(dst, mapped, x []float64, rows int, s *feature.Scratch) {
	dim, k := m.features.Dim(), m.Outputs()
	m.features.ApplyFeatures(mapped, x, rows, s)
	for r := range rows {
		own := dst[r*k : (r+1)*k]
		m.linear.Scores(own, mapped[r*dim:(r+1)*dim], m.weights)
		m.finish(own)
	}
}
