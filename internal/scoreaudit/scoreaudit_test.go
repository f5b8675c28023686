package scoreaudit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/format/parquet"
	"github.com/spf13/pflag"
)

// run runs a request on flags and a subject.
func run(t *testing.T, subject string, flags ...string) (auditing.Report, error) {
	t.Helper()
	var q Request
	f := pflag.NewFlagSet("audit", pflag.ContinueOnError)
	q.AddFlags(f)
	if err := f.Parse(append([]string{"--out", ""}, flags...)); err != nil {
		t.Fatal(err)
	}
	if err := q.Check(subject); err != nil {
		return auditing.Report{}, err
	}
	r, err := q.Run(t.Context(), io.Discard, subject, parquet.Formats(), func() (auditing.Report, error) {
		return auditing.NewReport(fmt.Sprintf("this program with effort %v", q.Effort), 0), nil
	})
	if err == nil {
		err = q.Write(r)
	}
	return r, err
}

// TestProgramIsAuditedWithoutArguments checks which requests attack this program, and that the
// files of --out are written for them too.
func TestProgramIsAuditedWithoutArguments(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	r, err := run(t, "", "--effort", "0.5", "--out", folder)
	if err != nil || r.Subject != "this program with effort 0.5" {
		t.Errorf("the report is about %q, %v", r.Subject, err)
	}
	for _, name := range []string{auditing.FileName, auditing.PageName} {
		if _, err = os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err = run(t, "", "--out", folder); err == nil || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("files that exist give the error %v", err)
	}
	for flag, value := range map[string]string{"--epsilon": "1", "--delta": "0.1", "--design": "runs", "--confidence": "0.9", "--effort": "0", "--public": "x", "--runs": "1", "--canaries": "1", "--data": "x"} {
		if _, err = run(t, "", flag, value); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%s without scores gives the error %v", flag, err)
		}
	}
}

// TestPlansAreAudited checks that a subject without scores is trained again and judged by its own
// claim, with rare false alarms unless a confidence is given.
func TestPlansAreAudited(t *testing.T) {
	for confidence, flags := range map[float64][]string{1 - 1e-6: nil, 0.9: {"--confidence", "0.9"}} {
		r, err := run(t, "repeat(3, gaussian(2))", append(flags, "--delta", "1e-5", "--effort", "0.01", "--runs", "30")...)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != auditing.NotRefuted || math.Abs(r.Confidence-confidence) > 1e-9 || len(r.Sections) != 2 || r.Split == "" {
			t.Errorf("%v: %s with confidence %v in %d sections, split %q", flags, r.Verdict, r.Confidence, len(r.Sections), r.Split)
		}
	}
	for flags, want := range map[string]string{
		"--delta 0":                        "--delta is 0",
		"--delta 1e-5 --effort 0":          "--effort is 0",
		"--delta 1e-5 --runs -1":           "--runs is -1",
		"--delta 1e-5 --runs 0":            "--runs is 0",
		"--delta 1e-5 --canaries 0":        "--canaries is 0",
		"--delta 1e-5 --canaries 600000":   "--canaries is 600000, want at most 524288",
		"--delta 1e-5 --labels x":          "--labels goes with --public",
		"--delta 1e-5 --public x":          "has no schema for --public",
		"--delta 1e-5 --data x":            "the ledger must pay",
		"--delta 1e-5 --epsilon 1":         "--epsilon is given for another kind of audit",
		"--delta 1e-5 --design runs":       "--design is given for another kind of audit",
		"--delta 1e-5 --neighboring other": "other",
	} {
		if _, err := run(t, "gaussian(1)", strings.Fields(flags)...); err == nil || !strings.Contains(err.Error(), want) || failure.IsRunning(err) {
			t.Errorf("%s: got %v, want %q", flags, err, want)
		}
	}
}

// TestAuditsStopAtOnce checks that a context that ends stops an audit of a plan.
func TestAuditsStopAtOnce(t *testing.T) {
	var q Request
	f := pflag.NewFlagSet("audit", pflag.ContinueOnError)
	q.AddFlags(f)
	if err := f.Parse([]string{"--delta", "1e-5"}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	begun := writer(func([]byte) { stop() }) // the first line of progress
	if err := q.Check("gaussian(1)"); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Run(ctx, begun, "gaussian(1)", nil, nil); !errors.Is(err, errStopped) || !failure.IsRunning(err) {
		t.Errorf("got %v, want %v", err, errStopped)
	}
}

// TestFoldersAreRefusedAtOnce names folders of --out that cannot be made, and wants them refused before
// anything is audited. A folder that can be made is not there before the audit has ended.
func TestFoldersAreRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	scores := write(t, "score,included\n1,1\n0,0\n")
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	check := func(subject string, flags ...string) error {
		var q Request
		f := pflag.NewFlagSet("audit", pflag.ContinueOnError)
		q.AddFlags(f)
		if err := f.Parse(flags); err != nil {
			t.Fatal(err)
		}
		return q.Check(subject)
	}
	for _, of := range [][]string{{""}, {"gaussian(1)", "--delta", "1e-5"}, {"", "--scores", scores, "--epsilon", "1"}} {
		for _, out := range []string{scores, filepath.Join(scores, "out"), filepath.Join(dir, strings.Repeat("x", 300)), locked, filepath.Join(locked, "out")} {
			if strings.HasPrefix(out, locked) && os.Geteuid() == 0 {
				continue // nothing is locked for this user
			}
			if err := check(of[0], append(of[1:], "--out", out)...); err == nil || !strings.Contains(err.Error(), "cannot be") || !strings.Contains(err.Error(), "name") {
				t.Errorf("%q: --out %s gives the error %v, want one that asks for another name", of, out, err)
			}
		}
		if err := check(of[0], append(of[1:], "--out", filepath.Join(dir, "parent", "out"))...); err != nil {
			t.Errorf("%q: a folder whose parent is missing gives the error %v", of, err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%q: the check leaves %v, %v", of, entries, err)
		}
	}
	if _, err := run(t, "", "--out", filepath.Join(dir, "parent", "out")); err != nil {
		t.Errorf("an audit with a folder whose parent is missing gives the error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "parent", "out", auditing.PageName)); err != nil {
		t.Error(err)
	}
}

// writer calls a function with what is written.
type writer func([]byte)

func (w writer) Write(text []byte) (int, error) {
	w(text)
	return len(text), nil
}

// write writes a file of scores and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scores.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// fromParquet are the scores of the files in testdata: 400 canaries, of which every second is included.
func fromParquet() audit.Scores {
	var s audit.Scores
	for i := range 400 {
		score := float64(i*7919%1000) / 1000
		if i%2 == 1 {
			s.Included = append(s.Included, score+0.9)
		} else {
			s.LeftOut = append(s.LeftOut, score)
		}
	}
	return s
}

func TestFormatsHoldTheSameScores(t *testing.T) {
	want := fromParquet()
	for name, tolerance := range map[string]float64{"bools.parquet": 0, "integers.parquet": 1e-6} {
		got, err := read(filepath.Join("testdata", name), parquet.Formats())
		if err != nil {
			t.Fatal(err)
		}
		near := func(a, b []float64) bool {
			return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= tolerance+1e-15 })
		}
		if !near(got.scores.Included, want.Included) || !near(got.scores.LeftOut, want.LeftOut) {
			t.Errorf("%s: the scores differ from those that were written", name)
		}
		if runs := len(got.runs); (runs == 400) != (name == "integers.parquet") {
			t.Errorf("%s: %d runs", name, runs)
		}
	}
	for name, text := range map[string]string{
		"commas":     "score,included\n1.5,1\n-Inf,0\n1e400,true\n",
		"semicolons": "\ufeffrun;Included;SCORE\r\na;1;1.5\r\nb;FALSE;-inf\r\nc;1;+Inf\r\n",
		"tabs":       "x\tscore\tincluded\nA,B\t1.5\ttrue\nC\t-inf\t0\n\"D\"\tinf\tTRUE\n",
	} {
		got, err := read(write(t, text), nil)
		if err != nil || !slices.Equal(got.scores.Included, []float64{1.5, math.Inf(1)}) || !slices.Equal(got.scores.LeftOut, []float64{math.Inf(-1)}) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

// TestWrongFilesAreNamedByLine wants errors with the file, the line and what was wanted, and never with a cell.
func TestWrongFilesAreNamedByLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "is empty, want the columns score and included",
		"score,included\n":                  "has no row, want one for each canary",
		"value,included\n1,1\n":             "there is no column score",
		"score,member\n1,1\n":               "there is no column included",
		"score,included,score\n1,1,2\n":     "two columns are named score",
		"score,included\n1,1\n777x,0\n":     "line 3: the score is no number, want",
		"score,included\n1,1\nNaN,0\n":      "line 3: the score is no number, want",
		"score,included\n1,1\n,0\n":         "line 3: the score is no number, want",
		"score,included\n1,777\n":           "line 2: included is neither 0, 1, true nor false, want",
		"score,included\n1,\n":              "line 2: included is neither",
		"score,included\n1,1\n777,1,1\n":    "line 3: wrong number of fields, want as many cells",
		"score,included\n1,1\n\"777,1\n2,1": "line",
		"\x1f\x8b777":                       "is compressed, want plain",
	} {
		path := write(t, text)
		_, err := run(t, "", "--scores", path, "--epsilon", "1")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) || strings.Contains(strings.TrimPrefix(err.Error(), path), "777") || failure.IsRunning(err) {
			t.Errorf("%q: got %v, want %q after the name of the file, and no cell", text, err, want)
		}
	}
	if _, err := read("testdata/wrong.parquet", parquet.Formats()); err == nil || err.Error() != "testdata/wrong.parquet: row 1: included is neither 0, 1, true nor false, want one of them" {
		t.Errorf("got %v, want the first row without a truth value", err)
	}
}

func TestWrongRequestsAreRefused(t *testing.T) {
	good := filepath.Join("testdata", "integers.parquet")
	twice := write(t, "run,score,included\na,1,1\na,2,0\n")
	for flags, want := range map[string]string{
		"--scores " + good + " --epsilon 1 --effort 2":                    "--effort is given for another kind of audit",
		"--scores " + good + " --epsilon 1 --public x":                    "--public is given for another kind of audit",
		"--scores no-file.csv --epsilon 1":                                "no-file.csv",
		"--scores testdata --epsilon 1":                                   "is no file",
		"--scores " + good:                                                "no claim is given",
		"--scores " + good + " --epsilon -1":                              "--epsilon is -1",
		"--scores " + good + " --epsilon NaN":                             "--epsilon is NaN",
		"--scores " + good + " --epsilon 1 --delta 1":                     "--delta is 1",
		"--scores " + good + " --epsilon 1 --confidence 1":                "--confidence is 1",
		"--scores " + good + " --epsilon 1 --design two-runs":             `--design is "two-runs"`,
		"--scores " + good + " --epsilon 1 --neighboring replace-one":     "--neighboring is given without an event",
		"--scores " + good + " --epsilon 1 gaussian(1)":                   "want one claim",
		"--scores " + good + " --delta 1e-5 nothing(1)":                   "event text is wrong",
		"--scores " + good + " gaussian(1)":                               "promises nothing at delta 0",
		"--scores " + twice + " --epsilon 1 --design runs":                "a run has 2 canaries",
		"--scores " + write(t, manyIncluded(100)) + " --epsilon 1":        "fair coins",
		"--scores " + good + " --epsilon 1 --replace":                     "--replace goes with --out",
		"--scores " + good + " --epsilon 1 --out " + filepath.Clean(good): "not a directory",
	} {
		words := strings.Fields(flags)
		subject := ""
		if last := len(words) - 1; last >= 0 && strings.Contains(words[last], "(") {
			subject, words = words[last], words[:last]
		}
		if _, err := run(t, subject, words...); err == nil || !strings.Contains(err.Error(), want) || failure.IsRunning(err) {
			t.Errorf("%s: got %v, want %q", flags, err, want)
		}
	}
}

// manyIncluded is a file in which every canary is included.
func manyIncluded(n int) string {
	return "score,included\n" + strings.Repeat("1,1\n", n)
}

// TestVerdicts refutes a false claim and no true one, by each kind of claim.
func TestVerdicts(t *testing.T) {
	good := filepath.Join("testdata", "bools.parquet")
	for _, c := range []struct {
		subject, flags string
		want           auditing.Verdict
		bounds         []string
	}{
		{"", "--epsilon 1 --delta 1e-6", auditing.Refuted, []string{"one-run", "f-dp", "clopper-pearson", "gaussian-dp"}},
		{"", "--epsilon 9 --delta 1e-6", auditing.NotRefuted, []string{"one-run", "f-dp", "clopper-pearson", "gaussian-dp"}},
		{"", "--epsilon 1 --design runs", auditing.Refuted, []string{"clopper-pearson", "hockey-stick"}},
		{"repeat(4,gaussian(4))", "--delta 1e-6 --design independent", auditing.Refuted, []string{"one-run", "f-dp", "clopper-pearson", "gaussian-dp", "hockey-stick"}},
		{"gaussian(0.1)", "--delta 1e-6 --design independent", auditing.NotRefuted, []string{"one-run", "f-dp", "clopper-pearson", "gaussian-dp", "hockey-stick"}},
		{"repeat(10,poisson(0.1,gaussian(2)))", "--delta 1e-6", auditing.Refuted, []string{"one-run", "f-dp", "clopper-pearson", "trade-off"}},
		{"laplace(1)", "", auditing.Refuted, []string{"one-run", "f-dp", "clopper-pearson", "trade-off"}},
	} {
		r, err := run(t, c.subject, append([]string{"--scores", good}, strings.Fields(c.flags)...)...)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		var names []string
		for _, b := range r.Sections[0].Bounds {
			names = append(names, b.Name)
			if b.Claimed == nil || b.LowerBound == nil || b.Verdict == auditing.Refuted && *b.LowerBound <= *b.Claimed {
				t.Errorf("%+v: %+v", c, b)
			}
		}
		if r.Verdict != c.want || (r.Err() != nil) != (c.want == auditing.Refuted) || !slices.Equal(names, c.bounds) || len(r.Sections[0].Picture.Boxes) < 8 {
			t.Errorf("%+v: got %v, %v with bounds %v", c, r.Verdict, r.Err(), names)
		}
	}
}

// TestFilesOfAnAudit wants both files, which no second audit replaces unasked.
func TestFilesOfAnAudit(t *testing.T) {
	good, err := filepath.Abs("testdata/bools.parquet")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	flags := []string{"--scores", good, "--epsilon", "1", "--delta", "1e-6", "--out", "a/b"}
	r, err := run(t, "", flags...)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("a/b/audit.json")
	if err != nil {
		t.Fatal(err)
	}
	var back auditing.Report
	if err = json.Unmarshal(text, &back); err != nil || fmt.Sprint(back.Sections[0].Bounds[0].Name, back.Verdict) != fmt.Sprint(r.Sections[0].Bounds[0].Name, r.Verdict) {
		t.Errorf("%v: audit.json holds %+v", err, back)
	}
	page, err := os.ReadFile("a/b/audit.html")
	if err != nil || !strings.Contains(string(page), "<svg") || !strings.Contains(string(page), "the claim is refuted") {
		t.Errorf("%v: the page lacks its picture or its verdict", err)
	}
	if _, err = run(t, "", flags...); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a second audit: got %v, want a refusal", err)
	}
	if _, err = run(t, "", append(flags, "--replace")...); err != nil {
		t.Error(err)
	}
}
