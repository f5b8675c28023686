package data

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// declareMark is the word that a draft writes where a person must declare something.
const declareMark = "DECLARE"

func (p *schemaParser) target(e entry) error {
	entries, err := p.mapping(e.node, "target", targetKeys...)
	if err != nil {
		return err
	}
	t := &p.schema.Target
	for _, e := range entries {
		switch e.key {
		case "column":
			err = p.text(e, &t.Column)
		case "levels":
			if e.node.Kind != yaml.ScalarNode || e.node.Value != declareMark {
				err = p.texts(e, &t.Levels)
			}
		case "bounds":
			t.Lower, t.Upper, err = p.bounds(e)
		case "above":
			var v float64
			v, err = p.number(e.node, e.key)
			t.Threshold = &v
		case "missing":
			err = p.treatment(e, &t.Missing, Drop)
		}
		if err != nil {
			return err
		}
	}
	if t.Column == "" {
		return p.fail(e.node, "target names no column", "target: {column: name, levels: [...]}", "add column:")
	}
	if len(t.Levels) == 0 {
		t.Levels = nil
	}
	return nil
}

func (p *schemaParser) columns(e entry) error {
	entries, err := p.mapping(e.node, "columns")
	if err != nil {
		return err
	}
	for _, e := range entries {
		c, err := p.column(e)
		if err != nil {
			return err
		}
		add := p.addColumn
		if isPattern(e.key) {
			add = p.addPattern
		}
		if err := add(e, c); err != nil {
			return err
		}
	}
	return nil
}

// addColumn appends a column, or the columns of a range.
func (p *schemaParser) addColumn(e entry, c Column) error {
	s := &p.schema
	prefix, from, to, isRange := parseRange(e.key)
	more := 1
	if c.Date != nil {
		c.Name = e.key
		more = len(dateColumns(c))
	}
	if isRange {
		if prefix == "" || from >= to || to > 1e9 {
			return p.fail(e.name, fmt.Sprintf("column range is %q", e.key), "name[from:to] with from less than to", "mend it")
		}
		if to-from > maxColumns {
			return p.fail(e.name, fmt.Sprintf("column range is %q", e.key), fmt.Sprintf("at most %d columns", maxColumns), "declare a smaller range")
		}
		more *= to - from
	}
	if len(s.Columns)+more > maxColumns {
		return p.fail(e.name, "the schema has too many columns", fmt.Sprintf("at most %d", maxColumns), "declare fewer")
	}
	p.columnPlaces = append(p.columnPlaces, columnPlace{len(s.Columns), e.name})
	names := []string{e.key}
	if isRange {
		names = names[:0]
		for _, each := range repeatColumn(Column{Name: prefix}, from, to) {
			names = append(names, each.Name)
		}
	}
	s.Columns = append(s.Columns, namedColumns(c, names)...)
	return nil
}

// column reads the declaration of one column: a word or a mapping.
func (p *schemaParser) column(e entry) (Column, error) {
	what := fmt.Sprintf("column %q", e.key)
	if e.node.Kind == yaml.ScalarNode {
		switch e.node.Value {
		case "ignore":
			return Column{Kind: Ignored}, nil
		case declareMark:
			return Column{}, nil
		}
		return Column{}, p.fail(e.node, what+" is "+nodeWords(e.node), declareColumn, "declare it")
	}
	entries, err := p.mapping(e.node, what, columnKeys...)
	if err != nil {
		return Column{}, err
	}
	numeric, categorical, text := hasKey(entries, "numeric") || hasKey(entries, "bounds") || hasKey(entries, "date"), hasKey(entries, "levels"), hasKey(entries, "text")
	switch {
	case text && !numeric && !categorical:
		return p.textColumn(what, entries)
	case numeric && !categorical && !text:
		return p.numericColumn(what, entries)
	case categorical && !numeric && !text:
		return p.categoricalColumn(what, entries)
	}
	return Column{}, p.fail(e.name, what+" is not declared numeric, by levels or as text, or is more than one", declareColumn, "declare it")
}

func (p *schemaParser) numericColumn(what string, entries []entry) (Column, error) {
	c := Column{Kind: Numeric, Missing: p.defaults.missing, OutOfRange: p.defaults.outOfRange}
	if hasKey(entries, "date") {
		return p.datedColumn(what, entries, c)
	}
	return p.numberColumn(what, entries, c)
}

// numberColumn reads the keys of a column that is a number.
func (p *schemaParser) numberColumn(what string, entries []entry, c Column) (Column, error) {
	var fill *yaml.Node
	var err error
	for _, e := range entries {
		switch e.key {
		case "date": // is read
		case "numeric":
			c.Lower, c.Upper, err = p.bounds(e)
		case "bounds", "range", "learned":
			err = p.learning(e, &c, entries)
		case "unit":
			err = p.text(e, &c.Unit)
		case "integer":
			if e.node.Kind != yaml.ScalarNode || e.node.Value != "true" {
				err = p.fail(e.node, "integer is "+nodeWords(e.node), "integer: true, for numbers that are integers", "remove it for other numbers")
			}
			c.Integer = true
		case "transform":
			err = p.text(e, &c.Transform)
		case "bins":
			if isPrivate(e) {
				err = p.learning(e, &c, entries)
			} else if e.node.Kind == yaml.ScalarNode && strings.Contains(e.node.Value, "logarithmic") {
				err = p.fail(e.node, "bins is "+nodeWords(e.node), "numbers in brackets, since scales are not declared in a schema",
					"leave bins out and train with --transform interactions:half-logarithmic=NAME, whose bins have equal width on the mean of the linear and the logarithmic scale; --interactions auto does so for wide ranges")
			} else {
				c.Bins, err = p.numbers(e)
			}
		case "max-bins":
			err = p.whole(e, &c.MaxBins)
		case "out-of-range":
			err = p.treatment(e, &c.OutOfRange, Clamp, AsMissing, Drop)
		case "missing":
			err = p.treatment(e, &c.Missing, Indicator, Zero, Drop)
		case "fill":
			fill = e.node
			c.Fill, err = p.number(e.node, e.key)
		default:
			err = p.fail(e.name, what+" is numeric and has the key "+e.key, "numeric, or bounds and range, unit, integer, transform, bins, out-of-range, missing, fill", "remove it")
		}
		if err != nil {
			return c, err
		}
	}
	if fill == nil && c.Missing == Zero {
		c.Fill = c.Lower
	}
	if fill != nil && c.Missing != Zero {
		return c, p.fail(fill, what+" has a fill", "it only together with missing: zero", "remove one of the two")
	}
	return c, nil
}

func (p *schemaParser) categoricalColumn(what string, entries []entry) (Column, error) {
	c := Column{Kind: Categorical, Missing: p.defaults.missing, Unknown: p.defaults.unknown}
	var err error
	for _, e := range entries {
		switch e.key {
		case "levels":
			if isPrivate(e) {
				c.Learning = Private
			} else {
				err = p.levels(e, &c)
			}
		case "ordered":
			err = p.order(e, &c, entries)
		case "max-levels":
			err = p.whole(e, &c.MaxLevels)
		case "learned":
			err = p.learning(e, &c, entries)
		case "unknown":
			err = p.treatment(e, &c.Unknown, Other, Zero, AsMissing, Drop)
		case "missing":
			err = p.treatment(e, &c.Missing, Indicator, Zero, Drop)
		default:
			err = p.fail(e.name, what+" is categorical and has the key "+e.key, "levels, ordered, max-levels, unknown, missing", "remove it")
		}
		if err != nil {
			return c, err
		}
	}
	if c.Ordered {
		c.Upper = float64(max(0, len(c.Levels)-1))
	}
	return c, nil
}
