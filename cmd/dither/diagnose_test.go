package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDiagnose looks at a problem and at a model of it: at a small one, or at the built-in one with the tag long.
func TestDiagnose(t *testing.T) {
	schema, table := workplace(t, 900)
	from, epsilon, facts, rank := []string{"--data", table, "--schema", schema}, "50", []string{"logistic over 900 records of 7 features", "5 eigenvalues"}, 5
	if thorough {
		from, epsilon, facts, rank = nil, "5", []string{"logistic over 16009 records of 57 features", "45 eigenvalues"}, 45
	}
	mustInvoke(t, append([]string{"train", "--quiet", "--method", "newton", "--epsilon", epsilon, "--out", "m"}, from...)...)
	line := append([]string{"diagnose", "--model", "m", "--sum-ridge", "1"}, from...)
	out, _ := mustInvoke(t, line...)
	for _, want := range append(facts, "NOT PRIVATE", "rank bound on the excess", "measured excess") {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %q in it", out, want)
		}
	}
	text, _ := mustInvoke(t, append(line, "--json", "--epsilon", epsilon)...)
	var got struct {
		Notice  string
		Rank    int
		Minimum float64
		Bound   *float64 `json:"excess-bound"`
		Excess  *float64 `json:"measured-excess"`
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	// Both are of one problem: a model cannot do better than the minimum, but for the ridge of 1 beside the n
	// losses, at most ‖θ*‖²/2/n.
	if got.Notice != notPrivateBanner || got.Rank != rank || got.Bound == nil || got.Excess == nil || !(*got.Excess > -0.02) || !(*got.Excess < 0.1) {
		t.Errorf("got %+v, want the banner, rank %d, a bound, and an excess from 0 to 0.1", got, rank)
	}
	for _, c := range []struct{ flag, value, want string }{
		{"--delta", "2", "delta"}, {"--loss", "magic", "magic"}, {"--loss", "squared", "squared"}, {"--model", "nowhere", "nowhere"}, {"--data", "x.csv", "--schema is missing"},
	} {
		if status, _, stderr := invoke("diagnose", c.flag, c.value); status != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s %s: status %d, %q, want %d and %q", c.flag, c.value, status, stderr, exitUsage, c.want)
		}
	}
}

// TestTrainLinear trains by sums of products through the command, and wants the intervals and a folder that
// verifies.
func TestTrainLinear(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	schema := writeText(t, "s.yaml", `dither-schema: 1
row: one fruit
max-records: 5000
target: {column: y, bounds: [0, 4]}
defaults: {missing: zero, out-of-range: clamp, unknown: other}
columns:
  a: {numeric: [0, 10]}
  b: {numeric: [0, 10]}
`)
	table := fruits(t, dir, 3000)
	out, _ := mustInvoke(t, "train", "--data", table, "--schema", schema, "--method", "sufficient-statistics", "--epsilon", "5", "--out", "m", "--quiet")
	for _, want := range []string{"from the released sums", "standard error", "intercept", "R²"} {
		if !strings.Contains(out, want) {
			t.Errorf("summary: got\n%s\nwant %q in it", out, want)
		}
	}
	if out, _ = mustInvoke(t, "verify", "m"); !strings.Contains(out, "\nverified\n") {
		t.Errorf("verify: got\n%s", out)
	}
	pure, _ := mustInvoke(t, "train", "--data", table, "--schema", schema, "--method", "adassp", "--epsilon", "2", "--delta", "0", "--out", "p", "--quiet")
	if !strings.Contains(pure, "epsilon 2 at delta 0 ") {
		t.Errorf("pure: got\n%s\nwant delta 0", pure)
	}
	mustInvoke(t, "verify", "p")
	status, _, stderr := invoke("train", "--data", table, "--schema", schema, "--method", "least-squares", "--out", "q", "--quiet")
	if status != exitUsage || !strings.Contains(stderr, "targets with levels") {
		t.Errorf("classifier of a number: status %d, %q", status, stderr)
	}
}
