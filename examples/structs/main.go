// Command structs trains a private model on a slice of structs, which a service has in memory.
//
//	go run ./examples/structs
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/ditherml/dither"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/privacy"
)

// patient is a record of a service. A field belongs to the column in its tag. A field without a tag
// belongs to the column with the field's name.
type patient struct {
	Name   string `dither:"-"` // not a column
	Age    int
	Weight *float64 `dither:"weight-kg"` // nil means unknown
	Smoker bool
	Ill    bool
}

// schemaText is the schema of the records. It is public, and nothing in it comes from the records.
const schemaText = `
dither-schema: 1
row: one patient
rows-per-person: 1
max-records: 10000
target: {column: ill, levels: ["false", "true"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  age: {numeric: [18, 100]}
  weight-kg: {numeric: [40, 160]}
  smoker: {levels: ["false", "true"]}
`

func main() { run(os.Stdout) }

func run(w io.Writer) {
	ctx := context.Background()
	schema := must(data.ParseSchema("patients", []byte(schemaText)))
	budget := must(dither.NewBudget(1, 1e-6, privacy.AddOrRemoveOne))
	trained := must(dither.Train(ctx, budget, schema, patients(4000)))
	c := trained.Certificate
	fmt.Fprintf(w, "epsilon %.4f at delta %g, for %s\n", c.Epsilon, c.Delta, c.Unit)
	asked := []patient{{Age: 30}, {Age: 80, Smoker: true}} // their weights are unknown
	for i, p := range must(dither.Predict(ctx, trained.Model, asked)) {
		fmt.Fprintf(w, "age %d, smoker %v: ill with probability %.2f\n", asked[i].Age, asked[i].Smoker, p[0])
	}
}

// must returns value if err is nil. Otherwise it prints err and ends the program.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
