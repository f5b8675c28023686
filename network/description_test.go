package network_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither/network"
)

func TestDescriptionsRoundTrip(t *testing.T) {
	for _, c := range conformants() {
		text, err := c.layers.Encode()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, err := network.ParseLayers(text)
		if err != nil || !reflect.DeepEqual(got, c.layers) {
			t.Errorf("%s: %s is read as %+v, %v, want %+v", c.name, text, got, err, c.layers)
		}
		plain, err := json.Marshal(c.layers)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var again network.Layers
		if err = json.Unmarshal(plain, &again); err != nil || !reflect.DeepEqual(again, c.layers) {
			t.Errorf("%s: %s is read as %+v, %v, want %+v", c.name, plain, again, err, c.layers)
		}
	}
}

func TestParseLayersRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "EOF",
		"linear":                             "not a list",
		"null":                               "not a list",
		"- null":                             "entry is not",
		"- 3":                                "entry is not",
		"- {linear: {outputs: 2}, relu: {}}": "entry is not",
		"- batch-norm":                       "mixes the records of a batch",
		"- batch-norm: {epsilon: 1}":         "group-norm",
		"- BatchNorm2d":                      "mixes the records of a batch",
		"- batch_normalization: {}":          "layer-norm",
		"- convolve: {outputs: 2}":           `kind is "convolve"`,
		"- linear: {outputs: 2, colour: 1}":  "linear: colour is not known, want key: value pairs of outputs, bias",
		"- flatten: {outputs: 2}":            "flatten: outputs is not known, want none",
		"- linear: 3":                        "linear: 3 stands in the place of its fields, want key: value pairs of outputs, bias",
		"- linear: {outputs: }":              "outputs is empty, want an integer",
		"- linear: {outputs: 2, bias: 1}":    "bias is 1, want true or false",
		"- dropout: {probability: [0.5]}":    "dropout: probability is [0.5], want a number",
		"- residual: [linear: {outputs: x}]": "residual: layer 0: linear: outputs is \"x\", want an integer",
		"- linear: {outputs: 2, outputs: 3}": "already",
		"- linear: {outputs: two}":           "outputs is \"two\", want an integer",
		"- linear: {outputs: 1.5}":           "outputs is 1.5, want an integer",
		"- activation: {function: 3}":        "function is 3, want a name",
		"- activation: {func: tanh}":         "func is not known, want key: value pairs of function, scale, temperature, offset",
		"- frozen: {linear: {outputs: 2}}":   "not a list",
		"- residual":                         "layers are missing",
		"- linear: {outputs: .nan}":          "NaN",
		"[]\n---\n[]":                        "more than one document",
		"- linear: [":                        "yaml",
	} {
		_, err := network.ParseLayers([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "network: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q gives %v, want one line with %q", text, err, want)
		}
	}
}

// TestDocumentNamesEveryLayer reads docs/layers.md: its first example must be a network over images, and its table
// must name every kind.
func TestDocumentNamesEveryLayer(t *testing.T) {
	text, err := os.ReadFile("../docs/layers.md")
	if err != nil {
		t.Fatal(err)
	}
	var example []string
	for line := range strings.Lines(string(text)) {
		if indented, is := strings.CutPrefix(line, "    "); is {
			example = append(example, indented)
		}
	}
	layers, err := network.ParseLayers([]byte(strings.Join(example, "")))
	if err != nil || len(layers) != 7 {
		t.Fatalf("the example is read as %+v, %v, want 7 layers", layers, err)
	}
	if _, err = network.New(network.Shape{28, 28, 1}, layers...); err != nil {
		t.Error(err)
	}
	for _, kind := range network.Kinds() {
		if !strings.Contains(string(text), "| `"+kind+"`") && !strings.Contains(string(text), ", `"+kind+"` |") {
			t.Errorf("docs/layers.md has no row for %s", kind)
		}
	}
}

// TestLayersAlone marshals layers outside a list: JSON then has the fields of the struct, and reads back.
func TestLayersAlone(t *testing.T) {
	linear, err := json.Marshal([]network.Linear{{Outputs: 2, NoBias: true}, {Outputs: 2}})
	if err != nil {
		t.Fatal(err)
	}
	if want := `[{"outputs":2,"no_bias":true},{"outputs":2}]`; string(linear) != want {
		t.Errorf("got %s, want %s", linear, want)
	}
	conv, err := json.Marshal(network.Conv{Channels: 1, Kernel: 3, NoBias: true})
	if err != nil {
		t.Fatal(err)
	}
	var again network.Conv
	if err = json.Unmarshal(conv, &again); err != nil || !again.NoBias || strings.Contains(string(conv), `"bias"`) {
		t.Errorf("%s is read as %+v, %v, want no bias", conv, again, err)
	}
	listed, err := json.Marshal(network.Layers{network.Linear{Outputs: 2, NoBias: true}, network.Conv{Channels: 1, Kernel: 3, NoBias: true}, network.Linear{Outputs: 2}})
	if err != nil {
		t.Fatal(err)
	}
	if want := `[{"linear":{"outputs":2,"bias":false}},{"conv":{"channels":1,"kernel":3,"bias":false}},{"linear":{"outputs":2}}]`; string(listed) != want {
		t.Errorf("got %s, want %s", listed, want)
	}
}
