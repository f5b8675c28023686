package erm_test

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train/erm"
)

// One minimizer, released with noise that is exact on the integers: a guarantee at delta 0.
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
	setup, err := erm.NewSetup(erm.Request{Method: "output-perturbation", Epsilon: 2, Neighboring: privacy.AddOrRemoveOne, SumRidge: 10}, schema)
	if err != nil {
		panic(err)
	}
	o := setup.Plan.Output
	fmt.Printf("noise %s of scale %.3f times %.4f\n", o.Noise, o.NoiseMultiplier, o.Sensitivity)

	ages, sick := make([]float32, 1000), make([]float32, 1000)
	for i := range ages {
		ages[i], sick[i] = float32(i%100), float32(i%100/50)
	}
	records, err := data.New(schema, [][]float32{ages}, sick)
	if err != nil {
		panic(err)
	}
	limit, err := privacy.NewGuarantee(2, 0, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		panic(err)
	}
	budget, err := ledger.NewSingle(limit)
	if err != nil {
		panic(err)
	}
	result, err := erm.Fit(context.Background(), budget, setup, records, erm.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(result.Model.Weights()), "weights")
	// Output:
	// noise l1 of scale 0.500 times 0.1118
	// 2 weights
}
