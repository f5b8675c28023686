package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/train"
)

func TestLargeDeltaIsWarnedOf(t *testing.T) {
	stdout, stderr := mustInvoke(t, "train", "--delta", "0.1", "--dry-run")
	for _, text := range []string{stdout, stderr} {
		if !strings.Contains(text, "times 1/records") || !strings.Contains(text, "take a delta of 5e-07") {
			t.Errorf("got %q, want a warning with a remedy", text)
		}
	}
	if _, stderr = mustInvoke(t, "train", "--dry-run"); stderr != "" {
		t.Errorf("the default delta is warned of: %q", stderr)
	}
}

// What a run would refuse before its first record, a dry run refuses too.
func TestDryRunRefuses(t *testing.T) {
	dir := t.TempDir()
	path := func(name, text string) string { return writeText(t, filepath.Join(dir, name), text) }
	table, other := path("t.csv", "a,b,y\n1,2,0\n"), path("u.csv", "a,c,y\n1,2,0\n")
	schema := path("t.yaml", "dither-schema: 1\nrow: one person\nmax-records: 1000\ntarget: {column: y, levels: [\"0\", \"1\"]}\ncolumns:\n  a: {numeric: [0, 3], missing: drop, out-of-range: drop}\n  b: {numeric: [0, 3], missing: drop, out-of-range: drop}\n")
	if err := os.Mkdir(filepath.Join(dir, "taken"), 0o755); err != nil {
		t.Fatal(err)
	}
	good := []string{"train", "--data", table, "--schema", schema, "--dry-run", "--out", filepath.Join(dir, "m")}
	mustInvoke(t, good...)
	for name, c := range map[string]struct {
		flags []string
		want  string
	}{
		"folder as table":     {[]string{"--data", dir}, "t.yaml line 1"},
		"column not in file":  {[]string{"--data", other}, `no column "b"`},
		"unit column":         {[]string{"--unit", "person:nobody", "--max-records-per-person", "3"}, `"nobody"`},
		"test table":          {[]string{"--test", other, "--test-public"}, `no column "b"`},
		"output folder":       {[]string{"--out", filepath.Join(dir, "none", "m")}, "cannot be written"},
		"output taken":        {[]string{"--out", filepath.Join(dir, "taken")}, "exists"},
		"output is no model":  {[]string{"--out", dir, "--replace"}, "no model folder"},
		"output is empty":     {[]string{"--out", filepath.Join(dir, "taken"), "--replace"}, "remove it"},
		"other method":        {[]string{"--data", other, "--method", "output-perturbation"}, `no column "b"`},
		"network":             {[]string{"--data", other, "--model", "mlp", "--hidden", "3", "--sampling", "full"}, `no column "b"`},
		"epsilon beyond all":  {[]string{"--epsilon", "1e9"}, "want at most 1e+06"},
		"epsilon of samplers": {[]string{"--epsilon", "1e5"}, "epsilon 100000 is not reached"},
	} {
		status, _, stderr := invoke(append(good, c.flags...)...)
		if status != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %q, want %d and %q", name, status, stderr, exitUsage, c.want)
		}
	}
	if _, stderr := mustInvoke(t, append(good, "--data", filepath.Join(dir, "none.csv"))...); !strings.Contains(stderr, "not checked") || !strings.Contains(stderr, "does not exist") {
		t.Errorf("a table that is not there: %q, want a note", stderr)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 4 {
		t.Errorf("a dry run leaves files: %v", entries)
	}
	if status, _, stderr := invoke("train", "--dry-run", "--unit", "person:nobody", "--max-records-per-person", "3"); status != exitUsage || !strings.Contains(stderr, "nobody") {
		t.Errorf("built-in data set: status %d, %q, want the column refused", status, stderr)
	}
}

func TestDryRunMeasures(t *testing.T) {
	stdout, _ := mustInvoke(t, "train", "--dry-run", "--json")
	var got struct {
		Seconds float64 `json:"estimated-seconds"`
		Rows    int     `json:"measured-rows"`
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || got.Rows < 256 || !(got.Seconds > 0) {
		t.Errorf("estimate is %+v (%v), want seconds that were measured", got, err)
	}
	stdout, _ = mustInvoke(t, "train", "--dry-run", "--accounting", "last-iterate", "--ridge", "0.1", "--learning-rate", "0.1", "--records", "15000", "--center", "no", "--whiten", "no")
	if !strings.Contains(stdout, "computed from public numbers") {
		t.Errorf("got %q, want a range where nothing can be measured", stdout)
	}
}

// dryRun is what a dry run of gradient descent prints as JSON.
type dryRun struct {
	Plan        train.Plan              `json:"plan"`
	Certificate certificate.Certificate `json:"certificate"`
	Basic       *struct {
		Epsilon float64 `json:"epsilon"`
	} `json:"basic-composition"`
	Warnings []string `json:"warnings"`
}
