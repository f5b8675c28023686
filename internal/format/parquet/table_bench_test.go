package parquet_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/ditherml/dither/data"
)

// BenchmarkTable reads the tables that bench/peers/tables.py writes into the folder of the variable DITHER_TABLES. They
// have 104 columns of integers from 0 to 1000 and a column of labels.
func BenchmarkTable(b *testing.B) {
	s := schema(b, "dither-schema: 1\nname: table\nrow: one row\nmax-records: 10000000\ntarget: {column: y, levels: [\"0\", \"1\"]}\n"+
		"defaults: {missing: zero, out-of-range: clamp}\ncolumns:\n  \"x[0:104]\": {numeric: [0, 1000]}\n")
	for _, name := range []string{"table.csv", "table.parquet"} {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(os.Getenv("DITHER_TABLES"), name)
			info, err := os.Stat(path)
			if err != nil {
				b.Skip("the table is absent: set DITHER_TABLES to the folder that bench/peers/tables.py wrote")
			}
			b.SetBytes(info.Size())
			for b.Loop() {
				if _, err := data.Read(context.Background(), s, source(path), data.ReadOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
