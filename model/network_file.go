package model

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/safetensors"
	"github.com/ditherml/dither/network"
)

// WeightsFileName is the name of the file with a network's weights inside a model folder. It is a
// safetensors file, which other programs can read.
const WeightsFileName = "network.safetensors"

// ErrOtherWeights is the error if the hash of a file with weights differs from the hash in
// model.json.
var ErrOtherWeights = errors.New("the file was changed or is of another model")

// networkFile is the part of model.json about a network.
type networkFile struct {
	Input  network.Shape  `json:"input"`
	Layers network.Layers `json:"layers"`
	// Weights names the file of the parameters. SHA256 is that file's hash, so that the hash of
	// model.json covers the whole model.
	Weights string `json:"weights"`
	SHA256  string `json:"sha256"`
}

// Files returns the files of a model folder except model.json, by name. They contain the weights of
// a network and the data of transforms. The caller must not modify the map.
func (m *Model) Files() map[string][]byte {
	if m.trained == nil {
		return m.features.Files()
	}
	files := map[string][]byte{WeightsFileName: m.trained.file}
	maps.Copy(files, m.features.Files())
	return files
}

// newNetworkFile returns the description of a network, or nil.
func newNetworkFile(n *trained) *networkFile {
	if n == nil {
		return nil
	}
	return &networkFile{n.network.Input(), n.network.Layers(), WeightsFileName, hashOf(n.file)}
}

func hashOf(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// decode reads a network with its parameters and makes the model. It refuses a file that differs
// from the output of Encode and Files: one model has one spelling.
func (f networkFile) decode(s *data.Schema, features *feature.Map, loss Loss, open func(name string) ([]byte, error)) (*Model, error) {
	n, err := network.New(f.Input, f.Layers...)
	if err != nil {
		return nil, err
	}
	linear, err := NewLinear(loss, len(s.Target.Levels), features.Dim())
	if err != nil {
		return nil, err
	}
	switch err = checkNetwork(n, linear); {
	case err != nil:
		return nil, err
	case f.Weights != WeightsFileName:
		return nil, fmt.Errorf("the weights of the network are in %q, want %q", f.Weights, WeightsFileName)
	case open == nil:
		return nil, fmt.Errorf("the weights of the network are in %s, want the folder of the model; use model.Load", WeightsFileName)
	}
	file, err := open(WeightsFileName)
	if err != nil {
		return nil, err
	}
	if hash := hashOf(file); hash != f.SHA256 {
		return nil, fmt.Errorf("the SHA-256 of %s is %s, want %s; %w", WeightsFileName, hash, f.SHA256, ErrOtherWeights)
	}
	weights, err := decodeAllWeights(n, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", WeightsFileName, err)
	}
	m, err := NewNetwork(s, features, loss, n, weights)
	if err == nil && string(m.trained.file) != string(file) {
		return nil, fmt.Errorf("%s is not spelled as dither writes it, want its arrays in the order of their names and no metadata", WeightsFileName)
	}
	return m, err
}

// part is an array of a file of parameters: a matrix, or the biases of one.
type part struct {
	name  string
	shape []int
	// The entries are in the block from offset. Each row has width numbers, and columns of them
	// belong to the part.
	offset, rows, columns, width int
}

// stem returns the prefix of the names of a block's arrays. It is the place of its layer and,
// unless the layer has one weight block only, the block's own name.
func stem(b network.Block) string {
	words, names := strings.Split(b.Name, "."), []string(nil)
	for len(words) > 2 && isNumber(words[0]) { // a place and the kind of its layer
		names, words = append(names, words[0]), words[2:]
	}
	for _, own := range words {
		if own != "weights" && own != "table" {
			names = append(names, own)
		}
	}
	return strings.Join(names, ".")
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// parts lists the arrays of a block, with its biases separate, as in other programs. A layer at
// place 2 has "2.weight" and "2.bias". A layer inside another layer at place 0 has "0.2.weight".
func parts(b network.Block) []part {
	stem := stem(b)
	if b.Sparse {
		return []part{{stem + ".weight", []int{b.Numbers() / b.Right, b.Right}, 0, b.Numbers() / b.Right, b.Right, b.Right}}
	}
	if b.Left == 0 { // of a normalization
		name := stem
		for own, usual := range map[string]string{".scale": ".weight", ".offset": ".bias"} {
			if place, has := strings.CutSuffix(stem, own); has {
				name = place + usual
			}
		}
		return []part{{name, []int{b.Right}, 0, b.Right, 1, 1}}
	}
	out := []part{{stem + ".weight", []int{b.Right, b.Left}, 0, b.Right, b.Left, b.Width()}}
	if b.Bias {
		out = append(out, part{stem + ".bias", []int{b.Right}, b.Left, b.Right, 1, b.Width()})
	}
	return out
}

// eachPart calls use for the arrays of a network with the numbers of their blocks.
func eachPart(n *network.Network, weights []float32, use func(p part, block []float32) error) error {
	for _, b := range slices.Concat(n.Blocks(), n.Frozen()) {
		for _, p := range parts(b) {
			if err := use(p, weights[:b.Numbers()]); err != nil {
				return err
			}
		}
		weights = weights[b.Numbers():]
	}
	return nil
}

// encodeWeights returns a safetensors file of the parameters of a network. Its arrays are float32
// and have the names of a sequential model of PyTorch. The layer at place 2 has "2.weight", of
// shape [outputs, inputs], and "2.bias"; inside the layer at place 0 it has "0.2.weight". It
// returns an error unless the number of parameters is the network's.
func encodeWeights(n *network.Network, weights []float32) ([]byte, error) {
	if len(weights) != n.Weights() {
		return nil, fmt.Errorf("model: %d weights, want %d of the network", len(weights), n.Weights())
	}
	arrays := map[string]safetensors.Tensor{}
	err := eachPart(n, weights, func(p part, block []float32) error {
		if _, twice := arrays[p.name]; twice {
			return fmt.Errorf("model: two arrays of the network are named %s, want different names", p.name)
		}
		x := make([]float32, 0, p.rows*p.columns)
		for r := range p.rows {
			x = append(x, block[p.offset+r*p.width:][:p.columns]...)
		}
		arrays[p.name] = safetensors.NewFloat32(x, p.shape...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return safetensors.Encode(arrays)
}

// decodeAllWeights reads the parameters of a network from a file with the arrays of encodeWeights,
// in any order. Floating-point numbers of any type become the nearest float32. Missing and further
// arrays, other shapes, and numbers that are not finite are errors.
func decodeAllWeights(n *network.Network, file []byte) ([]float32, error) {
	weights, arrays, err := decodeWeights(n, file)
	if err != nil {
		return nil, err
	}
	for name := range arrays {
		return nil, fmt.Errorf("array %q belongs to no layer of the network, want its weights alone", name)
	}
	return weights, nil
}

// DecodeFirstWeights returns the weights of network n, read from the weights file of a longer
// network. The first layers of the longer network must be the layers of n. The file is a
// safetensors file as in a model folder. Arrays of later layers are ignored. Missing arrays, other
// shapes, and numbers that are not finite are errors.
func DecodeFirstWeights(n *network.Network, file []byte) ([]float32, error) {
	weights, _, err := decodeWeights(n, file)
	return weights, err
}

// decodeWeights also returns the remaining arrays.
func decodeWeights(n *network.Network, file []byte) ([]float32, map[string]safetensors.Tensor, error) {
	arrays, err := safetensors.Parse(file)
	if err != nil {
		return nil, nil, err
	}
	weights := make([]float32, n.Weights())
	err = eachPart(n, weights, func(p part, block []float32) error {
		a, found := arrays[p.name]
		if !found {
			return fmt.Errorf("there is no array %q, want the weights of every layer", p.name)
		}
		delete(arrays, p.name)
		if fmt.Sprint(a.Shape) != fmt.Sprint(p.shape) {
			return fmt.Errorf("array %q has the shape %v, want %v", p.name, a.Shape, p.shape)
		}
		x, floatsErr := a.Floats(p.name)
		if floatsErr != nil {
			return floatsErr
		}
		for r := range p.rows {
			for j, v := range x[r*p.columns:][:p.columns] {
				block[p.offset+r*p.width+j] = float32(v)
			}
		}
		return nil
	})
	return weights, arrays, err
}
