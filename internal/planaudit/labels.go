package planaudit

import (
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/model"
)

// targets returns the target of a canary, and that of the row that replaces it.
func (p *Plan) targets(i int) (label, other string) {
	all := labelsOf(p.schema.Target)
	n := len(all)
	return all[n-1-i%n], all[(2*n-2-i%n)%n]
}

// labelsOf lists targets of made-up records: all levels, or the ends of a range.
func labelsOf(t data.Target) []string {
	switch {
	case t.Threshold != nil:
		return []string{number(*t.Threshold - 1 - math.Abs(*t.Threshold)), number(*t.Threshold + 1 + math.Abs(*t.Threshold))}
	case t.Regression():
		return []string{number(t.Lower), number(t.Upper)}
	}
	return t.Levels
}

// otherTargets returns the targets of other records. At weights of 0, the gradients of these
// records cancel as far as possible. So a noisy divisor hardly moves the model, and hides no canary.
func (p *Plan) otherTargets(n int) []string {
	all := labelsOf(p.schema.Target)
	pulls := make([][]float64, len(all))
	for k := range all {
		pulls[k] = p.pull(k, len(all))
	}
	sum := make([]float64, len(pulls[0]))
	var out []string
	for range n {
		best, least := 0, math.Inf(1)
		for k, pull := range pulls {
			if length := norm(plus(sum, pull)); length < least*(1-1e-9) {
				best, least = k, length
			}
		}
		sum = plus(sum, pulls[best])
		out = append(out, all[best])
	}
	return out
}

// plus returns the sum of two vectors.
func plus(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range out {
		out[i] = a[i] + b[i]
	}
	return out
}

// pull returns how a record with the k-th of n labels pulls the scores of a model with weights of 0.
// The weight of its level counts. The levels of a network pull alike.
func (p *Plan) pull(k, n int) []float64 {
	if p.form.Loss == nil {
		out := make([]float64, n)
		for i := range out {
			out[i] = -1 / float64(n)
		}
		out[k]++
		return out
	}
	out := pullOf(p.form, p.labelOf(k))
	if d := p.Descent; d != nil && k < len(d.ClassWeights) {
		for i := range out {
			out[i] *= d.ClassWeights[k]
		}
	}
	return out
}

// pullOf returns the negated derivatives of a loss at scores of 0.
func pullOf(l model.Linear, label float64) []float64 {
	out := make([]float64, l.Columns)
	l.Loss.Residuals(out, make([]float64, l.Columns), label)
	for i := range out {
		out[i] = -out[i]
	}
	return out
}
