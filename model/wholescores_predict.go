package model

import (
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
)

// NewPredictor returns what one goroutine predicts with: it writes the predictions for block b of the rows to dst, of length
// rows·Outputs. A row whose products do not tell where it goes is predicted by Model.Predict.
func (w *WholeScores) NewPredictor() func(dst []float64, b int) {
	r := &wholeReader{WholeScores: w}
	return r.predict
}

// wholeReader is the working space of one goroutine.
type wholeReader struct {
	*WholeScores
	products []int64
	single   []float32
	near     *Reader // of rows whose products do not tell
}

func (r *wholeReader) predict(dst []float64, b int) {
	first, rows := r.rows.Block(b)
	k := r.model.Outputs()
	r.products = r.rows.Multiply(r.products, b, r.columns, r.count, r.group)
	for i := range rows {
		own := dst[i*k : (i+1)*k]
		if r.score(own, first+i, r.products[i*r.count:(i+1)*r.count]) {
			r.model.finish(own)
			continue
		}
		if r.near == nil {
			r.near = r.model.NewReader(r.data)
		}
		r.near.Predict(own, first+i)
	}
}

// score writes the scores of row i by its products; it reports false where these do not tell them.
func (r *wholeReader) score(dst []float64, i int, products []int64) bool {
	m := r.model
	whitened, vectors := products[:r.limbs*r.side], products[r.limbs*r.side:]
	k := m.linear.Columns
	in := feature.Inner{Square: r.rows.Square(i)}
	if m.features.Center != nil {
		in.Center = r.inner(vectors, k)
	}
	if r.side > 0 {
		if in.Whitened = r.square(whitened); in.Whitened < r.least*max(1, in.Square) {
			return false
		}
		if m.features.Center != nil {
			in.WhitenedCenter = r.inner(vectors, k+1)
		}
	}
	at, ok := r.placing.Place(in)
	if !ok {
		return false
	}
	for c := range dst {
		dst[c] = at.Scale*r.inner(vectors, c) - at.Shift*r.constants[c]
		if at.Intercept > 0 {
			dst[c] += at.Intercept * m.weights[(c+1)*m.linear.Dim-1]
		}
	}
	return true
}

// inner returns the product of a row with vector v.
func (r *wholeReader) inner(vectors []int64, v int) float64 {
	return float64(vectors[2*v]*kernel.LimbUnit+vectors[2*v+1]) * r.rows.Unit() * r.units[v]
}

// square returns the squared norm of the whitened row.
func (r *wholeReader) square(products []int64) float64 {
	if r.limbs == 2 {
		for j, low := range products[r.side:] {
			products[j] = products[j]*kernel.LimbUnit + low
		}
		products = products[:r.side]
	}
	if len(r.single) < r.side {
		r.single = make([]float32, r.side)
	}
	unit := r.rows.Unit() * r.unit
	return unit * unit * kernel.SingleInt(r.single[:r.side], products)
}
