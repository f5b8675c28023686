package data

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// YAML returns the schema as YAML text. If the columns are expanded and the texts are printable,
// ParseSchema turns the text back into an equal schema. Columns with consecutive numbers and equal
// declarations are written as a range. Declarations that a person must still make are marked
// DECLARE, with a comment.
func (s *Schema) YAML() ([]byte, error) {
	if slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Repeat != 0 }) {
		expanded, err := s.Expand()
		if err != nil {
			return nil, err
		}
		s = expanded
	}
	top := &yaml.Node{Kind: yaml.MappingNode}
	add(top, "dither-schema", word("1"))
	s.writeFacts(top)
	if s.Target.Column != "" {
		s.writeTarget(top)
	}
	columns := &yaml.Node{Kind: yaml.MappingNode}
	for _, run := range columnRuns(s.ownColumns()) {
		add(columns, run.key, run.column.node())
	}
	for i := range s.Patterns {
		add(columns, s.Patterns[i].Name, s.Patterns[i].node())
	}
	add(top, "columns", columns)
	s.writeRelated(top)
	if len(s.FromData) > 0 {
		add(top, "from-data", list(s.FromData))
	}
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(top); err != nil {
		return nil, fmt.Errorf("data: schema %q cannot be written, want plain texts; mend its names and levels", s.Name)
	}
	return b.Bytes(), nil
}

func (s *Schema) writeFacts(top *yaml.Node) {
	for _, t := range [][2]string{{"name", s.Name}, {"description", s.Description}, {"row", s.Row}} {
		if t[1] != "" {
			add(top, t[0], quoted(t[1]))
		}
	}
	for _, n := range []struct {
		key   string
		value int
	}{{"rows-per-person", s.RowsPerPerson}, {"records", s.Records}, {placeMaxRecords, s.MaxRecords}} {
		if n.value != 0 {
			add(top, n.key, word(strconv.Itoa(n.value)))
		} else if n.key == placeMaxRecords {
			add(top, n.key, declare("a public upper bound on the number of records"))
		}
	}
	if s.MissingMarks != nil {
		add(top, "missing-marks", list(s.MissingMarks))
	}
	if s.Delimiter != 0 {
		add(top, "delimiter", quoted(delimiterName(s.Delimiter)))
	}
	switch {
	case s.Header != nil && slices.Equal(s.Header, s.allNames()):
		add(top, "header", word(headerNone))
	case s.Header != nil:
		add(top, "header", list(s.Header))
	}
	if s.NoQuotes {
		add(top, "quote", word("none"))
	}
}

func delimiterName(r rune) string {
	for name, delimiter := range delimiterNames {
		if delimiter == r {
			return name
		}
	}
	return string(r)
}

func (s *Schema) writeTarget(top *yaml.Node) {
	t := &s.Target
	target := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	add(target, "column", quoted(t.Column))
	if t.Threshold != nil {
		add(target, "above", number(*t.Threshold))
	}
	if len(t.Levels) > 0 {
		add(target, "levels", list(t.Levels))
	}
	if t.Lower != 0 || t.Upper != 0 {
		add(target, "bounds", numbers(t.Lower, t.Upper))
	} else if len(t.Levels) == 0 {
		add(target, "levels", word(declareMark))
		target.Style = 0
		last := target.Content[len(target.Content)-1]
		last.LineComment = "levels: [...], bounds: [lower, upper], or above: number with levels: [no, yes]"
	}
	if t.Missing != undecided {
		add(target, "missing", word(t.Missing.String()))
	}
	add(top, placeTarget, target)
}

// node writes the declaration of one column.
func (c *Column) node() *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	switch c.Kind {
	case Ignored:
		return word("ignore")
	case Numeric:
		if c.Date != nil {
			c.addDate(n)
		} else {
			c.addBounds(n)
		}
		if c.Unit != "" {
			add(n, "unit", quoted(c.Unit))
		}
		if c.Integer {
			add(n, "integer", word("true"))
		}
		if c.Transform != "" {
			add(n, "transform", quoted(c.Transform))
		}
		c.addBins(n)
		addTreatment(n, "out-of-range", c.OutOfRange)
		addTreatment(n, "missing", c.Missing)
		if c.Missing == Zero && c.Fill != c.Lower {
			add(n, "fill", number(c.Fill))
		}
	case Categorical:
		if c.Date != nil {
			c.addDate(n)
			addTreatment(n, "out-of-range", c.OutOfRange)
			addTreatment(n, "missing", c.Missing)
			return n
		}
		c.addLevels(n)
		addTreatment(n, "unknown", c.Unknown)
		addTreatment(n, "missing", c.Missing)
	case Text:
		add(n, "text", c.Hashing.node())
		addTreatment(n, "missing", c.Missing)
	default:
		if c.open == openDate {
			return openDateNode()
		}
		return declare(cmp.Or(c.open, declareColumn))
	}
	return n
}

func addTreatment(n *yaml.Node, key string, t Treatment) {
	if t != undecided {
		add(n, key, word(t.String()))
	}
}

func add(mapping *yaml.Node, key string, value *yaml.Node) {
	mapping.Content = append(mapping.Content, quoted(key), value)
}

// word returns a scalar that needs no quotes. quoted returns one with quotes if it would otherwise
// read as a number, a boolean or nothing.
func word(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

func quoted(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: text, Tag: "!!str"}
	if !plainText(text) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func declare(what string) *yaml.Node {
	n := word(declareMark)
	n.LineComment = what
	return n
}

func list(texts []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, text := range texts {
		n.Content = append(n.Content, quoted(text))
	}
	return n
}

func number(v float64) *yaml.Node {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if len(text) > 20 {
		text = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return word(text)
}

func numbers(values ...float64) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, v := range values {
		n.Content = append(n.Content, number(v))
	}
	return n
}
