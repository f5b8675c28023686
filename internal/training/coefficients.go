package training

import (
	"cmp"
	"math"
	"slices"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/model"
)

// mostCoefficients is the number of weights of one score in a report, which is more than it shows.
const mostCoefficients = 1000

// coefficients lists the effective weights with half the length of their intervals. Within a score,
// those come first whose interval is farthest from 0. It also returns how many of each score are
// left out.
func coefficients(m *model.Model, intervals bars) (out []report.Coefficient, unlisted int) {
	names := m.Features().Names()
	levels, declared := m.Schema().Target.Levels, map[string][]string{}
	for _, c := range m.Schema().Features() {
		declared[c.Name] = c.Levels
	}
	all := effective(m)
	lengths := intervals.of(m, all)
	for k, weights := range all {
		score := ""
		if m.Linear().Columns > 1 {
			score = levels[k]
		}
		halves := lengths[k]
		listed := byEvidence(weights, halves)[:min(len(weights), mostCoefficients)]
		unlisted = len(weights) - len(listed)
		for _, j := range listed {
			if j < len(names) && names[j].Unused { // its weight is noise and has no effect
				continue
			}
			c := report.Coefficient{Feature: "intercept", Score: score, Value: weights[j], Half: halves[j]}
			if j < len(names) {
				if c.Feature, c.Level = names[j].Column, names[j].Level; names[j].Aside {
					c.Level = asideName(declared[c.Feature], c.Level)
				}
			}
			out = append(out, c)
		}
	}
	return out, unlisted
}

// byEvidence returns the positions of numbers, ordered by magnitude less half of the interval. The
// largest comes first, and equal ones stay in order.
func byEvidence(numbers, halves []float64) []int {
	order := make([]int, len(numbers))
	for j := range order {
		order[j] = j
	}
	evidence := func(j int) float64 { return math.Abs(numbers[j]) - halves[j] }
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(evidence(b), evidence(a)), cmp.Compare(a, b))
	})
	return order
}

// effective returns, for each score, the weight of each encoded feature before whitening. The
// weight is the change of the score with that feature, up to the row's normalization. The last
// entry belongs to the intercept if the map has one. effective returns nil for a network.
func effective(m *model.Model) [][]float64 { return effectiveUnder(m.Features(), m) }

// effectiveUnder returns the effective weights that a model would have with another map of its rows.
func effectiveUnder(f *feature.Map, m *model.Model) [][]float64 {
	if m.Network() != nil {
		return nil
	}
	d := f.Pipeline.Dim()
	out := make([][]float64, m.Linear().Columns)
	for k := range out {
		w := m.Weights()[k*f.Dim() : (k+1)*f.Dim()]
		out[k] = append([]float64(nil), w...)
		switch white := f.Whitening; {
		case white == nil:
		case white.Matrix != nil: // the change of a row is a row of the matrix
			for j := range d {
				sum := 0.0
				for i, v := range white.Matrix[j*d : (j+1)*d] {
					sum += v * w[i]
				}
				out[k][j] = sum
			}
		default: // symmetric
			white.Multiply(out[k][:d], w[:d])
		}
		if f.Evidence != nil {
			fillWeights(out[k][:d], f)
		}
	}
	return out
}

// fillWeights changes weights of features after the map fills them into weights of features before that.
func fillWeights(w []float64, f *feature.Map) {
	x, before := make([]float64, len(w)), slices.Clone(w)
	for j, kept := range f.Evidence {
		if kept == 1 {
			continue
		}
		clear(x)
		x[j], w[j] = 1, 0
		f.Fill(x)
		for i, v := range x {
			w[j] += v * before[i]
		}
	}
}
