package query

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/privacy"
)

// BenchmarkAsk asks questions about a million rows, with a number and one of ten cities each. The peers' side is
// bench/peers/tables.py.
func BenchmarkAsk(b *testing.B) {
	const rows = 1_000_000
	table := data.Schema{Name: "table", Row: "one row", MaxRecords: rows, Columns: []data.Column{
		{Name: "salary", Kind: data.Numeric, Upper: 1000, Missing: data.Drop, OutOfRange: data.Clamp},
		{Name: "city", Kind: data.Categorical, Missing: data.Drop, Unknown: data.Drop},
	}}
	for k := range 10 {
		table.Columns[1].Levels = append(table.Columns[1].Levels, fmt.Sprint("c", k))
	}
	r := rand.New(rand.NewPCG(1, 2))
	salaries, cities := make([]float32, rows), make([]float32, rows)
	for i := range salaries {
		salaries[i], cities[i] = 1000*r.Float32(), float32(r.IntN(10))
	}
	d, err := data.New(&table, [][]float32{salaries, cities}, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range []Plan{
		{Statistic: meanStatistic, Expressions: []string{"salary"}},
		{Statistic: histogramStatistic, Expressions: []string{"city"}},
		{Statistic: quantilesStatistic, Expressions: []string{"salary"}},
	} {
		p.NoiseMultiplier, p.Neighboring = 1, privacy.AddOrRemoveOne
		b.Run(string(p.Statistic), func(b *testing.B) {
			q, err := NewQuestion(&table, p)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err = q.Ask(&free{}, d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
