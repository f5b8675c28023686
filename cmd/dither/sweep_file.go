package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ditherml/dither/data"
	"go.yaml.in/yaml/v3"
)

// maxPlanFile bounds a plan file.
const maxPlanFile = 1 << 20

// sweepNotInPlan are the flags that a plan file has no keys for: they say what to do with it.
var sweepNotInPlan = []string{"plan", "out", "dry-run", "json", "quiet", "print-not-private", "help"}

// readPlan gives the flags the values that the plan file has. A flag that is given too is refused, since a number
// stands in one place.
func (s *sweepCommand) readPlan() error {
	if s.planFile == "" {
		return nil
	}
	root, err := parsePlan(s.planFile)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		flag := s.flags.Lookup(key.Value)
		switch {
		case key.Kind != yaml.ScalarNode || flag == nil || slices.Contains(sweepNotInPlan, key.Value):
			return s.fault(key, fmt.Sprintf("the key is %q", key.Value), "a flag of dither sweep without its hyphens in front", "dither sweep --help lists them")
		case seen[key.Value]:
			return s.fault(key, fmt.Sprintf("the key %s stands twice", key.Value), "each key once", "give its values as a list")
		case flag.Changed:
			return s.fault(key, fmt.Sprintf("%s stands here and --%s on the command line", key.Value, key.Value), "one of them", "remove one")
		}
		seen[key.Value] = true
		values, valueErr := s.planValues(node)
		if valueErr != nil {
			return valueErr
		}
		for _, v := range values {
			if err = s.flags.Set(key.Value, v); err != nil {
				return s.fault(node, fmt.Sprintf("%s is %q", key.Value, v), "a value of the flag --"+key.Value, "mend it")
			}
		}
	}
	return nil
}

// planValues are the values of one key: a scalar or a list of scalars.
func (s *sweepCommand) planValues(node *yaml.Node) ([]string, error) {
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		nodes = node.Content
	}
	var out []string
	for _, n := range nodes {
		if n.Kind != yaml.ScalarNode || n.Anchor != "" || n.Tag == "!!null" {
			return nil, s.fault(n, "the value is no text and no number", "a value, or a list of them in brackets", "write it out")
		}
		out = append(out, n.Value)
	}
	if len(out) == 0 {
		return nil, s.fault(node, "the list is empty", "at least one value", "remove the key or add a value")
	}
	return out, nil
}

// fault is an error at a place of the plan file.
func (s *sweepCommand) fault(n *yaml.Node, problem, want, remedy string) error {
	return &data.FileError{File: s.planFile, Line: n.Line, Column: n.Column, Problem: problem, Want: want, Remedy: remedy}
}

// parsePlan reads the mapping of a plan file.
func parsePlan(path string) (*yaml.Node, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--plan is %q: %w, want a YAML file", path, pathless(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPlanFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, pathless(err))
	case len(text) > maxPlanFile:
		return nil, fmt.Errorf("%s has more than %s, want a YAML file of settings", path, sizeText(maxPlanFile))
	}
	var document, next yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err = decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is not YAML (%s), want keys with values; mend it", path, oneLine(err.Error()))
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s has no keys with values, want some, such as: epsilon: [0.5, 1, 2]", path)
	}
	if !errors.Is(decoder.Decode(&next), io.EOF) {
		return nil, fmt.Errorf("%s has several YAML documents, want one; remove the others", path)
	}
	return document.Content[0], nil
}
