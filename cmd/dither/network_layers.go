package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train"
	"go.yaml.in/yaml/v3"
)

// defaultHidden are the hidden units of mlp.
const defaultHidden = 128

// maxLayersFile bounds a file of layers.
const maxLayersFile = 1 << 20

// sizes are the public numbers that a network has to fit: how many a row has, and how many scores the loss.
type sizes struct {
	features, scores int
	tokens           int // of text columns whose words have positions, else 0
	loss             string
}

// sizesFor are the sizes of a request for a schema.
func sizesFor(r train.Request, s *data.Schema) (sizes, error) {
	r.Intercept = -1
	if r.Normalization == "" {
		r.Normalization = feature.NormNone
	}
	features, linear, err := r.Encoding(s)
	if err != nil {
		return sizes{}, err
	}
	return sizes{features.Dim(), linear.Columns, features.Encoder().Tokens(), linear.Loss.Name()}, nil
}

// layers returns the layers that --model asks for, and the shape of what they take.
func (n *networkFlags) layers(ctx context.Context, t *trainCommand, source tables, size sizes) (network.Layers, network.Shape, error) {
	if err := n.checkLayerFlags(source.schema); err != nil {
		return nil, nil, err
	}
	image, err := n.image(ctx, t, size)
	if err != nil {
		return nil, nil, err
	}
	flat := network.Shape{size.features}
	if n.inputShape != "" {
		flat = image
	}
	switch n.model {
	case modelMLP:
		units, failed := n.units(defaultHidden)
		layers, input := network.Layers{}, network.Shape{size.features}
		if len(flat) > 1 {
			layers, input = network.Layers{network.Flatten{}}, flat
		}
		return n.hiddenLayers(layers, size.scores, units), input, failed
	case modelText:
		units, failed := n.units()
		return n.hiddenLayers(network.Layers{n.words(size)}, size.scores, units), network.Shape{size.features}, failed
	case modelCNN:
		if image == nil {
			return nil, nil, fmt.Errorf("--input-shape is missing with --model %s, want rows, columns and colors, such as 28x28 or 32x32x3, that make %d numbers", modelCNN, size.features)
		}
		layers := network.CNN(size.scores)
		_, err = network.New(image, layers...)
		return layers, image, err
	}
	return n.readLayers(image, size)
}

// checkLayerFlags refuses flags of other presets.
func (n *networkFlags) checkLayerFlags(s *data.Schema) error {
	for name, models := range map[string][]string{"hidden": {modelMLP, modelText}, "activation": {modelMLP, modelText}, "embedding": {modelText}} {
		if n.flags.Changed(name) && !strings.Contains(strings.Join(models, " "), n.model) {
			return fmt.Errorf("--%s is given with --model %s, want it with %s only; a file of layers says it by itself", name, n.model, strings.Join(models, " and "))
		}
	}
	switch {
	case n.model == modelText && !hasText(s):
		return fmt.Errorf("--model is %s and the schema has no text column, want one, declared as text; or --model %s", modelText, modelMLP)
	case n.embedding < 1:
		return fmt.Errorf("--embedding is %d, want at least 1", n.embedding)
	}
	return nil
}

// units are the hidden units that were asked for.
func (n *networkFlags) units(fallback ...int) ([]int, error) {
	if n.hidden == "" {
		return fallback, nil
	}
	return wholeNumbers("hidden", n.hidden, "units of each hidden layer, such as 128,64")
}

// words is the layer of the embeddings: of a bag, a sum over what is not 0 in it; of words in order, their mean.
func (n *networkFlags) words(size sizes) network.Layer {
	if size.tokens > 0 {
		return network.EmbeddingBag{Vocabulary: size.tokens, Features: n.embedding}
	}
	return network.SparseLinear{Outputs: n.embedding}
}

// hiddenLayers appends hidden layers, each with the activation behind it, and the layer of the scores.
func (n *networkFlags) hiddenLayers(layers network.Layers, scores int, units []int) network.Layers {
	for _, u := range units {
		layers = append(layers, network.Linear{Outputs: u}, network.Activation{Function: n.activation})
	}
	return append(layers, network.Linear{Outputs: scores})
}

// image is the shape of one record as --input-shape or the table has it, with its colors last, or nil.
func (n *networkFlags) image(ctx context.Context, t *trainCommand, size sizes) (network.Shape, error) {
	var shape []int
	if n.inputShape != "" {
		var err error
		if shape, err = wholeNumbers("input-shape", strings.ReplaceAll(n.inputShape, "x", ","), "lengths such as 28x28 or 32x32x3"); err != nil {
			return nil, err
		}
		if network.Shape(shape).Size() != size.features {
			return nil, fmt.Errorf("--input-shape is %q, which makes %d numbers, want %d, as many as a row has features", n.inputShape, network.Shape(shape).Size(), size.features)
		}
	} else if t.streamed != nil {
		found, err := data.RecordShape(ctx, *t.streamed)
		if err != nil {
			return nil, err
		}
		if shape = found; !isImage(shape, size.features) {
			return nil, nil
		}
	}
	if len(shape) == 2 {
		shape = append(shape, 1)
	}
	return shape, nil
}

// readLayers reads a file of layers. An error names the line of the layer that is wrong.
func (n *networkFlags) readLayers(image network.Shape, size sizes) (network.Layers, network.Shape, error) {
	text, err := readLayersFile(n.model)
	if err != nil {
		return nil, nil, err
	}
	layers, lines, err := parseLayers(n.model, text)
	if err != nil {
		return nil, nil, err
	}
	input := network.Shape{size.features}
	if _, flat := layers[0].(network.Linear); image != nil && (!flat || n.inputShape != "") {
		input = image
	}
	for i := range layers {
		if _, err = network.New(input, layers[:i+1]...); err != nil {
			return nil, nil, fmt.Errorf("%s line %d: %s", n.model, lines[i], withoutPlace(err, i))
		}
	}
	built, err := network.New(input, layers...)
	if err != nil {
		return nil, nil, err
	}
	if built.Output().Size() != size.scores {
		return nil, nil, fmt.Errorf("%s line %d: the last layer gives %d numbers, want %d, as many as the loss %s has scores", n.model, lines[len(lines)-1], built.Output().Size(), size.scores, size.loss)
	}
	return layers, input, nil
}

func readLayersFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--model is %q: %w, want %s, %s, %s, %s or a YAML file of layers", path, pathless(err), modelLinear, modelMLP, modelCNN, modelText)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLayersFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, pathless(err))
	case len(text) > maxLayersFile:
		return nil, fmt.Errorf("%s has more than %s, want a YAML file of layers", path, sizeText(maxLayersFile))
	}
	return text, nil
}

// parseLayers reads layers one by one, and returns the line of each.
func parseLayers(path string, text []byte) (layers network.Layers, lines []int, err error) {
	var tree yaml.Node
	if err = yaml.Unmarshal(text, &tree); err != nil {
		return nil, nil, fmt.Errorf("%s: %s, want a YAML list of layers", path, strings.TrimPrefix(oneLine(err.Error()), "yaml: "))
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
	_, err = network.ParseLayers(text) // what is beside the list
	return layers, lines, err
}

// lineOf finds the line of what is wrong in the entry of a layer: of a field, or within layers in it.
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
	var field *network.FieldError
	if fields.Kind == yaml.MappingNode && errors.As(err, &field) {
		for i := 0; i < len(fields.Content); i += 2 {
			if fields.Content[i].Value == field.Field {
				return fields.Content[i].Line
			}
		}
	}
	return entry.Line
}

// withoutPlace drops from an error of network which layer it was, where a line says it.
func withoutPlace(err error, layer int) string {
	text := strings.TrimPrefix(err.Error(), "network: ")
	text = strings.TrimPrefix(text, fmt.Sprintf("layer %d: ", layer))
	return strings.TrimPrefix(text, fmt.Sprintf("layer %d, ", layer))
}

// layerFacts describes the layers of a network in words: what each makes of what, and how many weights it has.
func layerFacts(n *network.Network) []string {
	var out []string
	shape := n.Input()
	for i, layer := range n.Layers() {
		alone, err := network.New(shape, layer)
		if err != nil {
			return out
		}
		out = append(out, fmt.Sprintf("%d %s: %v → %v, %s", i, layerWords(layer), shape, alone.Output(), weightWords(alone.Weights())))
		shape = alone.Output()
	}
	return out
}

// layerWords is a layer as a file of layers has it.
func layerWords(layer network.Layer) string {
	text, err := network.Layers{layer}.Encode()
	if err != nil {
		return network.Kind(layer)
	}
	return strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(string(text)), "- ")), " ")
}
