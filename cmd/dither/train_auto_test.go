package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestTrainAuto wants the method that is chosen and the reason on the terminal, and a plan of that method.
func TestTrainAuto(t *testing.T) {
	t.Chdir(t.TempDir())
	levels := writeText(t, "levels.yaml", fmt.Sprintf(fruitSchema, "levels: [0, 1]"))
	number := writeText(t, "number.yaml", strings.Replace(fmt.Sprintf(fruitSchema, "bounds: [0, 2]"), "max-records: 5000", "max-records: 5000000", 1))
	for _, c := range []struct {
		schema    string
		arguments []string
		said      string
		planned   string
	}{
		{levels, nil, "method dp-gd: descent", "gradient steps"},
		{number, nil, "method sufficient-statistics: the noise", "sums of products"},
		{number, []string{"--steps", "30"}, "method dp-gd: --steps is for descent", "gradient steps"},
		{levels, []string{"--delta", "0"}, "method output-perturbation: delta is 0", "output-perturbation"},
		{levels, []string{"--non-private"}, "method l-bfgs: without privacy", "NOT PRIVATE"},
	} {
		out, said := mustInvoke(t, append([]string{"train", "--method", "auto", "--data", "absent.csv", "--schema", c.schema, "--dry-run"}, c.arguments...)...)
		if !strings.Contains(said, c.said) || !strings.Contains(out, c.planned) {
			t.Errorf("%q: got %q and\n%s\nwant %q and a plan of %s", c.arguments, said, out, c.said, c.planned)
		}
	}
}
