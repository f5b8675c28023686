package grid

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/display"
	"go.yaml.in/yaml/v3"
)

// maxFile bounds a plan file.
const maxFile = 1 << 20

// notInFile are the flags for which a plan file has no keys: they say what to do with the file.
var notInFile = []string{"plan", "out", "dry-run", "json", "quiet", "print-not-private", "help"}

// ReadFile gives the flags the values from a file of settings in YAML. A flag that is also given on
// the command line is refused, so that a value has one place.
func (f *Flags) ReadFile(path string) error {
	root, err := parseFile(path)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		flag := f.set.Lookup(key.Value)
		switch {
		case key.Kind != yaml.ScalarNode || flag == nil || slices.Contains(notInFile, key.Value):
			return fault(path, key, fmt.Sprintf("the key is %q", key.Value), "a flag of dither sweep without its hyphens in front", "dither sweep --help lists them")
		case seen[key.Value]:
			return fault(path, key, fmt.Sprintf("the key %s stands twice", key.Value), "each key once", "give its values as a list")
		case flag.Changed:
			return fault(path, key, fmt.Sprintf("%s stands here and --%s on the command line", key.Value, key.Value), "one of them", "remove one")
		}
		seen[key.Value] = true
		values, valueErr := fileValues(path, node)
		if valueErr != nil {
			return valueErr
		}
		for _, v := range values {
			if err = f.set.Set(key.Value, v); err != nil {
				return fault(path, node, fmt.Sprintf("%s is %q", key.Value, v), "a value of the flag --"+key.Value, "mend it")
			}
		}
	}
	return nil
}

// fileValues returns the values of one key: a scalar or a list of scalars.
func fileValues(path string, node *yaml.Node) ([]string, error) {
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		nodes = node.Content
	}
	var out []string
	for _, n := range nodes {
		if n.Kind != yaml.ScalarNode || n.Anchor != "" || n.Tag == "!!null" {
			return nil, fault(path, n, "the value is no text and no number", "a value, or a list of them in brackets", "write it out")
		}
		out = append(out, n.Value)
	}
	if len(out) == 0 {
		return nil, fault(path, node, "the list is empty", "at least one value", "remove the key or add a value")
	}
	return out, nil
}

// fault returns an error at a place of the plan file.
func fault(path string, n *yaml.Node, problem, want, remedy string) error {
	return &data.FileError{File: path, Line: n.Line, Column: n.Column, Problem: problem, Want: want, Remedy: remedy}
}

// parseFile reads the mapping of a plan file.
func parseFile(path string) (*yaml.Node, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--plan is %q: %w, want a YAML file", path, display.Pathless(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, display.Pathless(err))
	case len(text) > maxFile:
		return nil, fmt.Errorf("%s has more than %s, want a YAML file of settings", path, display.Size(maxFile))
	}
	var document, next yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err = decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is not YAML (%s), want keys with values; mend it", path, display.OneLine(err.Error()))
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s has no keys with values, want some, such as: epsilon: [0.5, 1, 2]", path)
	}
	if !errors.Is(decoder.Decode(&next), io.EOF) {
		return nil, fmt.Errorf("%s has several YAML documents, want one; remove the others", path)
	}
	return document.Content[0], nil
}
