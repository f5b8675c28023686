package model

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/strict"
)

// FileName is the name of the model's file inside a model folder.
const FileName = "model.json"

const (
	fileFormat  = "dither-model"
	fileVersion = 1
	// maxFileSize bounds the file that Load reads.
	maxFileSize = 1 << 30
)

// Provenance describes where a model comes from. All fields are public.
type Provenance struct {
	// Program is the name and version of the program that trained the model.
	Program string `json:"program"`
	// Run is a random identifier of the training, in hexadecimal digits.
	Run string `json:"run"`
	// Created is the time at which the model was made, in RFC 3339.
	Created string `json:"created"`
	// Private reports whether the model was trained with privacy. It is false for a baseline.
	Private bool `json:"private"`
}

// file is model.json: a closed list of declared and released numbers.
type file struct {
	Format     string     `json:"format"`
	Version    int        `json:"format-version"`
	Provenance Provenance `json:"provenance"`
	Schema     string     `json:"schema"`
	Map        mapFile    `json:"feature-map"`
	Loss       LossSpec   `json:"loss"`
	// Weights are the weights of a linear model. A network has Network instead.
	Weights [][]float64  `json:"weights,omitempty"`
	Network *networkFile `json:"network,omitempty"`
	// Threshold is left out if it is defaultThreshold, or if there are not two levels.
	Threshold float64 `json:"threshold,omitempty"`
}

type mapFile struct {
	Normalization feature.Normalization `json:"row-normalization"`
	Radius        float64               `json:"radius,omitempty"`
	Center        []float64             `json:"center,omitempty"`
	Evidence      []float64             `json:"evidence,omitempty"`
	Means         []float64             `json:"means,omitempty"`
	// A whitening has one of three forms: Whitening, Scales, or Channels with Places. Each is
	// base64 of little-endian float64.
	Whitening  string         `json:"whitening,omitempty"`
	Scales     string         `json:"whitening-scales,omitempty"`
	Channels   string         `json:"whitening-channels,omitempty"`
	Places     string         `json:"whitening-places,omitempty"`
	Intercept  float64        `json:"intercept"`
	Transforms []feature.Spec `json:"transforms,omitempty"`
}

// Encode returns the bytes of model.json. The weights of a network are in a separate file, which
// Files returns.
func (m *Model) Encode() ([]byte, error) {
	schema, err := m.schema.YAML()
	if err != nil {
		return nil, err
	}
	f := file{Format: fileFormat, Version: fileVersion, Provenance: m.Provenance, Schema: string(schema),
		Map: newMapFile(m.features)}
	if f.Loss, err = SpecOf(m.linear.Loss); err != nil {
		return nil, err
	}
	f.Threshold = m.threshold
	if f.Network = newNetworkFile(m.trained); f.Network != nil {
		return indented(f)
	}
	for k := range m.linear.Columns {
		f.Weights = append(f.Weights, m.weights[k*m.linear.Dim:(k+1)*m.linear.Dim])
	}
	return indented(f)
}

func indented(f file) ([]byte, error) {
	out, err := json.MarshalIndent(f, "", " ")
	return append(out, '\n'), err
}

// Load returns the model in a model folder.
func Load(dir string) (*Model, error) {
	path := filepath.Join(dir, FileName)
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("model: %s: %w; want a folder that dither train wrote", path, unwrapPath(err))
	}
	if !info.Mode().IsRegular() || info.Size() > maxFileSize {
		return nil, fmt.Errorf("model: %s is no plain file of at most %d bytes, want a model that dither train wrote", path, maxFileSize)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	m, err := Decode(text, feature.FilesIn(dir))
	if err != nil {
		return nil, fmt.Errorf("model: %s: %w", path, err)
	}
	return m, nil
}

// unwrapPath drops the path that an *os.PathError repeats.
func unwrapPath(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}

// Decode returns the model that Encode wrote as this text. Unknown or repeated fields, fields in
// other letter case, and inconsistent parts are errors. A model may depend on other files, such as
// the weights of a network or of a public encoder. The function open returns the content of such a
// file by its name. feature.FilesIn returns such a function. If the function open is nil, a model
// that depends on other files is an error.
func Decode(text []byte, open func(name string) ([]byte, error)) (*Model, error) {
	var f file
	if err := strict.Decode(text, &f); err != nil {
		return nil, fmt.Errorf("not a model file: %w", err)
	}
	if f.Format != fileFormat || f.Version != fileVersion {
		return nil, fmt.Errorf("format is %q version %d, want %q version %d", f.Format, f.Version, fileFormat, fileVersion)
	}
	schema, err := data.ParseSchema("schema", []byte(f.Schema))
	if err != nil {
		return nil, err
	}
	loss, err := f.Loss.Loss()
	if err != nil {
		return nil, err
	}
	features, err := f.Map.decode(schema, open)
	if err != nil {
		return nil, err
	}
	m, err := f.model(schema, features, loss, open)
	if err != nil {
		return nil, err
	}
	m.Provenance = f.Provenance
	if f.Threshold == 0 {
		return m, nil
	}
	return m.WithThreshold(f.Threshold)
}

// model makes the model from a file.
func (f file) model(s *data.Schema, features *feature.Map, loss Loss, open func(name string) ([]byte, error)) (*Model, error) {
	if f.Network != nil {
		if len(f.Weights) > 0 {
			return nil, fmt.Errorf("there are weights and a network, want one of them")
		}
		return f.Network.decode(s, features, loss, open)
	}
	var weights []float64
	for k, w := range f.Weights {
		if len(w) != features.Dim() {
			return nil, fmt.Errorf("weights %d have %d numbers, want %d", k, len(w), features.Dim())
		}
		weights = append(weights, w...)
	}
	return New(s, features, loss, weights)
}

func newMapFile(m *feature.Map) mapFile {
	f := mapFile{Normalization: m.Norm, Radius: m.Radius, Center: m.Center, Evidence: m.Evidence, Means: m.Means, Intercept: m.Intercept, Transforms: m.Specs()}
	if w := m.Whitening; w != nil {
		f.Whitening, f.Scales, f.Channels, f.Places = packFloats(w.Matrix), packFloats(w.Scales), packFloats(w.Channels), packFloats(w.Places)
	}
	return f
}

func (f mapFile) decode(s *data.Schema, open func(name string) ([]byte, error)) (*feature.Map, error) {
	chain, err := feature.NewPipeline(open, s, f.Transforms...)
	if err != nil {
		return nil, err
	}
	whitening, err := f.whitening()
	if err != nil {
		return nil, err
	}
	m := &feature.Map{Pipeline: chain, Norm: f.Normalization, Radius: f.Radius, Center: f.Center, Evidence: f.Evidence, Means: f.Means, Whitening: whitening, Intercept: f.Intercept}
	return m, m.Validate()
}

// whitening returns the whitening of a file, or nil without one.
func (f mapFile) whitening() (*feature.Whitening, error) {
	w := &feature.Whitening{}
	for _, part := range []struct {
		text string
		to   *[]float64
	}{{f.Whitening, &w.Matrix}, {f.Scales, &w.Scales}, {f.Channels, &w.Channels}, {f.Places, &w.Places}} {
		var err error
		if *part.to, err = unpackFloats(part.text); err != nil {
			return nil, err
		}
	}
	if w.Matrix == nil && w.Scales == nil && w.Channels == nil && w.Places == nil {
		return nil, nil
	}
	return w, nil
}

func packFloats(x []float64) string {
	if x == nil {
		return ""
	}
	raw := make([]byte, 0, 8*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func unpackFloats(text string) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw)%8 != 0 {
		return nil, fmt.Errorf("whitening is not base64 of 8-byte numbers")
	}
	x := make([]float64, len(raw)/8)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return x, nil
}
