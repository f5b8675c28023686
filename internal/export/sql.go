package export

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/model"
)

// mostSQLNumbers bounds the numbers of a whitening in a statement, which has one for each pair of states.
const mostSQLNumbers = 2_000_000

// statementSQL is a SELECT statement that is being written: a chain of named queries.
type statementSQL struct {
	strings.Builder
	o *outline
	m *feature.Map
	d dialect
	f *forms
	// from is the name of the last query.
	from string
}

// writeSQL writes a SELECT statement that appends predictions to the rows of a table.
func writeSQL(m *model.Model, s statement, r Request) ([]byte, error) {
	o, err := newLinearOutline(m)
	if err != nil {
		return nil, err
	}
	if err = sqlTexts(o); err != nil {
		return nil, err
	}
	q := &statementSQL{o: o, m: m.Features(), d: dialects[orText(r.Dialect, "postgres")], from: orText(r.Table, DefaultTable) + " AS dither_r"}
	if q.f, err = newForms(o); err != nil {
		return nil, err
	}
	q.WriteString(s.comment("-- "))
	q.line("--\n-- The query appends predictions to the rows of a table. Column dither_prediction has the prediction.")
	for k, level := range o.target.Levels {
		q.line("-- Column dither_probability_%d has the probability of the level %s.", k, oneLine(strconv.Quote(level)))
	}
	q.line("-- They are NULL for a row that the schema of the model drops.")
	q.cells()
	q.dates()
	q.rounded()
	q.states()
	q.sums()
	q.factors()
	q.predictions()
	if err = q.d.fits(q.Len()); err != nil {
		return nil, err
	}
	return []byte(q.String()), nil
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// sqlTexts refuses texts that no database stores.
func sqlTexts(o *outline) error {
	for _, c := range o.columns {
		for _, t := range append([]string{c.source}, c.levels...) {
			if strings.ContainsRune(t, 0) {
				return fmt.Errorf("column %q has a text with a zero byte, which SQL cannot write, want none; export --to go", c.name)
			}
		}
	}
	return nil
}

func (q *statementSQL) line(form string, args ...any) { fmt.Fprintf(&q.Builder, form+"\n", args...) }

// query appends a named query. The selected expressions follow those that earlier queries keep.
func (q *statementSQL) query(name, comment string, selected []string) {
	begin := "),"
	if name == "dither_cells" {
		begin = "WITH"
	}
	q.line("%s\n-- %s\n%s AS (\nSELECT %s\nFROM %s%s", begin, comment, name, strings.Join(selected, ",\n  "), q.from, q.d.fence)
	q.from = name
}

// cells selects the cells: numbers, or NULL for other texts, and trimmed texts.
func (q *statementSQL) cells() {
	selected := []string{"dither_r AS dither_row"}
	for i, c := range q.o.columns {
		at := "dither_r." + q.d.name(c.source)
		if q.o.follows(i) {
			continue
		}
		if c.number && c.date == nil {
			selected = append(selected, fmt.Sprintf("%s AS n%d", q.d.number(at), i))
		} else {
			selected = append(selected, fmt.Sprintf("%s AS t%d", q.d.trimmed(at), i))
		}
	}
	q.query("dither_cells", "Cells as numbers n and texts t.", selected)
}

// rounded selects numbers that are limited to their bounds and rounded to 32 bits.
func (q *statementSQL) rounded() {
	selected := []string{"*"}
	for i, c := range q.o.columns {
		if !c.number {
			continue
		}
		n := fmt.Sprintf("greatest(%s, least(%s, n%d))", sqlNumber(c.lower), sqlNumber(c.upper), i)
		selected = append(selected, fmt.Sprintf("CASE WHEN n%d IS NOT NULL THEN greatest(%s, least(%s, %s)) END AS v%d", i, sqlNumber(c.least), sqlNumber(c.most), q.d.single(n), i))
	}
	q.query("dither_rounded", "Numbers within their bounds, as 32-bit numbers.", selected)
}

// states selects the state of each cell, NULL for one that drops the row, and the factor of its features.
func (q *statementSQL) states() {
	selected := []string{"dither_row"}
	for i := range q.o.columns {
		c := &q.o.columns[i]
		if c.date != nil && !c.number {
			selected = append(selected, fmt.Sprintf("%s AS s%d", q.part(i), i))
			continue
		}
		if !c.number {
			selected = append(selected, fmt.Sprintf("%s AS s%d", q.levels(c, fmt.Sprint("t", i)), i))
			continue
		}
		n, inside := fmt.Sprint("n", i), "0"
		if !c.scaled {
			inside = tree(c.cuts, 0, fmt.Sprint("v", i))
		}
		missing := n + " IS NULL"
		if len(c.markNumbers) > 0 {
			missing += " OR " + n + " IN (" + sqlNumbers(c.markNumbers) + ")"
		}
		state := fmt.Sprintf("CASE WHEN %s THEN %s", missing, sqlState(c.missing))
		if c.outside != clamped {
			state += fmt.Sprintf(" WHEN %s < %s OR %s > %s THEN %s", n, sqlNumber(c.lower), n, sqlNumber(c.upper), sqlState(c.outside))
		}
		selected = append(selected, fmt.Sprintf("%s ELSE %s END AS s%d", state, inside, i))
		if c.scaled {
			v := fmt.Sprint("v", i)
			if c.log {
				v = q.d.logOf(v)
			}
			x := fmt.Sprintf("greatest(0e0, least(1e0, (%s - %s) * %s))", v, sqlNumber(c.low), sqlNumber(c.scale))
			if c.outside >= 0 {
				x = fmt.Sprintf("CASE WHEN %s < %s OR %s > %s THEN 1e0 ELSE %s END", n, sqlNumber(c.lower), n, sqlNumber(c.upper), x)
			}
			selected = append(selected, fmt.Sprintf("CASE WHEN %s THEN 1e0 ELSE %s END AS x%d", missing, x, i))
		}
	}
	q.query("dither_states", "States s of cells: levels, bins and missing cells in the order of the model, and scaled numbers x.", selected)
}

// levels returns the state of a text.
func (q *statementSQL) levels(c *column, t string) string {
	var b strings.Builder
	var marks []string
	for _, mark := range c.marks {
		marks = append(marks, q.d.quoted(mark))
	}
	fmt.Fprintf(&b, "CASE WHEN %s IS NULL OR %s IN (%s) THEN %s", t, t, strings.Join(marks, ", "), sqlState(c.missing))
	for k, level := range c.levels {
		fmt.Fprintf(&b, " WHEN %s = %s THEN %d", t, q.d.quoted(level), c.of[k])
	}
	fmt.Fprintf(&b, " ELSE %s END", sqlState(c.unknown))
	return b.String()
}

// sqlState returns the number of a state.
func sqlState(s int) string {
	if s < 0 {
		return "NULL"
	}
	return strconv.Itoa(s)
}

// tree returns an expression for the number of cuts at or below v, plus first.
func tree(cuts []float64, first int, v string) string {
	if len(cuts) == 0 {
		return strconv.Itoa(first)
	}
	middle := len(cuts) / 2
	return fmt.Sprintf("CASE WHEN %s >= %s THEN %s ELSE %s END", v, sqlNumber(cuts[middle]), tree(cuts[middle+1:], first+middle+1, v), tree(cuts[:middle], first, v))
}

// place returns the expression for the place of a row in the table of a group.
func (q *statementSQL) place(g *group) string {
	if g.b < 0 {
		return fmt.Sprint("s", g.a)
	}
	return fmt.Sprint("p", g.a, "_", g.b)
}

// pairs selects the places in the tables of pairs.
func (q *statementSQL) pairs() {
	selected := []string{"*"}
	for n := range q.o.groups {
		g := &q.o.groups[n]
		if g.b < 0 {
			continue
		}
		// The last class of each column stands for no class.
		a, b := classNumbers(g.classA, len(g.entries)/max(1, g.classes)), classNumbers(g.classB, g.classes)
		selected = append(selected, fmt.Sprintf("%s * %d + %s AS %s", q.d.lookup(a, fmt.Sprint("s", g.a), true), g.classes+1, q.d.lookup(b, fmt.Sprint("s", g.b), true), q.place(g)))
	}
	if len(selected) > 1 {
		q.query("dither_pairs", "States p of pairs of columns.", selected)
	}
}

// classNumbers returns classes as numbers, with none for -1.
func classNumbers(class []int, none int) []float64 {
	out := make([]float64, len(class))
	for s, k := range class {
		if out[s] = float64(k); k < 0 {
			out[s] = float64(none)
		}
	}
	return out
}

// lookedUp returns the number of a table for a row, times its factor to a power. It is "" for a table of zeros.
func (q *statementSQL) lookedUp(g *group, table []float64, power int) string {
	same, zero := true, true
	for _, v := range table {
		same, zero = same && v == table[0], zero && v == 0
	}
	if zero {
		return ""
	}
	out := q.d.lookup(table, q.place(g), false)
	if same {
		out = sqlNumber(table[0])
	}
	if g.b < 0 && q.o.columns[g.a].scaled {
		out += strings.Repeat(fmt.Sprint(" * x", g.a), power)
	}
	return out
}

// sums selects the sums over groups that the steps need.
func (q *statementSQL) sums() {
	q.pairs()
	selected := []string{"dither_row"}
	var places []string
	for i := range q.o.columns {
		places = append(places, fmt.Sprint("s", i))
	}
	selected = append(selected, balanced(places)+" AS kept")
	sum := func(name string, table func(n int) []float64, power int) {
		var terms []string
		for n := range q.o.groups {
			if term := q.lookedUp(&q.o.groups[n], table(n), power); term != "" {
				terms = append(terms, term)
			}
		}
		selected = append(selected, balanced(terms)+" AS "+name)
	}
	if q.o.normalized() {
		sum("a", func(n int) []float64 { return q.f.squares[n] }, 2)
	}
	if q.m.Center != nil && q.o.normalized() {
		sum("c", func(n int) []float64 { return q.f.centers[n] }, 1)
	}
	if q.m.Whitening != nil {
		if q.m.Center != nil {
			sum("d", func(n int) []float64 { return q.f.shifts[n] }, 1)
		}
		selected = append(selected, q.quadratic()+" AS b")
	}
	for k := range q.f.scores {
		sum(fmt.Sprint("u", k), func(n int) []float64 { return q.f.scores[k][n] }, 1)
	}
	q.query("dither_sums", "Sums over the features of a row.", selected)
}

// quadratic returns the squared norm of the whitened features.
func (q *statementSQL) quadratic() string {
	var terms []string
	for n := range q.o.groups {
		g := &q.o.groups[n]
		if term := q.lookedUp(g, q.f.product(n, n, true), 2); term != "" {
			terms = append(terms, term)
		}
		for m := range n {
			h := &q.o.groups[m]
			table := q.f.product(m, n, false)
			if allZero(table) {
				continue
			}
			term := "2e0 * " + q.d.lookup(table, fmt.Sprintf("%s * %d + %s", q.place(h), q.f.places[n], q.place(g)), false)
			for _, own := range []*group{g, h} {
				if own.b < 0 && q.o.columns[own.a].scaled {
					term += fmt.Sprint(" * x", own.a)
				}
			}
			terms = append(terms, term)
		}
	}
	return balanced(terms)
}

func allZero(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// balanced returns the sum of terms, with few parentheses inside each other.
func balanced(terms []string) string {
	switch n := len(terms); n {
	case 0:
		return "0e0"
	case 1:
		return terms[0]
	case 2, 3, 4:
		return "(" + strings.Join(terms, " + ") + ")"
	default:
		return "(" + balanced(terms[:n/2]) + "\n    + " + balanced(terms[n/2:]) + ")"
	}
}

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

// sqlNumber returns a literal of a 64-bit number in every dialect.
func sqlNumber(v float64) string {
	out := strconv.FormatFloat(v, 'e', -1, 64)
	out = strings.Replace(strings.Replace(out, "e+0", "e", 1), "e+", "e", 1)
	if v < 0 {
		return "(" + out + ")"
	}
	return out
}

func sqlNumbers(x []float64) string {
	words := make([]string, len(x))
	for i, v := range x {
		words[i] = sqlNumber(v)
	}
	return strings.Join(words, ", ")
}
