package query

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/data"
)

// binder gives the names of an expression their meaning under a schema.
type binder struct {
	schema   *data.Schema
	features []data.Column
}

func (b *binder) bind(n *node) (expression, error) {
	switch n.kind {
	case numberNode:
		return constant(n.value), nil
	case textNode:
		return expression{}, fmt.Errorf("query: the text %q at position %d stands by itself, want it compared with a column: sex = %q", n.text, n.at+1, n.text)
	case nameNode:
		return b.number(n)
	case compareNode:
		return b.comparison(n)
	case logicNode:
		return b.logic(n)
	}
	return b.operation(n)
}

// number returns a numeric column.
func (b *binder) number(n *node) (expression, error) {
	c, err := b.column(n.text)
	if err != nil {
		return expression{}, err
	}
	if c.column.Kind == data.Text {
		return expression{}, fmt.Errorf("query: column %q is text, want a column of numbers or levels; ask about another column", n.text)
	}
	if c.column.Kind != data.Numeric {
		return expression{}, fmt.Errorf("query: column %q has levels, want a number here; compare it with a level: %s = %q", n.text, n.text, c.column.Levels[0])
	}
	return c.number(), nil
}

func (b *binder) operation(n *node) (expression, error) {
	parts, err := b.all(n.parts)
	if err != nil {
		return expression{}, err
	}
	if n.text == "clamp" && parts[1].lower >= parts[2].lower {
		return expression{}, fmt.Errorf("query: clamp at position %d goes from %v to %v, want an ascending range", n.at+1, parts[1].lower, parts[2].lower)
	}
	e := arithmetic(n.text, parts)
	if !(max(-e.lower, e.upper) <= maxMagnitude) {
		return expression{}, fmt.Errorf("query: the expression at position %d is not bounded by the declared bounds, want at most %g; bound a part with clamp(expression, low, high)", n.at+1, maxMagnitude)
	}
	return e, nil
}

func (b *binder) all(nodes []*node) ([]expression, error) {
	parts := make([]expression, len(nodes))
	for k, n := range nodes {
		var err error
		if parts[k], err = b.bind(n); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func (b *binder) logic(n *node) (expression, error) {
	parts, err := b.all(n.parts)
	if err != nil {
		return expression{}, err
	}
	for k, p := range parts {
		if !p.truth {
			return expression{}, fmt.Errorf("query: %q at position %d joins a number, want conditions such as age >= 30", n.text, n.parts[k].at+1)
		}
	}
	return logic(n.text, parts), nil
}

// comparison returns a comparison of two numbers, or of a column of levels with a level.
func (b *binder) comparison(n *node) (expression, error) {
	for k, side := range n.parts {
		if side.kind != nameNode {
			continue
		}
		c, err := b.column(side.text)
		if err == nil && c.column.Kind == data.Categorical {
			return b.level(n, c, k)
		}
	}
	parts, err := b.all(n.parts)
	if err != nil {
		return expression{}, err
	}
	return comparison(n.text, parts[0], parts[1]), nil
}

// level returns the comparison of a column of levels with one of them. A text outside the declared
// levels equals none.
// The column is the side with this number.
func (b *binder) level(n *node, c column, side int) (expression, error) {
	other := n.parts[1-side]
	if n.text != "=" && n.text != "!=" && !c.column.Ordered {
		return expression{}, fmt.Errorf("query: column %q has levels without an order, want = or != at position %d", c.column.Name, n.at+1)
	}
	if other.kind == operationNode || other.kind == compareNode || other.kind == logicNode {
		return expression{}, fmt.Errorf("query: column %q is compared with an expression at position %d, want one of its levels, in quotation marks where it has other marks: %s", c.column.Name, other.at+1, listed(c.column.Levels))
	}
	code := slices.Index(c.column.Levels, other.text)
	if code < 0 {
		return expression{}, fmt.Errorf("query: %q at position %d is no level of column %q, want one of %s", other.text, other.at+1, c.column.Name, listed(c.column.Levels))
	}
	if side == 1 {
		return comparison(n.text, constant(float64(code)), c.codes()), nil
	}
	return comparison(n.text, c.codes(), constant(float64(code))), nil
}

// column is a declared column that queries may read: a feature, or the target.
type column struct {
	column data.Column
	at     int // among the features; -1: the target
}

// column finds a column by its name.
func (b *binder) column(name string) (column, error) {
	for j, c := range b.features {
		if c.Name == name {
			if c.Kind == data.Categorical && c.Learning == data.Private {
				return column{}, fmt.Errorf("query: the levels of column %q are private, want them declared; ask for its categories", name)
			}
			return column{c, j}, nil
		}
	}
	if t := b.schema.Target; t.Column == name && name != "" {
		c := data.Column{Name: name, Kind: data.Categorical, Levels: t.Levels}
		if t.Regression() {
			c = data.Column{Name: name, Kind: data.Numeric, Lower: t.Lower, Upper: t.Upper}
		}
		return column{c, -1}, nil
	}
	var names []string
	for _, c := range b.features {
		names = append(names, c.Name)
	}
	if t := b.schema.Target.Column; t != "" {
		names = append(names, t)
	}
	if slices.ContainsFunc(b.schema.Columns, func(c data.Column) bool { return c.Name == name }) {
		return column{}, fmt.Errorf("query: column %q is declared ignore, want bounds or levels; declare them in the schema", name)
	}
	if b.schema.Patterns != nil { // data.Resolve took names from a header, which may be a record by mistake
		return column{}, fmt.Errorf("query: %q is no column of the schema, want a name that the schema or the header of the table has; mend it, and declare header: [...] in the schema if the first line is a record", name)
	}
	return column{}, fmt.Errorf("query: %q is no column of the schema, want one of %s", name, listed(names))
}

// listed returns the first of some names.
func listed(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// values returns the cells of the column.
func (c column) values(d *data.Dataset) []float32 {
	if c.at < 0 {
		return d.Target()
	}
	return d.Column(c.at)
}

// number returns a numeric column as an expression. A missing cell counts as the declared fill, if
// there is one.
func (c column) number() expression {
	fill := math.NaN()
	if c.column.Missing == data.Zero {
		fill = c.column.Fill
	}
	return expression{lower: c.column.Lower, upper: c.column.Upper, target: c.at < 0, value: func(d *data.Dataset) func(int) float64 {
		values := c.values(d)
		return func(i int) float64 {
			if v := float64(values[i]); v == v { // not NaN, which marks a missing cell
				return v
			}
			return fill
		}
	}}
}

// codes returns the positions of levels. The number of levels stands for a text outside them.
func (c column) codes() expression {
	return expression{lower: 0, upper: float64(len(c.column.Levels)), target: c.at < 0, value: func(d *data.Dataset) func(int) float64 {
		values := c.values(d)
		return func(i int) float64 { return float64(values[i]) }
	}}
}
