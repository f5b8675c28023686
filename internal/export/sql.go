package export

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/decimal"
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
	q := &statementSQL{o: o, m: o.mapped.Map, d: dialects[orText(r.Dialect, "postgres")], from: orText(r.Table, DefaultTable) + " AS dither_r"}
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
	if err = q.d.fits(q.Len(), q.m); err != nil {
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

// cells selects the cells as trimmed texts, and the numbers of those that are numbers. A text says
// best what a number is: casts of databases take more, and an error in one of them would end the
// query.
func (q *statementSQL) cells() {
	selected, numbers := []string{"dither_r AS dither_row"}, []string{"*"}
	for i, c := range q.o.columns {
		at := "dither_r." + q.d.name(c.source)
		if q.o.follows(i) {
			continue
		}
		text := q.d.trimmed(at)
		if c.number && c.date == nil {
			numbers = append(numbers, fmt.Sprintf("CASE WHEN length(t%d) <= %d AND %s THEN %s END AS n%d", i, decimal.MostBytes, q.d.matches(fmt.Sprint("t", i), numberPattern), q.d.number(fmt.Sprint("t", i)), i))
		}
		if spelled := slices.Contains(c.levels, c.bools[0]) || slices.Contains(c.levels, c.bools[1]); c.date == nil && c.bools[0] != "false" && (c.number || spelled) {
			text = fmt.Sprintf("CASE %s WHEN 'false' THEN %s WHEN 'true' THEN %s ELSE %s END", q.d.truth(at), q.d.quoted(c.bools[0]), q.d.quoted(c.bools[1]), text)
		}
		selected = append(selected, fmt.Sprintf("%s AS t%d", text, i))
	}
	q.query("dither_cells", "Cells as texts t.", selected)
	if len(numbers) > 1 {
		q.query("dither_numbers", "Numbers n of texts. Other texts have none.", numbers)
	}
}

// rounded selects numbers that are limited to their bounds and rounded to 32 bits.
func (q *statementSQL) rounded() {
	selected := []string{"*"}
	for i, c := range q.o.columns {
		if !c.number {
			continue
		}
		single := func(v float64) string { return sqlNumber(max(-math.MaxFloat32, min(math.MaxFloat32, v))) } // a larger one has no such number
		n := fmt.Sprintf("greatest(%s, least(%s, n%d))", single(c.lower), single(c.upper), i)
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
