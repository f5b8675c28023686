package train_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// A table that is encoded once and trained on twice; a ledger that has room for one run only.
func ExampleTable() {
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
	ages, sick := make([]float32, 1000), make([]float32, 1000)
	for i := range ages {
		ages[i], sick[i] = float32(i%100), float32(i%100/50)
	}
	records, err := data.New(schema, [][]float32{ages}, sick)
	if err != nil {
		panic(err)
	}
	setup, err := train.NewPlan(train.Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: train.No}, schema)
	if err != nil {
		panic(err)
	}
	table, err := train.NewTable(setup, records, 0)
	if err != nil {
		panic(err)
	}
	limit, err := privacy.NewGuarantee(1.2, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		panic(err)
	}
	budget, err := ledger.New(limit)
	if err != nil {
		panic(err)
	}
	for range 2 {
		result, failed := table.Fit(context.Background(), budget, setup, train.Options{Momentum: 0.9})
		fmt.Println(result != nil, errors.Is(failed, ledger.ErrOverBudget))
	}
	// Output:
	// true false
	// false true
}
