package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/values"
	"github.com/ditherml/dither/query"
)

// queryFiles writes a table of 400 rows and its schema, in a folder of their own which is made current. A
// cell holds a text that must not come out.
func queryFiles(t *testing.T) (table, schema []string) {
	t.Helper()
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString(tableHeader)
	for i := range 400 {
		fmt.Fprintf(&b, "%d,%d,%s,%s,%s\n", 20+i%50, 150+i%40, []string{"f", "m"}[i%2], []string{"Ulm", "Bonn"}[i%2], []string{"low", "=HIGH()"}[i%4/3])
	}
	b.WriteString("41," + secret + ",f," + secret + ",low\n")
	writeText(t, "people.csv", b.String())
	writeText(t, "people.yaml", binaryText)
	return []string{"--data", "people.csv"}, []string{"--schema", "people.yaml"}
}

// questionArgs is a command line with the table and schema of queryFiles.
func questionArgs(args ...string) []string {
	return append(append([]string{"query"}, args...), "--data", "people.csv", "--schema", "people.yaml")
}

// answered runs a question and decodes what it prints as JSON.
func answered(t *testing.T, args ...string) query.File {
	t.Helper()
	out, _ := mustInvoke(t, append(questionArgs(args...), "--json")...)
	var a query.File
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if strings.Contains(out, secret) {
		t.Errorf("%v: the answer holds a cell", args)
	}
	return a
}

// TestQueryAnswers asks every statistic at epsilon 20, where an answer is off by more than 30 of its
// deviations with a probability below 1e-12.
func TestQueryAnswers(t *testing.T) {
	queryFiles(t)
	for _, c := range []struct {
		args []string
		want []float64
	}{
		{[]string{"count"}, []float64{401}},
		{[]string{"count", "--where", "age >= 30 and sex = f"}, []float64{161}},
		{[]string{"count", "--by", "sex", "--noise", "gaussian"}, []float64{201, 200, 0, 0}},
		{[]string{"count", "--noise", "discrete"}, []float64{401}},
		{[]string{"sum", "age + 1"}, []float64{18242}},
		{[]string{"mean", "age"}, []float64{44.491}},
		{[]string{"variance", "age", "--epsilon", "200"}, []float64{207.7}},
		{[]string{"mean", "income = '=HIGH()'"}, []float64{100.0 / 401}},
		{[]string{"histogram", "age", "--edges", "45"}, []float64{201, 200, 0}},
		{[]string{"histogram", "income"}, []float64{301, 100}},
		{[]string{"categories", "town"}, []float64{200, 200}},
	} {
		a := answered(t, append([]string{"--epsilon", "20"}, c.args...)...)
		if c.args[0] == "histogram" && c.args[1] == "age" {
			c.want = c.want[:2]
			a.Rows = a.Rows[:2]
		}
		if len(a.Rows) != len(c.want) {
			t.Errorf("%v: got %d rows, want %d", c.args, len(a.Rows), len(c.want))
			continue
		}
		for k, r := range a.Rows {
			if r.Noise == nil || !(math.Abs(r.Value-c.want[k]) <= 30**r.Noise+0.01) || *r.Lower > *r.Upper {
				t.Errorf("%v: got %+v, want about %v", c.args, r, c.want[k])
			}
		}
		if e := float64(a.Certificate.Epsilon); !(e <= 200) || e <= 0 || a.Certificate.Method != option.MethodQuery {
			t.Errorf("%v: the charge is %v", c.args, e)
		}
	}
	for args, want := range map[string]int{"quantiles age --quantiles 0.25,0.5": 2, "bounds age --share 0.1": 2, "covariance age height": 3, "correlation age height": 1,
		"radius age height": 1, "aggregate age --of median --blocks 20": 1, "aggregate age height --of correlation": 1} {
		if a := answered(t, strings.Fields(args)...); len(a.Rows) != want {
			t.Errorf("%s: got %+v, want %d rows", args, a.Rows, want)
		}
	}
}

// TestQueryCautionsAboutFewBlocks wants the caution exactly where twice the rank error reaches the number of blocks,
// with a number of blocks that has none.
func TestQueryCautionsAboutFewBlocks(t *testing.T) {
	queryFiles(t)
	asked := func(blocks string) (text string, caution bool) {
		out, _ := mustInvoke(t, append(questionArgs("aggregate", "age", "--of", "median"), "--epsilon", "1", "--blocks", blocks)...)
		return out, strings.Contains(out, "caution ")
	}
	out, caution := asked("20")
	_, after, _ := strings.Cut(out, "take --blocks ")
	enough, _, _ := strings.Cut(after, " ")
	if !caution || enough == "" {
		t.Fatalf("20 blocks: got\n%s\nwant a caution with a number", out)
	}
	if out, caution = asked(enough); caution {
		t.Errorf("%s blocks: got\n%s\nwant no caution", enough, out)
	}
}

// TestQueryKeepsItsBudget holds the price of every noise under every relation to the epsilon asked for, and
// checks that it is used.
func TestQueryKeepsItsBudget(t *testing.T) {
	queryFiles(t)
	for _, noise := range []string{"laplace", "gaussian", "discrete"} {
		for _, relation := range []string{"add-or-remove-one", "replace-one"} {
			a := answered(t, "count", "--noise", noise, "--neighboring", relation, "--epsilon", "0.7", "--delta", "1e-7")
			if e := float64(a.Certificate.Epsilon); e > 0.7 || e < 0.69 {
				t.Errorf("%s under %s: epsilon %v, want nearly 0.7", noise, relation, e)
			}
			if pure := float64(a.PureEpsilon); noise == "laplace" && !(pure > 0.699 && pure <= 0.7) {
				t.Errorf("%s under %s: pure epsilon %v, want nearly 0.7", noise, relation, pure)
			}
		}
	}
	a := answered(t, "quantiles", "age", "--quantiles", "0.1,0.5,0.9", "--epsilon", "0.6")
	if math.Abs(float64(a.PureEpsilon)-0.6) > 1e-9 || a.Certificate.Event != "repeat(3, permute-and-flip(0.19999999999999998))" && a.Certificate.Event != "repeat(3, permute-and-flip(0.2))" {
		t.Errorf("quantiles: pure epsilon %v for %s, want 0.6", a.PureEpsilon, a.Certificate.Event)
	}
}

func TestQueryRefusals(t *testing.T) {
	queryFiles(t)
	writeText(t, "tainted.yaml", binaryText+"from-data: [age]\n")
	for _, c := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"nothing", []string{"query"}, exitUsage, "no statistic is named"},
		{"no table", []string{"query", "count"}, exitUsage, "--data and --schema"},
		{"no schema", []string{"query", "count", "--data", "people.csv"}, exitUsage, "--schema is missing"},
		{"no such data set", []string{"query", "count", "--data", "builtin:none"}, exitUsage, "none"},
		{"no schema file", []string{"query", "count", "--data", "people.csv", "--schema", "none.yaml"}, exitUsage, "does not exist"},
		{"no table file", []string{"query", "count", "--data", "none.csv", "--schema", "people.yaml"}, exitUsage, "does not exist"},
		{"tainted schema", []string{"query", "count", "--data", "people.csv", "--schema", "tainted.yaml"}, exitUsage, "copied out of records"},
		{"statistic", questionArgs("median", "age"), exitUsage, "statistic is"},
		{"column", questionArgs("mean", "agee"), exitUsage, "no column of the schema"},
		{"undeclared column", questionArgs("mean", "town"), exitUsage, "declared ignore"},
		{"edges", questionArgs("histogram", "age"), exitUsage, "add --edges"},
		{"other flag", questionArgs("mean", "age", "--edges", "3"), exitUsage, "--edges goes with histogram"},
		{"other flag", questionArgs("histogram", "sex", "--share", "0.1"), exitUsage, "--share goes with bounds"},
		{"share", questionArgs("bounds", "age", "--share", "1.5"), exitUsage, "--share is 1.5"},
		{"quantile", questionArgs("quantiles", "age", "--quantiles", "0.5,0.12345"), exitUsage, "quantile is 0.12345"},
		{"condition", questionArgs("count", "--where", "age >"), exitUsage, "position 6"},
		{"noise", questionArgs("count", "--noise", "none"), exitUsage, "want one of"},
		{"epsilon", questionArgs("count", "--epsilon", "-1"), exitUsage, "epsilon is -1"},
		{"infinite epsilon", questionArgs("count", "--epsilon", "Inf"), exitUsage, "infinite"},
		{"relation", questionArgs("count", "--neighboring", "friends"), exitUsage, "neighboring"},
		{"too dear", questionArgs("count", "--noise-multiplier", "0.5", "--epsilon", "1"), exitRefused, "over budget"},
		{"too dear", questionArgs("count", "--noise", "gaussian", "--noise-multiplier", "1", "--epsilon", "1"), exitRefused, "over budget"},
		{"statistic of blocks", questionArgs("aggregate", "age", "--of", "mode"), exitUsage, "want one of [correlation deviation mean median]"},
		{"blocks of a mean", questionArgs("mean", "age", "--blocks", "9"), exitUsage, "--blocks goes with aggregate"},
		{"persons without a bound", questionArgs("count", "--unit", "person:town"), exitUsage, "--max-records-per-person"},
		{"rows with a bound", questionArgs("count", "--max-records-per-person", "3"), exitUsage, "--unit"},
		{"no column of persons", questionArgs("count", "--unit", "person:name", "--max-records-per-person", "3"), exitUsage, "no column of the schema"},
		{"no delta", questionArgs("count", "--noise", "gaussian", "--delta", "0"), exitUsage, "delta is 0"},
		{"unknown flag", questionArgs("count", "--seed", "1"), exitUsage, "unknown flag"},
	} {
		status, stdout, stderr := invoke(c.args...)
		if status != c.status || stdout != "" || !strings.Contains(stderr, c.want) || strings.Contains(stderr, secret) {
			t.Errorf("%s: got status %d, %q and %q, want %d and %q", c.name, status, stdout, stderr, c.status, c.want)
		}
	}
}

// TestQueryVerifies writes an answer with its certificate, verifies it, and not after any edit.
func TestQueryVerifies(t *testing.T) {
	queryFiles(t)
	mustInvoke(t, questionArgs("mean", "age", "--by", "sex", "--noise", "gaussian", "--out", "answer")...)
	out, _ := mustInvoke(t, "verify", "answer")
	if !strings.Contains(strings.Join(strings.Fields(out), " "), "conclude from the answer by at most") || !strings.HasSuffix(out, "verified\n") {
		t.Errorf("got %s", out)
	}
	mustInvoke(t, "account", "answer", "answer")
	if status, _, _ := invoke(questionArgs("count", "--out", "answer")...); status != exitUsage {
		t.Errorf("an answer was written over another: status %d", status)
	}
	for _, edit := range []struct{ file, old, new string }{
		{certificate.FileName, `"noise-multiplier": `, `"noise-multiplier": 1`},
		{certificate.FileName, `"epsilon": `, `"epsilon": 1`},
		{certificate.FileName, `"cells": 4`, `"cells": 5`},
		{certificate.FileName, `"delta": 0.000001,`, `"delta": 0.0000011,`},
		{answerName, `"by": "sex"`, `"by": "town"`},
		{answerName, `"value": `, `"value": 1`},
	} {
		path := filepath.Join("answer", edit.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), edit.old, edit.new, 1)
		if changed == string(text) {
			t.Fatalf("%s does not hold %s", path, edit.old)
		}
		writeText(t, path, changed)
		if status, _, _ := invoke("verify", "answer"); status != exitFailed {
			t.Errorf("%s with %s: got status %d, want %d", edit.file, edit.new, status, exitFailed)
		}
		writeText(t, path, string(text))
	}
	mustInvoke(t, "verify", "answer")
	checkForgedAnswer(t)
}

// TestQueryOfPersons asks about the 401 rows of two towns, and of one more that has one row, with 3 rows of each
// counted, at delta 0, and verifies the certificate.
func TestQueryOfPersons(t *testing.T) {
	queryFiles(t)
	unit := []string{"--unit", "person:town", "--max-records-per-person", "3", "--epsilon", "200", "--delta", "0"}
	a := answered(t, append([]string{"count"}, unit...)...)
	// A scale of 3/200: an answer that is off has a probability below 1e-28.
	if e := float64(a.Certificate.Epsilon); a.Rows[0].Value != 7 || e > 200 || e < 199 || a.Certificate.Accountant != "basic" || a.Certificate.Delta != 0 {
		t.Errorf("got %+v for %v by %s, want 7 for nearly 200", a.Rows, e, a.Certificate.Accountant)
	}
	out, _ := mustInvoke(t, questionArgs(append([]string{"mean", "age", "--by", "sex", "--out", "persons"}, unit...)...)...)
	for _, want := range []string{"declared  one person is all rows with one town, of which at most 3 are used", "at delta 0, adding or removing one person", "the sum of a person's rows over all cells is bounded together"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if out, _ = mustInvoke(t, "verify", "persons"); !strings.HasSuffix(out, "verified\n") || !strings.Contains(strings.Join(strings.Fields(out), " "), "delta 0, add-or-remove-one, for one record (all rows with one town") {
		t.Errorf("got %s", out)
	}
	path := filepath.Join("persons", certificate.FileName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for old, edited := range map[string]string{`"max-rows": 3`: `"max-rows": 2`, `"column": "town"`: `"column": "age"`, `"person": {`: `"Person": {`} {
		if !strings.Contains(string(text), old) {
			t.Fatalf("the certificate lacks %s", old)
		}
		writeText(t, path, strings.Replace(string(text), old, edited, 1))
		if status, _, _ := invoke("verify", "persons"); status != exitFailed {
			t.Errorf("%s: got status %d, want %d", edited, status, exitFailed)
		}
	}
}

// checkForgedAnswer changes the plan in the answer and the hash with it: the plans then differ.
func checkForgedAnswer(t *testing.T) {
	t.Helper()
	c, err := certificate.Read(filepath.Join("answer", certificate.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if c.NoiseDraws != 8 {
		t.Errorf("got %d noise draws, want 2 for each of 4 cells", c.NoiseDraws)
	}
	text, err := os.ReadFile(filepath.Join("answer", answerName))
	if err != nil {
		t.Fatal(err)
	}
	forged := strings.Replace(string(text), `"by": "sex"`, `"by": "town"`, 1)
	c.ModelSHA256 = certificate.Hash([]byte(forged))
	encoded, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join("answer", answerName), forged)
	writeText(t, filepath.Join("answer", certificate.FileName), string(encoded))
	if status, out, _ := invoke("verify", "answer"); status != exitFailed || !strings.Contains(out, "another plan") {
		t.Errorf("a forged answer: got status %d and %s", status, out)
	}
}

// TestQueryText looks at what a person reads.
func TestQueryText(t *testing.T) {
	queryFiles(t)
	out, _ := mustInvoke(t, questionArgs("mean", "age * 2", "--by", "sex", "--where", "height > 100", "--confidence", "0.9")...)
	for _, want := range []string{"asked     mean age * 2\n", "where     height > 100\n", "by        sex\n", "declared  age * 2 is between 0 and 200\n", "at most 5000 rows\n",
		"± noise", "90 % over the noise alone", "event     k-norm(1)\n", "charge    epsilon 1 at delta 0, adding or removing one row\n", "person    epsilon 3", "for all 3 rows", "adds up"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	out, _ = mustInvoke(t, questionArgs("categories", "town")...)
	if !strings.Contains(out, "threshold ") || !strings.Contains(out, "Bonn") || strings.Contains(out, secret) {
		t.Errorf("got %s", out)
	}
	out, _ = mustInvoke(t, questionArgs("quantiles", "age")...)
	if !strings.Contains(out, "rank      wrong by at most") {
		t.Errorf("got %s", out)
	}
	for _, s := range query.Statistics() {
		if !strings.Contains(values.QueryLong, "\n  "+string(s)+" ") {
			t.Errorf("the help does not explain %s", s)
		}
	}
}
