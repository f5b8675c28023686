package model_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/model"
)

// Load a model folder and predict for one row. (The model here has made-up weights.)
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	writeExample(dir)

	m, err := model.Load(dir)
	if err != nil {
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

func writeExample(dir string) {
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
	encoder, err := feature.NewEncoder(schema)
	if err != nil {
		panic(err)
	}
	chain, err := feature.NewChain(encoder)
	if err != nil {
		panic(err)
	}
	m, err := model.New(schema, &feature.Map{Chain: chain, Norm: feature.NormNone}, model.Logistic{}, []float64{2})
	if err != nil {
		panic(err)
	}
	text, err := m.Encode()
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(dir, model.FileName), text, 0o600); err != nil {
		panic(err)
	}
}
