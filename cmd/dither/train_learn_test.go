package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

const privateText = headText + `target: {column: income, levels: [low, high]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  age: {bounds: private, range: [0, 1000]}
  pay: {bounds: private}
  sex: {levels: [f, m]}
  town: {levels: private, max-levels: 5}
  cost: {numeric: [0, 1e6], bins: private, max-bins: 6}
`

// The fractions of numbers of single records, which single precision holds as they are.
const ageFraction, payFraction = "773433685302734375", "88330078125"

// privateTable is a table in which one row in 700 has a text and numbers of its own.
func privateTable(n int) string {
	r := rand.New(rand.NewPCG(8, 8))
	var b strings.Builder
	b.WriteString("age,pay,sex,town,cost,income\n")
	for i := range n {
		age, pay, town := fmt.Sprint(20+r.IntN(50)), fmt.Sprint(1000+r.IntN(3000)), []string{"Aa", "Bb", "Bb", "Cc"}[r.IntN(4)]
		if i%700 == 9 {
			age, pay, town = fmt.Sprintf("%d.%s", 20+i%40, ageFraction), fmt.Sprintf("%d.%s", 2000+i, payFraction), fmt.Sprintf("%s%d", secret, i)
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s,%s,%s\n", age, pay, []string{"f", "m", "x"}[i%3], town, pay, []string{"low", "high"}[r.IntN(2)])
	}
	return b.String()
}

// TestTrainLearnsPrivately trains on columns that nobody declared, in several ways: what is written verifies, names the
// frequent towns and none of the rare ones, and holds no cell of a single record, nor does what is printed; places that
// nothing took are not among the weights of the report. That one of
// some thousand other numbers has the ten digits has a probability below 1e-6.
func TestTrainLearnsPrivately(t *testing.T) {
	folder := t.TempDir()
	schema, table := writeText(t, filepath.Join(folder, "s.yaml"), privateText), writeText(t, filepath.Join(folder, "t.csv"), privateTable(4500))
	ways := map[string][]string{"held out": {"--holdout", "private:0.2", "--group", "sex"}}
	if thorough { // a part held out needs all that the plain way needs; prices of samples take a second
		ways["plain"] = nil
		ways["sampled"] = []string{"--sampling-probability", "0.1"}
	}
	for name, flags := range ways {
		out := filepath.Join(folder, strings.ReplaceAll(name, " ", "-"))
		common := append([]string{"train", "--quiet", "--data", table, "--schema", schema, "--epsilon", "3", "--steps", "5"}, flags...)
		stdout, stderr := mustInvoke(t, append(common, "--out", out)...)
		plan, _ := mustInvoke(t, append(common, "--dry-run")...)
		verified, _ := mustInvoke(t, "verify", out)
		all := stdout + stderr + plan + verified
		files, err := os.ReadDir(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, failed := os.ReadFile(filepath.Join(out, f.Name()))
			if failed != nil {
				t.Fatal(failed)
			}
			all += string(text)
		}
		for _, cell := range []string{secret, "unused 1", "." + ageFraction[:10], "." + payFraction[:10]} {
			if strings.Contains(all, cell) {
				t.Errorf("%s: %q is written or printed", name, cell)
			}
		}
		for _, want := range []string{"learned    town has the levels Aa, Bb, Cc\n", "learned    age from ", "bounds of pay", "learned    cost is cut at ", "The bounds, bins or levels of age, pay, town, cost are not declared"} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: got %q, want a text with %q", name, stdout, want)
			}
		}
	}
	predicted, _ := mustInvoke(t, "predict", filepath.Join(folder, "held-out"), table)
	if strings.Count(predicted, "\n") != 4501 {
		t.Errorf("%d lines were predicted, want 4501", strings.Count(predicted, "\n"))
	}
}

// TestVerifyFindsLearnedChanges edits what was learned in the model, or in the certificate, and hides the statistics: no
// such folder is verified, though its hash is right.
func TestVerifyFindsLearnedChanges(t *testing.T) {
	folder := t.TempDir()
	schema, table, out := writeText(t, filepath.Join(folder, "s.yaml"), privateText), writeText(t, filepath.Join(folder, "t.csv"), privateTable(4500)), filepath.Join(folder, "m")
	mustInvoke(t, "train", "--quiet", "--data", table, "--schema", schema, "--epsilon", "3", "--steps", "5", "--out", out)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	modelText, certificateText := read(model.FileName), read(certificate.FileName)
	for name, edit := range map[string]func(m *string, c *certificate.Certificate, p *train.Plan){
		"a level more": func(m *string, _ *certificate.Certificate, _ *train.Plan) {
			*m = strings.Replace(*m, "[Aa, Bb, Cc]", "[Aa, Bb, Cc, Dd]", 1)
		},
		"other places": func(m *string, _ *certificate.Certificate, _ *train.Plan) {
			*m = strings.Replace(*m, "max-levels: 5", "max-levels: 6", 1)
		},
		"learned called declared": func(m *string, _ *certificate.Certificate, _ *train.Plan) {
			*m = strings.Replace(*m, "learned: true, out-of", "out-of", 1)
		},
		"another list":        func(_ *string, c *certificate.Certificate, _ *train.Plan) { c.Learned = c.Learned[1:] },
		"another bound":       func(_ *string, c *certificate.Certificate, _ *train.Plan) { c.Learned[0].Bounds[0]-- },
		"bounds unpaid":       func(_ *string, _ *certificate.Certificate, p *train.Plan) { p.Preparation = p.Preparation[1:] },
		"another column paid": func(_ *string, _ *certificate.Certificate, p *train.Plan) { p.Preparation[0].Column = "sex" },
	} {
		text, c, p := modelText, certificate.Certificate{}, train.Plan{}
		if json.Unmarshal([]byte(certificateText), &c) != nil || json.Unmarshal(c.Plan, &p) != nil {
			t.Fatal("the certificate cannot be read")
		}
		edit(&text, &c, &p)
		fresh, err := p.Certificate()
		if err != nil {
			t.Fatal(err)
		}
		c.Plan, c.Event, c.Epsilon, c.GroupEpsilon, c.NoiseDraws, c.ModelSHA256 = fresh.Plan, fresh.Event, fresh.Epsilon, fresh.GroupEpsilon, fresh.NoiseDraws, certificate.Hash([]byte(text))
		encoded, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		writeText(t, filepath.Join(out, model.FileName), text)
		writeText(t, filepath.Join(out, certificate.FileName), string(encoded))
		if text == modelText && string(encoded) == certificateText {
			t.Fatalf("%s: nothing was changed", name)
		}
		if status, stdout, _ := invoke("verify", out); status == exitDone || strings.Contains(stdout, "\nverified\n") {
			t.Errorf("%s: got exit status %d and %q, want a refusal", name, status, stdout)
		}
	}
}

// TestLearningIsRefusedEarly holds the command to one line for what it does not do with private columns.
func TestLearningIsRefusedEarly(t *testing.T) {
	folder := t.TempDir()
	writeText(t, filepath.Join(folder, "s.yaml"), privateText)
	writeText(t, filepath.Join(folder, "t.csv"), privateTable(50))
	writeText(t, filepath.Join(folder, "t.svm"), "1 1:20 2:1000\n0 1:30 3:1\n")
	command := func(flags ...string) []string {
		return append([]string{"train", "--quiet", "--data", "t.csv", "--schema", "s.yaml"}, flags...)
	}
	checkWrong(t, folder, []wrong{
		{"stream", command("--stream"), exitUsage, "--stream is given with private bounds or levels of column \"age\""},
		{"baseline", command("--non-private"), exitUsage, "want it declared"},
		{"target", command("--target", "town"), exitUsage, "private bounds or levels in the schema"},
		{"per step", command("--epsilon-per-step", "0.1"), exitUsage, "one budget for the whole run"},
		{"group", command("--holdout", "private:0.2", "--group", "town"), exitUsage, "column of groups"},
		{"method", command("--method", "least-squares"), exitUsage, "private bounds or levels"},
		{"query", []string{"query", "histogram", "--data", "t.csv", "--schema", "s.yaml", "town"}, exitUsage, "levels of column \"town\" are private"},
	})
}
