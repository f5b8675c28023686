package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/sweep"
)

// sweepFolder writes the summary of a sweep over three epsilons, with changes, and returns its folder.
func sweepFolder(t *testing.T, change func(*outcome.Document)) string {
	t.Helper()
	folder := t.TempDir()
	d := outcome.Document{Public: true, Table: "towns.csv", Records: 900, Target: &outcome.Target{Column: "y", Levels: 2}, Command: "dither sweep --data towns.csv", Repeats: 4, Measured: "a public table",
		Varied: []sweep.Parameter{{Name: "epsilon", Values: []string{"0.5", "1", "2"}}}, Cost: outcome.Cost{Neighboring: "add-or-remove-one"}}
	for i, value := range d.Varied[0].Values {
		mean := evaluate.Measure(0.6 + 0.1*float64(i))
		d.Summaries = append(d.Summaries, outcome.Row{Settings: []sweep.Setting{{Name: "epsilon", Value: value}}, Private: true, Method: "dp-gd", Epsilon: certificate.Epsilon([]float64{0.5, 1, 2}[i]), Delta: 1e-6,
			Metric: option.MetricAccuracy, Repeats: 4, Mean: mean, StandardDeviation: 0.01, Low: mean - 0.02, High: mean + 0.02})
	}
	if change != nil {
		change(&d)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(folder, outcome.DocumentName), string(text))
	return folder
}

// TestTrainDrawsASweep draws the curve of a sweep that was just made, in the report of a run on another table, and marks what is
// public of the run: its epsilon, and its accuracy once the test table is.
func TestTrainDrawsASweep(t *testing.T) {
	withoutImages(t)
	table, schema := sweepTable(t, 400)
	test, _ := sweepTable(t, 100)
	t.Chdir(t.TempDir())
	mustInvoke(t, "sweep", "--epsilon", "0.5,3", "--clipping-norm", "0.5,1", "--steps", "5", "--whiten", "no", "--repeats", "2", "--baseline", "--out", "curve", "--quiet")
	train := []string{"train", "--data", table, "--schema", schema, "--epsilon", "1.5", "--steps", "5", "--whiten", "no", "--sweep", "curve", "--quiet"}
	mustInvoke(t, append(train, "--out", "private")...)
	page := readText(t, filepath.Join("private", report.FileName))
	for _, want := range []string{"Accuracy against privacy", "the public table builtin:randhie of 16009 rows", "trained on another table", "the epsilon of this run, 1.5", "clipping norm 0.5",
		"Made by <code>dither sweep --epsilon 0.5,3 --clipping-norm 0.5,1 --steps 5 --whiten no --repeats 2 --baseline</code>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for _, never := range []string{"The ring is this run", "this run, 0."} {
		if strings.Contains(page, never) {
			t.Errorf("the report of a private run has %q, want nothing measured", never)
		}
	}
	mustInvoke(t, append(train, "--out", "measured", "--test", test, "--test-public")...)
	if page = readText(t, filepath.Join("measured", report.FileName)); !strings.Contains(page, "The ring is this run: epsilon 1.5 and accuracy 0.") || !strings.Contains(page, "this run, 0.") {
		t.Error("the report of a run with a public test table lacks the mark of its accuracy")
	}
	mustInvoke(t, "train", "--data", table, "--schema", schema, "--non-private", "--steps", "5", "--whiten", "no", "--sweep", "curve", "--quiet", "--out", "free")
	if page = readText(t, filepath.Join("free", report.FileName)); !strings.Contains(page, "no place on the axis") || strings.Contains(page, "the epsilon of this run") {
		t.Error("the report of a run without privacy marks an epsilon, want words instead")
	}
	mustInvoke(t, append(train[:len(train):len(train)], "--out", "heldout", "--holdout", "private:0.3")...)
	if page = readText(t, filepath.Join("heldout", report.FileName)); !strings.Contains(page, "on held-out records, by a noisy release that the guarantee covers (interval ") {
		t.Error("the report of a run with a private measure lacks its mark")
	}
	mustInvoke(t, "train", "--steps", "5", "--whiten", "no", "--quiet", "--out", "own")
	if page = readText(t, filepath.Join("own", report.FileName)); !strings.Contains(page, "dither train --sweep dither-sweep") {
		t.Error("the report on a built-in table lacks the command for a curve")
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTrainRefusesASweep gives folders that are no public sweep with a curve.
func TestTrainRefusesASweep(t *testing.T) {
	withoutImages(t)
	table, schema := sweepTable(t, 300)
	test, _ := sweepTable(t, 100)
	t.Chdir(t.TempDir())
	mustInvoke(t, "sweep", "--data", table, "--schema", schema, "--test", test, "--test-public", "--epsilon", "1,2", "--steps", "4", "--whiten", "no", "--out", "private", "--quiet")
	if err := os.Mkdir("empty", 0o700); err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir()
	writeText(t, filepath.Join(broken, outcome.DocumentName), `{"public": "yes"}`)
	for name, c := range map[string]struct{ folder, want string }{
		"absent":       {"nowhere", "no summary.json"},
		"empty":        {"empty", "no summary.json"},
		"broken":       {broken, "not what dither sweep writes"},
		"no levels":    {sweepFolder(t, func(d *outcome.Document) { d.Target.Levels = -1 }), "not what dither sweep writes"},
		"levels":       {sweepFolder(t, func(d *outcome.Document) { d.Target.Levels = 1 << 50 }), "not what dither sweep writes"},
		"private":      {"private", "each point of the curve is a release"},
		"earlier":      {sweepFolder(t, func(d *outcome.Document) { d.Public = false }), "does not say"},
		"no epsilon":   {sweepFolder(t, func(d *outcome.Document) { d.Varied, d.Summaries = nil, d.Summaries[:1] }), "at two values of epsilon"},
		"texts":        {sweepFolder(t, func(d *outcome.Document) { d.Varied[0].Values[0] = "many" }), "at two values of epsilon"},
		"other metric": {sweepFolder(t, func(d *outcome.Document) { d.Target.Levels = 0 }), "no R² at two values"},
		"nothing there": {sweepFolder(t, func(d *outcome.Document) {
			d.Summaries[0].Mean, d.Summaries[1].Mean = evaluate.Measure(math.NaN()), evaluate.Measure(math.NaN())
		}), "at two values of epsilon"},
	} {
		status, _, message := invoke("train", "--sweep", c.folder, "--steps", "4", "--whiten", "no", "--out", filepath.Join(t.TempDir(), "m"))
		if status != exitUsage || !strings.Contains(message, c.want) {
			t.Errorf("%s: got %d, %q, want a refusal with %q", name, status, message, c.want)
		}
	}
}

// TestSweepDifferences wants a warning for each way in which a sweep is unlike the run, and none for one that is like it.
func TestSweepDifferences(t *testing.T) {
	table, schema := sweepTable(t, 200)
	for name, c := range map[string]struct {
		change func(*outcome.Document)
		want   string
	}{
		"alike":          {nil, ""},
		"regression":     {func(d *outcome.Document) { d.Target.Levels = 0; rename(d, option.MetricR2) }, "of models of a number, and this is a model of one of 2 levels"},
		"more levels":    {func(d *outcome.Document) { d.Target.Levels = 10 }, "models of one of 10 levels"},
		"other method":   {func(d *outcome.Document) { eachRow(d, func(r *outcome.Row) { r.Method = "dp-sgd" }) }, "trained by dp-sgd, and this run by dp-gd"},
		"other delta":    {func(d *outcome.Document) { eachRow(d, func(r *outcome.Row) { r.Delta = 1e-5 }) }, "at delta 1e-05, and this run at delta 1e-06"},
		"other relation": {func(d *outcome.Document) { d.Cost.Neighboring = "replace-one" }, "by replace-one, and this run by add-or-remove-one"},
		"elsewhere":      {func(d *outcome.Document) { far(d) }, "goes from epsilon 5 to 20; this run lies outside"},
		"hostile table":  {func(d *outcome.Document) { d.Table = "<script>alert(1)</script>" }, ""},
	} {
		folder := filepath.Join(t.TempDir(), "m")
		mustInvoke(t, "train", "--data", table, "--schema", schema, "--sweep", sweepFolder(t, c.change), "--steps", "4", "--whiten", "no", "--out", folder, "--quiet")
		page := readText(t, filepath.Join(folder, report.FileName))
		_, section, _ := strings.Cut(page, "Accuracy against privacy")
		section, _, _ = strings.Cut(section, "</section>")
		if warned := strings.Contains(section, `class="warning"`); warned != (c.want != "") || !strings.Contains(section, c.want) || strings.Contains(section, "<script>alert") {
			t.Errorf("%s: got %.900s, want the warning %q", name, section, c.want)
		}
	}
}

func eachRow(d *outcome.Document, change func(*outcome.Row)) {
	for i := range d.Summaries {
		change(&d.Summaries[i])
	}
}

func rename(d *outcome.Document, metric string) {
	eachRow(d, func(r *outcome.Row) { r.Metric = metric })
}

// far has ten times the epsilons.
func far(d *outcome.Document) {
	d.Varied[0].Values = []string{"5", "10", "20"}
	for i := range d.Summaries {
		d.Summaries[i].Settings[0].Value = d.Varied[0].Values[i]
		d.Summaries[i].Epsilon *= 10
	}
}

// TestSweepMarks wants the ring and its words on page and terminal, for the rule and for --mark.
func TestSweepMarks(t *testing.T) {
	withoutImages(t)
	table, schema := sweepTable(t, 300)
	folder := t.TempDir()
	args := []string{"sweep", "--data", table, "--schema", schema, "--data-public", "--split", "first:0.7", "--epsilon", "0.5,30", "--clipping-norm", "0.5,1", "--steps", "5", "--whiten", "no", "--out", folder, "--quiet"}
	text, _ := mustInvoke(t, args...)
	page := readText(t, filepath.Join(folder, outcome.PageName))
	var d outcome.Document
	if err := json.Unmarshal([]byte(readText(t, filepath.Join(folder, outcome.DocumentName))), &d); err != nil || d.Marked == nil || d.Marked.Why != "the best mean accuracy" || !d.Public || d.Records != 210 {
		t.Fatalf("got %+v, %v, want the best of runs that were made once, of 210 public rows", d, err)
	}
	best := math.Inf(-1)
	var settings []sweep.Setting
	for _, row := range d.Summaries {
		if v := float64(row.Mean); row.Metric == option.MetricAccuracy && v > best {
			best, settings = v, row.Settings
		}
	}
	words := (&sweep.Candidate{Settings: d.Marked.Settings}).Words()
	if at := slices.Index([]string{"0.5", "30"}, d.Marked.Settings[0].Value); at < 0 || len(settings) == 0 || !strings.Contains(text, "marked: "+words) || !strings.Contains(page, "The ring is around "+words+": the best mean accuracy.") || strings.Count(page, `<circle class="ring"`) == 0 {
		t.Errorf("got %s, want the mark of %s", text, words)
	}
	text, _ = mustInvoke(t, append(args, "--mark", "epsilon=30.0, clipping-norm=0.5")...)
	if page = readText(t, filepath.Join(folder, outcome.PageName)); !strings.Contains(text, "epsilon 30, clipping norm 0.5: the choice") || !strings.Contains(page, "The ring is around epsilon 30, clipping norm 0.5: the choice that --mark names") || !strings.Contains(page, "epsilon=30.0, clipping-norm=0.5") {
		t.Errorf("got %s, want the mark that was asked for", text)
	}
	text, _ = mustInvoke(t, append(args, "--mark", "none")...)
	if page = readText(t, filepath.Join(folder, outcome.PageName)); strings.Contains(text, "marked") || strings.Contains(page, `<circle class="ring"`) {
		t.Errorf("got %s, want no mark", text)
	}
	for _, wrong := range []string{"epsilon=30", "epsilon=7,clipping-norm=1", "steps=5", "epsilon", "=", ","} {
		if status, _, message := invoke(append(args, "--mark", wrong, "--dry-run")...); status != exitUsage || !strings.Contains(message, "--mark") {
			t.Errorf("--mark %q: got %d, %q, want a refusal", wrong, status, message)
		}
	}
}
