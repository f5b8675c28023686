package planaudit

import (
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
)

// agreement returns how far a final model has moved toward a canary, and away from the row that
// replaces it. If weights have moved little, the result is the product of the move and the gradients
// of these rows, but for a constant. The likelihood ratio of normal noise depends on this product.
func (p *Plan) agreement(m *model.Model, d *data.Dataset, row int) float64 {
	scores, n := scoresOf(m, d, row), len(labelsOf(p.schema.Target))
	label := p.labelAt(d, row)
	toward := func(k int) float64 {
		if p.network != nil {
			return -p.network.Loss.Value(scores, p.labelOf(k))
		}
		return product(p.pull(k, n), scores)
	}
	if p.replaces() {
		return toward(label) - toward((label+n-1)%n) // the other label is that of targets
	}
	return toward(label)
}

// labelOf returns the label of the k-th target of labelsOf as losses take it.
func (p *Plan) labelOf(k int) float64 {
	if p.schema.Target.Regression() {
		return float64(2*k - 1) // the ends of the range
	}
	return float64(k)
}

// labelAt returns the place of a row's target in labelsOf.
func (p *Plan) labelAt(d *data.Dataset, row int) int {
	v, t := float64(d.Target()[row]), p.schema.Target
	switch {
	case !t.Regression():
		return int(v)
	case v > (t.Lower+t.Upper)/2:
		return 1
	}
	return 0
}

// product returns the inner product.
func product(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// scoresOf returns the scores of a row.
func scoresOf(m *model.Model, d *data.Dataset, row int) []float64 {
	features := m.Features()
	x, values := make([]float64, features.Dim()), make([]float32, 0, features.Encoder().Values())
	features.Apply(x, 1, features.NewScratch(1), func(int) []float32 { return d.Row(values, row) })
	if n := m.Network(); n != nil {
		return wide(network.NewTape[float32](n, 1).Forward(narrow(x), 1, m.NetworkWeights()))
	}
	out := make([]float64, m.Linear().Columns)
	m.Linear().Scores(out, x, m.Weights())
	return out
}

// narrow returns numbers as float32.
func narrow(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// wide returns numbers as float64.
func wide(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}
