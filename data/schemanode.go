package data

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// This file reads the small pieces of a schema file: mappings, texts, numbers and treatments.

// mapping returns the entries of a mapping whose keys are among the allowed ones, each at most
// once. No allowed keys mean that every key is allowed.
func (p *schemaParser) mapping(n *yaml.Node, what string, allowed ...string) ([]entry, error) {
	if n.Kind != yaml.MappingNode {
		return nil, p.fail(n, what+" is "+nodeWords(n), "key: value pairs", "write it as a mapping")
	}
	var entries []entry
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, node := n.Content[i], n.Content[i+1]
		if name.Kind != yaml.ScalarNode || name.Anchor != "" || node.Anchor != "" || node.Kind == yaml.AliasNode {
			return nil, p.fail(name, what+" uses a YAML anchor, alias or composed key", "plain keys and values", "write the value out")
		}
		key := name.Value
		if len(allowed) > 0 && !slices.Contains(allowed, key) {
			return nil, p.fail(name, fmt.Sprintf("%s has the unknown key %q", what, key), "one of "+strings.Join(allowed, ", "), "remove or rename it")
		}
		if seen[key] {
			return nil, p.fail(name, fmt.Sprintf("%s has the key %q twice", what, key), "each key once", "remove one")
		}
		seen[key] = true
		entries = append(entries, entry{key, name, node})
	}
	return entries, nil
}

func nodeWords(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Value == "" {
		return "empty"
	}
	return fmt.Sprintf("%q", n.Value)
}

func (p *schemaParser) text(e entry, dst *string) error {
	if e.node.Kind != yaml.ScalarNode {
		return p.fail(e.node, e.key+" is "+nodeWords(e.node), "a text", "mend it")
	}
	*dst = e.node.Value
	return nil
}

func (p *schemaParser) texts(e entry, dst *[]string) error {
	if e.node.Kind != yaml.SequenceNode {
		return p.fail(e.node, e.key+" is "+nodeWords(e.node), "a list in brackets", "mend it")
	}
	texts := make([]string, len(e.node.Content))
	for i, n := range e.node.Content {
		if n.Kind != yaml.ScalarNode || n.Anchor != "" {
			return p.fail(n, fmt.Sprintf("an item of %s is %s", e.key, nodeWords(n)), "a text", "mend it")
		}
		texts[i] = n.Value
	}
	*dst = texts
	return nil
}

func (p *schemaParser) whole(e entry, dst *int) error {
	v, err := strconv.Atoi(e.node.Value)
	if e.node.Kind != yaml.ScalarNode || err != nil {
		return p.fail(e.node, e.key+" is "+nodeWords(e.node), "an integer", "mend it")
	}
	*dst = v
	return nil
}

func (p *schemaParser) number(n *yaml.Node, key string) (float64, error) {
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || n.Anchor != "" || err != nil || !finite(v) {
		return 0, p.fail(n, key+" is "+nodeWords(n), "a finite number", "mend it")
	}
	return v + 0, nil
}

func (p *schemaParser) numbers(e entry) ([]float64, error) {
	if e.node.Kind != yaml.SequenceNode {
		return nil, p.fail(e.node, e.key+" is "+nodeWords(e.node), "numbers in brackets", "mend it")
	}
	var values []float64
	for _, n := range e.node.Content {
		v, err := p.number(n, "an item of "+e.key)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// bounds returns [lower, upper].
func (p *schemaParser) bounds(e entry) (lower, upper float64, err error) {
	values, err := p.numbers(e)
	if err != nil {
		return 0, 0, err
	}
	if len(values) != 2 {
		return 0, 0, p.fail(e.node, fmt.Sprintf("%s has %d numbers", e.key, len(values)), "2: [lower, upper]", "mend it")
	}
	return values[0], values[1], nil
}

func (p *schemaParser) treatment(e entry, dst *Treatment, choices ...Treatment) error {
	var words []string
	for _, t := range choices {
		if e.node.Kind == yaml.ScalarNode && e.node.Value == t.String() {
			*dst = t
			return nil
		}
		words = append(words, t.String())
	}
	return p.fail(e.node, e.key+" is "+nodeWords(e.node), "one of "+strings.Join(words, ", "), "choose one")
}
