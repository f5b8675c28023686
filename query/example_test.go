package query_test

import (
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// The range of an expression follows from declared bounds.
func ExampleParseExpression() {
	schema, err := data.ParseSchema("people", []byte(`dither-schema: 1
row: one person
max-records: 5000
target: {column: job, levels: ["no", "yes"]}
columns:
  hours: {numeric: [0, 60]}
  rate: {numeric: [-5, 50]}
defaults: {missing: zero, out-of-range: clamp}
`))
	if err != nil {
		panic(err)
	}
	e, err := query.ParseExpression(schema, "2 * hours - clamp(rate, 0, 30)")
	if err != nil {
		panic(err)
	}
	fmt.Println(e.Bounds())
	_, err = query.ParseExpression(schema, "hours * salary")
	fmt.Println(err)
	// Output:
	// -30 120
	// query: "salary" is no column of the schema, want one of hours, rate, job
}

// A mean of 1000 numbers between 0 and 10, with its interval.
func ExampleMeans() {
	limit, err := privacy.NewGuarantee(1, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		panic(err)
	}
	budget, err := ledger.NewSingle(limit)
	if err != nil {
		panic(err)
	}
	noise := mechanism.KNorm{NoiseMultiplier: 1} // Laplace noise: epsilon 1
	grant, err := budget.Reserve(noise, "a mean")
	if err != nil {
		panic(err)
	}
	terms := query.Terms{Payer: grant, Noise: noise, MaxRecords: 5000}
	numbers := query.Values{Lower: 0, Upper: 10, At: func(i int) float64 { return float64(i % 7) }}
	means, err := query.Means(terms, query.All(1000), numbers, 0.95)
	if err != nil {
		panic(err)
	}
	fmt.Println(means[0].Value > 2.5 && means[0].Value < 3.5, means[0].Lower < means[0].Upper, means[0].Deviation < 0.02)
	_, err = query.Means(terms, query.All(1000), numbers, 0.95)
	fmt.Println(err != nil)
	// Output:
	// true true true
	// true
}
