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

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
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
	schema, err := data.ParseSchema("patients", []byte(schemaText))
	if err != nil {
		return err
	}
	records, err := data.FromStructs(schema, patients(4000), data.ReadOptions{})
	if err != nil {
		return err
	}
	// The plan follows from public numbers: the request and the schema.
	setup, err := train.NewPlan(train.Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, schema)
	if err != nil {
		return err
	}
	certificate, err := setup.Plan.Certificate()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "epsilon %.4f at delta %g, for %s\n", certificate.Epsilon, certificate.Delta, certificate.Unit)

	// The ledger holds the budget of these records, over everything that is ever released of them.
	limit, err := privacy.NewGuarantee(1, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: schema.Row})
	if err != nil {
		return err
	}
	budget, err := ledger.New(limit)
	if err != nil {
		return err
	}
	result, err := train.Fit(context.Background(), budget, setup, records, train.Options{Momentum: train.DefaultMomentum})
	if err != nil {
		return err
	}
	for _, p := range []struct {
		age    float64
		smoker string
	}{{30, "false"}, {80, "true"}} {
		probability, err := illness(result.Model, p.age, p.smoker)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "age %v, smoker %s: ill with probability %.2f\n", p.age, p.smoker, probability)
	}
	return nil
}

// illness asks the model about one patient, of whom the weight is not known.
func illness(m *model.Model, age float64, smoker string) (float64, error) {
	row := m.NewRow()
	if err := row.SetNumber("age", age); err != nil {
		return 0, err
	}
	if err := row.SetText("smoker", smoker); err != nil {
		return 0, err
	}
	if err := row.SetMissing("weight-kg"); err != nil {
		return 0, err
	}
	prediction, ok := row.Predict()
	if !ok {
		return 0, fmt.Errorf("columns %v are not set, or the schema drops such a row", row.Unset())
	}
	return prediction[len(prediction)-1], nil
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
