package wholerows

import (
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/model"
)

// NewPredictor returns the predictor of one goroutine. It writes the predictions for block b of the
// rows to dst, of length rows·Outputs. Model.Predict predicts a row whose products do not determine
// its place.
func (w *Scores) NewPredictor() func(dst []float64, b int) {
	r := &reader{Scores: w}
	return r.predict
}

// reader is the scratch of one goroutine.
type reader struct {
	*Scores
	products []int64
	single   []float32
	near     *model.Reader // of rows whose products do not determine their places
}

func (r *reader) predict(dst []float64, b int) {
	first, rows := r.rows.Block(b)
	k := r.model.Outputs()
	r.products = r.rows.Multiply(r.products, b, r.columns, r.count, r.group)
	for i := range rows {
		own := dst[i*k : (i+1)*k]
		if r.score(own, first+i, r.products[i*r.count:(i+1)*r.count]) {
			r.finish(own)
			continue
		}
		if r.near == nil {
			r.near = r.model.NewReader(r.data)
		}
		r.near.Predict(own, first+i)
	}
}

// score writes the scores of row i from its products. It reports false if these do not determine
// them.
func (r *reader) score(dst []float64, i int, products []int64) bool {
	m := r.model
	whitened, vectors := products[:r.limbs*r.side], products[r.limbs*r.side:]
	k := m.Linear().Columns
	in := inner{Square: r.rows.Square(i)}
	if m.Features().Center != nil {
		in.Center = r.inner(vectors, k)
	}
	if r.side > 0 {
		if in.Whitened = r.square(whitened); in.Whitened < r.least*max(1, in.Square) {
			return false
		}
		if m.Features().Center != nil {
			in.WhitenedCenter = r.inner(vectors, k+1)
		}
	}
	at, ok := r.placing.place(in)
	if !ok {
		return false
	}
	for c := range dst {
		dst[c] = at.Scale*r.inner(vectors, c) - at.Shift*r.constants[c]
		if at.Intercept > 0 {
			dst[c] += at.Intercept * m.Weights()[(c+1)*m.Linear().Dim-1]
		}
	}
	return true
}

// finish turns scores into a prediction.
func (r *reader) finish(dst []float64) {
	r.model.Linear().Loss.Predict(dst)
	if t := r.model.Schema().Target; t.Regression() {
		dst[0] = encoder.UnscaleTarget(t, dst[0])
	}
}

// inner returns the product of a row with vector v.
func (r *reader) inner(vectors []int64, v int) float64 {
	return float64(vectors[2*v]*kernel.LimbUnit+vectors[2*v+1]) * r.rows.Unit() * r.units[v]
}

// square returns the squared norm of the whitened row.
func (r *reader) square(products []int64) float64 {
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
