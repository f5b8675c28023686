package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// levelSearch finds the level of a text. index maps texts to levels; nil means that the texts are
// searched.
type levelSearch struct {
	levels  []string
	grouped [][]string
	index   map[string]int
}

// search returns the search of the levels of a column.
func (c *Column) search(index map[string]int) levelSearch {
	return levelSearch{c.Levels, c.Grouped, index}
}

// text returns the level of a text, or -1.
func (l levelSearch) text(text string) int {
	if l.index != nil {
		if i, ok := l.index[text]; ok {
			return i
		}
		return -1
	}
	if i := slices.Index(l.levels, text); i >= 0 {
		return i
	}
	for i, texts := range l.grouped {
		if slices.Contains(texts, text) {
			return i
		}
	}
	return -1
}

// bytes is text for a text in bytes. It allocates nothing.
func (l levelSearch) bytes(text []byte) int {
	if l.index != nil {
		if i, ok := l.index[string(text)]; ok {
			return i
		}
		return -1
	}
	for i, level := range l.levels {
		if level == string(text) {
			return i
		}
	}
	for i, texts := range l.grouped {
		for _, other := range texts {
			if other == string(text) {
				return i
			}
		}
	}
	return -1
}

// number returns the level with a text that is the number: written plainly, then in the shortest
// form, then in the shortest form of a float32. It is -1 if there is none.
func (l levelSearch) number(v float64) int {
	if v == 0 {
		v = 0 // minus zero is the level "0"
	}
	var buffer [32]byte
	for _, f := range [3]struct {
		format byte
		bits   int
	}{{'f', 64}, {'g', 64}, {'g', 32}} {
		if f.bits == 32 && float64(float32(v)) != v || f.format == 'f' && math.Abs(v) >= 1e21 {
			continue
		}
		if i := l.bytes(strconv.AppendFloat(buffer[:0], v, f.format, -1, f.bits)); i >= 0 {
			return i
		}
	}
	return -1
}

// numberLevel returns the position of the text that is the number, as levelSearch.number.
func numberLevel(texts []string, v float64) int { return levelSearch{levels: texts}.number(v) }

// texts returns the texts that have a level: the names of the levels, and then the other texts of
// groups.
func (c *Column) texts() []string {
	if c.Grouped == nil {
		return c.Levels
	}
	return slices.Concat(c.Levels, slices.Concat(c.Grouped...))
}

// levelIndexes returns a map of levels for every column that has many.
func levelIndexes(columns []Column) []map[string]int {
	indexes := make([]map[string]int, len(columns))
	for j := range columns {
		c := &columns[j]
		if c.Kind != Categorical || c.Date != nil || len(c.texts()) < manyLevels {
			continue
		}
		indexes[j] = make(map[string]int, len(c.Levels))
		for i, level := range c.Levels {
			indexes[j][level] = i
		}
		for i, texts := range c.Grouped {
			for _, text := range texts {
				indexes[j][text] = i
			}
		}
	}
	return indexes
}

// levels reads a list of levels. A level is a text, or a mapping from its name to the list of its
// texts.
func (p *schemaParser) levels(e entry, c *Column) error {
	if e.node.Kind != yaml.SequenceNode || !slices.ContainsFunc(e.node.Content, func(n *yaml.Node) bool { return n.Kind == yaml.MappingNode }) {
		return p.texts(e, &c.Levels)
	}
	owner := map[string]string{}
	some := false
	take := func(n *yaml.Node, text, level string) error {
		other, taken := owner[text]
		switch {
		case taken && other == level && text != level:
			return p.fail(n, fmt.Sprintf("the text %q stands twice in the level %q", text, level), "each text once", "remove one of the two")
		case taken && other == level:
			return p.fail(n, fmt.Sprintf("the level %q is declared twice", level), "each level once", "remove one of the two")
		case taken:
			return p.fail(n, fmt.Sprintf("the text %q is of the level %q and of the level %q", text, other, level), "each text in one level; the name of a level is one of its texts", "remove it from one of the two")
		}
		owner[text] = level
		return nil
	}
	for _, n := range e.node.Content {
		if n.Kind == yaml.ScalarNode && n.Anchor == "" {
			if err := take(n, n.Value, n.Value); err != nil {
				return err
			}
			c.Levels, c.Grouped = append(c.Levels, n.Value), append(c.Grouped, nil)
			continue
		}
		entries, err := p.mapping(n, "an item of levels")
		if err == nil && len(entries) != 1 {
			err = p.fail(n, fmt.Sprintf("a group of levels has %d names", len(entries)), "one name and its texts, as {North: [ME, NH, VT]}", "write each group as an item of its own")
		}
		if err != nil {
			return err
		}
		group := entries[0]
		if err = take(group.name, group.key, group.key); err != nil {
			return err
		}
		var texts, others []string
		if group.node.Kind != yaml.SequenceNode {
			return p.fail(n, fmt.Sprintf("the texts of the level %q are %s", group.key, nodeWords(group.node)), "a list in brackets, as {North: [ME, NH, VT]}", "mend it")
		}
		if err = p.texts(group, &texts); err != nil {
			return err
		}
		for i, text := range texts {
			if text == group.key { // the name is a text of the group anyway
				continue
			}
			if err = take(group.node.Content[i], text, group.key); err != nil {
				return err
			}
			others = append(others, text)
		}
		c.Levels, c.Grouped = append(c.Levels, group.key), append(c.Grouped, others)
		some = some || others != nil
	}
	if !some {
		c.Grouped = nil
	}
	return nil
}

// levelsNode writes the list of levels.
func (c *Column) levelsNode() *yaml.Node {
	n := list(c.Levels)
	for i := range c.Grouped {
		if len(c.Grouped[i]) > 0 {
			group := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
			add(group, c.Levels[i], list(c.Grouped[i]))
			n.Content[i] = group
		}
	}
	return n
}

// order notes that the levels are in order. A treatment that a default gives an undeclared level, and
// that ordered levels cannot have, becomes as-missing.
func (p *schemaParser) order(e entry, c *Column, entries []entry) error {
	if e.node.Value != "true" || e.node.Kind != yaml.ScalarNode {
		return p.fail(e.node, "ordered is "+nodeWords(e.node), "ordered: true, with levels in their order", "remove it for levels without an order")
	}
	c.Ordered = true
	if !hasKey(entries, "unknown") && (c.Unknown == Other || c.Unknown == Zero) {
		c.Unknown = AsMissing
	}
	return nil
}

// faultOrdered returns why levels cannot be in order, or nil.
func (c *Column) faultOrdered() *fault {
	switch {
	case !c.Ordered:
		return nil
	case c.Learning != Declared || len(c.Levels) < 2:
		return &fault{problem: fmt.Sprintf("levels are ordered, and %d are declared", len(c.Levels)), want: "two or more declared levels", remedy: "declare the levels in their order, or remove ordered"}
	case c.Lower != 0 || c.Upper != float64(len(c.Levels)-1) || c.Date != nil:
		return &fault{problem: fmt.Sprintf("ordered levels have the bounds [%v, %v]", c.Lower, c.Upper), want: fmt.Sprintf("the positions 0 and %d", len(c.Levels)-1), remedy: "mend the bounds"}
	}
	return nil
}

// faultGrouped returns why the groups of levels cannot be used, or nil.
func (c *Column) faultGrouped() *fault {
	switch {
	case c.Grouped == nil:
		return nil
	case len(c.Grouped) != len(c.Levels):
		return &fault{problem: fmt.Sprintf("there are groups of texts for %d of %d levels", len(c.Grouped), len(c.Levels)), want: "a group for each level, which may be empty", remedy: "mend the groups"}
	case c.Learning != Declared:
		return &fault{problem: "levels that are learned have groups of texts", want: "groups of declared levels only", remedy: "remove the groups"}
	}
	return nil
}
