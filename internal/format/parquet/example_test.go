package parquet_test

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/format/parquet"
)

func ExampleFormat() {
	s, err := data.ParseSchema("table.yaml", []byte(schemaText))
	if err != nil {
		fmt.Println(err)
		return
	}
	source := data.Source{Path: "testdata/snappy.parquet", Formats: parquet.Formats()}
	err = data.ReadBlocks(context.Background(), s, source, data.ReadOptions{KeepDropped: true}, 100, func(d *data.Dataset) error {
		fmt.Println(d.Records(), "rows")
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 100 rows
	// 100 rows
	// 40 rows
}
