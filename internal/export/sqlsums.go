package export

import (
	"fmt"
	"strings"
)

// place returns the expression for the place of a row in the table of a group.
func (q *statementSQL) place(g *group) string {
	if g.b < 0 {
		return fmt.Sprint("s", g.a)
	}
	if g.again {
		return fmt.Sprint("p", g.a, "_", g.b, "_again")
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
