package feature

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/safetensors"
)

// fileOf returns a safetensors file of these arrays.
func fileOf(t *testing.T, tensors map[string]safetensors.Tensor) []byte {
	t.Helper()
	out, err := safetensors.Encode(tensors)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// wide returns an array of numbers of 64 bits.
func wide(x []float64, shape ...int) safetensors.Tensor {
	var raw []byte
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return safetensors.Tensor{Type: "F64", Shape: shape, Raw: raw}
}

// narrow returns an array of numbers of 32 bits.
func narrow(x []float64, shape ...int) safetensors.Tensor {
	short := make([]float32, len(x))
	for j, v := range x {
		short[j] = float32(v)
	}
	return safetensors.NewFloat32(short, shape...)
}

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for j := range x {
		x[j] = float64(float32(r.NormFloat64()))
	}
	return x
}

// TestFrozen compares the features with sums written out, for each activation, with and without norm.
func TestFrozen(t *testing.T) {
	const in, hidden, out = 12, 7, 5
	r := rand.New(rand.NewPCG(101, 102))
	w, b, v := normals(r, hidden*in), normals(r, hidden), normals(r, out*hidden)
	file := fileOf(t, map[string]safetensors.Tensor{"0.weight": narrow(w, hidden, in), "0.bias": narrow(b, hidden), "last": wide(v, out, hidden), "steps": {Type: "I64", Raw: make([]byte, 8)}})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "enc.safetensors"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, activation := range map[string]func(float64) float64{
		"identity": func(x float64) float64 { return x },
		"relu":     func(x float64) float64 { return (x + math.Abs(x)) / 2 },
		"tanh":     func(x float64) float64 { return 1 - 2/(math.Exp(2*x)+1) },
		"gelu":     func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) },
	} {
		for _, norm := range []string{"unit", "none"} {
			text := fmt.Sprintf(`{"file": "enc.safetensors", "layers": [{"weight": "0.weight", "bias": "0.bias", "activation": %q}, {"weight": "last", "activation": "identity"}], "norm": %q}`, name, norm)
			c, err := NewPipeline(FilesIn(dir), pixels(t, in), Spec{"encoder", []byte(text)})
			if err != nil {
				t.Fatal(err)
			}
			checkRows(t, c, in)
			x, got, values, want := make([]float64, in), make([]float64, out), make([]float32, in), make([]float64, out)
			for j := range values {
				values[j] = float32(r.IntN(256))
			}
			c.Encoder().Encode(x, values)
			c.features(got, values, c.NewScratch())
			square := 0.0
			for o := range want {
				for h := range hidden {
					sum := b[h]
					for j := range x {
						sum += w[h*in+j] * x[j]
					}
					want[o] += v[o*hidden+h] * activation(sum)
				}
				square += want[o] * want[o]
			}
			for o := range want {
				if norm == "unit" {
					want[o] /= math.Sqrt(square)
				}
				if !(math.Abs(got[o]-want[o]) <= 1e-12*(1+math.Abs(want[o]))) {
					t.Errorf("%s, norm %s: feature %d is %v, want %v", name, norm, o, got[o], want[o])
				}
			}
			checkSpecs(t, c, file)
		}
	}
}

// TestFrozenLayers compares five layers of permutations with one after the other.
func TestFrozenLayers(t *testing.T) {
	file := fileOf(t, map[string]safetensors.Tensor{"turn": narrow([]float64{0, 2, 0, 0, 0, 3, 5, 0, 0}, 3, 3)}) // (a, b, c) to (2b, 3c, 5a)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "e.safetensors"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	layer := `{"weight": "turn", "activation": "identity"}`
	c, err := NewPipeline(FilesIn(dir), pixels(t, 3), Spec{"encoder", []byte(`{"file": "e.safetensors", "norm": "none", "layers": [` + strings.Repeat(layer+",", 4) + layer + `]}`)})
	if err != nil {
		t.Fatal(err)
	}
	got, x := make([]float64, 3), []float64{1, 0.2, 0.6}
	c.features(got, []float32{255, 51, 153}, c.NewScratch())
	for range 5 {
		x = []float64{2 * x[1], 3 * x[2], 5 * x[0]}
	}
	for j := range x {
		if math.Abs(got[j]-x[j]) > 1e-9*x[j] {
			t.Errorf("got %v, want %v", got, x)
		}
	}
}

// checkSpecs wants the file part of the chain, named without its folder and by its hash.
func checkSpecs(t *testing.T, c *Pipeline, file []byte) {
	t.Helper()
	sum := sha256.Sum256(file)
	var p frozenParameters
	if err := json.Unmarshal(c.Specs()[0].Parameters, &p); err != nil || p.File != "enc.safetensors" || p.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("got parameters %s, error %v", c.Specs()[0].Parameters, err)
	}
	if !slices.Equal(c.Files()["enc.safetensors"], file) || len(c.Files()) != 1 {
		t.Errorf("got %d files", len(c.Files()))
	}
}

// TestNewFrozenRefuses wants clear errors.
func TestNewFrozenRefuses(t *testing.T) {
	file := fileOf(t, map[string]safetensors.Tensor{
		"w": narrow(make([]float64, 24), 2, 12), "b": narrow(make([]float64, 3), 3), "nan": narrow(slices.Repeat([]float64{math.NaN()}, 24), 2, 12),
		"whole": {Type: "I32", Shape: []int{2, 12}, Raw: make([]byte, 96)},
	})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "e.safetensors"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	layer := func(weight, bias, activation string) string {
		return fmt.Sprintf(`{"file": "e.safetensors", "layers": [{"weight": %q, "bias": %q, "activation": %q}]}`, weight, bias, activation)
	}
	for text, words := range map[string]string{
		`{"file": "e.bin", "layers": "a:relu"}`:                         "ends with .safetensors",
		`{"file": "none.safetensors", "layers": "a:relu"}`:              "cannot be opened",
		`{"file": "../e.safetensors", "layers": "a:relu"}`:              "in the folder of the model",
		`{"file": "e.safetensors"}`:                                     "no layers",
		`{"file": "e.safetensors", "layers": "a"}`:                      "NAME:ACTIVATION",
		`{"file": "e.safetensors", "layers": "a:relu", "norm": "max"}`:  "norm is \"max\"",
		`{"file": "e.safetensors", "layers": "a:relu", "sha256": "00"}`: "SHA-256",
		layer("w", "b", "relu"):                                         "shape [3], want 2 numbers",
		layer("x", "", "relu"):                                          "no array \"x\", want one of b, nan, w, whole",
		layer("b", "", "relu"):                                          "want a matrix of 12 columns",
		layer("w", "", "elu"):                                           "activation of layer 1 is \"elu\"",
		layer("nan", "", "relu"):                                        "not finite",
		layer("whole", "", "relu"):                                      "type I32",
	} {
		if _, err := NewPipeline(FilesIn(dir), pixels(t, 12), Spec{"encoder", []byte(text)}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: got error %v, want %q", text, err, words)
		}
	}
	if _, err := NewPipeline(nil, pixels(t, 12), Spec{"encoder", []byte(layer("w", "", "relu"))}); err == nil || !strings.Contains(err.Error(), "use model.Load") {
		t.Errorf("without files: got error %v", err)
	}
}
