// Command structs trains a private model from a slice of structs, as a service has them in memory.
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

// patient is a record of a service. A field is the column with its name, or the one that its tag names.
type patient struct {
	Name   string `dither:"-"` // never read
	Age    int
	Weight *float64 `dither:"weight-kg"` // nil: not known
	Smoker bool
	Ill    bool
}

// schemaText is public: it says what anyone may know about the records, and nothing in it comes from them.
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
	asked := []patient{{Age: 30}, {Age: 80, Smoker: true}} // of whom the weight is not known
	for i, p := range must(dither.Predict(ctx, trained.Model, asked)) {
		fmt.Fprintf(w, "age %d, smoker %v: ill with probability %.2f\n", asked[i].Age, asked[i].Smoker, p[0])
	}
}

// must returns the value of a call, or ends the program with its error.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
