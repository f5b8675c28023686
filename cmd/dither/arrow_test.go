package main

import (
	"path/filepath"
	"strings"
	"testing"
)

const arrowSchema = `dither-schema: 1
name: arrows
row: one person
max-records: 400
target: {column: y, levels: ["no", "yes"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  i8: {numeric: [-40, 100]}
  f64: {numeric: [0, 100]}
  job: {levels: [clerk, smith]}
  flag: {levels: ["false", "true"]}
  dic: {levels: [clerk, smith, é]}
`

// TestTrainArrow trains on one table as CSV and as Arrow, and wants the same plan with its certificate, and
// without privacy the same weights.
func TestTrainArrow(t *testing.T) {
	folder, err := filepath.Abs("../../internal/format/arrow/testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	ignored := "  u16: ignore\n  i64: ignore\n  f32: ignore\n  f16: ignore\n  d: ignore\n  big: ignore\n  large: ignore\n  none: ignore\n  day: ignore\n  view: ignore\n  dn: ignore\n"
	writeText(t, "s.yaml", arrowSchema+ignored+"  lst: ignore\n  st: ignore\n  fl: ignore\n")
	train := func(table string) (plan, weights string) {
		path := filepath.Join(folder, table)
		plan, _ = mustInvoke(t, "train", "--data", path, "--schema", "s.yaml", "--epsilon", "1", "--dry-run", "--json")
		mustInvoke(t, "train", "--data", path, "--schema", "s.yaml", "--non-private", "--quiet", "--out", table)
		plan, _, _ = strings.Cut(plan, `"estimated-seconds"`) // after it, measured times
		return strings.ReplaceAll(plan, table, "TABLE"), weightsOf(t, table)
	}
	plan, weights := train("table.csv")
	if !strings.Contains(plan, "noise-multiplier") {
		t.Fatalf("got\n%s\nwant a plan with its certificate", plan)
	}
	for _, table := range []string{"plain.arrow", "lz4.feather", "stream.arrows"} {
		gotPlan, got := train(table)
		if got != weights {
			t.Errorf("%s: got weights\n%s\nwant those of CSV\n%s", table, got, weights)
		}
		if gotPlan != plan {
			t.Errorf("%s: got the plan\n%s\nwant that of CSV\n%s", table, gotPlan, plan)
		}
	}
}
