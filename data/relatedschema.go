package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ditherml/dither/internal/related"
)

var (
	relatedKeys        = []string{"key", "people-key", "max-rows", "order-by", "keep", "max-records", "columns", "features"}
	relatedColumnKeys  = []string{"numeric", "levels", "unknown", "out-of-range", "missing"}
	relatedFeatureKeys = append(slices.Clone(related.AggregateNames), "numeric", "transform", "bins", "out-of-range", "missing", "fill")
)

// related reads the related tables. It comes last, since features follow all other columns.
func (p *schemaParser) related(e entry) error {
	tables, err := p.mapping(e.node, "related")
	if err != nil {
		return err
	}
	for _, e := range tables {
		t, features, err := p.relatedTable(e)
		if err != nil {
			return err
		}
		for _, f := range features {
			if err = p.relatedFeature(e.key, f, &t); err != nil {
				return err
			}
		}
		p.schema.Related = append(p.schema.Related, t)
	}
	return nil
}

func (p *schemaParser) relatedTable(e entry) (t relatedTable, features []entry, err error) {
	t.Name = e.key
	what := fmt.Sprintf("related table %q", e.key)
	entries, err := p.mapping(e.node, what, relatedKeys...)
	if err != nil {
		return t, nil, err
	}
	if !hasKey(entries, "order-by") {
		t.Keep = related.KeepRandom
	}
	for _, e := range entries {
		switch e.key {
		case "key":
			err = p.text(e, &t.Key)
		case "people-key":
			err = p.text(e, &t.PeopleKey)
		case "max-rows":
			if e.node.Value != declareMark {
				err = p.whole(e, &t.MaxRows)
			}
		case "keep":
			i := slices.Index(related.KeepNames, e.node.Value)
			if t.Keep = related.Keep(max(0, i)); i < 0 || e.node.Kind != yaml.ScalarNode {
				err = p.fail(e.node, "keep is "+nodeWords(e.node), "one of "+strings.Join(related.KeepNames, ", "), "choose one")
			}
		case "order-by":
			err = p.text(e, &t.OrderBy)
		case "max-records":
			err = p.whole(e, &t.MaxRecords)
		case "columns":
			t.Columns, err = p.relatedColumns(what, e)
		case "features":
			features, err = p.mapping(e.node, "features of "+what)
		}
		if err != nil {
			return t, nil, err
		}
	}
	if t.PeopleKey == "" {
		t.PeopleKey = t.Key
	}
	return t, features, nil
}

// relatedColumns reads the columns of a related table. Their missing cells need no treatment: they
// are left out of aggregates.
func (p *schemaParser) relatedColumns(what string, e entry) (columns []Column, err error) {
	entries, err := p.mapping(e.node, "columns of "+what)
	if err != nil {
		return nil, err
	}
	was := p.defaults.missing
	p.defaults.missing = Indicator
	defer func() { p.defaults.missing = was }()
	for _, e := range entries {
		if e.node.Kind == yaml.MappingNode {
			keys, err := p.mapping(e.node, fmt.Sprintf("column %q of %s", e.key, what), relatedColumnKeys...)
			if err != nil {
				return nil, err
			}
			for _, k := range keys {
				if k.key == "missing" && k.node.Value != Drop.String() {
					return nil, p.fail(k.node, fmt.Sprintf("missing of column %q of %s is %s", e.key, what, nodeWords(k.node)), "drop, or no key missing", "leave it out: aggregates leave out missing cells")
				}
			}
		}
		c, err := p.column(e)
		if err != nil {
			return nil, err
		}
		c.Name = e.key
		columns = append(columns, c)
	}
	return columns, nil
}

// relatedFeature appends the column of a feature to the schema.
func (p *schemaParser) relatedFeature(table string, e entry, t *relatedTable) error {
	what := fmt.Sprintf("feature %q of related table %q", e.key, table)
	entries, err := p.mapping(e.node, what, relatedFeatureKeys...)
	if err != nil {
		return err
	}
	isAggregate := func(e entry) bool { return slices.Contains(related.AggregateNames, e.key) }
	at := slices.IndexFunc(entries, isAggregate)
	if at < 0 || slices.ContainsFunc(entries[at+1:], isAggregate) {
		return p.fail(e.name, what+" has no aggregate, or several", "one of "+strings.Join(related.AggregateNames, ", "), "write one, such as {mean: cost} or {count: true}")
	}
	aggregate := entries[at]
	f := related.Feature{Aggregate: related.Aggregate(slices.Index(related.AggregateNames, aggregate.key)), Column: -1}
	of, err := p.aggregated(what, aggregate, t, &f)
	if err != nil {
		return err
	}
	c, err := p.featureColumn(what, slices.Delete(slices.Clone(entries), at, at+1), f, of, t.MaxRows)
	if err != nil {
		return err
	}
	if len(p.schema.Columns) == maxColumns {
		return p.fail(e.name, "the schema has too many columns", fmt.Sprintf("at most %d", maxColumns), "declare fewer")
	}
	c.Name, c.Related = e.key, table
	t.Features = append(t.Features, f)
	p.columnPlaces = append(p.columnPlaces, columnPlace{len(p.schema.Columns), e.name})
	p.schema.Columns = append(p.schema.Columns, c)
	return nil
}

// aggregated finds the column that a feature aggregates.
func (p *schemaParser) aggregated(what string, e entry, t *relatedTable, f *related.Feature) (of Column, err error) {
	name, level := e.node.Value, ""
	if f.Aggregate == related.Count {
		if e.node.Kind == yaml.ScalarNode && name == "true" {
			return of, nil
		}
		if e.node.Kind != yaml.MappingNode || len(e.node.Content) != 2 {
			return of, p.fail(e.node, what+" has count "+nodeWords(e.node), "true, or {column: level} for the rows with that level", "mend it")
		}
		name, level = e.node.Content[0].Value, e.node.Content[1].Value
	} else if e.node.Kind != yaml.ScalarNode {
		return of, p.fail(e.node, what+" aggregates "+nodeWords(e.node), "the name of a column of the table", "mend it")
	}
	columns := t.features()
	f.Column = slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
	if f.Column < 0 {
		return of, p.fail(e.node, fmt.Sprintf("%s aggregates %q", what, name), "a column of the table that is declared numeric or by levels", "declare it under columns, or name another")
	}
	of = columns[f.Column]
	counts := f.Aggregate == related.Count
	ends := f.Aggregate == related.First || f.Aggregate == related.Last
	switch {
	case counts && of.Kind != Categorical, !counts && !ends && of.Kind == Categorical:
		return of, p.fail(e.node, fmt.Sprintf("%s is the %s of column %q, which is %s", what, f.Aggregate, name, of.Kind), "a count of a level of a categorical column, the sum, mean, min or max of a numeric one, or first or last of either", "choose another aggregate")
	case counts:
		i := slices.Index(of.Levels, level)
		if f.Level = float32(i); i < 0 {
			return of, p.fail(e.node, fmt.Sprintf("%s counts the level %q of column %q", what, level, name), "a declared level of the column", "mend it")
		}
	}
	return of, nil
}

// featureColumn returns the declaration of a feature. What its declaration does not say follows from
// the column that it aggregates and from the largest number of rows.
func (p *schemaParser) featureColumn(what string, entries []entry, f related.Feature, of Column, maxRows int) (c Column, err error) {
	always := f.Aggregate == related.Count || f.Aggregate == related.Sum
	if of.Kind == Categorical && f.Aggregate != related.Count {
		for _, e := range entries {
			if e.key != "missing" {
				return c, p.fail(e.name, what+" has levels and the key "+e.key, "missing alone", "remove it")
			}
		}
		if c, err = p.categoricalColumn(what, entries); err != nil {
			return c, err
		}
		c.Levels, c.Grouped = of.Levels, of.Grouped
		if c.Unknown = of.Unknown; c.Unknown == AsMissing || c.Unknown == Drop { // such a cell has no value here
			c.Unknown = Zero
		}
		return c, nil
	}
	if slices.ContainsFunc(entries, isPrivate) {
		return c, p.fail(entries[0].name, what+" has private bins", "declared bins", "declare them from public knowledge")
	}
	was := p.defaults
	if always {
		p.defaults.missing = Zero
	}
	p.defaults.outOfRange = Clamp
	c, err = p.numericColumn(what, entries)
	p.defaults = was
	if err != nil || hasKey(entries, "numeric") {
		return c, err
	}
	c.Lower, c.Upper = featureBounds(f, of, maxRows)
	if !hasKey(entries, "fill") && c.Missing == Zero {
		c.Fill = c.Lower
	}
	return c, nil
}

// featureBounds returns bounds on a feature that follow from the declared bounds of its column.
func featureBounds(f related.Feature, of Column, maxRows int) (lower, upper float64) {
	switch f.Aggregate {
	case related.Count:
		return 0, float64(maxRows)
	case related.Sum:
		return min(0, float64(maxRows)*of.Lower), max(0, float64(maxRows)*of.Upper)
	}
	return of.Lower, of.Upper
}

// writeRelated writes the related tables with all their features.
func (s *Schema) writeRelated(top *yaml.Node) {
	if len(s.Related) == 0 {
		return
	}
	tables, at := &yaml.Node{Kind: yaml.MappingNode}, len(s.ownColumns())
	for i := range s.Related {
		t := &s.Related[i]
		n := &yaml.Node{Kind: yaml.MappingNode}
		add(n, "key", quoted(t.Key))
		if t.PeopleKey != t.Key {
			add(n, "people-key", quoted(t.PeopleKey))
		}
		if t.MaxRows == 0 {
			add(n, "max-rows", declare("how many rows of a person are used at most"))
		} else {
			add(n, "max-rows", word(strconv.Itoa(t.MaxRows)))
		}
		if t.OrderBy != "" {
			add(n, "order-by", quoted(t.OrderBy))
		}
		add(n, "keep", word(related.KeepNames[t.Keep]))
		if t.MaxRecords != 0 {
			add(n, "max-records", word(strconv.Itoa(t.MaxRecords)))
		}
		if len(t.Columns) > 0 {
			columns := &yaml.Node{Kind: yaml.MappingNode}
			for i := range t.Columns {
				add(columns, t.Columns[i].Name, t.Columns[i].relatedNode())
			}
			add(n, "columns", columns)
		}
		features, of := &yaml.Node{Kind: yaml.MappingNode}, t.features()
		for i, f := range t.Features {
			add(features, s.Columns[at+i].Name, s.Columns[at+i].featureNode(f, of))
		}
		at += len(t.Features)
		add(n, "features", features)
		add(tables, t.Name, n)
	}
	add(top, placeRelated, tables)
}

// relatedNode writes the declaration of a column of a related table.
func (c *Column) relatedNode() *yaml.Node {
	if c.Kind == 0 {
		return declare(declareRelated)
	}
	n := c.node()
	if n.Kind == yaml.MappingNode && c.Missing == Indicator { // which stands for no key
		n.Content = n.Content[:len(n.Content)-2]
	}
	return n
}

// featureNode writes the declaration of a feature of related rows.
func (c *Column) featureNode(f related.Feature, of []Column) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	name := f.Aggregate.String()
	switch {
	case f.Column < 0:
		add(n, name, word("true"))
	case f.Aggregate == related.Count:
		level := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		add(level, of[f.Column].Name, quoted(of[f.Column].Levels[int(math.Round(float64(f.Level)))]))
		add(n, name, level)
	default:
		add(n, name, quoted(of[f.Column].Name))
	}
	if c.Kind == Categorical { // its levels and unknown follow from the column
		addTreatment(n, "missing", c.Missing)
		return n
	}
	if c.Lower < c.Upper { // not in a draft that leaves max-rows open
		n.Content = append(n.Content, c.node().Content...)
	}
	return n
}
