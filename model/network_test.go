package model

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/safetensors"
	"github.com/ditherml/dither/network"
)

// toyNetwork is a model that is a network with a hidden layer, one of whose layers is frozen.
func toyNetwork(t testing.TB, levels ...string) *Model {
	t.Helper()
	s := toySchema(levels...)
	chain, err := feature.NewPipeline(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	loss, err := LossFor(data.Target{Levels: levels}, nil)
	if err != nil {
		t.Fatal(err)
	}
	frozen := network.Frozen{Layers: network.Layers{network.Linear{Outputs: 6, NoBias: true}, network.Activation{Function: "tanh"}}}
	n, err := network.New(network.Shape{chain.Dim()}, frozen, network.Linear{Outputs: 5}, network.Activation{Function: "relu"}, network.Linear{Outputs: loss.Columns(len(levels))})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(11, 12))
	weights := make([]float32, n.Weights())
	for i := range weights {
		weights[i] = float32(r.NormFloat64() / 3)
	}
	m, err := NewNetwork(s, &feature.Map{Pipeline: chain, Norm: feature.NormNone}, loss, n, weights)
	if err != nil {
		t.Fatal(err)
	}
	m.Provenance = Provenance{Program: "test", Run: "0", Created: "now", Private: true}
	return m
}

// naive is the network of toyNetwork in float64, written out: hidden layers of 6 and 5 numbers. Of the
// parameters the trained ones come first.
func naive(m *Model, x []float64) []float64 {
	w := m.NetworkWeights()
	multiply := func(x []float64, w []float32, width, outputs int, act func(float64) float64) []float64 {
		y := make([]float64, outputs)
		for j := range y {
			for k, v := range x {
				y[j] += v * float64(w[j*width+k])
			}
			if width > len(x) {
				y[j] += float64(w[j*width+len(x)])
			}
			y[j] = act(y[j])
		}
		return y
	}
	same := func(v float64) float64 { return v }
	last := m.Outputs()
	first, second, third := w[5*7+last*6:], w[:5*7], w[5*7:]
	y := multiply(x, first, len(x), 6, math.Tanh)
	y = multiply(y, second, 7, 5, func(v float64) float64 { return max(0, v) })
	return multiply(y, third, 6, last, same)
}

func TestNetworkPredicts(t *testing.T) {
	for _, levels := range [][]string{{"no", "yes"}, {"x", "y", "z"}, nil} {
		m := toyNetwork(t, levels...)
		seen := map[float64]bool{}
		for _, age := range []float64{0, 17, 50, 99.5} {
			row := m.NewRow()
			if err := row.SetNumber("age", age); err != nil {
				t.Fatal(err)
			}
			if err := row.SetText("job", "b"); err != nil {
				t.Fatal(err)
			}
			got, ok := row.Predict()
			x := make([]float64, m.features.Dim())
			m.features.Encoder().Encode(x, row.values)
			want := naive(m, x)
			m.finish(want)
			for k := range want {
				if !ok || math.Abs(got[k]-want[k]) > 1e-5*max(1, math.Abs(want[k])) {
					t.Errorf("levels %v, age %v: got %v, want %v", levels, age, got, want)
				}
			}
			seen[got[0]] = true
		}
		if len(seen) < 4 {
			t.Errorf("levels %v: got %d different predictions of 4 rows", levels, len(seen))
		}
	}
}

// writeModel writes the files of a model to a folder.
func writeModel(t *testing.T, m *Model) string {
	t.Helper()
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{FileName: text}
	for name, content := range m.Files() {
		files[name] = content
	}
	dir := t.TempDir()
	for name, content := range files {
		if err = os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestNetworkFolderRoundTrip(t *testing.T) {
	for _, levels := range [][]string{{"no", "yes"}, {"x", "y", "z"}, nil} {
		m := toyNetwork(t, levels...)
		back, err := Load(writeModel(t, m))
		if err != nil {
			t.Fatal(err)
		}
		one, _ := m.Encode()
		two, err := back.Encode()
		if err != nil || !bytes.Equal(one, two) || !bytes.Equal(m.Files()[WeightsFileName], back.Files()[WeightsFileName]) {
			t.Errorf("levels %v: the model changes when it is read and written (%v)", levels, err)
		}
		if !slices.Equal(m.NetworkWeights(), back.NetworkWeights()) || back.Network() == nil || back.Weights() != nil {
			t.Errorf("levels %v: the weights changed", levels)
		}
	}
}

// TestWeightsFileNamesArraysAsPyTorch looks at the file from outside.
func TestWeightsFileNamesArraysAsPyTorch(t *testing.T) {
	m := toyNetwork(t, "x", "y", "z")
	arrays, err := safetensors.Parse(m.Files()[WeightsFileName])
	if err != nil {
		t.Fatal(err)
	}
	dim, want := m.features.Dim(), map[string][]int{}
	want["0.0.weight"], want["1.weight"], want["1.bias"], want["3.weight"], want["3.bias"] = []int{6, dim}, []int{5, 6}, []int{5}, []int{3, 5}, []int{3}
	if len(arrays) != len(want) {
		t.Errorf("got %d arrays, want %d", len(arrays), len(want))
	}
	for name, shape := range want {
		if !slices.Equal(arrays[name].Shape, shape) {
			t.Errorf("%s: got shape %v, want %v", name, arrays[name].Shape, shape)
		}
	}
	bias, err := arrays["1.bias"].Floats("1.bias")
	if err != nil || bias[2] != float64(m.NetworkWeights()[2*7+6]) {
		t.Errorf("got bias %v, error %v, want the last number of row 2, %v", bias, err, m.NetworkWeights()[2*7+6])
	}
}

// TestWeightsOfAllLayersAreKept writes and reads the weights of layers of each form of block.
func TestWeightsOfAllLayersAreKept(t *testing.T) {
	for text, want := range map[string]string{
		"[conv: {channels: 4, kernel: 3, groups: 2}, flatten]":                     "0.0.bias 0.0.weight 0.1.bias 0.1.weight",
		"[group-norm: {groups: 2}, conv: {channels: 1, kernel: 2}]":                "0.bias 0.weight 1.bias 1.weight",
		"[layer-norm, residual: [linear: {outputs: 2, bias: false}]]":              "0.bias 0.weight 1.0.weight",
		"[flatten, embedding-bag: {vocabulary: 7, features: 3}]":                   "1.weight",
		"[frozen: [linear: {outputs: 3}], activation: tanh, linear: {outputs: 1}]": "0.0.bias 0.0.weight 2.bias 2.weight",
	} {
		layers, err := network.ParseLayers([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		n, err := network.New(network.Shape{6, 6, 2}, layers...)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		weights := make([]float32, n.Weights())
		for i := range weights {
			weights[i] = float32(i) + 0.5
		}
		file, err := encodeWeights(n, weights)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		arrays, err := safetensors.Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		if names := strings.Join(slices.Sorted(maps.Keys(arrays)), " "); want != "" && names != want {
			t.Errorf("%s: got arrays %s, want %s", text, names, want)
		}
		if back, decodeErr := decodeAllWeights(n, file); decodeErr != nil || !slices.Equal(back, weights) {
			t.Errorf("%s: the weights changed (%v)", text, decodeErr)
		}
	}
}

// TestNetworkLooksAtOneRow wants the same bits for a row in a block of many, alone, and from many goroutines.
func TestNetworkLooksAtOneRow(t *testing.T) {
	m := toyNetwork(t, "x", "y", "z")
	var text strings.Builder
	text.WriteString("age,job,y\n")
	r := rand.New(rand.NewPCG(3, 4))
	for range 150 {
		text.WriteString([]string{"1", "22.5", "87", ""}[r.IntN(4)] + "," + []string{"a", "b", "c"}[r.IntN(3)] + ",x\n")
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := data.Read(t.Context(), m.Schema(), data.Source{Path: path}, data.ReadOptions{MaxRecords: 1000})
	if err != nil {
		t.Fatal(err)
	}
	k := m.Outputs()
	want := make([]float64, d.Records()*k)
	for i := range d.Records() {
		m.Predict(want[i*k:(i+1)*k], d.Row(nil, i), m.NewScratch())
	}
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			reader, got := m.NewReader(d), make([]float64, k)
			step := []int{1, 1, 7, 149}[g]
			for j := range 2 * d.Records() {
				i := j * step % d.Records()
				if reader.Predict(got, i); !slices.Equal(got, want[i*k:(i+1)*k]) {
					t.Errorf("record %d: got %v, want %v", i, got, want[i*k:(i+1)*k])
				}
			}
		})
	}
	wait.Wait()
	x := make([]float64, d.Records()*m.features.Pipeline.Dim())
	m.features.FeaturesOf(x, d.Records(), m.features.Pipeline.NewScratch(), func(i int) []float32 { return d.Row(nil, i) })
	got := make([]float64, len(want))
	if m.PredictFeatures(got, x, d.Records(), m.features.NewScratch(d.Records())); !slices.Equal(got, want) {
		t.Error("predictions from features differ from those of rows")
	}
}

func TestNetworkPredictDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector lets pools forget what they hold")
	}
	m := toyNetwork(t, "no", "yes")
	r := m.NewRow()
	_ = r.SetText("job", "a")
	_ = r.SetMissing("age")
	if n := testing.AllocsPerRun(100, func() { _, _ = r.Predict() }); n != 0 {
		t.Errorf("allocations a row: got %v, want 0", n)
	}
}

// TestNetworkPredictsFewWideRowsTogether bounds the working space of a reader.
func TestNetworkPredictsFewWideRowsTogether(t *testing.T) {
	for units, want := range map[int]int{8: networkRows, 1 << 15: 31, 1 << 21: 1} {
		n, err := network.New(network.Shape{1}, network.Linear{Outputs: units}, network.Linear{Outputs: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := (&trained{network: n}).rowsTogether(); got != want {
			t.Errorf("%d units: got %d rows, want %d", units, got, want)
		}
	}
}

func TestNewNetworkRefuses(t *testing.T) {
	m := toyNetwork(t, "no", "yes")
	dim := m.features.Dim()
	inner := network.Layers{network.Linear{Outputs: 1}, network.Linear{Outputs: 1 << 19, NoBias: true}}
	for range 32 {
		inner = append(inner, network.Activation{Function: "relu"})
	}
	inner = append(inner, network.Linear{Outputs: 1})
	wide := network.Frozen{Layers: inner}
	long := network.Layers{network.Linear{Outputs: 1 << 24}, network.Linear{Outputs: 1}}
	for name, c := range map[string]struct {
		in     int
		layers network.Layers
		change func(w []float32) []float32
		words  string
	}{
		"other input":   {dim + 1, network.Layers{network.Linear{Outputs: 1}}, nil, "as there are features"},
		"other output":  {dim, network.Layers{network.Linear{Outputs: 2}}, nil, "loss logistic has scores"},
		"too large":     {dim, long, nil, "want at most"},
		"large layers":  {dim, network.Layers{wide, network.Linear{Outputs: 1}}, nil, "all together, want at most"},
		"fewer weights": {dim, network.Layers{network.Linear{Outputs: 1}}, func(w []float32) []float32 { return w[1:] }, "want 6 of the network"},
		"NaN":           {dim, network.Layers{network.Linear{Outputs: 1}}, func(w []float32) []float32 { w[2] = float32(math.NaN()); return w }, "finite"},
		"infinite":      {dim, network.Layers{network.Linear{Outputs: 1}}, func(w []float32) []float32 { w[0] = float32(math.Inf(1)); return w }, "finite"},
	} {
		n, err := network.New(network.Shape{c.in}, c.layers...)
		if err != nil {
			t.Fatal(err)
		}
		var w []float32
		if c.change != nil {
			w = c.change(make([]float32, n.Weights()))
		}
		if _, err = NewNetwork(m.schema, m.features, m.Loss(), n, w); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: got error %v, want %q", name, err, c.words)
		}
	}
}

// TestNetworkFolderRefusals changes what stands in a folder.
func TestNetworkFolderRefusals(t *testing.T) {
	m := toyNetwork(t, "no", "yes")
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	file := m.Files()[WeightsFileName]
	hash := hashOf(file)
	anew := func(change func(arrays map[string]safetensors.Tensor)) []byte {
		arrays, parseErr := safetensors.Parse(file)
		if parseErr != nil {
			t.Fatal(parseErr)
		}
		change(arrays)
		out, encodeErr := safetensors.Encode(arrays)
		if encodeErr != nil {
			t.Fatal(encodeErr)
		}
		return out
	}
	flipped := slices.Clone(file)
	flipped[len(flipped)-9] ^= 1
	header := binary.LittleEndian.Uint64(file)
	spaced := slices.Concat(binary.LittleEndian.AppendUint64(nil, header+8), file[8:8+header], []byte("        "), file[8+header:])
	for name, c := range map[string]struct {
		file  []byte
		edit  [2]string
		words string
	}{
		"one bit":       {file: flipped, words: "SHA-256"},
		"missing array": {file: anew(func(a map[string]safetensors.Tensor) { delete(a, "1.bias") }), words: `no array "1.bias"`},
		"further array": {file: anew(func(a map[string]safetensors.Tensor) { a["x"] = a["1.bias"] }), words: "no layer"},
		"other shape":   {file: anew(func(a map[string]safetensors.Tensor) { a["1.bias"] = a["3.bias"] }), words: "shape [1], want [5]"},
		"NaN": {file: anew(func(a map[string]safetensors.Tensor) {
			a["3.bias"] = safetensors.NewFloat32([]float32{float32(math.NaN())}, 1)
		}), words: "not finite"},
		"more precise": {file: anew(func(a map[string]safetensors.Tensor) {
			a["3.bias"] = safetensors.Tensor{Type: "F64", Shape: []int{1}, Raw: make([]byte, 8)}
		}), words: "spelled"},
		"other spelling":     {file: spaced, words: "spelled"},
		"no file":            {words: "cannot be opened"},
		"other layers":       {file: file, edit: [2]string{`"outputs": 5`, `"outputs": 4`}, words: "shape"},
		"other input":        {file: file, edit: [2]string{`"input": [`, `"input": [ 2,`}, words: "features"},
		"another file":       {file: file, edit: [2]string{WeightsFileName, "x.safetensors"}, words: WeightsFileName},
		"weights beside":     {file: file, edit: [2]string{`"network":`, `"weights": [[1]], "network":`}, words: "one of them"},
		"an unknown layer":   {file: file, edit: [2]string{`"relu"`, `"relux"`}, words: "relux"},
		"an unknown field":   {file: file, edit: [2]string{`"input":`, `"in": 1, "input":`}, words: "unknown field"},
		"batch norm":         {file: file, edit: [2]string{`"activation": "relu"`, `"batch-norm": {}`}, words: "mixes"},
		"no network at all":  {file: file, edit: [2]string{`"network":`, `"weights": [], "x":`}, words: "unknown field"},
		"no weights, either": {file: file, edit: [2]string{string(text[bytes.Index(text, []byte(`"network":`)):]), `"threshold": 0.5}`}, words: "0 weights"},
	} {
		changed := strings.Replace(string(text), c.edit[0], c.edit[1], 1)
		if c.edit[0] != "" && changed == string(text) {
			t.Fatalf("%s: the edit does not apply", name)
		}
		if c.words != "SHA-256" && c.file != nil {
			changed = strings.Replace(changed, hash, hashOf(c.file), 1)
		}
		dir := t.TempDir()
		if err = os.WriteFile(filepath.Join(dir, FileName), []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if c.file != nil {
			if err = os.WriteFile(filepath.Join(dir, WeightsFileName), c.file, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err = Load(dir); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: got error %v, want %q", name, err, c.words)
		}
	}
	if _, err = Decode(text, nil); err == nil || !strings.Contains(err.Error(), "model.Load") {
		t.Errorf("without files: got error %v", err)
	}
}

// FuzzDecodeNetwork wants no panic of any description, and that what is read is written again alike.
func FuzzDecodeNetwork(f *testing.F) {
	m := toyNetwork(f, "no", "yes")
	text, err := m.Encode()
	if err != nil {
		f.Fatal(err)
	}
	var whole file
	if err = json.Unmarshal(text, &whole); err != nil {
		f.Fatal(err)
	}
	layers, err := json.Marshal(whole.Network.Layers)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(layers, m.Files()[WeightsFileName])
	f.Fuzz(func(t *testing.T, layers, content []byte) {
		var own network.Layers
		if json.Unmarshal(layers, &own) != nil {
			return
		}
		part := networkFile{network.Shape{m.features.Dim()}, own, WeightsFileName, hashOf(content)}
		got, decodeErr := part.decode(m.schema, m.features, m.Loss(), func(string) ([]byte, error) { return content, nil })
		if decodeErr == nil && !bytes.Equal(got.Files()[WeightsFileName], content) {
			t.Error("the file of a network that was read is another when it is written")
		}
	})
}
