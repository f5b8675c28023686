package export

import (
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/feature"
)

// factor returns the factor of a row with this squared norm.
func (q *statementSQL) factor(square string) string {
	if q.m.Norm == feature.NormClip {
		return fmt.Sprintf("CASE WHEN %s > 0 THEN least(1e0, %s / sqrt(%s)) ELSE 0e0 END", square, sqlNumber(q.m.Radius), square)
	}
	return fmt.Sprintf("CASE WHEN %s > 0 THEN 1e0 / sqrt(%s) ELSE 0e0 END", square, square)
}

// factors selects the factors of normalization, and then the scores.
func (q *statementSQL) factors() {
	scale, shift, norm := "1e0", "1e0", ""
	if q.o.normalized() {
		q.query("dither_scaled", "The factor f of the first normalization.", []string{"*", q.factor("a") + " AS f"})
		scale, shift, norm = "f", "1e0", "f * f * a"
		if q.m.Center != nil {
			q.query("dither_centered", "The squared norm m of the centered row.", []string{"*", fmt.Sprintf("greatest(0e0, f * f * a - 2e0 * f * c + %s) AS m", sqlNumber(q.f.center2))})
			q.query("dither_normalized", "The factor g of the second normalization.", []string{"*", q.factor("m") + " AS g"})
			scale, shift, norm = "f * g", "g", "g * g * m"
		}
	}
	if q.m.Whitening != nil { // which needs normalized rows
		whole := "f * f * b"
		if q.m.Center != nil {
			whole = fmt.Sprintf("g * g * (f * f * b - 2e0 * f * d + %s)", sqlNumber(q.f.shift2))
		}
		q.query("dither_turned", "The squared norm n of the whitened row.", []string{"*", fmt.Sprintf("greatest(0e0, %s) AS n", whole)})
		q.query("dither_whitened", "The factor h of the third normalization.", []string{"*", q.factor("n") + " AS h"})
		scale, shift, norm = scale+" * h", shift+" * h", "h * h * n"
	}
	last := "1e0"
	if q.m.Intercept > 0 && q.m.Norm == feature.NormUnit {
		q.query("dither_last", "The factor l of the normalization with the intercept.", []string{"*", fmt.Sprintf("1e0 / sqrt(%s + %s) AS l", norm, sqlNumber(q.m.Intercept*q.m.Intercept))})
		last = "l"
	}
	selected := []string{"dither_row", "kept"}
	for k := range q.f.scores {
		score := fmt.Sprintf("%s * u%d", scale, k)
		if t := q.f.moved[k]; t != 0 {
			score = fmt.Sprintf("(%s - %s * %s)", score, shift, sqlNumber(t))
		}
		if score = last + " * " + score; q.m.Intercept > 0 {
			_, w := q.o.weights(k)
			score += fmt.Sprintf(" + %s * %s", last, sqlNumber(q.m.Intercept*w))
		}
		selected = append(selected, fmt.Sprintf("%s AS z%d", score, k))
	}
	q.query("dither_scores", "The scores z.", selected)
}

// sqlExp returns the exponential of an expression, whose result neither overflows nor becomes 0.
func sqlExp(x string) string { return fmt.Sprintf("exp(greatest(-700e0, least(700e0, %s)))", x) }

// predictions selects the predictions.
func (q *statementSQL) predictions() {
	k := len(q.f.scores)
	p := q.losses(k)
	if t := q.o.target; t.Regression() {
		v := fmt.Sprintf("greatest(%s, least(%s, (%s + (%s) * %s) / 2e0))", sqlNumber(t.Lower), sqlNumber(t.Upper), sqlNumber(t.Lower+t.Upper), p[0], sqlNumber(t.Upper-t.Lower))
		q.line(")\nSELECT %s,\n  CASE WHEN kept IS NOT NULL THEN %s END AS dither_prediction\nFROM %s", q.d.all, v, q.from)
		return
	}
	if len(p) == 1 {
		p = []string{"1e0 - (" + p[0] + ")", p[0]}
	}
	selected := []string{"dither_row", "kept"}
	for n := range p {
		selected = append(selected, fmt.Sprintf("CASE WHEN kept IS NOT NULL THEN %s END AS q%d", p[n], n))
	}
	q.query("dither_probabilities", "The probabilities q of the levels.", selected)
	level := fmt.Sprintf("CASE WHEN q1 > %s THEN %s ELSE %s END", sqlNumber(q.o.model.Threshold()), q.d.quoted(q.o.target.Levels[1%len(q.o.target.Levels)]), q.d.quoted(q.o.target.Levels[0]))
	if len(p) > 2 {
		var all []string
		for n := range p {
			all = append(all, fmt.Sprint("q", n))
		}
		level = "CASE greatest(" + strings.Join(all, ", ") + ")"
		for n := range p {
			level += fmt.Sprintf(" WHEN q%d THEN %s", n, q.d.quoted(q.o.target.Levels[n]))
		}
		level += " END"
	}
	q.line(")\nSELECT %s,\n  CASE WHEN kept IS NOT NULL THEN %s END AS dither_prediction", q.d.all, level)
	for n := range p {
		q.line("  , q%d AS dither_probability_%d", n, n)
	}
	q.line("FROM %s", q.from)
}

// losses returns an expression for each prediction.
func (q *statementSQL) losses(k int) []string {
	names := func(letter string) (out []string) {
		for n := range k {
			out = append(out, fmt.Sprint(letter, n))
		}
		return out
	}
	switch l := q.o.loss; l.Name {
	case "logistic":
		return []string{"1e0 / (1e0 + " + sqlExp("-z0") + ")"}
	case "hinge":
		return []string{"1e0 / (1e0 + " + sqlExp("-2e0 * z0") + ")"}
	case "softmax", "one-vs-rest":
		if l.Name == "one-vs-rest" {
			selected := []string{"dither_row", "kept"}
			for n := range k {
				selected = append(selected, fmt.Sprintf("least(z%d, 0e0) - ln(1e0 + %s) AS z%d", n, sqlExp(fmt.Sprintf("-abs(z%d)", n)), n))
			}
			q.query("dither_logarithms", "The logarithms z of the probabilities of single levels.", selected)
		}
		q.query("dither_top", "The largest score.", []string{"*", "greatest(" + strings.Join(names("z"), ", ") + ") AS top"})
		selected := []string{"dither_row", "kept"}
		for n := range k {
			selected = append(selected, fmt.Sprintf("%s AS e%d", sqlExp(fmt.Sprintf("z%d - top", n)), n))
		}
		q.query("dither_powers", "Exponentials of scores.", selected)
		q.query("dither_total", "Their sum.", []string{"*", balanced(names("e")) + " AS total"})
		var out []string
		for n := range k {
			out = append(out, fmt.Sprintf("e%d / total", n))
		}
		return out
	case "poisson":
		middle := sqlNumber(l.Middle)
		return []string{fmt.Sprintf("CASE WHEN z0 >= %s THEN 1e0 ELSE %s * %s - %s END", sqlNumber(math.Log1p(1/l.Middle)), middle, sqlExp("z0"), middle)}
	case "squared-classes":
		if k == 1 {
			return []string{"greatest(0e0, least(1e0, (1e0 + z0) / 2e0))"}
		}
		return q.nearest(k)
	}
	return []string{"z0"}
}

// nearest returns expressions for the nearest probabilities.
func (q *statementSQL) nearest(k int) []string {
	var cuts []string
	for n := range k {
		var sum, count []string
		for m := range k {
			sum = append(sum, fmt.Sprintf("CASE WHEN z%d >= z%d THEN z%d ELSE 0e0 END", m, n, m))
			count = append(count, fmt.Sprintf("CASE WHEN z%d >= z%d THEN 1e0 ELSE 0e0 END", m, n))
		}
		cuts = append(cuts, fmt.Sprintf("(%s - 1e0) / greatest(1e0, %s)", balanced(sum), balanced(count)))
	}
	q.query("dither_cut", "What is subtracted from all scores.", []string{"*", "greatest(" + strings.Join(cuts, ",\n  ") + ") AS cut"})
	var out []string
	for n := range k {
		out = append(out, fmt.Sprintf("greatest(0e0, z%d - cut)", n))
	}
	return out
}
