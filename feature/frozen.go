package feature

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/safetensors"
)

// frozen is a public encoder: a chain of linear layers with activations. Its weights are in a
// safetensors file and were trained on other, public records. A layer maps x to act(W·x + b).
type frozen struct {
	in, out int
	layers  []frozenLayer
	unit    bool
	widest  int

	parameters frozenParameters // complete, with the name of the file alone
	file       []byte
}

var (
	_ transform     = (*frozen)(nil)
	_ rowsTransform = (*frozen)(nil)
	_ filed         = (*frozen)(nil)
)

type frozenLayer struct {
	in, out    int
	weight     []float64 // out × in
	bias       []float64
	activation func(float64) float64
}

type frozenParameters struct {
	// File is a safetensors file. SHA256 is its hash, which may be left out when a pipeline is made
	// and stands in Pipeline.Specs.
	File   string       `json:"file"`
	SHA256 string       `json:"sha256,omitempty"`
	Layers frozenLayers `json:"layers"`
	// Norm is "unit", which scales each row after the last layer to norm 1, or "none"; "" means
	// unit.
	Norm string `json:"norm,omitempty"`
}

// frozenLayers are the layers in order, or on one line "0:relu+2:identity". Names follow PyTorch's
// linear modules, whose arrays are 0.weight and 0.bias.
type frozenLayers []frozenLayerNames

type frozenLayerNames struct {
	Weight string `json:"weight"`
	// Bias is the name of the bias, empty where there is none.
	Bias       string `json:"bias,omitempty"`
	Activation string `json:"activation"`
}

// UnmarshalJSON accepts a list of layers, or a text such as "fc1:relu+fc2:tanh".
func (l *frozenLayers) UnmarshalJSON(text []byte) error {
	var line string
	if json.Unmarshal(text, &line) != nil {
		return json.Unmarshal(text, (*[]frozenLayerNames)(l))
	}
	for _, layer := range strings.Split(line, "+") {
		name, activation, found := strings.Cut(layer, ":")
		if !found {
			return fmt.Errorf("layer %q, want NAME:ACTIVATION", layer)
		}
		*l = append(*l, frozenLayerNames{name + ".weight", name + ".bias", activation})
	}
	return nil
}

// activations are functions whose magnitude is at most that of their argument.
var activations = map[string]func(float64) float64{
	"identity": func(v float64) float64 { return v },
	"relu":     func(v float64) float64 { return max(0, v) },
	"tanh":     math.Tanh,
	// The exact form: v times the normal distribution function (D. Hendrycks and K. Gimpel,
	// "Gaussian error linear units", 2016, https://arxiv.org/abs/1606.08415v5).
	"gelu": func(v float64) float64 { return v * (0.5 * math.Erfc(-v/math.Sqrt2)) },
}

// frozenExtension is the ending of the names of weight files.
const frozenExtension = ".safetensors"

// newFrozen returns the transform of parameters {"file": …, "sha256": …, "layers": […], "norm": …}.
func newFrozen(parameters json.RawMessage, at surroundings) (transform, error) {
	var p frozenParameters
	if err := decodeParameters(parameters, &p); err != nil {
		return nil, err
	}
	switch {
	case !strings.HasSuffix(p.File, frozenExtension) || filepath.Base(p.File) == frozenExtension:
		return nil, fmt.Errorf("file is %q, want weights in a file whose name ends with %s", p.File, frozenExtension)
	case len(p.Layers) == 0:
		return nil, fmt.Errorf("no layers are given, want names and activations, such as layers=0:relu+2:identity")
	case p.Norm != "" && p.Norm != "unit" && p.Norm != "none":
		return nil, fmt.Errorf("norm is %q, want unit or none", p.Norm)
	case at.open == nil:
		return nil, fmt.Errorf("the weights %s stand in a file, want the folder of the model; use model.Load, or NewPipeline", filepath.Base(p.File))
	}
	file, err := at.open(p.File)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(file)
	hash := hex.EncodeToString(sum[:])
	if p.SHA256 != "" && !strings.EqualFold(p.SHA256, hash) {
		return nil, fmt.Errorf("the SHA-256 of %s is %s, want %s; find the file that was meant", filepath.Base(p.File), hash, p.SHA256)
	}
	p.SHA256, p.File = hash, filepath.Base(p.File)
	f := &frozen{in: at.in, unit: p.Norm != "none", parameters: p, file: file, widest: at.in}
	if err = f.read(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	return f, nil
}

// read makes the layers of the file.
func (f *frozen) read() error {
	tensors, err := safetensors.Parse(f.file)
	if err != nil {
		return err
	}
	f.out = f.in
	for k, names := range f.parameters.Layers {
		l := frozenLayer{in: f.out, activation: activations[names.Activation]}
		if l.activation == nil {
			return fmt.Errorf("activation of layer %d is %q, want one of %s", k+1, names.Activation, strings.Join(sortedKeys(activations), ", "))
		}
		if l.weight, l.out, err = weights(tensors, names.Weight, l.in); err != nil {
			return err
		}
		if l.bias, err = biases(tensors, names.Bias, l.out); err != nil {
			return err
		}
		f.layers, f.out, f.widest = append(f.layers, l), l.out, max(f.widest, l.out)
	}
	return nil
}

// tensorNames returns the names of the first arrays of a file.
func tensorNames(tensors map[string]safetensors.Tensor) string {
	names := sortedKeys(tensors)
	if len(names) > 12 {
		names = append(names[:12], "…")
	}
	return strings.Join(names, ", ")
}

// weights reads a matrix of in columns.
func weights(tensors map[string]safetensors.Tensor, name string, in int) (w []float64, out int, err error) {
	t, found := tensors[name]
	if !found {
		return nil, 0, fmt.Errorf("there is no array %q, want one of %s", name, tensorNames(tensors))
	}
	if len(t.Shape) != 2 || t.Shape[1] != in || t.Shape[0] < 1 || t.Shape[0] > maxFeatures {
		return nil, 0, fmt.Errorf("array %q has the shape %v, want a matrix of %d columns, one for each number before the layer", name, t.Shape, in)
	}
	w, err = t.Floats(name)
	return w, t.Shape[0], err
}

// biases returns a vector, zeros where the file has none.
func biases(tensors map[string]safetensors.Tensor, name string, out int) ([]float64, error) {
	if name == "" {
		return make([]float64, out), nil
	}
	t, found := tensors[name]
	if !found {
		return nil, fmt.Errorf("there is no array %q, want one of %s, or no bias", name, tensorNames(tensors))
	}
	if !slices.Equal(t.Shape, []int{out}) {
		return nil, fmt.Errorf("array %q has the shape %v, want %d numbers, one for each row of the weights", name, t.Shape, out)
	}
	return t.Floats(name)
}

func (f *frozen) In() int { return f.in }

func (f *frozen) Out() int { return f.out }

// Bound returns 1 if rows are scaled to norm 1. Otherwise it multiplies bounds layer by layer: the
// bound after a layer is the largest Σ|W|·in + |b| of its outputs, which no activation exceeds. The
// bound may be far above the values of real rows.
func (f *frozen) Bound(in float64) float64 {
	if f.unit {
		return 1
	}
	for _, l := range f.layers {
		most := 0.0
		for o := range l.out {
			sum := math.Abs(l.bias[o])
			for _, w := range l.weight[o*l.in : (o+1)*l.in] {
				sum += math.Abs(w) * in
			}
			most = max(most, sum)
		}
		in = most
	}
	return in
}

// frozenScratch holds the numbers between layers.
type frozenScratch struct{ a, b []float64 }

func (f *frozen) NewScratch() any { return &frozenScratch{} }

// Name returns "encoder = feature j": a feature depends on all numbers of a row.
func (f *frozen) Name(j int, _ func(int) encoder.Name) encoder.Name {
	return encoder.Name{Column: "encoder", Level: "feature " + strconv.Itoa(j)}
}

func (f *frozen) Apply(dst, x []float64, scratch any) { f.ApplyRows(dst, x, 1, scratch) }

// ApplyRows computes one matrix product for each layer. Each row of the result depends only on its
// own row.
func (f *frozen) ApplyRows(dst, x []float64, rows int, scratch any) {
	s := scratch.(*frozenScratch)
	if n := rows * f.widest; len(s.a) < n {
		s.a, s.b = make([]float64, n), make([]float64, n)
	}
	from, to, free := x, s.a, s.b
	for k, l := range f.layers {
		if k == len(f.layers)-1 {
			to = dst
		}
		l.apply(to[:rows*l.out], from[:rows*l.in], rows)
		from, to, free = to, free, to
	}
	for r := 0; f.unit && r < rows; r++ {
		scaleToUnit(dst[r*f.out : (r+1)*f.out])
	}
}

func (l frozenLayer) apply(dst, x []float64, rows int) {
	kernel.GemmSerial(kernel.NewMatrix(dst, rows, l.out), 1, kernel.NewMatrix(x, rows, l.in), kernel.NewMatrix(l.weight, l.out, l.in).Transposed(), 0)
	for r := range rows {
		row := dst[r*l.out : (r+1)*l.out]
		for o, v := range row {
			row[o] = l.activation(v + l.bias[o])
		}
	}
}

// scaleToUnit scales a row to norm 1. A row without a finite norm becomes zero.
func scaleToUnit(row []float64) {
	scale := 1 / kernel.Norm(row)
	if !(scale > 0) || math.IsInf(scale, 1) {
		clear(row)
		return
	}
	for j := range row {
		row[j] *= scale
	}
}

func (f *frozen) spec() (Spec, error) {
	text, err := json.Marshal(f.parameters)
	return Spec{"encoder", text}, err
}

func (f *frozen) attached() (string, []byte) { return f.parameters.File, f.file }
