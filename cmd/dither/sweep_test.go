package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/cache"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/sweep"
)

// sweepTable writes a table with its schema: income follows age in nine rows of ten.
func sweepTable(t *testing.T, rows int) (table, schema string) {
	t.Helper()
	folder := t.TempDir()
	var b strings.Builder
	b.WriteString("age,height,income\n")
	r := rand.New(rand.NewPCG(1, 2))
	for range rows {
		age, income := r.IntN(101), "low"
		if age > 50 != (r.IntN(10) == 0) {
			income = "high"
		}
		fmt.Fprintf(&b, "%d,%d,%s\n", age, 50+r.IntN(171), income)
	}
	const text = "dither-schema: 1\nrow: one person\nrecords: %d\nmax-records: 5000\ntarget: {column: income, levels: [low, high]}\ndefaults: {missing: zero, out-of-range: clamp}\ncolumns:\n  age: {numeric: [0, 100]}\n  height: {numeric: [50, 220]}\n"
	return writeText(t, filepath.Join(folder, "table.csv"), b.String()), writeText(t, filepath.Join(folder, "schema.yaml"), fmt.Sprintf(text, rows))
}

// readResults reads a table of results.
func readResults(t *testing.T, path string) (head []string, rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(all) < 2 {
		t.Fatalf("%s: %v, want rows", path, err)
	}
	return all[0], all[1:]
}

// TestSweepChoosesInteractions wants each run of a sweep to follow the rules of interactions and of corrected
// probabilities for its own epsilon, also where its noise is given. Results, summaries and dry runs say which it has.
// The price of a run is the price of the same training. A model that a private choice writes has pairs too.
func TestSweepChoosesInteractions(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	schema, table := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, "levels: [0, 1]")), checkered(t, dir, 5000)
	data := []string{"sweep", "--data", table, "--schema", schema, "--data-public", "--split", "first:0.8", "--quiet"}
	mustInvoke(t, append(data, "--epsilon", "0.01,3", "--out", "each")...)
	head, rows := readResults(t, filepath.Join("each", outcome.ResultsName))
	at := func(row []string, name string) string { return row[slices.Index(head, name)] }
	if a, b := rows[0], rows[1]; at(a, "interactions") != "none" || at(a, "calibrate") != "false" || at(b, "interactions") != "all" || at(b, "calibrate") != "true" || at(b, "auc") < "0.8" {
		t.Errorf("got %v of %v, want pairs and an area above 0.8 at epsilon 3 alone", rows, head)
	}
	mustInvoke(t, append(data, "--epsilon", "0.01,3", "--interactions", "none", "--interactions", "auto", "--out", "asked")...)
	head, rows = readResults(t, filepath.Join("asked", outcome.ResultsName))
	for _, row := range rows {
		want := "none"
		if at(row, "interactions-asked") == "auto" && at(row, "epsilon") == "3" {
			want = "all"
		}
		if at(row, "interactions") != want || len(rows) != 4 {
			t.Errorf("got %v of %v, want what ran, %s", row, head, want)
		}
	}
	said, _ := mustInvoke(t, append(data, "--epsilon", "0.01,3", "--interactions", "none", "--interactions", "auto", "--dry-run")...)
	if strings.Count(said, "  all  ") != 1 || strings.Count(said, "  none  ") != 3 {
		t.Errorf("the dry run says %q, want pairs in one of four configurations", said)
	}
	for noise, want := range map[string]string{"2000": "none", "20": "all"} {
		text, _ := mustInvoke(t, append(data, "--noise-multiplier", noise, "--dry-run", "--json")...)
		var d outcome.Document
		if err := json.Unmarshal([]byte(text), &d); err != nil || len(d.Summaries) != 1 || d.Summaries[0].Interactions != want {
			t.Errorf("noise multiplier %s: %v, got %s, want interactions %s", noise, err, text, want)
		}
	}
	mustInvoke(t, "sweep", "--data", table, "--schema", schema, "--test", table, "--test-public", "--quiet", "--select", "geometric:2", "--learning-rate", "5,10", "--epsilon", "3", "--out", "chosen")
	mustInvoke(t, "verify", "chosen")
	if text := readFile(t, filepath.Join("chosen", model.FileName)); !strings.Contains(text, "interactions") {
		t.Error("the chosen model has no pairs")
	}
}

// TestSweepPublic runs a sweep of a public table in several ways and looks at its files.
func TestSweepPublic(t *testing.T) {
	table, schema := sweepTable(t, 800)
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"sweep", "--data", table, "--schema", schema, "--data-public", "--split", "first:0.75", "--epsilon", "1..100 log 3", "--clipping-norm", "0.1,1", "--steps", "20", "--whiten", "no", "--repeats", "3", "--baseline", "--out", out, "--quiet"}
	text, _ := mustInvoke(t, args...)
	if !strings.Contains(text, "Public data set") || !strings.Contains(text, "±") || strings.Contains(text, "NOT PRIVATE") {
		t.Errorf("got %s, want a table with intervals and what public means", text)
	}
	head, rows := readResults(t, filepath.Join(out, outcome.ResultsName))
	if len(rows) != 3*2*3+2 || head[0] != "epsilon" || head[1] != "clipping-norm" || !slices.Contains(head, "accuracy") {
		t.Errorf("got %d rows with columns %v, want 20 of epsilon, clipping norm and metrics", len(rows), head)
	}
	accuracy, private := slices.Index(head, "accuracy"), slices.Index(head, "private")
	for _, row := range rows {
		if row[private] == "false" && row[accuracy] < "0.6" {
			t.Errorf("without privacy the accuracy is %s, want more than 0.6, where a half is chance", row[accuracy])
		}
	}
	for _, name := range []string{"accuracy-over-epsilon.svg", "accuracy-over-epsilon.png", "log-loss-over-clipping-norm.svg", outcome.SummaryName, outcome.DocumentName, outcome.PageName} {
		info, err := os.Stat(filepath.Join(out, name))
		if err != nil || info.Size() < 500 || info.Mode().Perm()&0o044 == 0 {
			t.Errorf("%s: %v, want a file for all to read", name, err)
		}
	}
	withoutImages(t)
	again, _ := mustInvoke(t, args...)
	if again != text {
		t.Errorf("the second call prints\n%s\nwant what the first printed, since nothing runs twice", again)
	}
	if status, _, message := invoke(append(args[:len(args):len(args)], "--average", "no")...); status != exitUsage && status != exitFailed || !strings.Contains(message, "average was not given and is no") {
		t.Errorf("another plan in the same folder: got %d, %q, want a refusal that says what differs", status, message)
	}
}

// TestSweepPlanIsFlags runs the same sweep from a plan file and compares the definitions.
func TestSweepPlanIsFlags(t *testing.T) {
	table, schema := sweepTable(t, 300)
	plan := writeText(t, filepath.Join(t.TempDir(), "plan.yaml"), "data: "+table+"\nschema: "+schema+"\ndata-public: true\nsplit: random:0.3\nepsilon: [1, 2..8 log 3]\nnormalize: 1\n")
	if status, _, message := invoke("sweep", "--plan", plan, "--dry-run"); status != exitUsage || !strings.Contains(message, "line 6, column 1") || !strings.Contains(message, "normalize") {
		t.Errorf("an unknown key: got %d, %q, want its line and column", status, message)
	}
	good := "data: " + table + "\nschema: " + schema + "\ndata-public: true\nsplit: random:0.3\nepsilon: [1, 2..8 log 3]\nno-intercept: [true, false]\nsteps: 4\nrepeats: 2\n"
	writeText(t, plan, good)
	fromFile, _ := mustInvoke(t, "sweep", "--plan", plan, "--dry-run", "--json")
	fromFlags, _ := mustInvoke(t, "sweep", "--data", table, "--schema", schema, "--data-public", "--split", "random:0.3", "--epsilon", "1,2..8 log 3", "--no-intercept=true,false", "--steps", "4", "--repeats", "2", "--dry-run", "--json")
	if fromFile != fromFlags {
		t.Errorf("from the file\n%s\nfrom flags\n%s", fromFile, fromFlags)
	}
	var d outcome.Document
	if err := json.Unmarshal([]byte(fromFile), &d); err != nil || len(d.Summaries) != 8 || d.Cost.Runs != 16 || !(d.Seconds > 0) {
		t.Errorf("got %+v, %v, want 8 configurations of 2 runs and a time", d, err)
	}
	for name, text := range map[string]string{"twice": good + "steps: 5\n", "no mapping": "- 1\n", "nested": "epsilon: {a: 1}\n", "empty list": "epsilon: []\n", "null": "epsilon:\n", "out": "out: x\n", "two": good + "---\na: 1\n", "kind": "repeats: many\n"} {
		if status, _, message := invoke("sweep", "--plan", writeText(t, plan, text), "--dry-run"); status != exitUsage || message == "" {
			t.Errorf("%s: got %d, %q, want a refusal", name, status, message)
		}
	}
	writeText(t, plan, good)
	if status, _, message := invoke("sweep", "--plan", plan, "--epsilon", "3", "--dry-run"); status != exitUsage || !strings.Contains(message, "line 5") {
		t.Errorf("a key that is a flag too: got %d, %q, want a refusal", status, message)
	}
}

// TestSweepRefusals holds that what would reveal records, or has no meaning, is refused before anything is trained.
func TestSweepRefusals(t *testing.T) {
	table, schema := sweepTable(t, 200)
	own := []string{"--data", table, "--schema", schema}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"nothing to measure on":     {own, "nothing to measure"},
		"private part":              {append(own, "--split", "first:0.5"), "--data-public"},
		"split of a built-in set":   {[]string{"--split", "first:0.5"}, "--split"},
		"share":                     {append(own, "--data-public", "--split", "first:1"), "--split"},
		"test without a word":       {append(own, "--test", table), "--test-public"},
		"public, not for print":     {[]string{"--print-not-private"}, "--print-not-private"},
		"several tables":            {append(own, "--data", schema, "--data-public", "--split", "first:0.5"), "--data has 2 values"},
		"noise and epsilon":         {[]string{"--noise-multiplier", "1", "--epsilon", "1"}, "--noise-multiplier"},
		"value":                     {[]string{"--epsilon", "1,two"}, "two"},
		"configuration":             {[]string{"--loss", "logistic,softmax,nonsense"}, "loss nonsense"},
		"repeats":                   {[]string{"--repeats", "0"}, "--repeats"},
		"a method without baseline": {[]string{"--method", "dp-gd,objective-perturbation", "--baseline"}, "--baseline is given with --method objective-perturbation"},
		"a flag of another method":  {[]string{"--method", "dp-gd,output", "--steps", "5"}, "method output"},
	} {
		status, _, message := invoke(append(append([]string{"sweep", "--dry-run"}, c.args...), "--out", filepath.Join(t.TempDir(), "o"))...)
		if status != exitUsage || !strings.Contains(message, c.want) {
			t.Errorf("%s: got %d, %q, want a refusal with %q", name, status, message, c.want)
		}
	}
}

// TestSweepOfPrivateRecords measures on public and on private records.
func TestSweepOfPrivateRecords(t *testing.T) {
	withoutImages(t)
	table, schema := sweepTable(t, 400)
	test, _ := sweepTable(t, 100)
	cache, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	t.Setenv(cacheVariable, cache)
	base := []string{"sweep", "--data", table, "--schema", schema, "--test", test, "--epsilon", "1,2", "--steps", "4", "--whiten", "no", "--repeats", "2", "--out", out, "--quiet"}
	text, _ := mustInvoke(t, append(base, "--test-public")...)
	if !strings.Contains(text, "Private table: all 4 runs") || !strings.Contains(text, "together cost epsilon") {
		t.Errorf("got %s, want the cost of all runs", text)
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) < 5 {
		t.Fatalf("%d files, %v, want results", len(entries), err)
	}
	for _, e := range entries {
		if info, infoErr := e.Info(); infoErr != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, want it for its owner alone", e.Name(), info.Mode())
		}
	}
	results := filepath.Join(out, outcome.JournalName)
	whole := readFile(t, results)
	writeText(t, results, regexp.MustCompile(`(?m)^\{"begin".*\n`).ReplaceAllString(whole, ""))
	if status, said, message := invoke(append(base, "--test-public")...); status != exitUsage || said != "" || !strings.Contains(message, results+", line 2: no line before this result") {
		t.Errorf("results without the lines of runs that begin: got %d, %q, %q, want a refusal", status, said, message)
	}
	writeText(t, results, whole)
	secretOut := filepath.Join(t.TempDir(), "secret")
	text, _ = mustInvoke(t, append(append(base[:len(base):len(base)], "--out", secretOut), "--print-not-private")...)
	if !strings.HasPrefix(text, notPrivateBanner) || display.Exists(secretOut) {
		t.Errorf("got %s and a folder: %v, want a banner first and no folder", text, display.Exists(secretOut))
	}
	kept, err := listCache(cache)
	if err != nil || len(kept) != 1 || !strings.HasSuffix(kept[0].File, ".sweep") {
		t.Fatalf("the cache holds %v, %v, want one file of results", kept, err)
	}
	if info, statErr := os.Stat(filepath.Join(cache, kept[0].File)); statErr != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of results has mode %v, want it for its owner alone", info.Mode())
	}
	if mustInvoke(t, "clean"); display.Exists(filepath.Join(cache, kept[0].File)) {
		t.Error("dither clean leaves private results")
	}
}

// TestSweepRefusesOtherRules turns the results of a sweep into those of a program that plans by other
// rules, and of one that did not keep its plans. Neither goes on, public or private, and the runs
// that began are not priced by the plans of today.
func TestSweepRefusesOtherRules(t *testing.T) {
	withoutImages(t)
	table, schema := sweepTable(t, 300)
	test, _ := sweepTable(t, 100)
	cache, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	t.Setenv(cacheVariable, cache)
	base := []string{"sweep", "--data", table, "--schema", schema, "--test", test, "--noise-multiplier", "20", "--steps", "4", "--out", out, "--quiet"}
	for _, word := range []string{"--test-public", "--print-not-private"} {
		args := append(base[:len(base):len(base)], word)
		mustInvoke(t, args...)
		path, remedy := filepath.Join(out, outcome.JournalName), "give another --out, and add the cost of the earlier runs"
		if word == "--print-not-private" {
			remedy = "move this file out of the cache folder, to keep the record of its runs, and add their cost"
			kept, err := listCache(cache)
			if err != nil || len(kept) != 1 {
				t.Fatalf("the cache holds %v, %v, want one file of results", kept, err)
			}
			path = filepath.Join(cache, kept[0].File)
		}
		mustInvoke(t, args...)
		text := readFile(t, path)
		plans := regexp.MustCompile(`,"plans-sha256":"[0-9a-f]{64}"`)
		sum := regexp.MustCompile(`"definition-sha256":"[0-9a-f]{64}"`)
		if !plans.MatchString(text) || !sum.MatchString(text) {
			t.Fatalf("%s: the results begin with %.400s, want the hashes of plans and definition", word, text)
		}
		line, _, _ := strings.Cut(plans.ReplaceAllString(text, ""), "\n")
		_, defined, _ := strings.Cut(strings.TrimSuffix(line, "}"), `"definition":`)
		if name := filepath.Base(path); word == "--print-not-private" && name != "sweep-"+certificate.Hash([]byte(defined))[:16]+".sweep" {
			t.Errorf("private results are in %s, want a name without the hash of plans, as before there was one", name)
		}
		for _, other := range []string{"", `,"plans-sha256":"` + strings.Repeat("0", 64) + `"`} {
			changed := sum.ReplaceAllString(plans.ReplaceAllString(text, other), `"definition-sha256":"`+strings.Repeat("0", 64)+`"`)
			writeText(t, path, changed)
			status, said, message := invoke(args...)
			if status != exitUsage || said != "" || !strings.Contains(message, "planned by other rules") || !strings.Contains(message, path+" holds another sweep") || !strings.Contains(message, "finish it with the version that began it, or "+remedy) {
				t.Errorf("%s, plans %q: got %d, %q, %q, want a refusal with a remedy", word, other, status, said, message)
			}
			if readFile(t, path) != changed {
				t.Errorf("%s, plans %q: the refusal changed the results", word, other)
			}
		}
		if word == "--print-not-private" { // as the remedy says
			kept := filepath.Join(t.TempDir(), "kept")
			if err := os.Rename(path, kept); err != nil {
				t.Fatal(err)
			}
			mustInvoke(t, args...)
			mustInvoke(t, "clean")
			if changed := readFile(t, kept); !strings.Contains(changed, `{"begin"`) {
				t.Errorf("the record that was kept is %.200s, want runs that began", changed)
			}
		}
		writeText(t, path, text)
		mustInvoke(t, args...)
	}
}

// TestSweepSurvivesKills kills the process again and again, a little after it wrote a line of results, and compares
// what is there in the end with a sweep that nobody killed.
func TestSweepSurvivesKills(t *testing.T) {
	withoutImages(t)
	table, schema := sweepTable(t, 300)
	folder := t.TempDir()
	args := func(out string) []string {
		return []string{"sweep", "--data", table, "--schema", schema, "--data-public", "--split", "random:0.3", "--noise-multiplier", "20,40", "--clipping-norm", "0.5,1", "--steps", "300", "--whiten", "yes", "--repeats", "4", "--out", filepath.Join(folder, out), "--quiet"}
	}
	mustInvoke(t, args("whole")...)
	journal := filepath.Join(folder, "killed", outcome.JournalName)
	kills, most := 0, 2
	if thorough {
		most = 8
	}
	for kills < most && killedLate(t, args("killed"), journal) {
		kills++
	}
	mustInvoke(t, args("killed")...)
	if kills == 0 {
		t.Error("no process was killed before its end, want some")
	}
	checkNothingTwice(t, journal)
	wantHead, wantRows := readResults(t, filepath.Join(folder, "whole", outcome.ResultsName))
	head, rows := readResults(t, filepath.Join(folder, "killed", outcome.ResultsName))
	metrics := slices.Index(head, "accuracy")
	if !slices.Equal(head, wantHead) || len(rows) != len(wantRows) {
		t.Fatalf("got %d rows of %v, want %d of %v", len(rows), head, len(wantRows), wantHead)
	}
	for i := range rows {
		if !slices.Equal(rows[i][:metrics], wantRows[i][:metrics]) || rows[i][metrics] == "" {
			t.Errorf("row %d is %v, want the configuration of %v with metrics", i, rows[i], wantRows[i])
		}
	}
}

// killedLate starts a process, waits until the file of results has grown, and a little longer, and kills it. It
// reports whether the process had not ended before.
func killedLate(t *testing.T, args []string, journal string) bool {
	t.Helper()
	c := startable(args...)
	before := bytesOf(journal)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for bytesOf(journal) == before {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return false
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
	if err := c.Process.Kill(); err != nil {
		return false
	}
	return <-ended != nil
}

func bytesOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// checkNothingTwice holds that no run begins behind its own result.
func checkNothingTwice(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	done, begun := map[string]bool{}, 0
	for lines.Scan() {
		var l struct {
			Begin  []sweep.Run `json:"begin"`
			Result *sweep.Run  `json:"result"`
		}
		if err = json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatalf("line %q: %v", lines.Text(), err)
		}
		for _, r := range l.Begin {
			begun++
			if done[fmt.Sprint(r)] {
				t.Errorf("%v begins once more after its result was there", r)
			}
		}
		if l.Result != nil {
			done[fmt.Sprint(*l.Result)] = true
		}
	}
	if len(done) != 16 || begun < 16 {
		t.Errorf("%d results of %d runs that began, want 16 of at least as many", len(done), begun)
	}
}

// TestSweepSelects makes a private choice on a private table: the guarantee is the one that was asked for, and the
// folder holds a model that can be verified, and nothing of other runs.
func TestSweepSelects(t *testing.T) {
	table, schema := sweepTable(t, 500)
	test, _ := sweepTable(t, 100)
	out := filepath.Join(t.TempDir(), "chosen")
	args := []string{"sweep", "--data", table, "--schema", schema, "--test", test, "--test-public", "--select", "geometric:4", "--epsilon", "3", "--learning-rate", "0.1,1", "--clipping-norm", "0.2,0.5", "--whiten", "no", "--steps", "10", "--out", out}
	text, message := mustInvoke(t, args...)
	if !strings.Contains(text, "epsilon 3 at delta 1e-06") || !strings.Contains(text, "learning rate") || strings.Contains(text+message, "runs") {
		t.Errorf("got %s and %s, want the guarantee and the winner's settings, and no number of runs", text, message)
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 3 {
		t.Errorf("the folder holds %v, %v, want model, certificate and report", entries, err)
	}
	text, _ = mustInvoke(t, "verify", out, "--json")
	var v artefact.Verification
	if err = json.Unmarshal([]byte(text), &v); err != nil || !v.Verified || v.Certificate.Method != option.MethodSelection {
		t.Fatalf("got %s, want a verified choice", text)
	}
	if e := float64(v.Certificate.Epsilon); e > 3 || e < 3*0.99 {
		t.Errorf("the choice costs %v, want at most 3, and not much less", e)
	}
	if text, _ = mustInvoke(t, "explain", out); !strings.Contains(text, "random number of models") {
		t.Errorf("got %s, want what was chosen", text)
	}
	if status, _, failure := invoke(args...); status != exitUsage || !strings.Contains(failure, "want a new folder; give another --out") || strings.Contains(failure, "--replace") {
		t.Errorf("a choice over a model: got %d, %q, want a refusal that names no --replace, which a sweep has not", status, failure)
	}
	for name, more := range map[string][]string{"repeats": {"--repeats", "2"}, "law": {"--select", "uniform:4"}, "shape": {"--select", "negative-binomial:-1:4"}, "mark": {"--mark", "learning-rate=1"}, "mean": {"--select", "geometric:0"}, "steps that cost differently": {"--steps", "5,10"}, "budgets": {"--epsilon", "1,2"},
		"without privacy": {"--baseline"}, "method": {"--method", "output"}} {
		all := append(slices.Clone(args), more...)
		if at := slices.Index(args, more[0]); at >= 0 { // in place of the value that stands there
			all = append(slices.Concat(args[:at], args[at+2:]), more...)
		}
		if status, _, failure := invoke(all...); status != exitUsage || failure == "" {
			t.Errorf("%s: got %d, %q, want a refusal", name, status, failure)
		}
	}
}

// TestSweepGoesOnAfterADivergedRun makes noise so large that a learning rate of 1e308 leaves the finite numbers: the standard deviation in the
// mean gradient is about 100, and three steps of three weights stay within 1.8 with probability below 1e-12.
func TestSweepGoesOnAfterADivergedRun(t *testing.T) {
	withoutImages(t)
	table, schema := sweepTable(t, 300)
	folder := filepath.Join(t.TempDir(), "out")
	args := []string{"sweep", "--data", table, "--schema", schema, "--data-public", "--split", "first:0.5", "--epsilon", "5e-5", "--learning-rate", "1e308,1e-6", "--momentum", "0", "--center", "no", "--whiten", "no", "--steps", "3", "--repeats", "2", "--out", folder, "--quiet"}
	text, _ := mustInvoke(t, args...)
	said := strings.Join(strings.Fields(text), " ")
	if !strings.Contains(said, "diverged diverged diverged") || !strings.Contains(said, "diverged: 2 runs of learning rate 1e308; the weights did not stay finite") || !strings.Contains(text, "marked: learning rate 1e-6") {
		t.Errorf("got %s, want the configuration that diverged, and the other marked", text)
	}
	_, rows := readResults(t, filepath.Join(folder, outcome.ResultsName))
	if len(rows) != 4 || !slices.Equal(rows[0][len(rows[0])-4:], []string{"true", "", "", ""}) || rows[3][len(rows[3])-4] != "false" {
		t.Errorf("got %v, want two rows without metrics that say so, and two others", rows)
	}
	if page := readText(t, filepath.Join(folder, outcome.PageName)); !strings.Contains(page, "diverged: 2 runs of learning rate 1e308") {
		t.Error("the page does not say what diverged")
	}
	var d outcome.Document
	if err := json.Unmarshal([]byte(readText(t, filepath.Join(folder, outcome.DocumentName))), &d); err != nil || d.Summaries[0].Diverged != 2 || d.Summaries[3].Diverged != 0 {
		t.Errorf("got %+v, %v, want two runs of the first configuration that diverged", d.Summaries, err)
	}
	if again, _ := mustInvoke(t, args...); again != text {
		t.Errorf("the second call prints\n%s\nwant what the first printed", again)
	}
}

// TestHelpNamesTypes wants the help of every command to say what a flag takes in words of people.
func TestHelpNamesTypes(t *testing.T) {
	for command, wants := range map[string][]string{"sweep": {"--epsilon float list ", "--steps int list ", "--method text list ", "--data text ", "--records int ", "--assume-public  ", "--no-intercept  "},
		"train": {"--transform NAME "}, "schema init": {"--numeric COLUMN=LOW:HIGH ", "--levels COLUMN=LEVELS ", "--ignore COLUMN "}} {
		help, _ := mustInvoke(t, append(strings.Fields(command), "--help")...)
		for _, want := range wants {
			if !strings.Contains(help, want) {
				t.Errorf("%s: the help lacks %q", command, want)
			}
		}
		if strings.Contains(help, "stringArray") {
			t.Errorf("%s: the help says stringArray", command)
		}
	}
}

// TestSweepSelectsByLaws makes a choice under the other laws. Under the Poisson law of mean 20 there is no run with probability 2.1e-9.
func TestSweepSelectsByLaws(t *testing.T) {
	table, schema := sweepTable(t, 300)
	test, _ := sweepTable(t, 100)
	for law, words := range map[string]string{"poisson:20": "by the Poisson law", "logarithmic:3": "by the logarithmic law", "negative-binomial:-0.5:3": "by the negative binomial, of shape -0.5, law"} {
		out := filepath.Join(t.TempDir(), "chosen")
		args := []string{"sweep", "--data", table, "--schema", schema, "--test", test, "--test-public", "--select", law, "--epsilon", "3", "--learning-rate", "0.1,1", "--whiten", "no", "--steps", "4", "--out", out}
		dry, _ := mustInvoke(t, append(args, "--dry-run")...)
		if !strings.Contains(dry, "on average ("+law+")") || strings.Contains(dry, "there is no run") != (law == "poisson:20") {
			t.Errorf("%s: got %s, want the law, and that there may be no run under the Poisson one", law, dry)
		}
		if !thorough && law != "poisson:20" { // TestLawPrices of package sweep prices the others
			continue
		}
		mustInvoke(t, args...)
		text, _ := mustInvoke(t, "verify", out, "--json")
		var v artefact.Verification
		if err := json.Unmarshal([]byte(text), &v); err != nil || !v.Verified || float64(v.Certificate.Epsilon) > 3 || float64(v.Certificate.Epsilon) < 2.97 {
			t.Errorf("%s: got %s, want a verified choice of at most 3, and not much less", law, text)
		}
		if text, _ = mustInvoke(t, "explain", out); !strings.Contains(text, law) {
			t.Errorf("%s: got %s, want the law", law, text)
		}
		if text, _ = mustInvoke(t, "explain", v.Certificate.Event); !strings.Contains(strings.Join(strings.Fields(text), " "), words) {
			t.Errorf("%s: got %s, want the law in words", law, text)
		}
	}
}

// TestSweepPage runs the dry run of docs/sweep.md and compares words and prices, but not how long it would take, which
// depends on the machine.
func TestSweepPage(t *testing.T) {
	checkPage(t, "../../docs/sweep.md", 1, func(got, want string) bool {
		before := func(text string) string { head, _, _ := strings.Cut(text, "; about "); return head }
		return before(got) != got && sameWords(before(got), before(want))
	})
}

// listCache is cache.List, where a variable has the name of the package.
func listCache(folder string) ([]cache.Entry, error) { return cache.List(folder) }
