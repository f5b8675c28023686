package training

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/layers"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train/neural"
)

// FrozenRequest names the layers that are copied from another network and not trained.
type FrozenRequest struct {
	// From is a model folder or a safetensors file, "" for none.
	From string
	// TrainLayers is the number of last layers with weights to train: "last" or a number.
	TrainLayers string
	// Public describes the origin of the weights if no record of the table affected them.
	Public string
}

// base is a network whose first layers are reused: all its layers before the last with weights.
type base struct {
	input   network.Shape
	layers  network.Layers
	weights []float32
}

// freeze copies the first layers and their weights from another network, with a new last layer for
// the scores.
func (r *Run) freeze(ctx context.Context, asked NetworkRequest, size layers.Sizes, request *neural.Request) error {
	from, found, err := asked.openFrozen(ctx, r.Tables, size)
	if err != nil {
		return err
	}
	if from.input.Size() != size.Features {
		return fmt.Errorf("--frozen-from %s: the network takes %d numbers (%v), want %d, as many as a row has features", found.Source, from.input.Size(), from.input, size.Features)
	}
	if found.Layers, err = asked.Frozen.cut(from); err != nil {
		return err
	}
	found.Begins = found.Layers < len(from.layers)
	whole, err := network.New(from.input, from.layers...)
	if err != nil {
		return err
	}
	part, weights, err := whole.Freeze(found.Layers, from.weights)
	if err != nil {
		return err
	}
	request.Input, request.Layers = from.input, append(part.Layers(), network.Linear{Outputs: size.Scores})
	built, err := network.New(request.Input, request.Layers...)
	if err != nil {
		return err
	}
	r.Network.Frozen, r.Network.Options.Initial = found, begin(built, part, weights)
	return nil
}

// begin returns the weights of a network that extends another one by a layer. The weights of that
// layer are fresh.
func begin(whole, part *network.Network, weights []float32) []float32 {
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // it never fails
	out := make([]float32, whole.Weights())
	whole.Init(out, binary.LittleEndian.Uint64(seed[:]))
	copy(out, weights[:part.Trained()])
	copy(out[whole.Trained():], weights[part.Trained():])
	return out
}

// openFrozen reads the network whose layers are reused: a model folder, or weights next to a file
// of layers.
func (asked NetworkRequest) openFrozen(ctx context.Context, t Tables, size layers.Sizes) (base, *certificate.Frozen, error) {
	path := asked.Frozen.From
	info, err := os.Stat(path)
	if err != nil {
		return base{}, nil, fmt.Errorf("--frozen-from %s: %w, want a model folder or a safetensors file", path, display.Pathless(err))
	}
	if info.IsDir() {
		return asked.openFrozenFolder(path)
	}
	name := filepath.Base(path)
	switch {
	case asked.Frozen.Public == "":
		return base{}, nil, fmt.Errorf("--frozen-public is missing with --frozen-from %s, want where its weights come from, in words, if no record of the table had a part in them", name)
	case slices.Contains([]string{layers.Linear, layers.MLP, layers.CNN, layers.Text}, asked.Layers.Model):
		return base{}, nil, fmt.Errorf("--model is %s with the file --frozen-from %s, want the YAML file of the layers that its weights belong to", asked.Layers.Model, name)
	}
	file, err := feature.ReadFile(path)
	if err != nil {
		return base{}, nil, fmt.Errorf("--frozen-from: %w", err)
	}
	stack, input, err := asked.Layers.Layers(ctx, t.Source, t.Schema, size)
	if err != nil {
		return base{}, nil, err
	}
	from, err := newBase(input, stack, file)
	if err != nil {
		return base{}, nil, fmt.Errorf("--frozen-from %s: %w", name, err)
	}
	return from, &certificate.Frozen{Source: name, SHA256: certificate.Hash(file), Public: display.OneLine(asked.Frozen.Public)}, nil
}

// openFrozenFolder reads a model folder. Its cost must be known, or it must be declared public.
func (asked NetworkRequest) openFrozenFolder(path string) (base, *certificate.Frozen, error) {
	name := filepath.Base(filepath.Clean(path))
	if asked.Layers.Given("model") {
		return base{}, nil, fmt.Errorf("--model is given with the model folder --frozen-from %s, want it left out; the folder has the layers", name)
	}
	m, err := model.Load(path)
	if err != nil {
		return base{}, nil, err
	}
	n := m.Network()
	if n == nil {
		return base{}, nil, fmt.Errorf("--frozen-from %s holds a linear model, want a network", name)
	}
	file := m.Files()[model.WeightsFileName]
	found := &certificate.Frozen{Source: name, SHA256: certificate.Hash(file), Public: display.OneLine(asked.Frozen.Public)}
	if found.Public == "" {
		if err = certifyFrozen(found, path, m.Provenance.Private); err != nil {
			return base{}, nil, err
		}
	}
	from, err := newBase(n.Input(), n.Layers(), file)
	return from, found, err
}

// certifyFrozen reads the certificate of a model folder and verifies it.
func certifyFrozen(s *certificate.Frozen, path string, private bool) error {
	const remedy = "add --frozen-public with where its records are from, if none of them is in this table"
	if !private {
		return fmt.Errorf("--frozen-from %s is a baseline without privacy, want a model with a certificate; %s", s.Source, remedy)
	}
	v, err := artefact.Verify(path)
	switch {
	case err != nil:
		return err
	case !v.Verified:
		return fmt.Errorf("--frozen-from %s is not verified, in %d places, want a model whose certificate agrees; %s", s.Source, len(v.Disagreements), remedy)
	}
	text, err := artefact.ReadPart(path, certificate.FileName)
	c := v.Certificate
	s.Paid = &certificate.Paid{CertificateSHA256: certificate.Hash(text), Epsilon: c.Epsilon, Delta: c.Delta, Neighboring: c.Neighboring, Unit: c.Unit}
	for _, line := range c.Assumptions {
		if strings.Contains(line, draft.FrozenWords) {
			s.Earlier = append(s.Earlier, line)
		}
	}
	return err
}

// newBase returns the layers before the last one with weights, with their weights from a file.
func newBase(input network.Shape, layers network.Layers, file []byte) (base, error) {
	weighted := withWeights(input, layers)
	if len(weighted) < 2 {
		return base{}, fmt.Errorf("the network has %d layers with weights, want at least 2: some to freeze and one to train", len(weighted))
	}
	last := weighted[len(weighted)-1]
	if last != len(layers)-1 {
		return base{}, fmt.Errorf("the network ends in %s, want a linear layer, in whose place a new one is trained", network.Kind(layers[len(layers)-1]))
	}
	first, err := network.New(input, layers[:last]...)
	if err != nil {
		return base{}, err
	}
	weights, err := model.DecodeFirstWeights(first, file)
	return base{input, layers[:last], weights}, err
}

// withWeights lists the indices of the layers that have weights.
func withWeights(shape network.Shape, layers network.Layers) []int {
	var out []int
	for i, layer := range layers {
		alone, err := network.New(shape, layer)
		if err != nil {
			return out
		}
		if alone.Weights() > 0 {
			out = append(out, i)
		}
		shape = alone.Output()
	}
	return out
}

// cut returns the number of frozen layers.
func (n FrozenRequest) cut(from base) (int, error) {
	if n.TrainLayers == "last" {
		return len(from.layers), nil
	}
	count, err := strconv.Atoi(n.TrainLayers)
	weighted := withWeights(from.input, from.layers)
	if err != nil || count < 1 || count > len(weighted) {
		return 0, fmt.Errorf("--train-layers is %q, want last or a number from 1 to %d: at least one of the %d layers with weights stays frozen", n.TrainLayers, len(weighted), len(weighted)+1)
	}
	if count == 1 {
		return len(from.layers), nil
	}
	return weighted[len(weighted)-count+1], nil
}
