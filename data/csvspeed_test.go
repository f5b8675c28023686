package data_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// speedSchema declares a table with the columns of the Adult table.
const speedSchema = `dither-schema: 1
name: speed
row: one person
max-records: 100000
missing-marks: ["?"]
target: {column: income, levels: ["<=50K", ">50K"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  age: {numeric: [17, 90]}
  workclass: {levels: [Private, Self-emp-not-inc, Federal-gov, State-gov]}
  fnlwgt: ignore
  education: {levels: [Bachelors, Some-college, HS-grad, Masters, Doctorate]}
  education-num: {numeric: [1, 16]}
  marital-status: {levels: [Married-civ-spouse, Divorced, Never-married]}
  occupation: {levels: [Craft-repair, Sales, Exec-managerial, Prof-specialty]}
  relationship: {levels: [Wife, Own-child, Husband, Not-in-family]}
  race: {levels: [White, Asian-Pac-Islander, Black]}
  sex: {levels: [Female, Male]}
  capital-gain: {numeric: [0, 99999]}
  capital-loss: {numeric: [0, 5000]}
  hours-per-week: {numeric: [1, 99]}
  native-country: {levels: [United-States, Canada, Germany]}
`

// speedTable returns rows under speedSchema: levels drawn at random, one cell in fifty
// missing, integers as in the Adult table.
func speedTable(tb testing.TB, rows int) (*data.Schema, string) {
	tb.Helper()
	s, err := data.ParseSchema("speed.yaml", []byte(speedSchema))
	if err != nil {
		tb.Fatal(err)
	}
	source := rand.New(rand.NewPCG(1, 2))
	var names []string
	for _, c := range s.Columns {
		names = append(names, c.Name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s,income\n", strings.Join(names, ","))
	for range rows {
		for _, c := range s.Columns {
			switch {
			case source.IntN(50) == 0:
				b.WriteString("?,")
			case c.Kind == data.Categorical:
				b.WriteString(c.Levels[source.IntN(len(c.Levels))] + ",")
			case c.Kind == data.Ignored:
				fmt.Fprintf(&b, "%d,", 10000+source.IntN(500000))
			default:
				fmt.Fprintf(&b, "%d,", int(c.Lower)+source.IntN(int(c.Upper-c.Lower)))
			}
		}
		b.WriteString(s.Target.Levels[source.IntN(2)] + "\n")
	}
	return s, b.String()
}

// BenchmarkReadCSV reads a table like Adult, whose file has 15 cells a row.
func BenchmarkReadCSV(b *testing.B) {
	const rows = 20000
	s, text := speedTable(b, rows)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		d, err := data.ReadFrom(context.Background(), s, "speed.csv", strings.NewReader(text), data.ReadOptions{})
		if err != nil || d.Records() != rows {
			b.Fatalf("got %d records and error %v, want %d", d.Records(), err, rows)
		}
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
