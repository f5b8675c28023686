package dither_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ditherml/dither"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
)

// A model is trained on records of the program, saved and verified.
func ExampleTrain() {
	type visit struct {
		ID    int64 `dither:"-"` // never read
		Age   int
		Stay  *float64 `dither:"days"` // nil is a missing cell
		Again bool
	}
	schema, err := data.ParseSchema("visits", []byte(`
dither-schema: 1
row: one visit
max-records: 10000
target: {column: again, levels: ["false", "true"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  age: {numeric: [0, 110]}
  days: {numeric: [0, 60]}
`))
	if err != nil {
		log.Fatal(err)
	}
	visits := make([]visit, 3000)
	for i := range visits {
		visits[i] = visit{ID: int64(i), Age: i * 7919 % 100, Again: i*7919%100 > 60}
	}
	budget, err := dither.NewBudget(1, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		log.Fatal(err)
	}
	run, err := dither.Train(context.Background(), budget, schema, visits)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run)
	_, err = dither.Query(context.Background(), budget, schema, visits, "count")
	fmt.Println("budget spent:", errors.Is(err, ledger.ErrOverBudget))

	chances, err := dither.Predict(context.Background(), run.Model, []visit{{Age: 20}, {Age: 90}})
	if err != nil {
		log.Fatal(err)
	}
	levels := run.Model.Schema().Target.Levels
	fmt.Printf("%s more probable at 90: %v\n", levels[1], chances[1][0] > chances[0][0])

	place, err := os.MkdirTemp("", "visits")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(place)
	folder := filepath.Join(place, "model")
	if err = run.Save(folder); err != nil {
		log.Fatal(err)
	}
	v, err := dither.Verify(folder)
	fmt.Println("verified:", v.Verified, err)
	// Output:
	// model of "again": epsilon 1 at delta 1e-06 for adding or removing one record (one visit; accountant gdp)
	// budget spent: true
	// true more probable at 90: true
	// verified: true <nil>
}
