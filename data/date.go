package data

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ditherml/dither/internal/moment"
)

// source returns the name of the column of a table that holds the cells.
func (c *Column) source() string {
	if c.Date != nil {
		return c.Date.Column
	}
	return c.Name
}

// sources returns the names of the columns of a table that hold the cells of columns, each once.
func sources(columns []Column) []string {
	names := make([]string, 0, len(columns))
	for i := range columns {
		if columns[i].leads(columns, i) {
			names = append(names, columns[i].source())
		}
	}
	return names
}

// leads reports whether a column is the first of those that are made of its cells.
func (c *Column) leads(columns []Column, i int) bool {
	return i == 0 || !c.Date.Follows(columns[i-1].Date)
}

// isText reports whether the cells of a column are read as texts, even if they are dates.
func (c *Column) isText() bool { return c.Kind != Numeric || c.Date != nil }

// classifyDate is classify for a trimmed text that is not missing, in a column that is made of dates.
func (c *Column) classifyDate(text string) (state, float64) {
	micros, ok := moment.Micros(text)
	switch outside := ok && c.Date.Outside(micros); {
	case !ok:
		return unparsable, 0
	case slices.Contains(c.absentAt, micros):
		return missing, 0
	case c.Date.Part == moment.Distance && outside:
		return outOfRange, c.Date.Days(micros)
	case c.Date.Part == moment.Distance:
		return good, c.Date.Days(micros)
	case outside && c.OutOfRange != Clamp:
		return outOfRange, 0
	}
	return good, float64(c.Date.Level(micros))
}

// dateColumns returns the columns that are made of the dates of a column, of its declaration: the
// distance, if a day is declared, and then the parts.
func dateColumns(c Column) []Column {
	d := *c.Date
	d.Column = c.Name
	var out []Column
	if c.Kind == Numeric {
		own := d
		c.Date = &own
		out = append(out, c)
	}
	for _, part := range d.Parts {
		own := d
		own.Part = part
		p := Column{Name: c.Name + "." + part, Kind: Categorical, Levels: own.Levels(), Unknown: Zero, OutOfRange: c.OutOfRange, Missing: c.Missing, Date: &own}
		if len(out) > 0 && c.Missing == Indicator { // one indicator says that the cell is missing
			p.Missing = Zero
		}
		out = append(out, p)
	}
	return out
}

// datedColumn reads a column with the key date. The distance from the declared day is a number like
// any other.
func (p *schemaParser) datedColumn(what string, entries []entry, c Column) (Column, error) {
	for _, e := range entries {
		if e.key == "date" {
			if err := p.date(what, e, &c); err != nil {
				return c, err
			}
		}
	}
	for _, e := range entries {
		switch only := c.Kind == Categorical && slices.Contains([]string{"transform", "bins", "fill"}, e.key); {
		case !slices.Contains([]string{"date", "out-of-range", "missing", "transform", "bins", "fill"}, e.key):
			return c, p.fail(e.name, what+" is a date and has the key "+e.key, "date, transform, bins, out-of-range, missing, fill", "remove it")
		case only:
			return c, p.fail(e.name, what+" has the key "+e.key+" and no distance in days", "since and range in date, since "+e.key+" is about their number", "declare them, or remove it")
		case e.key == "bins" && isPrivate(e):
			return c, p.fail(e.node, "bins of dates are private", "ascending numbers of days", "write the cut points")
		}
	}
	return p.numberColumn(what, entries, c)
}

// namedColumns returns the columns of one declaration for each of several names. They share what is
// long, such as levels.
func namedColumns(c Column, names []string) []Column {
	parts := []Column{c}
	if c.Date != nil {
		parts = dateColumns(c)
	}
	out := make([]Column, 0, len(names)*len(parts))
	for _, name := range names {
		for _, part := range parts {
			if d := part.Date; d != nil {
				own := *d
				own.Column, part.Date = name, &own
				part.Name = name
				if own.Part != moment.Distance {
					part.Name += "." + own.Part
				}
			} else {
				part.Name = name
			}
			out = append(out, part)
		}
	}
	return out
}

// date reads {since: …, range: …, parts: …}.
func (p *schemaParser) date(what string, e entry, c *Column) error {
	entries, err := p.mapping(e.node, "date", dateKeys...)
	if err != nil {
		return err
	}
	d := &moment.Feature{}
	c.Date, c.Kind = d, Categorical
	var span *yaml.Node
	since, opened := false, false
	for _, e := range entries {
		switch open := e.node.Kind == yaml.ScalarNode && e.node.Value == declareMark; {
		case open && e.key != "parts":
			opened = true
		case e.key == "since":
			since, c.Kind = true, Numeric
			err = p.day(e, &d.Since)
		case e.key == "range":
			span, d.Bounded = e.node, true
			if err = p.countedRange(what, e, entries); err == nil {
				d.Lower, d.Upper, err = p.bounds(e)
			}
			c.Lower, c.Upper = d.Lower, d.Upper
		case e.key == "parts":
			err = p.parts(e, &d.Parts)
		}
		if err != nil {
			return err
		}
	}
	if opened {
		*c = Column{open: openDate}
		return nil
	}
	switch year := slices.Contains(d.Parts, moment.Year); {
	case since != (span != nil):
		return p.fail(e.node, what+" has a date with one of since and range", "both: the day from which days count, and the bounds of their number", "write since: 2020-01-01, range: [0, 365]")
	case !since && len(d.Parts) == 0:
		return p.fail(e.node, what+" has a date without a feature", "since and range, or parts", "write since: 2020-01-01, range: [0, 365], or parts: [month, weekday]")
	case year && !since:
		return p.fail(e.node, what+" has the part year without a range", "since and range, which declare the years", "write since: 2020-01-01, range: [0, 365]")
	}
	if f := faultSpan(d); f != nil {
		return p.fail(span, what+": "+f.problem, f.want, f.remedy)
	}
	return nil
}

// day reads a date such as 2020-01-01.
func (p *schemaParser) day(e entry, days *int64) error {
	micros, ok := moment.Micros(e.node.Value)
	day, rest := moment.Split(micros)
	if e.node.Kind != yaml.ScalarNode || !ok || rest != 0 || len(e.node.Value) != len("2020-01-01") {
		return p.fail(e.node, e.key+" is "+nodeWords(e.node), "a day such as 2020-01-01", "mend it")
	}
	*days = day
	return nil
}

// countedRange refuses a range that is written as dates, and says which numbers of days stand for them. The first date
// may stand for a day since that is not declared.
func (p *schemaParser) countedRange(what string, e entry, entries []entry) error {
	if e.node.Kind != yaml.SequenceNode || len(e.node.Content) != 2 {
		return nil
	}
	first := e.node.Content[0].Value
	since, declared := first, false
	for _, other := range entries {
		if other.key == "since" {
			since, declared = other.node.Value, true
		}
	}
	origin, ok := moment.Micros(since)
	var days []string
	dates := 0
	for _, n := range e.node.Content {
		count := n.Value
		if micros, is := moment.Micros(n.Value); is && n.Kind == yaml.ScalarNode {
			day, rest := moment.Split(micros - origin)
			count = number(float64(day) + float64(rest)/86_400_000_000).Value
			dates++
		}
		days = append(days, count)
	}
	if dates == 0 {
		return nil
	}
	remedy := "declare since: 2020-01-01, and count the days from it"
	if ok {
		remedy = fmt.Sprintf("write range: [%s]", strings.Join(days, ", "))
	}
	if ok && !declared {
		remedy = fmt.Sprintf("write since: %s, range: [%s]", since, strings.Join(days, ", "))
	}
	return p.fail(e.node, what+" has a range with a date", "two numbers: the days from since to the first and to the last date", remedy)
}

// parts reads the parts of a date, each at most once.
func (p *schemaParser) parts(e entry, dst *[]string) error {
	if err := p.texts(e, dst); err != nil {
		return err
	}
	for i, part := range *dst {
		if !slices.Contains(moment.PartNames(), part) || slices.Contains((*dst)[:i], part) {
			return p.fail(e.node.Content[i], fmt.Sprintf("part %q of a date is not known or stands twice", part), "some of "+strings.Join(moment.PartNames(), ", "), "mend it")
		}
	}
	if len(*dst) == 0 {
		*dst = nil
	}
	return nil
}

// faultSpan returns why the range of a date cannot be used, or nil.
func faultSpan(d *moment.Feature) *fault {
	if !d.Bounded {
		return nil
	}
	if f := faultBounds(d.Lower, d.Upper); f != nil {
		return f
	}
	since := float64(d.Since)
	if since+math.Floor(d.Lower) < moment.FirstDay || since+d.Upper > moment.LastDay+1 {
		return &fault{problem: fmt.Sprintf("the range [%v, %v] of a date leaves the years 1 to 9999", d.Lower, d.Upper), want: "days that have a date", remedy: "mend the range"}
	}
	return nil
}

// faultDate returns why a column cannot be made of dates, or nil.
func (c *Column) faultDate() *fault {
	d := c.Date
	if d == nil {
		return nil
	}
	distance := d.Part == moment.Distance
	switch {
	case c.Kind != Numeric && c.Kind != Categorical || distance != (c.Kind == Numeric) || c.Learning != Declared || c.Grouped != nil ||
		distance && (!d.Bounded || d.Lower != c.Lower || d.Upper != c.Upper) || d.Part == moment.Year && !d.Bounded ||
		!distance && (!slices.Contains(moment.PartNames(), d.Part) || !d.Fits(c.Levels)):
		return &fault{problem: "the declaration of a date does not fit its column", want: "a schema as ParseSchema makes it", remedy: "write the schema as text"}
	case faultSpan(d) != nil:
		return faultSpan(d)
	}
	return faultTreatment("out-of-range", c.OutOfRange, Clamp, AsMissing, Drop)
}

// addDate writes the declaration of the dates of a column.
func (c *Column) addDate(n *yaml.Node) {
	d := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	if c.Date.Bounded {
		add(d, "since", word(string(moment.AppendDate(nil, float64(c.Date.Since)))))
		add(d, "range", numbers(c.Date.Lower, c.Date.Upper))
	}
	if len(c.Date.Parts) > 0 {
		add(d, "parts", list(c.Date.Parts))
	}
	add(n, "date", d)
}

// draftDate returns a column of dates in a range of days, which treats bad cells in the way that loses
// least.
func draftDate(name string, since int64, lower, upper float64) Column {
	c := draftNumeric(name, lower, upper)
	c.Date = &moment.Feature{Column: name, Since: since, Bounded: true, Lower: lower, Upper: upper}
	return c
}

// declareDate is the remedy for dates in a column that is declared as a number.
const declareDate = "declare date: with since and range in the schema, or write days since a fixed day in the table"

// openDate is an open column of dates.
const openDate = "since: a day such as 2020-01-01, range: [first, last] in days after it; or levels: [...] or ignore in place of date"

// openDateNode writes an open column of dates.
func openDateNode() *yaml.Node {
	n, d := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}, &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	add(d, "since", word(declareMark))
	add(d, "range", word(declareMark))
	add(n, "date", d)
	n.LineComment = openDate
	return n
}

// refuseDates returns the error of a file that holds numbers only, under a schema with dates.
func refuseDates(q request, what string) error {
	if err := refusePatterns(q, what); err != nil {
		return err
	}
	for i := range q.schema.Columns {
		if c := &q.schema.Columns[i]; c.Date != nil {
			return &FileError{File: q.file, Problem: fmt.Sprintf("the schema declares column %q as dates and the file is %s", c.Date.Column, what), Want: "a table that can hold dates, as CSV or Parquet", Remedy: "write the table as CSV, or declare numbers"}
		}
	}
	return nil
}
