package tabular

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/ranks"
	"github.com/ditherml/dither/internal/together"
)

// TestRanksReadUnderOneSchema wants ranks to divide a table once, and none to do so where one of them drops
// rows that another keeps: then the same row would be at both.
func TestRanksReadUnderOneSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "people.csv")
	if err := os.WriteFile(path, []byte("age,ill\n"+strings.Repeat("30,no\n,yes\n", 1500)), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(missing ...string) (records int, errs [2]error) {
		var all sync.WaitGroup
		var kept [2]int
		for rank, transport := range ranks.Local(2) {
			all.Go(func() {
				s, err := data.ParseSchema("s.yaml", []byte(`
dither-schema: 1
row: one person
max-records: 5000
target: {column: ill, levels: ["no", "yes"]}
defaults: {missing: `+missing[rank]+`, out-of-range: clamp, unknown: other}
columns:
  age: {numeric: [0, 80]}
`))
				var run *together.Run
				if err == nil {
					run, err = together.Begin(context.Background(), transport, nil, 0)
				}
				if err == nil {
					var d *data.Dataset
					if d, err = new(Flags).ReadShared(together.With(context.Background(), run), s, path, "", data.ReadOptions{}, "a count", ReadTrain); err == nil {
						kept[rank] = d.Records()
					}
				}
				errs[rank] = together.Ended(transport, err)
			})
		}
		all.Wait()
		return kept[0] + kept[1], errs
	}
	for missing, want := range map[string]int{"drop": 1500, "indicator": 3000} {
		if records, errs := read(missing, missing); records != want || errs[0] != nil || errs[1] != nil {
			t.Errorf("%s: got %d rows and %v, want %d", missing, records, errs, want)
		}
	}
	if records, errs := read("drop", "indicator"); errs[0] == nil || errs[1] == nil {
		t.Errorf("ranks with two schemas read %d rows, want an error of each", records)
	}
}
