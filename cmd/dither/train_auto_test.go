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
		{levels, []string{"--non-private"}, "method dp-gd: without privacy", "NOT PRIVATE"},
	} {
		out, said := mustInvoke(t, append([]string{"train", "--method", "auto", "--data", "absent.csv", "--schema", c.schema, "--dry-run"}, c.arguments...)...)
		if !strings.Contains(said, c.said) || !strings.Contains(out, c.planned) {
			t.Errorf("%q: got %q and\n%s\nwant %q and a plan of %s", c.arguments, said, out, c.said, c.planned)
		}
	}
}

// TestTrainAutoNamesItself wants a flag of a method that was not chosen refused with the cause: that auto chose.
func TestTrainAutoNamesItself(t *testing.T) {
	t.Chdir(t.TempDir())
	levels := writeText(t, "levels.yaml", fmt.Sprintf(fruitSchema, "levels: [0, 1]"))
	for _, c := range []struct{ delta, solver, want string }{
		{"1e-6", "exact", "--solver is given with --method auto, which takes dp-gd for this table and budget and has no such flag, want --method output-perturbation"},
		{"0", "exact", ""},
	} {
		status, _, said := invoke("train", "--method", "auto", "--data", "absent.csv", "--schema", levels, "--dry-run", "--delta", c.delta, "--solver", c.solver)
		if c.want == "" && status != 0 || c.want != "" && (status != exitUsage || !strings.Contains(said, c.want)) {
			t.Errorf("delta %s: got status %d and %q, want %q", c.delta, status, said, c.want)
		}
	}
}
