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

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	ctx := context.Background()
	schema, err := data.ParseSchema("patients", []byte(schemaText))
	if err != nil {
		return err
	}
	budget, err := dither.NewBudget(1, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		return err
	}
	trained, err := dither.Train(ctx, budget, schema, patients(4000))
	if err != nil {
		return err
	}
	c := trained.Certificate
	fmt.Fprintf(w, "epsilon %.4f at delta %g, for %s\n", c.Epsilon, c.Delta, c.Unit)
	asked := []patient{{Age: 30}, {Age: 80, Smoker: true}} // of whom the weight is not known
	predictions, err := dither.Predict(ctx, trained.Model, asked)
	if err != nil {
		return err
	}
	for i, p := range asked {
		fmt.Fprintf(w, "age %d, smoker %v: ill with probability %.2f\n", p.Age, p.Smoker, predictions[i][0])
	}
	return nil
}

// patients makes records up: who is old or smokes is ill more often.
func patients(n int) []patient {
	all := make([]patient, n)
	for i := range all {
		p := patient{Name: fmt.Sprint("patient ", i), Age: 20 + i*7919%70, Smoker: i%4 == 0}
		if i%9 != 0 {
			weight := 50 + float64(i*104729%600)/10
			p.Weight = &weight
		}
		risk := p.Age + i*1299709%50
		if p.Smoker {
			risk += 20
		}
		p.Ill = risk > 85
		all[i] = p
	}
	return all
}
