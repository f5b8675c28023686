package data

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// privateWord is the word, in a schema file, for bounds or levels that are to be learned.
const privateWord = "private"

func isPrivate(e entry) bool { return e.node.Kind == yaml.ScalarNode && e.node.Value == privateWord }

// learning reads one of the words about private bounds, levels and bins:
//
//	age: {bounds: private, range: [0, 200]}
//	job: {levels: private, max-levels: 20}
//	pay: {numeric: [0, 1e9], bins: private, max-bins: 8}
//
// It also reads the mark learned: true, which training writes next to numeric:, levels: and bins:
// of a model's schema.
func (p *schemaParser) learning(e entry, c *Column, entries []entry) error {
	switch {
	case e.key == "bins" && (hasKey(entries, "bounds") || !hasKey(entries, "max-bins")):
		return p.fail(e.node, "bins are private", "numeric: with a range beside them that is wide enough, and max-bins:", "write numeric: [lower, upper], bins: private, max-bins: 8")
	case e.key == "bins":
		c.Learning = Private
		for _, other := range entries {
			if other.key == "max-bins" {
				return p.positive(other)
			}
		}
		return nil
	case e.key == "learned" && (e.node.Value != "true" || hasKey(entries, "bounds")):
		return p.fail(e.node, "learned is "+nodeWords(e.node), "learned: true, beside numeric: or levels: that were learned", "remove it")
	case e.key == "learned":
		c.Learning = Learned
		return nil
	case e.key == "range" && !hasKey(entries, "bounds"):
		return p.fail(e.name, "a range is given without private bounds", "bounds: private beside it, or numeric: in its place", "add or replace it")
	case e.key == "range":
		var err error
		c.Lower, c.Upper, err = p.bounds(e)
		return err
	case !isPrivate(e) || hasKey(entries, "numeric"):
		return p.fail(e.node, "bounds is "+nodeWords(e.node), "bounds: private alone; declared bounds are numeric: [lower, upper]", "write one of the two")
	}
	c.Learning = Private
	if !hasKey(entries, "range") {
		c.Lower, c.Upper = -DefaultRange, DefaultRange
	}
	return nil
}

// positive demands an integer of at least 1: a column of no bins would read as one of private
// bounds.
func (p *schemaParser) positive(e entry) error {
	n := 0
	if err := p.whole(e, &n); err != nil || n > 0 {
		return err
	}
	return p.fail(e.node, e.key+" is "+nodeWords(e.node), "a positive integer", "write one, such as 8")
}

// addBounds writes the bounds of a numeric column.
func (c *Column) addBounds(n *yaml.Node) {
	if c.Learning == Private && c.MaxBins == 0 {
		add(n, "bounds", word(privateWord))
		add(n, "range", numbers(c.Lower, c.Upper))
		return
	}
	add(n, "numeric", numbers(c.Lower, c.Upper))
	c.addLearned(n)
}

// addBins writes the bins of a numeric column.
func (c *Column) addBins(n *yaml.Node) {
	if c.MaxBins != 0 && c.Learning == Private {
		add(n, "bins", word(privateWord))
	}
	if len(c.Bins) > 0 {
		add(n, "bins", numbers(c.Bins...))
	}
	if c.MaxBins != 0 {
		add(n, "max-bins", word(fmt.Sprint(c.MaxBins)))
	}
}

// addLevels writes the levels of a categorical column.
func (c *Column) addLevels(n *yaml.Node) {
	if c.Learning == Private {
		add(n, "levels", word(privateWord))
	} else {
		add(n, "levels", c.levelsNode())
	}
	if c.Ordered {
		add(n, "ordered", word("true"))
	}
	if c.MaxLevels != 0 {
		add(n, "max-levels", word(fmt.Sprint(c.MaxLevels)))
	}
	c.addLearned(n)
}

func (c *Column) addLearned(n *yaml.Node) {
	if c.Learning == Learned {
		add(n, "learned", word("true"))
	}
}
