package main

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train/neural"
)

// methodNetwork stands for the network of a set in place of a method.
const methodNetwork = "network"

// recipe is the network of a set and how it is trained.
type recipe struct {
	layers  network.Layers
	input   network.Shape
	outputs int
}

var (
	image = network.Shape{28, 28, 1}
	// recipes are the networks of the sets that have one.
	recipes = map[string]recipe{
		"mnist-mlp":   {network.MLP(10, 1000), nil, 10},
		"mnist-cnn":   {network.CNN(10), image, 10},
		"fashion-cnn": {network.CNN(10), image, 10},
		"a9a":         {network.MLP(1, 64), nil, 1},
		"adult-book":  {network.MLP(1, 64), nil, 1},
	}
)

// onceNetwork trains the network of a set once and measures on the test part.
func (s settings) onceNetwork(ctx context.Context, c set, p parts, epsilon float64) (out outcome, fits bool, err error) {
	way, has := recipes[c.name]
	if !has {
		return out, false, nil
	}
	r := s.network
	r.Epsilon, r.Delta, r.Neighboring, r.Layers, r.Input = epsilon, s.delta, privacy.AddOrRemoveOne, way.layers, way.input
	if r.Transforms, err = c.chain(); err != nil {
		return out, true, err
	}
	if s.hidden > 0 && way.input == nil {
		r.Layers = network.MLP(way.outputs, s.hidden)
	}
	setup, err := neural.NewSetup(r, p.schema)
	if err != nil {
		return out, true, err
	}
	budget, err := budgetOf(epsilon, s.delta, setup.Plan.Unit, setup.Plan.RowsPerPerson)
	if err != nil {
		return out, true, err
	}
	result, err := neural.Fit(ctx, budget, setup, p.records, s.networkOptions)
	if err != nil {
		return out, true, err
	}
	out.score, err = p.score(result.Model, c.regression)
	out.settings = fmt.Sprintf("%d weights, steps %d, noise multiplier %.3g, learning rate %.3g", setup.Network.Trained(), setup.Plan.Steps, math.Abs(setup.Plan.NoiseMultiplier), result.LearningRate)
	return out, true, err
}
