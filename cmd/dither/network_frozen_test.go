package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/safetensors"
	"github.com/ditherml/dither/internal/training"
	"github.com/ditherml/dither/model"
)

// arraysOf are the arrays of the weights in a folder.
func arraysOf(t *testing.T, folder string) map[string]safetensors.Tensor {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(folder, model.WeightsFileName))
	if err != nil {
		t.Fatal(err)
	}
	arrays, err := safetensors.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return arrays
}

// TestFrozenLayersOfAModel takes layers over from a private model: they stay as they are, and the certificate says
// what they cost, those under them included.
func TestFrozenLayersOfAModel(t *testing.T) {
	schema, table := workplace(t, 300)
	trainNetwork(t, schema, table, "first", "--epsilon", "0.5")
	trainNetwork(t, schema, table, "second", "--frozen-from", "first", "--epsilon", "0.25")
	mustInvoke(t, "verify", "second")
	before, after := arraysOf(t, "first"), arraysOf(t, "second")
	for from, to := range map[string]string{"0.weight": "0.0.weight", "0.bias": "0.0.bias", "2.weight": "0.2.weight", "2.bias": "0.2.bias"} {
		if len(before[from].Raw) == 0 || !bytes.Equal(before[from].Raw, after[to].Raw) {
			t.Errorf("%s became another %s", from, to)
		}
	}
	if a, b := before["4.weight"], after["1.weight"]; !slices.Equal(a.Shape, b.Shape) || bytes.Equal(a.Raw, b.Raw) {
		t.Errorf("the last layer has shape %v and is the same: %v, want %v and another", b.Shape, bytes.Equal(a.Raw, b.Raw), a.Shape)
	}
	out, _ := trainNetwork(t, schema, table, "third", "--frozen-from", "second", "--epsilon", "0.25", "--json")
	var s training.Summary
	if err := json.Unmarshal([]byte(out), &s); err != nil || len(s.Warnings) == 0 || !strings.Contains(s.Warnings[0], "together at most epsilon 0.5 at delta 2e-06") {
		t.Errorf("got %s, error %v, want a warning of the cost of both", out, err)
	}
	text, err := os.ReadFile(filepath.Join("third", certificate.FileName))
	if err != nil {
		t.Fatal(err)
	}
	c, err := certificate.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(c.Assumptions, "\n")
	for _, want := range []string{"The first 1 layers are frozen with the weights of second (SHA-256 ", "on top", "Of second: The first 4 layers are frozen with the weights of first (SHA-256 ", "epsilon 0.5 at delta 1e-06"} {
		if !strings.Contains(said, want) {
			t.Errorf("the assumptions lack %q:\n%s", want, said)
		}
	}
	trainNetwork(t, schema, table, "deeper", "--frozen-from", "first", "--train-layers", "2")
	if now := arraysOf(t, "deeper"); !bytes.Equal(now["0.0.weight"].Raw, before["0.weight"].Raw) || bytes.Equal(now["1.weight"].Raw, before["2.weight"].Raw) {
		t.Error("two layers are not trained above one that is frozen")
	}
	text, err = os.ReadFile(filepath.Join("deeper", certificate.FileName))
	if err != nil || !bytes.Contains(text, []byte("The first 2 layers are frozen")) || !bytes.Contains(text, []byte("with which further layers begin, a model with")) {
		t.Errorf("got %s, error %v, want an assumption about the layers that begin there", text, err)
	}
}

// TestFrozenLayersOfAFile takes layers over from a file of another program, and says that it was declared public.
func TestFrozenLayersOfAFile(t *testing.T) {
	schema, table := workplace(t, 300)
	trainNetwork(t, schema, table, "first", "--non-private")
	arrays := arraysOf(t, "first")
	arrays["unused"] = arrays["0.bias"]
	file, err := safetensors.Encode(arrays)
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, "public.safetensors", string(file))
	writeText(t, "layers.yaml", "- linear: {outputs: 6}\n- activation: tanh\n- linear: {outputs: 4}\n- activation: tanh\n- linear: {outputs: 1}\n")
	trainNetwork(t, schema, table, "m", "--frozen-from", "public.safetensors", "--model", "layers.yaml", "--frozen-public", "made for this test")
	mustInvoke(t, "verify", "m")
	if after := arraysOf(t, "m"); !bytes.Equal(after["0.2.weight"].Raw, arrays["2.weight"].Raw) {
		t.Error("the weights of the file changed")
	}
	text, err := os.ReadFile(filepath.Join("m", certificate.FileName))
	if err != nil || !bytes.Contains(text, []byte("with the weights of public.safetensors (SHA-256 "+certificate.Hash(file)+"), which were declared public: made for this test. The records had no part in them.")) {
		t.Errorf("got %s, error %v, want an assumption that names the file", text, err)
	}
	mustInvoke(t, "train", "--data", table, "--schema", schema, "--out", "linear", "--steps", "1", "--quiet")
	writeText(t, "other.yaml", "- linear: {outputs: 7}\n- linear: {outputs: 1}\n")
	writeText(t, "one.yaml", "- linear: {outputs: 1}\n")
	args := []string{"train", "--data", table, "--schema", schema}
	folder, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	checkWrong(t, folder, []wrong{
		{"a baseline", append(args, "--frozen-from", "first"), exitUsage, "is a baseline without privacy, want a model with a certificate; add --frozen-public"},
		{"a linear model", append(args, "--frozen-from", "linear"), exitUsage, "holds a linear model, want a network"},
		{"a file without a word", append(args, "--frozen-from", "public.safetensors", "--model", "layers.yaml"), exitUsage, "--frozen-public is missing"},
		{"a file without layers", append(args, "--frozen-from", "public.safetensors", "--frozen-public", "x"), exitUsage, "want the YAML file of the layers"},
		{"layers of a folder", append(args, "--frozen-from", "m", "--model", "mlp"), exitUsage, "the folder has the layers"},
		{"other layers", append(args, "--frozen-from", "public.safetensors", "--frozen-public", "x", "--model", "other.yaml"), exitUsage, "has the shape [6 6], want [7 6]"},
		{"one layer", append(args, "--frozen-from", "public.safetensors", "--frozen-public", "x", "--model", "one.yaml"), exitUsage, "1 layers with weights, want at least 2"},
		{"all layers", append(args, "--frozen-from", "m", "--train-layers", "4"), exitUsage, "--train-layers is \"4\""},
		{"no layer", append(args, "--frozen-from", "m", "--train-layers", "0"), exitUsage, "--train-layers is \"0\""},
		{"no such folder", append(args, "--frozen-from", "none"), exitUsage, "want a model folder or a safetensors file"},
	})
}
