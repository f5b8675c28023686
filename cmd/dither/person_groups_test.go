package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestPersonsOfGroups: where levels are groups of texts, each text is a person by itself in every command. The readers of persons
// refuse to take levels for persons, so a command that does not read the texts fails.
func TestPersonsOfGroups(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	writeText(t, "s.yaml", "dither-schema: 1\nname: visits\nrow: one visit\nmax-records: 1000\ntarget: {column: y, levels: [\"no\", \"yes\"]}\ndefaults: {missing: indicator, out-of-range: clamp, unknown: other}\ncolumns:\n  who: {levels: [{ann: [bob, cyd]}, dan, eve]}\n  x: {numeric: [0, 1]}\n")
	rows := strings.Builder{}
	rows.WriteString("who,x,y\n")
	for i := range 300 {
		fmt.Fprintf(&rows, "%s,0.%d,%s\n", []string{"ann", "bob", "cyd", "dan", "eve", "new"}[i%6], i%10, []string{"no", "yes"}[i%2])
	}
	writeText(t, "t.csv", rows.String())
	unit := []string{"--unit", "person:who", "--max-records-per-person", "20"}
	for name, args := range map[string][]string{
		"memory": {"train", "--steps", "2"}, "stream": {"train", "--steps", "2", "--stream", "--whiten", "no"}, "cached": {"train", "--steps", "2", "--cache-features", "--whiten", "no"},
		"held out": {"train", "--steps", "2", "--holdout", "private:0.3"}, "network": {"train", "--model", "mlp", "--hidden", "2", "--steps", "2"}, "answer": {"query", "count", "--epsilon", "1"},
	} {
		if args[0] == "train" {
			args = append(args, "--quiet")
		}
		args = append(append(args, "--data", "t.csv", "--schema", "s.yaml", "--out", name), unit...)
		if status, _, stderr := invoke(args...); status != exitDone {
			t.Errorf("%s: got %q", name, stderr)
		}
	}
	if status, _, stderr := invoke(append([]string{"evaluate", "memory", "t.csv", "--private", "--epsilon", "1", "--out", "measured"}, unit...)...); status != exitDone {
		t.Errorf("evaluate: got %q", stderr)
	}
}
