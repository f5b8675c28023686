// Package layers makes the layers of networks from the command line: a preset, or a file of layers.
package layers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train"
	"go.yaml.in/yaml/v3"
)

// defaultHidden is the default number of hidden units of mlp.
const defaultHidden = 128

// maxLayersFile bounds a file of layers.
const maxLayersFile = 1 << 20

// Sizes are the public numbers that a network must match: the numbers of a row and the scores of
// the loss.
type Sizes struct {
	Features, Scores int
	Tokens           int // of text columns whose words have positions, else 0
	Loss             string
}

// SizesFor returns the sizes of a request for a schema.
func SizesFor(r train.Request, s *data.Schema) (Sizes, error) {
	r.Intercept = -1
	if r.Normalization == "" {
		r.Normalization = feature.NormNone
	}
	features, linear, err := r.Encoding(s)
	if err != nil {
		return Sizes{}, err
	}
	return Sizes{features.Dim(), linear.Columns, features.Encoder().Tokens(), linear.Loss.Name()}, nil
}

// These are the models that Spec.Model names. Any other text is a file of layers.
const (
	Linear = "linear" // no network
	MLP    = "mlp"
	CNN    = "cnn"
	Text   = "text"
)

// Spec describes a network on the command line.
type Spec struct {
	Model              string
	Hidden, Activation string // of MLP and Text
	Embedding          int    // numbers of an embedding, of Text
	InputShape         string // of one record, as 28x28; "" means the table's
	// Given reports whether a flag was given.
	Given func(flag string) bool
}

// Layers returns the layers of a network for a schema, and the shape of their input. The argument
// table is the source of the records, nil for a built-in table. Its header may have the shape of a
// record.
func (n Spec) Layers(ctx context.Context, table *data.Source, s *data.Schema, size Sizes) (network.Layers, network.Shape, error) {
	if err := n.checkFlags(s); err != nil {
		return nil, nil, err
	}
	image, err := n.image(ctx, table, size)
	if err != nil {
		return nil, nil, err
	}
	flat := network.Shape{size.Features}
	if n.InputShape != "" {
		flat = image
	}
	switch n.Model {
	case MLP:
		units, failed := n.units(defaultHidden)
		layers, input := network.Layers{}, network.Shape{size.Features}
		if len(flat) > 1 {
			layers, input = network.Layers{network.Flatten{}}, flat
		}
		return n.hiddenLayers(layers, size.Scores, units), input, failed
	case Text:
		units, failed := n.units()
		return n.hiddenLayers(network.Layers{n.words(size)}, size.Scores, units), network.Shape{size.Features}, failed
	case CNN:
		if image == nil {
			return nil, nil, fmt.Errorf("--input-shape is missing with --model %s, want rows, columns and colors, such as 28x28 or 32x32x3, that make %d numbers", CNN, size.Features)
		}
		layers := network.CNN(size.Scores)
		_, err = network.New(image, layers...)
		return layers, image, err
	}
	return n.readLayers(image, size)
}

// checkFlags refuses flags of other presets.
func (n Spec) checkFlags(s *data.Schema) error {
	for name, models := range map[string][]string{"hidden": {MLP, Text}, "activation": {MLP, Text}, "embedding": {Text}} {
		if n.Given(name) && !strings.Contains(strings.Join(models, " "), n.Model) {
			return fmt.Errorf("--%s is given with --model %s, want it with %s only; a file of layers says it by itself", name, n.Model, strings.Join(models, " and "))
		}
	}
	switch {
	case n.Model == Text && !s.HasText():
		return fmt.Errorf("--model is %s and the schema has no text column, want one, declared as text; or --model %s", Text, MLP)
	case n.Embedding < 1:
		return fmt.Errorf("--embedding is %d, want at least 1", n.Embedding)
	}
	return nil
}

// units returns the requested hidden units.
func (n Spec) units(fallback ...int) ([]int, error) {
	if n.Hidden == "" {
		return fallback, nil
	}
	return WholeNumbers("hidden", n.Hidden, "units of each hidden layer, such as 128,64")
}

// words returns the layer of the embeddings. For a bag it is a sum over the nonzero entries, for
// words in order their mean.
func (n Spec) words(size Sizes) network.Layer {
	if size.Tokens > 0 {
		return network.EmbeddingBag{Vocabulary: size.Tokens, Features: n.Embedding}
	}
	return network.SparseLinear{Outputs: n.Embedding}
}

// hiddenLayers appends hidden layers, each with the activation after it, and the layer of the
// scores.
func (n Spec) hiddenLayers(layers network.Layers, scores int, units []int) network.Layers {
	for _, u := range units {
		layers = append(layers, network.Linear{Outputs: u}, network.Activation{Function: n.Activation})
	}
	return append(layers, network.Linear{Outputs: scores})
}

// image returns the shape of one record from --input-shape or the table, with its colors last, or
// nil.
func (n Spec) image(ctx context.Context, table *data.Source, size Sizes) (network.Shape, error) {
	var shape []int
	if n.InputShape != "" {
		var err error
		if shape, err = WholeNumbers("input-shape", strings.ReplaceAll(n.InputShape, "x", ","), "lengths such as 28x28 or 32x32x3"); err != nil {
			return nil, err
		}
		if network.Shape(shape).Size() != size.Features {
			return nil, fmt.Errorf("--input-shape is %q, which makes %d numbers, want %d, as many as a row has features", n.InputShape, network.Shape(shape).Size(), size.Features)
		}
	} else if table != nil {
		found, err := data.RecordShape(ctx, *table)
		if err != nil {
			return nil, err
		}
		if shape = found; !isImage(shape, size.Features) {
			return nil, nil
		}
	}
	if len(shape) == 2 {
		shape = append(shape, 1)
	}
	return shape, nil
}

// readLayers reads a file of layers. An error names the line of the layer that is wrong.
func (n Spec) readLayers(image network.Shape, size Sizes) (network.Layers, network.Shape, error) {
	text, err := readLayersFile(n.Model)
	if err != nil {
		return nil, nil, err
	}
	layers, lines, err := parseLayers(n.Model, text)
	if err != nil {
		return nil, nil, err
	}
	input := network.Shape{size.Features}
	if _, flat := layers[0].(network.Linear); image != nil && (!flat || n.InputShape != "") {
		input = image
	}
	for i := range layers {
		if _, err = network.New(input, layers[:i+1]...); err != nil {
			return nil, nil, fmt.Errorf("%s line %d: %s", n.Model, lines[i], withoutPlace(err, i))
		}
	}
	built, err := network.New(input, layers...)
	if err != nil {
		return nil, nil, err
	}
	if built.Output().Size() != size.Scores {
		return nil, nil, fmt.Errorf("%s line %d: the last layer gives %d numbers, want %d, as many as the loss %s has scores", n.Model, lines[len(lines)-1], built.Output().Size(), size.Scores, size.Loss)
	}
	return layers, input, nil
}

func readLayersFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--model is %q: %w, want %s, %s, %s, %s or a YAML file of layers", path, display.Pathless(err), Linear, MLP, CNN, Text)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLayersFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, display.Pathless(err))
	case len(text) > maxLayersFile:
		return nil, fmt.Errorf("%s has more than %s, want a YAML file of layers", path, display.Size(maxLayersFile))
	}
	return text, nil
}

// parseLayers reads layers one by one, and returns the line of each.
func parseLayers(path string, text []byte) (layers network.Layers, lines []int, err error) {
	var tree yaml.Node
	if err = yaml.Unmarshal(text, &tree); err != nil {
		return nil, nil, fmt.Errorf("%s: %s, want a YAML list of layers", path, strings.TrimPrefix(display.OneLine(err.Error()), "yaml: "))
	}
	if tree.Kind != yaml.DocumentNode || tree.Content[0].Kind != yaml.SequenceNode || len(tree.Content[0].Content) == 0 {
		return nil, nil, fmt.Errorf("%s: it is not a list of layers, want one entry for each layer, such as: - linear: {outputs: 128}", path)
	}
	for i, entry := range tree.Content[0].Content {
		one, marshalErr := yaml.Marshal([]*yaml.Node{entry})
		if marshalErr != nil {
			return nil, nil, marshalErr
		}
		layer, parseErr := network.ParseLayers(one)
		if parseErr != nil {
			return nil, nil, fmt.Errorf("%s line %d: %s", path, lineOf(entry, parseErr), withoutPlace(parseErr, 0))
		}
		layers, lines = append(layers, layer...), append(lines, tree.Content[0].Content[i].Line)
	}
	_, err = network.ParseLayers(text) // the rest after the list
	return layers, lines, err
}

// lineOf returns the line of the fault in the entry of a layer. It is the line of a field, or a
// line within the layers in it.
func lineOf(entry *yaml.Node, err error) int {
	if entry.Kind != yaml.MappingNode || len(entry.Content) != 2 {
		return entry.Line
	}
	fields := entry.Content[1]
	if fields.Kind == yaml.SequenceNode {
		for _, inner := range fields.Content {
			text, failed := yaml.Marshal([]*yaml.Node{inner})
			if failed != nil {
				return inner.Line
			}
			if _, failed = network.ParseLayers(text); failed != nil {
				return lineOf(inner, failed)
			}
		}
	}
	var field interface{ Field() string }
	if fields.Kind == yaml.MappingNode && errors.As(err, &field) {
		for i := 0; i < len(fields.Content); i += 2 {
			if fields.Content[i].Value == field.Field() {
				return fields.Content[i].Line
			}
		}
	}
	return entry.Line
}

// withoutPlace removes the layer's place from an error of package network, if a line number gives
// it.
func withoutPlace(err error, layer int) string {
	text := strings.TrimPrefix(err.Error(), "network: ")
	text = strings.TrimPrefix(text, fmt.Sprintf("layer %d: ", layer))
	return strings.TrimPrefix(text, fmt.Sprintf("layer %d, ", layer))
}

// WholeNumbers reads positive integers separated by commas.
func WholeNumbers(flag, text, want string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || v < 1 {
			return nil, fmt.Errorf("--%s is %q, want %s", flag, text, want)
		}
		out = append(out, v)
	}
	return out, nil
}

// isImage reports whether a shape is the shape of images.
func isImage(shape []int, features int) bool {
	size := 1
	for _, n := range shape {
		size *= n
	}
	return (len(shape) == 2 || len(shape) == 3) && size == features
}
