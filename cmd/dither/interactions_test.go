package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/model"
)

// checkered is a table whose target is told by two numbers together and by neither alone.
func checkered(t *testing.T, dir string, n int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(51, 52))
	var b strings.Builder
	b.WriteString("a,b,y\n")
	for range n {
		x, y := r.IntN(100), r.IntN(100)
		fmt.Fprintf(&b, "%.1f,%.1f,%d\n", float64(x)/10, float64(y)/10, (x/50+y/50)%2)
	}
	return writeText(t, filepath.Join(dir, "checkered.csv"), b.String())
}

// TestTrainInteractions trains with all pairs and with a named pair: the folder verifies, states the
// transform as an assumption, and predicts. The price is that of a plan without pairs.
func TestTrainInteractions(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	schema, table := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, "levels: [0, 1]")), checkered(t, dir, 4000)
	common := []string{"train", "--data", table, "--schema", schema, "--quiet", "--epsilon", "3", "--whiten", "no"}
	if told, _ := mustInvoke(t, append(common, "--dry-run")...); !strings.Contains(told, "warning    Because of --whiten this run fits no functions") {
		t.Errorf("got %s, want a warning that the rule fits no pairs", told)
	}
	mustInvoke(t, append(common, "--out", "plain")...)
	plain, err := certificate.Read(filepath.Join("plain", certificate.FileName))
	if err != nil {
		t.Fatal(err)
	}
	for words, pairs := range map[string]string{"all": `"pairs": "all"`, "b*a": `"pairs": [["b", "a"]]`} {
		out := strings.ReplaceAll(words, "*", "-")
		mustInvoke(t, append(common, "--interactions", words, "--out", out)...)
		mustInvoke(t, "verify", out)
		c, failed := certificate.Read(filepath.Join(out, certificate.FileName))
		if failed != nil || c.Event != plain.Event || c.Epsilon != plain.Epsilon {
			t.Errorf("%s: got event %s, epsilon %v, error %v, want those without pairs", words, c.Event, c.Epsilon, failed)
		}
		text := strings.Join(strings.Fields(readFile(t, filepath.Join(out, model.FileName))), "")
		if !strings.Contains(text, strings.ReplaceAll(pairs, " ", "")) || !strings.Contains(strings.Join(c.Assumptions, " "), "public transform interactions") {
			t.Errorf("%s: the model or the assumptions do not name the pairs", words)
		}
		predicted, _ := mustInvoke(t, "predict", out, table)
		right, rows := 0, readCSV(t, predicted)[1:]
		for i, line := range strings.Split(strings.TrimSpace(readFile(t, table)), "\n")[1:] {
			if strings.HasSuffix(line, ","+rows[i][1]) {
				right++
			}
		}
		if right < 3200 {
			t.Errorf("%s: %d of 4000 predictions are right, want 3200", words, right)
		}
	}
}

// TestTrainChoosesInteractions wants all pairs by default, and none where the flag, the budget or a flag of
// the descent says so. Every folder verifies.
func TestTrainChoosesInteractions(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv(cacheVariable, filepath.Join(dir, "cache"))
	schema, table := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, "levels: [0, 1]")), checkered(t, dir, 4000)
	for _, c := range []struct {
		flags            []string
		pairs, corrected bool
	}{
		{nil, true, true},
		{[]string{"--interactions", "auto", "--calibrate=false"}, true, false},
		{[]string{"--interactions", "none"}, false, true},
		{[]string{"--epsilon", "0.01"}, false, false},
		{[]string{"--steps", "20"}, false, false},
		{[]string{"--steps", "20", "--calibrate"}, false, true},
		{[]string{"--whiten", "no"}, false, true},
		{[]string{"--sampling-probability", "0.5"}, false, false},
		{[]string{"--non-private"}, false, false},
		{[]string{"--stream"}, true, true},
		{[]string{"--stream", "--interactions", "none"}, false, true},
		{[]string{"--stream", "--calibrate=false"}, true, false},
		{[]string{"--cache-features"}, true, true},
	} {
		mustInvoke(t, append([]string{"train", "--data", table, "--schema", schema, "--quiet", "--out", "chosen", "--replace"}, c.flags...)...)
		mustInvoke(t, "verify", "chosen")
		text, plan := readFile(t, filepath.Join("chosen", model.FileName)), readFile(t, filepath.Join("chosen", certificate.FileName))
		if pairs, corrected := strings.Contains(text, "interactions"), strings.Contains(plan, `"calibration"`); pairs != c.pairs || corrected != c.corrected {
			t.Errorf("%v: got interactions %v and a correction %v, want %v and %v", c.flags, pairs, corrected, c.pairs, c.corrected)
		}
	}
}

// TestInteractionsFlagRefusals wants wrong words to say what to do, before anything is read.
func TestInteractionsFlagRefusals(t *testing.T) {
	t.Chdir(t.TempDir())
	schema := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, "levels: [0, 1]"))
	for words, says := range map[string]string{
		"5":         "want none, bins, auto, all or pairs of columns such as age*sex,hours*job; pairs are declared",
		"some":      "want none, bins, auto, all or pairs",
		"a*town":    `column "town" is not there to be paired, want two of a, b`,
		"a*b,b*a":   "given twice",
		"a*b*a":     "want two different columns",
		"a*a":       "want two different columns",
		"a*b,":      "want two different columns",
		"a*b,a * b": "given twice",
	} {
		if code, _, messages := invoke("train", "--data", "absent.csv", "--schema", schema, "--dry-run", "--interactions", words); code != exitUsage || !strings.Contains(messages, says) {
			t.Errorf("%s: got status %d and %q, want %q", words, code, messages, says)
		}
	}
	if code, _, messages := invoke("train", "--data", "absent.csv", "--schema", schema, "--dry-run", "--interactions", "all", "--transform", "interactions"); code != exitUsage || !strings.Contains(messages, "behind another transform") {
		t.Errorf("twice: got status %d and %q", code, messages)
	}
}

// TestTrainIntegers trains on columns that are declared as integers. The folder verifies and predicts,
// its schema has the key, and a schema without the key does not fit the model.
func TestTrainIntegers(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	plain := strings.ReplaceAll(fmt.Sprintf(fruitSchema, "levels: [0, 1]"), "numeric: [0, 10]", "numeric: [0, 10], bins: []")
	declared := strings.ReplaceAll(plain, "bins: []", "integer: true")
	schema, table := writeText(t, "s.yaml", declared), checkered(t, dir, 4000)
	mustInvoke(t, "train", "--data", table, "--schema", schema, "--quiet", "--epsilon", "3", "--interactions", "all", "--out", "whole")
	mustInvoke(t, "train", "--data", table, "--schema", writeText(t, "p.yaml", plain), "--quiet", "--epsilon", "3", "--interactions", "all", "--out", "plain")
	mustInvoke(t, "verify", "whole")
	mustInvoke(t, "predict", "whole", table)
	m, err := model.Load("whole")
	if err != nil {
		t.Fatal(err)
	}
	fine, err := model.Load("plain")
	// 2 to 16 bins of each column, and 2 bins of each in the pair
	if err != nil || m.Features().Pipeline.Dim() != 2*30+4 || fine.Features().Pipeline.Dim() <= m.Features().Pipeline.Dim() || !m.Schema().Columns[0].Integer {
		t.Fatalf("got %d features, and %d without the key, error %v, want 64 and more", m.Features().Pipeline.Dim(), fine.Features().Pipeline.Dim(), err)
	}
	path := filepath.Join("whole", model.FileName)
	text := readFile(t, path)
	if !strings.Contains(text, "integer: true, ") {
		t.Fatalf("the model does not hold the key:\n%.2000s", text)
	}
	writeText(t, path, strings.ReplaceAll(text, "integer: true, ", ""))
	for _, command := range [][]string{{"verify", "whole"}, {"predict", "whole", table}} {
		if status, _, stderr := invoke(command...); status == exitDone {
			t.Errorf("%q without the key: got %q, want a refusal", command, stderr)
		}
	}
}
