package network

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// inverted is a bool that descriptions have as its negation. It is for properties that a layer has
// by default.
type inverted bool

// MarshalJSON returns the negation.
func (w inverted) MarshalJSON() ([]byte, error) { return json.Marshal(!bool(w)) }

// UnmarshalJSON reads the negation.
func (w *inverted) UnmarshalJSON(text []byte) error {
	var has bool
	if err := json.Unmarshal(text, &has); err != nil {
		return err
	}
	*w = inverted(!has)
	return nil
}

// describer is a layer whose description is not the JSON of its fields.
type describer interface {
	// described returns the value whose JSON is the description.
	described() any
}

// reader is a pointer to a layer whose description is not the JSON of its fields.
type reader interface {
	// readDescription sets the layer to the one that the text describes.
	readDescription(text []byte) error
}

// kinds reads the fields of a layer of each kind.
var kinds = map[string]func(fields []byte) (Layer, error){
	Linear{}.kind():            read[Linear],
	SparseLinear{}.kind():      read[SparseLinear],
	Activation{}.kind():        read[Activation],
	Frozen{}.kind():            read[Frozen],
	Residual{}.kind():          read[Residual],
	Conv{}.kind():              read[Conv],
	MaxPool{}.kind():           read[MaxPool],
	AveragePool{}.kind():       read[AveragePool],
	GlobalAveragePool{}.kind(): read[GlobalAveragePool],
	Flatten{}.kind():           read[Flatten],
	ChannelsLast{}.kind():      read[ChannelsLast],
	Dropout{}.kind():           read[Dropout],
	GroupNorm{}.kind():         read[GroupNorm],
	LayerNorm{}.kind():         read[LayerNorm],
	Embedding{}.kind():         read[Embedding],
	EmbeddingBag{}.kind():      read[EmbeddingBag],
	PositionEmbedding{}.kind(): read[PositionEmbedding],
	Recurrent{}.kind():         read[Recurrent],
	Attention{}.kind():         read[Attention],
	RMSNorm{}.kind():           read[RMSNorm],
}

// read returns the layer of type L with the given fields, nil for none.
func read[L Layer](fields []byte) (Layer, error) {
	var layer L
	if fields == nil {
		if _, holds := any(layer).(interface{ inner() Layers }); holds {
			return layer, fmt.Errorf("layers are missing, want a list of them")
		}
		return layer, nil
	}
	if own, has := any(&layer).(reader); has {
		err := own.readDescription(fields)
		return layer, err
	}
	err := unmarshalStrictly(fields, &layer)
	return layer, err
}

// refused returns the reason why the package has no layer of a kind that mixes records and that
// other systems have.
func refused(kind string) (reason string, is bool) {
	letters := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(kind))
	if strings.Contains(letters, "batchnorm") {
		return "it mixes the records of a batch, so that one record changes what the others propose; use group-norm or layer-norm", true
	}
	return "", false
}

// ParseLayers returns the layers in a description, in YAML or JSON. The description is a list with
// one entry for each layer. An entry is the kind of the layer with its fields, or with one value,
// or the kind alone:
//
//   - linear: {outputs: 128}
//   - activation: tanh
//
// ParseLayers turns the output of Layers.Encode back into equal layers. An unknown field is an
// error. ParseLayers does not check whether the layers fit together; New does.
func ParseLayers(text []byte) (Layers, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("network: layers: %s", oneLine(err))
	}
	var more any
	if err := decoder.Decode(&more); err != io.EOF {
		return nil, fmt.Errorf("network: layers: there is more than one document, want one list")
	}
	plain, err := json.Marshal(tree)
	if err != nil {
		return nil, fmt.Errorf("network: layers: %s", oneLine(err))
	}
	var l Layers
	if err = l.UnmarshalJSON(plain); err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	return l, nil
}

// oneLine returns the text of an error on one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// Encode returns the layers as YAML, in the format that ParseLayers reads.
func (l Layers) Encode() ([]byte, error) {
	text, err := l.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var tree yaml.Node
	if err = yaml.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	plainStyle(&tree, yaml.DocumentNode)
	return yaml.Marshal(&tree)
}

// plainStyle writes lists of layers with one entry a line, and the fields of a layer on the line of
// its kind.
func plainStyle(n *yaml.Node, above yaml.Kind) {
	n.Style = 0
	if n.Kind == yaml.MappingNode && above == yaml.MappingNode {
		n.Style = yaml.FlowStyle
	}
	for _, c := range n.Content {
		plainStyle(c, n.Kind)
	}
}

// MarshalJSON returns a list with one object {kind: fields} for each layer, where kind is the name
// of the layer in descriptions.
func (l Layers) MarshalJSON() ([]byte, error) {
	list := make([]map[string]any, len(l))
	for i, layer := range l {
		var fields any = layer
		if own, has := layer.(describer); has {
			fields = own.described()
		}
		list[i] = map[string]any{layer.kind(): fields}
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads a list with one entry for each layer. An entry is an object {kind: fields} or
// the kind alone, where kind is the name of the layer in descriptions.
func (l *Layers) UnmarshalJSON(text []byte) error {
	var entries []json.RawMessage
	if err := json.Unmarshal(text, &entries); err != nil || entries == nil {
		return fmt.Errorf("layers are not a list, want one entry for each layer, such as linear: {outputs: 128}")
	}
	out := make(Layers, len(entries))
	for i, entry := range entries {
		kind, fields, err := splitEntry(entry)
		if err == nil {
			out[i], err = readLayer(kind, fields)
		}
		if err != nil {
			return fmt.Errorf("layer %d: %w", i, err)
		}
	}
	*l = out
	return nil
}

// splitEntry returns the kind and the fields of an entry.
func splitEntry(entry []byte) (kind string, fields []byte, err error) {
	if json.Unmarshal(entry, &kind) == nil && string(entry) != "null" {
		return kind, nil, nil
	}
	var object map[string]json.RawMessage
	if err = json.Unmarshal(entry, &object); err != nil || len(object) != 1 {
		return "", nil, fmt.Errorf("entry is not the kind of one layer with its fields, want for example linear: {outputs: 128}")
	}
	for kind, fields = range object {
		if string(fields) == "null" {
			fields = nil
		}
	}
	return kind, fields, nil
}

// readLayer returns the layer of a kind with the given fields.
func readLayer(kind string, fields []byte) (Layer, error) {
	if reason, is := refused(kind); is {
		return nil, fmt.Errorf("%s is refused: %s", kind, reason)
	}
	readFields, known := kinds[kind]
	if !known {
		return nil, fmt.Errorf("kind is %q, want one of %s", kind, strings.Join(kindNames(), ", "))
	}
	layer, err := readFields(fields)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return layer, nil
}

// kindNames returns the names of all layers, sorted.
func kindNames() []string {
	var names []string
	for kind := range kinds {
		names = append(names, kind)
	}
	slices.Sort(names)
	return names
}
