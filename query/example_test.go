package query_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// The mean of 1000 durations between 0 and 10, with its interval. A second answer is not paid for.
func ExampleQuestion() {
	question, numbers := meanOf("duration", 10, 1000, func(i int) float64 { return float64(i % 7) })
	limit, err := privacy.NewGuarantee(1, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one row"})
	if err != nil {
		panic(err)
	}
	budget, err := ledger.NewSingle(limit)
	if err != nil {
		panic(err)
	}
	grant, err := budget.Reserve(question.Plan().Event(), "a mean")
	if err != nil {
		panic(err)
	}
	means, err := question.Ask(grant, numbers)
	if err != nil {
		panic(err)
	}
	fmt.Println(means[0].Value > 2.5 && means[0].Value < 3.5, means[0].Lower < means[0].Upper, means[0].Deviation < 0.02)
	_, err = question.Ask(grant, numbers)
	fmt.Println(err != nil)
	// Output:
	// true true true
	// true
}

// meanOf asks for the mean of a column of numbers from 0 to the given bound, at epsilon 1.
func meanOf(name string, most float64, rows int, number func(i int) float64) (*query.Question, *data.Dataset) {
	schema := &data.Schema{Name: "table", Row: "one row", MaxRecords: 100000, Columns: []data.Column{
		{Name: name, Kind: data.Numeric, Upper: most, Missing: data.Drop, OutOfRange: data.Clamp}}}
	question, err := query.NewQuestion(schema, query.Plan{Statistic: "mean", Expressions: []string{name}, Noise: "laplace", NoiseMultiplier: 1, Subject: certificate.Subject{Neighboring: privacy.AddOrRemoveOne}})
	if err != nil {
		panic(err)
	}
	column := make([]float32, rows)
	for i := range column {
		column[i] = float32(number(i))
	}
	table, err := data.New(schema, [][]float32{column}, nil)
	if err != nil {
		panic(err)
	}
	return question, table
}

// The middle of 2000 salaries, of which nothing is known but that they are between 0 and 200000: any statistic of
// blocks will do, however far one record may move it.
func ExampleAggregate() {
	limit, err := privacy.NewGuarantee(4, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		panic(err)
	}
	budget, err := ledger.NewSingle(limit)
	if err != nil {
		panic(err)
	}
	choice := mechanism.PermuteAndFlip{Epsilon: 4}
	grant, err := budget.Reserve(choice, "a median by sample and aggregate")
	if err != nil {
		panic(err)
	}
	salary := func(i int) float64 { return 50000 + float64(i*7919%20000) }
	terms := query.AggregateTerms{Payer: grant, Choice: choice, Lower: 0, Upper: 200000, Points: 401, MaxRecords: 5000, Blocks: 40}
	middle, err := query.Aggregate(terms, 2000, func(rows []int) float64 {
		var block []float64
		for _, i := range rows {
			block = append(block, salary(i))
		}
		slices.Sort(block)
		return block[len(block)/2]
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(middle > 52000 && middle < 68000)
	// Output:
	// true
}

// An exercise: the mean of five salaries, with Laplace noise. Scaled to the local sensitivity of these five, the noise
// tells about them, and no epsilon holds. Scaled to what any record can do within a declared range of 0
// to 200000, it holds for however many records: of 50000 the mean is then good to a few units.
func ExampleQuestion_localSensitivity() {
	salaries := []float64{130530, 104141, 90385, 91919, 81334}
	mean := func(skip int) float64 {
		sum, n := 0.0, 0.0
		for i, v := range salaries {
			if i != skip {
				sum, n = sum+v, n+1
			}
		}
		return sum / n
	}
	local := 0.0
	for i := range salaries {
		local = max(local, math.Abs(mean(-1)-mean(i)))
	}
	fmt.Printf("mean %.1f, local sensitivity %.2f\n", mean(-1), local)
	for _, epsilon := range []float64{0.1, 1, 10} {
		fmt.Printf("deviation %.0f for epsilon %v, which does not hold\n", math.Sqrt2*local/epsilon, epsilon)
	}
	question, table := meanOf("salary", 200000, 50000, func(i int) float64 { return salaries[i%5] })
	answers, err := question.Ask(free{}, table)
	if err != nil {
		panic(err)
	}
	fmt.Printf("deviation %.1f of 50000 salaries for epsilon 1, which holds\n", answers[0].Deviation)
	// Output:
	// mean 99661.8, local sensitivity 7717.05
	// deviation 109136 for epsilon 0.1, which does not hold
	// deviation 10914 for epsilon 1, which does not hold
	// deviation 1091 for epsilon 10, which does not hold
	// deviation 4.0 of 50000 salaries for epsilon 1, which holds
}

// free stands for a grant where an example is about something else.
type free struct{}

func (free) Pay(mechanism.Event) error { return nil }
