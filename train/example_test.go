package train_test

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// A plan from public numbers, its cost, and a run under a ledger.
func Example() {
	schema, err := data.ParseSchema("people.yaml", []byte(`
dither-schema: 1
row: one person
records: 1000
max-records: 2000
target: {column: sick, levels: ["no", "yes"]}
columns:
  age: {numeric: [0, 100], out-of-range: clamp, missing: zero}
`))
	if err != nil {
		panic(err)
	}
	setup, err := train.NewPlan(train.Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: train.No}, schema)
	if err != nil {
		panic(err)
	}
	certificate, err := setup.Plan.Certificate()
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d steps of %d weights cost epsilon %.4f\n", setup.Plan.Steps, setup.Plan.Dim, float64(certificate.Epsilon))

	ages, sick := make([]float32, 1000), make([]float32, 1000)
	for i := range ages {
		ages[i], sick[i] = float32(i%100), float32(i%100/50)
	}
	records, err := data.New(schema, [][]float32{ages}, sick)
	if err != nil {
		panic(err)
	}
	limit, err := privacy.NewGuarantee(1, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		panic(err)
	}
	budget, err := ledger.New(limit)
	if err != nil {
		panic(err)
	}
	result, err := train.Fit(context.Background(), budget, setup, records, train.Options{Momentum: 0.9})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(result.Model.Weights()), "weights")
	// Output:
	// 60 steps of 2 weights cost epsilon 1.0000
	// 2 weights
}
