//go:build long && linux

package tabular_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/pgtest"
	"github.com/ditherml/dither/internal/tabular"
)

// manyRows is the number of rows of 20 columns that TestDatabaseMemory reads.
const manyRows = 10_000_000

// TestDatabaseMemory reads many rows block by block, in less memory than the rows would take.
func TestDatabaseMemory(t *testing.T) {
	server := pgtest.Start(t)
	schema := "dither-schema: 1\nmax-records: 20000000\ntarget: {column: x19, bounds: [0, 1]}\ncolumns:\n  x[0:19]: {numeric: [0, 1], out-of-range: clamp, missing: indicator}\n"
	s, err := data.ParseSchema("s", []byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{fmt.Sprintf("generate_series(1, %d) / 1e8 AS x0", manyRows)}
	for i := 1; i < 20; i++ {
		columns = append(columns, fmt.Sprintf("%v AS x%d", float64(i)/20, i))
	}
	source, err := (&tabular.Flags{Query: "SELECT " + strings.Join(columns, ", ")}).Source(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	err = data.ReadBlocks(context.Background(), s, source, data.ReadOptions{}, 1<<14, func(d *data.Dataset) error {
		rows += d.Records()
		return nil
	})
	if err != nil || rows != manyRows {
		t.Fatalf("got %d rows (%v), want %d", rows, err, manyRows)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int
	if _, err = fmt.Sscan(peak, &kilobytes); err != nil || kilobytes > 300_000 {
		t.Errorf("got a peak of %d kB (%v), want less than 300 MB", kilobytes, err)
	}
	t.Logf("peak %d kB", kilobytes)
}
