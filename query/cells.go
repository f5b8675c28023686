package query

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/pick"
)

// division is a rule that puts rows into named cells, declared by the schema or the question.
type division struct {
	names []string
	// of returns the cell of each row of a data set, or -1.
	of     func(d *data.Dataset) func(i int) int
	target bool
}

// The cells in addition to the declared levels.
const (
	otherCell   = "(other)"
	missingCell = "(missing)"
)

// whole returns the division into one cell with every row.
func whole() division {
	return division{names: []string{"all"}, of: func(*data.Dataset) func(int) int { return func(int) int { return 0 } }}
}

// byLevels returns the division by declared levels. It has one more cell for other texts, and one
// for missing cells where the schema keeps such rows.
func byLevels(c column) division {
	names := slices.Clone(c.column.Levels)
	levels, missing := len(names), -1
	if c.column.Unknown == data.Other || c.column.Unknown == data.Zero {
		names = append(names, otherCell)
	}
	if c.at >= 0 && c.column.Missing != data.Drop {
		missing = len(names)
		names = append(names, missingCell)
	}
	codes := c.codes()
	return division{names, func(d *data.Dataset) func(int) int {
		value := codes.value(d)
		return func(i int) int {
			v := value(i)
			switch {
			case v != v: // NaN: missing
				return missing
			case int(v) > levels:
				return -1
			}
			return int(v)
		}
	}, codes.target}
}

// byEdges returns the division into the intervals between ascending interior edges, each with its
// lower end. It has one more cell for missing numbers.
func byEdges(e expression, edges []float64) (division, error) {
	for k, v := range edges {
		if !(v > e.lower && v < e.upper) || k > 0 && !(v > edges[k-1]) {
			return division{}, fmt.Errorf("query: edge %d of the histogram is %v, want ascending edges inside the declared bounds %v and %v; "+
				"leave the bounds out, because they are edges already", k+1, v, e.lower, e.upper)
		}
	}
	names := make([]string, 0, len(edges)+2)
	from := e.lower
	for _, to := range edges {
		names = append(names, "["+plain(from)+", "+plain(to)+")")
		from = to
	}
	names = append(names, "["+plain(from)+", "+plain(e.upper)+"]", missingCell)
	return division{names, func(d *data.Dataset) func(int) int {
		value := e.on(d)
		return func(i int) int {
			v := value(i)
			if v != v { // NaN: missing
				return len(edges) + 1
			}
			j, found := slices.BinarySearch(edges, v)
			if found {
				j++
			}
			return j
		}
	}, e.target}, nil
}

func plain(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// filtered keeps the rows for which the condition is true. It drops rows where the condition is
// false or missing.
func (p division) filtered(d *data.Dataset, r pick.Records, where *expression) tableCells {
	of := p.of(d)
	if where == nil {
		return tableCells{r, len(p.names), of}
	}
	keep := where.on(d)
	return tableCells{r, len(p.names), func(i int) int {
		if keep(i) != 1 {
			return -1
		}
		return of(i)
	}}
}
