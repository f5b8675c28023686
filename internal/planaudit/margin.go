package planaudit

import (
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/model"
)

// margin returns how far a model's scores of a row lie on the side of its label: the score of the
// label less the largest other one, or for a number the score toward the target.
func margin(m *model.Model, d *data.Dataset, row int) float64 {
	label, t := float64(d.Target()[row]), m.Schema().Target
	scores := scoresOf(m, d, row)
	if t.Regression() {
		return scores[0] * math.Copysign(1, label-(t.Lower+t.Upper)/2)
	}
	return marginOf(scores, int(label))
}

// scoresOf returns the scores of a row. The scores of a network are the logarithms of its
// predictions.
func scoresOf(m *model.Model, d *data.Dataset, row int) []float64 {
	if m.Network() != nil {
		return predicted(m, d, row)
	}
	features := m.Features()
	x, values := make([]float64, features.Dim()), make([]float32, 0, features.Encoder().Values())
	features.Apply(x, 1, features.NewScratch(1), func(int) []float32 { return d.Row(values, row) })
	out := make([]float64, m.Linear().Columns)
	m.Linear().Scores(out, x, m.Weights())
	return out
}

// predicted returns the logarithms of the probabilities of levels, or the predicted number.
func predicted(m *model.Model, d *data.Dataset, row int) []float64 {
	out := make([]float64, m.Outputs())
	m.NewReader(d).Predict(out, row)
	if m.Schema().Target.Regression() {
		return out
	}
	if len(out) == 1 {
		out = []float64{1 - out[0], out[0]}
	}
	for k, v := range out {
		out[k] = math.Log(v + math.SmallestNonzeroFloat64)
	}
	return out
}

// marginOf returns the score of a label less the largest other one. A single score speaks for level
// 1.
func marginOf(scores []float64, label int) float64 {
	if len(scores) == 1 {
		return scores[0] * float64(2*min(label, 1)-1)
	}
	most := math.Inf(-1)
	for k, v := range scores {
		if k != label {
			most = max(most, v)
		}
	}
	return scores[label] - most
}
