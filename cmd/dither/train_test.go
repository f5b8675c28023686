package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/model"
)

// peopleTable is a table of n rows under binaryText.
func peopleTable(t *testing.T, dir string, n int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(tableHeader)
	for i := range n {
		level := "low"
		if i%5 < i%3 {
			level = "=HIGH()"
		}
		fmt.Fprintf(&b, "%d,%d,%c,%s,%s\n", i*7%100, 60+i%150, "fm"[i%2], secret, level)
	}
	return writeText(t, filepath.Join(dir, "people.csv"), b.String())
}

// workplace is an empty folder with a schema and a table, and it is the working folder.
func workplace(t *testing.T, n int) (schema, table string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	return writeText(t, filepath.Join(dir, "people.yaml"), binaryText), peopleTable(t, dir, n)
}

func TestTrainFirstRun(t *testing.T) {
	t.Chdir(t.TempDir())
	out, messages := mustInvoke(t, "train")
	for _, want := range []string{"epsilon 1 at delta 1e-06", "epsilon 5.9", "all 5 rows", "area under the curve", "dither verify dither-model"} {
		if !strings.Contains(out, want) {
			t.Errorf("the summary lacks %q:\n%s", want, out)
		}
	}
	if !strings.Contains(messages, "step 120 of 120, epsilon so far 1\n") {
		t.Errorf("progress: got %q", messages)
	}
	mustInvoke(t, "verify", "dither-model")
	mustInvoke(t, "evaluate", "dither-model", "builtin:randhie")
	again, _ := mustInvoke(t, "train", "--quiet", "--steps", "3", "--whiten", "no")
	if !strings.Contains(again, "dither-model-2") {
		t.Errorf("a second run: got %q, want the next free folder", again)
	}
	for _, name := range []string{model.FileName, certificate.FileName, report.FileName} {
		if _, err := os.Stat(filepath.Join("dither-model-2", name)); err != nil {
			t.Error(err)
		}
	}
}

// TestTrainTwiceDiffersOnlyWhereItMay holds that two runs of one command give other weights
// and the same certificate but for run, time and hash.
func TestTrainTwiceDiffersOnlyWhereItMay(t *testing.T) {
	schema, table := workplace(t, 900)
	read := func(out string) (map[string]any, string) {
		mustInvoke(t, "train", "--data", table, "--schema", schema, "--out", out, "--quiet")
		text, err := os.ReadFile(filepath.Join(out, certificate.FileName))
		if err != nil {
			t.Fatal(err)
		}
		var c map[string]any
		if err = json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		weights, err := os.ReadFile(filepath.Join(out, model.FileName))
		if err != nil {
			t.Fatal(err)
		}
		return c, string(weights)
	}
	one, w1 := read("one")
	two, w2 := read("two")
	if w1 == w2 || one["run"] == two["run"] || one["model-sha256"] == two["model-sha256"] {
		t.Error("two runs have the same weights, run or hash")
	}
	for _, c := range []map[string]any{one, two} {
		for _, free := range []string{"run", "created", "model-sha256", "report-sha256"} {
			delete(c, free)
		}
	}
	a, _ := json.Marshal(one)
	b, _ := json.Marshal(two)
	if !bytes.Equal(a, b) {
		t.Errorf("certificates differ:\n%s\n%s", a, b)
	}
}

func TestTrainBaselineIsStamped(t *testing.T) {
	schema, table := workplace(t, 500)
	out, _ := mustInvoke(t, "train", "--data", table, "--schema", schema, "--non-private", "--out", "m", "--quiet")
	if !strings.Contains(out, "NOT PRIVATE") {
		t.Errorf("summary: got %q", out)
	}
	c, err := certificate.Read(filepath.Join("m", certificate.FileName))
	if err != nil || c.Private || !math.IsInf(float64(c.Epsilon), 1) {
		t.Errorf("certificate: private %v, epsilon %v, %v", c.Private, c.Epsilon, err)
	}
	m, err := model.Load("m")
	if err != nil || m.Provenance.Private {
		t.Errorf("model: private %v, %v", m.Provenance.Private, err)
	}
	page, _ := os.ReadFile(filepath.Join("m", report.FileName))
	if !bytes.Contains(page, []byte("NOT PRIVATE")) {
		t.Error("the report does not say that the model is not private")
	}
	mustInvoke(t, "verify", "m")
}

func TestTrainDryRunReadsAndWritesNothing(t *testing.T) {
	schema, _ := workplace(t, 10)
	out, _ := mustInvoke(t, "train", "--data", "absent.csv", "--schema", schema, "--dry-run")
	for _, want := range []string{"nothing was read", "epsilon 1 at", "repeat(120, gaussian(", "at most 5000", "of memory", "assumptions"} {
		if !strings.Contains(out, want) {
			t.Errorf("the dry run lacks %q:\n%s", want, out)
		}
	}
	out, _ = mustInvoke(t, "train", "--data", "absent.csv", "--schema", schema, "--dry-run", "--json", "--epsilon-per-step", "0.1", "--steps", "10")
	var d dryRun
	if err := json.Unmarshal([]byte(out), &d); err != nil || d.Plan.Steps != 10 || d.Basic == nil || math.Abs(d.Basic.Epsilon-1.2) > 1e-9 {
		t.Errorf("dry run as JSON: %v, %+v", err, d)
	}
	entries, _ := os.ReadDir(".")
	if len(entries) != 2 {
		t.Errorf("the dry run left %v", entries)
	}
}

func TestTrainTestTableNeedsAWord(t *testing.T) {
	schema, table := workplace(t, 600)
	base := []string{"train", "--data", table, "--schema", schema, "--test", table, "--quiet", "--steps", "5", "--interactions", "none"}
	if status, _, message := invoke(base...); status != exitUsage || !strings.Contains(message, "--test-public") {
		t.Errorf("without a word: got %d, %q", status, message)
	}
	out, _ := mustInvoke(t, append(base, "--test-public", "--out", "public", "--group", "sex")...)
	page, _ := os.ReadFile("public/" + report.FileName)
	if !strings.Contains(out, "accuracy") || !bytes.Contains(page, []byte("declared public")) {
		t.Error("metrics of a public test table are missing from summary or report")
	}
	out, messages := mustInvoke(t, append(base, "--print-not-private", "--out", "private")...)
	page, _ = os.ReadFile("private/" + report.FileName)
	if !strings.Contains(messages, "NOT PRIVATE") || !strings.Contains(messages, "accuracy") || strings.Contains(out, "accuracy") || bytes.Contains(page, []byte("How good is the model")) {
		t.Errorf("metrics that are not public: summary %q, messages %q", out, messages)
	}
}

func TestTrainSampled(t *testing.T) {
	schema, table := workplace(t, 900)
	out, _ := mustInvoke(t, "train", "--data", table, "--schema", schema, "--sampling-probability", "0.1", "--out", "m", "--quiet")
	if !strings.Contains(out, "accountant pld") {
		t.Errorf("summary: got %q, want the accountant pld", out)
	}
	c, err := certificate.Read("m/" + certificate.FileName)
	if err != nil || c.Method != "dp-sgd" || float64(c.Epsilon) > 1 || !strings.Contains(c.Event, "repeat(200, poisson(0.1, gaussian(") {
		t.Errorf("certificate: %v, method %s, epsilon %v, event %s", err, c.Method, c.Epsilon, c.Event)
	}
	verified, _ := mustInvoke(t, "verify", "m")
	if !strings.Contains(verified, "verified") {
		t.Errorf("verify: %q", verified)
	}
	text, _ := os.ReadFile("m/" + certificate.FileName)
	edited := strings.Replace(string(text), `"sampling-probability": 0.1`, `"sampling-probability": 0.01`, 1)
	if edited == string(text) {
		t.Fatal("the plan has no sampling probability")
	}
	writeText(t, "m/"+certificate.FileName, edited)
	if status, _, _ := invoke("verify", "m"); status != exitFailed {
		t.Errorf("a smaller sampling probability: got status %d, want %d", status, exitFailed)
	}
	if status, _, message := invoke("train", "--data", table, "--schema", schema, "--sampling-probability", "1"); status != exitUsage || !strings.Contains(message, "sampling probability") {
		t.Errorf("probability 1: got %d, %q", status, message)
	}
}

func TestTrainTarget(t *testing.T) {
	schema, table := workplace(t, 500)
	mustInvoke(t, "train", "--data", table, "--schema", schema, "--target", "sex", "--out", "m", "--quiet")
	m, err := model.Load("m")
	if err != nil || m.Schema().Target.Column != "sex" {
		t.Fatalf("target: got %v, %v, want sex", m, err)
	}
	for _, f := range m.Schema().Features() {
		if f.Name == "sex" || f.Name == "income" {
			t.Errorf("%s is a feature", f.Name)
		}
	}
	mustInvoke(t, "train", "--data", table, "--schema", schema, "--target", "height", "--out", "r", "--quiet")
}

// TestTrainRefusals holds every wrong input to one line, an exit status, no cell and no file.
func TestTrainRefusals(t *testing.T) {
	schema, table := workplace(t, 300)
	good, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	text := string(good)
	file := func(name, text string) string { return writeText(t, name, text) }
	tainted := file("tainted.yaml", binaryText+"from-data: [sex]\n")
	small := file("small.yaml", strings.Replace(binaryText, "max-records: 5000", "max-records: 100", 1))
	ragged := file("ragged.csv", text+"1,"+secret+"\n")
	semicolons := file("semicolons.csv", strings.ReplaceAll(text, ",", ";"))
	cases := []struct {
		name string
		args []string
		want string
		code int
	}{
		{"no schema", []string{"--data", table}, "--schema", exitUsage},
		{"no table", []string{"--data", "absent.csv", "--schema", schema}, "absent.csv", exitUsage},
		{"no schema file", []string{"--data", table, "--schema", "absent.yaml"}, "absent.yaml", exitUsage},
		{"missing target", []string{"--data", file("t.csv", strings.Replace(text, "income", "wage", 1)), "--schema", schema}, "target", exitUsage},
		{"wrong delimiter", []string{"--data", semicolons, "--schema", schema, "--delimiter", ","}, "delimiter", exitUsage},
		{"ragged row", []string{"--data", ragged, "--schema", schema}, "line 302", exitUsage},
		{"empty", []string{"--data", file("empty.csv", ""), "--schema", schema}, "empty", exitUsage},
		{"header only", []string{"--data", file("header.csv", tableHeader), "--schema", schema}, "no records", exitUsage},
		{"binary", []string{"--data", file("b.csv", "\x7fELF\x00\x01"+secret), "--schema", schema}, "want text", exitUsage},
		{"no header", []string{"--data", file("n.csv", strings.TrimPrefix(text, tableHeader)), "--schema", schema}, "header", exitUsage},
		{"other schema", []string{"--data", file("o.csv", "a,b,"+secret+"\n1,2,3\n"), "--schema", schema}, "schema", exitUsage},
		{"epsilon zero", []string{"--data", table, "--schema", schema, "--epsilon", "0"}, "epsilon", exitUsage},
		{"epsilon negative", []string{"--data", table, "--schema", schema, "--epsilon", "-1"}, "epsilon", exitUsage},
		{"epsilon text", []string{"--data", table, "--schema", schema, "--epsilon", "low"}, "epsilon", exitUsage},
		{"epsilon infinite", []string{"--data", table, "--schema", schema, "--epsilon", "Inf"}, "--non-private", exitUsage},
		{"delta one", []string{"--data", table, "--schema", schema, "--delta", "1"}, "delta", exitUsage},
		{"two budgets", []string{"--data", table, "--schema", schema, "--epsilon", "1", "--epsilon-per-step", "1"}, "both", exitUsage},
		{"more rows than max-records", []string{"--data", table, "--schema", small}, "max-records", exitUsage},
		{"replace-one without records", []string{"--data", table, "--schema", schema, "--neighboring", "replace-one"}, "records", exitUsage},
		{"tainted schema", []string{"--data", table, "--schema", tainted}, "--assume-public", exitUsage},
		{"unwritable", []string{"--data", table, "--schema", schema, "--out", "/proc/dither/model"}, "written", exitUsage},
		{"folder exists", []string{"--data", table, "--schema", schema, "--out", "."}, "exists", exitUsage},
		{"folder is no model", []string{"--data", table, "--schema", schema, "--out", ".", "--replace"}, "no model folder", exitUsage},
		{"unknown target", []string{"--data", table, "--schema", schema, "--target", "wage"}, "wage", exitUsage},
		{"unknown flag", []string{"--seed", "1"}, "seed", exitUsage},
		{"unknown set", []string{"--data", "builtin:other"}, "randhie", exitUsage},
		{"momentum", []string{"--data", table, "--schema", schema, "--momentum", "1"}, "momentum", exitUsage},
		{"clipping", []string{"--data", table, "--schema", schema, "--clipping", "weights"}, "clipping", exitUsage},
	}
	before := list(t)
	for _, c := range cases {
		status, out, message := invoke(append([]string{"train", "--quiet"}, c.args...)...)
		if status != c.code || !strings.Contains(message, c.want) || strings.Count(message, "\n") != 1 || out != "" {
			t.Errorf("%s: got %d, %q, %q, want status %d and one line with %q", c.name, status, out, message, c.code, c.want)
		}
		if strings.Contains(message, secret) {
			t.Errorf("%s: the error quotes a cell: %q", c.name, message)
		}
		if after := list(t); after != before {
			t.Fatalf("%s: files changed from %s to %s", c.name, before, after)
		}
	}
}

// list names the files of the working folder.
func list(t *testing.T) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

// TestTrainSpendsNothingOnWhatCannotBeWritten gives what only shows when the report is made or the
// test table is measured: it must be refused before the first step.
func TestTrainSpendsNothingOnWhatCannotBeWritten(t *testing.T) {
	schema, table := workplace(t, 300)
	empty := writeText(t, "unlabeled.csv", tableHeader+"50,150,f,x,unknown\n")
	var many strings.Builder
	many.WriteString(tableHeader)
	for i := range 1500 {
		fmt.Fprintf(&many, "50,150,f,town%d,low\n", i)
	}
	towns := writeText(t, "towns.csv", many.String())
	nameless := writeText(t, "nameless.yaml", strings.Replace(binaryText, "row: one person\n", "", 1))
	for name, args := range map[string][]string{
		"a test table without labels": {"--schema", schema, "--test", empty, "--test-public"},
		"a group of too many texts":   {"--schema", schema, "--test", towns, "--test-public", "--group", "town"},
		"a schema without a unit":     {"--schema", nameless},
	} {
		status, out, message := invoke(append([]string{"train", "--data", table, "--out", "m"}, args...)...)
		if status != exitUsage || out != "" || strings.Contains(message, "step ") || strings.Count(message, "\n") != 1 {
			t.Errorf("%s: got %d, %q, %q, want status %d and one line, before the first step", name, status, out, message, exitUsage)
		}
		if _, err := os.Stat("m"); err == nil {
			t.Errorf("%s: a folder was written", name)
		}
	}
}

func TestTrainReplaces(t *testing.T) {
	schema, table := workplace(t, 300)
	args := []string{"train", "--data", table, "--schema", schema, "--out", "m", "--quiet"}
	mustInvoke(t, args...)
	one, _ := os.ReadFile("m/" + model.FileName)
	if status, _, _ := invoke(args...); status != exitUsage {
		t.Errorf("a second run into the folder: got status %d, want %d", status, exitUsage)
	}
	mustInvoke(t, append(args, "--replace")...)
	two, _ := os.ReadFile("m/" + model.FileName)
	if bytes.Equal(one, two) {
		t.Error("the model was not replaced")
	}
	if names := list(t); strings.Contains(names, durable.Prefix) {
		t.Errorf("a temporary folder is left: %s", names)
	}
}

func TestTrainAcceptsTaintLoudly(t *testing.T) {
	_, table := workplace(t, 300)
	tainted := writeText(t, "tainted.yaml", binaryText+"from-data: [sex]\n")
	mustInvoke(t, "train", "--data", table, "--schema", tainted, "--assume-public", "--out", "m", "--quiet")
	c, err := certificate.Read("m/" + certificate.FileName)
	if err != nil || !strings.Contains(strings.Join(c.Assumptions, "\n"), "Copied out of the records and accepted as public: sex.") {
		t.Errorf("the certificate does not name the taint: %v, %v", c.Assumptions, err)
	}
}

// The planted record of the leak test: a text and a number that stand nowhere else.
const (
	plantedText   = "Xq9vPlanted7Wk"
	plantedNumber = 73.84619257
)

// encodings returns the forms in which the planted values could appear in a file.
func encodings() map[string][]byte {
	var f64, f32 [8]byte
	binary.LittleEndian.PutUint64(f64[:], math.Float64bits(plantedNumber))
	binary.LittleEndian.PutUint32(f32[:4], math.Float32bits(plantedNumber))
	out := map[string][]byte{
		"text": []byte(plantedText), "text in hexadecimal": []byte(hex.EncodeToString([]byte(plantedText))),
		"number": []byte("73.84619"), "number as float64": f64[:], "number as float32": f32[:4],
		"number in hexadecimal": []byte(hex.EncodeToString(f64[:])),
	}
	for shift := range 3 {
		out[fmt.Sprintf("text in base64, shifted by %d", shift)] = base64At(shift, []byte(plantedText))
		out[fmt.Sprintf("number in base64, shifted by %d", shift)] = base64At(shift, f64[:])
	}
	return out
}

// base64At returns the characters that some bytes alone decide when they stand shift bytes into
// base64 text; at least 10 characters, so that chance does not find them.
func base64At(shift int, b []byte) []byte {
	text := base64.StdEncoding.EncodeToString(append(make([]byte, shift), b...))
	return []byte(text[(8*shift+5)/6 : (8*shift+8*len(b))/6])
}

// leaks names the forms found in some bytes.
func leaks(output []byte) []string {
	var found []string
	for name, form := range encodings() {
		if bytes.Contains(output, form) {
			found = append(found, name)
		}
	}
	return found
}

// TestTrainLeaksNoCell plants a record with a unique text and number and searches every byte
// that a run writes; the search itself is tried on planted leaks.
func TestTrainLeaksNoCell(t *testing.T) {
	schema, table := workplace(t, 400)
	text, _ := os.ReadFile(table)
	planted := writeText(t, "planted.csv", string(text)+fmt.Sprintf("%v,%v,%s,%s,low\n", plantedNumber, plantedNumber, plantedText, plantedText))
	out, messages := mustInvoke(t, "train", "--data", planted, "--schema", schema, "--out", "m")
	written := []byte(out + messages)
	entries, _ := os.ReadDir("m")
	for _, e := range entries {
		part, err := os.ReadFile(filepath.Join("m", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		written = append(written, part...)
	}
	if found := leaks(written); found != nil {
		t.Errorf("the outputs hold the planted record: %v", found)
	}
	for name, form := range encodings() {
		if len(leaks(append([]byte("model "), form...))) == 0 {
			t.Errorf("a planted leak (%s) is not found", name)
		}
	}
}

// TestTrainOutputsLookAlikeWithOneRowMore holds that sizes and texts of what is printed do not
// depend on the records: only numbers of the model differ.
func TestTrainOutputsLookAlikeWithOneRowMore(t *testing.T) {
	schema, table := workplace(t, 400)
	text, _ := os.ReadFile(table)
	more := writeText(t, "more.csv", string(text)+"50,150,f,x,low\n")
	numbers := regexp.MustCompile(`[0-9a-f]{64}`)
	print := func(table, out string) string {
		summary, messages := mustInvoke(t, "train", "--data", table, "--schema", schema, "--out", out)
		return numbers.ReplaceAllString(strings.ReplaceAll(summary+messages, out, "OUT"), "HASH")
	}
	if one, two := print(table, "OUTPUT-1"), print(more, "OUTPUT-2"); one != two {
		t.Errorf("what is printed differs with one row more:\n%s\n%s", one, two)
	}
}

func TestTrainWarnsOfSmallBudgets(t *testing.T) {
	schema, _ := workplace(t, 10)
	base := []string{"train", "--data", "absent.csv", "--schema", schema, "--dry-run"}
	for epsilon, want := range map[string]bool{"0.01": true, "0.04": true, "2": false} {
		out, _ := mustInvoke(t, append(base, "--epsilon", epsilon)...)
		if got := strings.Contains(out, "too small to learn"); got != want {
			t.Errorf("epsilon %s at 5000 rows: warning %v, want %v", epsilon, got, want)
		}
	}
}

func TestTrainStopsCleanly(t *testing.T) {
	schema, table := workplace(t, 400)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, messages bytes.Buffer
	status := run(ctx, []string{"train", "--data", table, "--schema", schema, "--out", "m"}, &out, &messages)
	if _, err := os.Stat("m"); status != exitFailed || err == nil || !strings.Contains(messages.String(), "stopped") {
		t.Errorf("got status %d, %q, folder %v", status, messages.String(), err)
	}
}

// TestTrainKilledLeavesNoHalfModel kills the program at many moments: a model folder is there
// with all its files, verified, or with no file but the trace of what is spent.
func TestTrainKilledLeavesNoHalfModel(t *testing.T) {
	if testing.Short() {
		t.Skip("kills the program many times")
	}
	schema, table := workplace(t, 2000)
	whole, none, runs := 0, 0, 10
	if thorough {
		runs = 30
	}
	for i := range runs {
		out := fmt.Sprintf("m%d", i)
		c := startable("train", "--data", table, "--schema", schema, "--out", out, "--quiet")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i*60/runs) * time.Millisecond)
		_ = c.Process.Kill()
		_ = c.Wait()
		if !display.Exists(filepath.Join(out, certificate.FileName)) {
			if names, _ := os.ReadDir(out); len(names) > 1 || len(names) == 1 && names[0].Name() != durable.TraceName && names[0].Name() != "probe" {
				t.Errorf("a killed run left %v, want a model or %s alone", names, durable.TraceName)
			}
			none++
			continue
		}
		whole++
		mustInvoke(t, "verify", out)
		if _, err := os.Stat(filepath.Join(out, report.FileName)); err != nil {
			t.Error(err)
		}
	}
	t.Logf("of %d killed runs %d left a whole model and %d none", runs, whole, none)
}
