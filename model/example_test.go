package model_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
)

// Load a model folder and predict for one row. (The model here has made-up weights.)
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	m, err := model.New(exampleSchema(), exampleMap(), model.Logistic, []float64{2})
	if err != nil {
		panic(err)
	}
	writeExample(dir, m)

	if m, err = model.Load(dir); err != nil {
		panic(err)
	}
	row := m.NewRow()
	if err := row.SetNumber("age", 80); err != nil {
		panic(err)
	}
	probability, ok := row.Predict()
	fmt.Printf("%s: %.3f %v\n", m.Schema().Target.Levels[1], probability[0], ok)
	// Output: yes: 0.832 true
}

// Put a network with made-up weights together, write its folder, which has its weights in a file of their own, and
// read it back.
func ExampleNewNetwork() {
	layers, err := network.ParseLayers([]byte("[linear: {outputs: 2}, activation: relu, linear: {outputs: 1}]"))
	if err != nil {
		panic(err)
	}
	n, err := network.New(network.Shape{1}, layers...)
	if err != nil {
		panic(err)
	}
	// Each row of a block is the weights of an output and its bias.
	weights := []float32{2, -1, -2, 1, 1, 0, 0.5}
	m, err := model.NewNetwork(exampleSchema(), exampleMap(), model.Logistic, n, weights)
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	writeExample(dir, m)

	if m, err = model.Load(dir); err != nil {
		panic(err)
	}
	row := m.NewRow()
	if err = row.SetNumber("age", 80); err != nil {
		panic(err)
	}
	probability, _ := row.Predict() // of 1·max(2·0.8 - 1, 0) + 0·max(-2·0.8 + 1, 0) + 0.5
	fmt.Printf("%.3f %d weights\n", probability[0], m.Network().Weights())
	// Output: 0.750 7 weights
}

func exampleSchema() *data.Schema {
	schema, err := data.ParseSchema("people.yaml", []byte(`
dither-schema: 1
row: one person
max-records: 2000
target: {column: sick, levels: ["no", "yes"]}
columns:
  age: {numeric: [0, 100], out-of-range: clamp, missing: zero}
`))
	if err != nil {
		panic(err)
	}
	return schema
}

func exampleMap() *feature.Map {
	chain, err := feature.NewPipeline(nil, exampleSchema())
	if err != nil {
		panic(err)
	}
	return &feature.Map{Pipeline: chain, Norm: feature.NormNone}
}

func writeExample(dir string, m *model.Model) {
	text, err := m.Encode()
	if err != nil {
		panic(err)
	}
	if err = os.WriteFile(filepath.Join(dir, model.FileName), text, 0o600); err != nil {
		panic(err)
	}
	for name, content := range m.Files() {
		if err = os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			panic(err)
		}
	}
}
