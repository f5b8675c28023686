package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/internal/ranks"
	"github.com/ditherml/dither/internal/together"
	"github.com/spf13/cobra"
)

// visits writes a table of visits in parts, with its schema, and returns the folder.
func visits(t *testing.T, parts int) string {
	t.Helper()
	folder, r := t.TempDir(), rand.New(rand.NewPCG(26, 26))
	for k := range parts {
		var text strings.Builder
		fmt.Fprintln(&text, "who,age,weight,color,ill")
		for range 600 / parts {
			age := r.IntN(80)
			fmt.Fprintf(&text, "p%d,%d,%.1f,%s,%s\n", r.IntN(200), age, 100*r.Float64(), []string{"red", "green", "blue"}[r.IntN(3)], []string{"no", "yes"}[min(1, r.IntN(80)*age/1600)])
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("part-%d.csv", k)), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	schema := `
dither-schema: 1
name: visits
row: one visit
max-records: 1000
target: {column: ill, levels: ["no", "yes"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  who: ignore
  age: {numeric: [0, 80]}
  weight: {numeric: [0, 100]}
  color: {levels: [red, green]}
`
	if err := os.WriteFile(filepath.Join(folder, "visits.yaml"), []byte(schema), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// trainOnRanks runs dither train with these arguments on each rank, in this process, and returns what the root
// printed and the error of each rank.
func trainOnRanks(size int, args ...string) (stdout string, errs []error) {
	errs = make([]error, size)
	var out bytes.Buffer
	var all sync.WaitGroup
	for rank, transport := range ranks.Local(size) {
		all.Go(func() {
			t, c := newTrainCommand()
			t.stdout, t.stderr = io.Discard, io.Discard
			if rank == 0 {
				t.stdout = &out
			}
			err := c.ParseFlags(args)
			if err == nil {
				t.of, err = together.Begin(context.Background(), transport, nil, 0)
			}
			if err == nil {
				err = t.run(together.With(context.Background(), t.of))
			}
			errs[rank] = together.Ended(transport, err)
		})
	}
	all.Wait()
	return out.String(), errs
}

// TestRanksWriteOneModel wants the same model file from any number of ranks as from one process, without
// noise, and one folder that verify accepts with noise.
func TestRanksWriteOneModel(t *testing.T) {
	folder := visits(t, 4)
	at := func(name string) string { return filepath.Join(folder, name) }
	base := []string{"--schema", at("visits.yaml"), "--quiet", "--data"}
	for name, flags := range map[string][]string{
		"rows":    {"--non-private", "--steps", "5", "--clipping-norm", "1"},
		"persons": {"--non-private", "--steps", "5", "--clipping-norm", "1", "--unit", "person:who", "--max-records-per-person", "2"},
		// Texts that are no declared level name nobody, in one process too.
		"declared persons": {"--non-private", "--steps", "5", "--clipping-norm", "1", "--unit", "person:color", "--max-records-per-person", "70"},
	} {
		alone := at(name)
		if status, _, stderr := invoke(append(append([]string{"train"}, append(base, at("part-*.csv"))...), append(flags, "--out", alone)...)...); status != exitDone {
			t.Fatalf("%s: %s", name, stderr)
		}
		for _, size := range []int{1, 2, 3, 4, 8} {
			out := at(fmt.Sprint(name, size))
			_, errs := trainOnRanks(size, append(append(base, at("part-*.csv")), append(flags, "--out", out)...)...)
			for rank, err := range errs {
				if err != nil {
					t.Fatalf("%s: rank %d of %d: %v", name, rank, size, err)
				}
			}
			if a, b := modelText(t, alone), modelText(t, out); a != b {
				t.Errorf("%s: the model of %d ranks is another than of one process", name, size)
			}
		}
	}
	out := at("private")
	stdout, errs := trainOnRanks(3, append(append(base, at("part-*.csv")), "--epsilon", "2", "--out", out)...)
	if errs[0] != nil || !strings.Contains(stdout, "guarantee") {
		t.Fatalf("got %q and %v, want a model", stdout, errs)
	}
	if status, _, stderr := invoke("verify", out); status != exitDone {
		t.Errorf("verify refuses a model of three ranks: %s", stderr)
	}
}

// modelText is the model file of a folder without the name and time of its run.
func modelText(t *testing.T, folder string) string {
	t.Helper()
	return regexp.MustCompile(`"(run|created)": "[^"]*"`).ReplaceAllString(readText(t, filepath.Join(folder, "model.json")), "")
}

// TestRanksEndTogether wants every rank to end with an error when one cannot go on, one line that names
// it, and no folder.
func TestRanksEndTogether(t *testing.T) {
	folder := visits(t, 4)
	at := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(at("part-2.csv"), []byte("who,age\np1,30\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string][]string{
		"a wrong part":        {"--data", at("part-*.csv")},
		"related":             {"--data", at("part-0.csv"), "--related", "x=" + at("part-1.csv")},
		"standard input":      {"--data", "-"},
		"print not private":   {"--data", at("part-0.csv"), "--print-not-private"},
		"stream":              {"--data", at("part-0.csv"), "--stream"},
		"private row radius":  {"--data", at("part-0.csv"), "--row-normalization", "clip", "--row-radius", "private"},
		"a budget too small":  {"--data", at("part-0.csv"), "--ledger", at("none.ledger")},
		"a missing own table": {"--data", at("part-{rank}9.csv")},
	} {
		out := at("out")
		_, errs := trainOnRanks(4, append([]string{"--schema", at("visits.yaml"), "--quiet", "--out", out}, flags...)...)
		told := 0
		for rank, err := range errs {
			if err == nil {
				t.Errorf("%s: rank %d ended without an error", name, rank)
			} else if !together.IsSilent(err) {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s: %d ranks tell the user, want one: %v", name, told, errs)
		}
		if _, err := os.Stat(filepath.Join(out, "model.json")); err == nil {
			t.Errorf("%s: there is a model", name)
		}
	}
}

// commandOnRanks runs a command line of query or evaluate on each rank, in this process, and returns what
// the root printed and the error of each rank.
func commandOnRanks(size int, command func() *cobra.Command, args ...string) (stdout string, errs []error) {
	errs = make([]error, size)
	var out bytes.Buffer
	var all sync.WaitGroup
	for rank, transport := range ranks.Local(size) {
		all.Go(func() {
			of, err := together.Begin(context.Background(), transport, nil, 0)
			if err == nil {
				c := command()
				c.SetOut(io.Discard)
				if rank == 0 {
					c.SetOut(&out)
				}
				c.SetErr(io.Discard)
				c.SetArgs(args)
				c.SilenceUsage, c.SilenceErrors = true, true
				err = c.ExecuteContext(together.With(context.Background(), of))
			}
			errs[rank] = together.Ended(transport, err)
		})
	}
	all.Wait()
	return out.String(), errs
}

// TestRanksAnswerQuestions wants counts, and measures of a model, of all 600 records from several ranks. The
// noise on a count has a standard deviation below 8 rows, also of persons with up to 20, and 100 rows are
// more than twelve of them. The noise on the accuracy is below 0.001, and 0.05 is more than fifty times that.
func TestRanksAnswerQuestions(t *testing.T) {
	folder := visits(t, 4)
	at := func(name string) string { return filepath.Join(folder, name) }
	ask := []string{"count", "--data", at("part-*.csv"), "--schema", at("visits.yaml"), "--epsilon", "15", "--noise", "gaussian", "--json"}
	value := func(text string) float64 {
		var a struct {
			Rows []struct{ Value float64 }
		}
		if err := json.Unmarshal([]byte(text), &a); err != nil || len(a.Rows) == 0 {
			t.Fatalf("%v in %s", err, text)
		}
		return a.Rows[0].Value
	}
	for _, unit := range [][]string{nil, {"--unit", "person:who", "--max-records-per-person", "20"}} {
		several, errs := commandOnRanks(3, newQuery, append(ask, unit...)...)
		for rank, err := range errs {
			if err != nil {
				t.Fatalf("rank %d: %v", rank, err)
			}
		}
		if got := value(several); math.Abs(got-600) > 100 {
			t.Errorf("three ranks count %v rows, want 600", got)
		}
	}
	_, errs := commandOnRanks(2, newQuery, "quantiles", "age", "--data", at("part-*.csv"), "--schema", at("visits.yaml"))
	if errs[0] == nil || errs[1] == nil {
		t.Error("quantiles are answered by two ranks, which cannot add them up")
	}
	if _, stderr := mustInvoke(t, "train", "--data", at("part-*.csv"), "--schema", at("visits.yaml"), "--epsilon", "5", "--out", at("m"), "--quiet"); stderr == "" {
		t.Log("no message")
	}
	measure := []string{at("m"), at("part-*.csv"), "--private", "--epsilon", "15", "--noise", "gaussian", "--json"}
	auc := func(text string) float64 {
		var a struct {
			Classification struct{ Accuracy, Records struct{ Value float64 } }
		}
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if math.Abs(a.Classification.Records.Value-600) > 100 {
			t.Errorf("an evaluation counts %v records, want 600", a.Classification.Records.Value)
		}
		return a.Classification.Accuracy.Value
	}
	alone, _ := mustInvoke(t, append([]string{"evaluate"}, measure...)...)
	several, errs := commandOnRanks(3, newEvaluate, measure...)
	for rank, err := range errs {
		if err != nil {
			t.Fatalf("evaluate: rank %d: %v", rank, err)
		}
	}
	if a, b := auc(alone), auc(several); math.Abs(a-b) > 0.05 {
		t.Errorf("the accuracy is %v of one process and %v of three ranks: %s", a, b, several[:min(300, len(several))])
	}
	if _, errs = commandOnRanks(2, newEvaluate, at("m"), at("part-0.csv")); errs[0] == nil {
		t.Error("exact measures are computed by two ranks")
	}
}

// TestRanksSweep wants a sweep of several ranks to have all runs, the baselines with the measures of one
// process, and to go on where it ended.
func TestRanksSweep(t *testing.T) {
	folder := visits(t, 1)
	at := func(name string) string { return filepath.Join(folder, name) }
	args := func(out string) []string {
		return []string{"--data", at("part-0.csv"), "--schema", at("visits.yaml"), "--data-public", "--split", "first:0.7", "--epsilon", "1", "--baseline",
			"--steps", "3,6", "--clipping-norm", "0.5,1", "--parts", "1,2", "--whiten", "no", "--repeats", "2", "--out", at(out), "--quiet"}
	}
	mustInvoke(t, append([]string{"sweep"}, args("alone")...)...)
	for _, table := range []string{"-", at("part-{rank}.csv")} {
		refused := args("refused")
		refused[1] = table
		_, errs := commandOnRanks(3, newSweep, refused...)
		if !slices.ContainsFunc(errs, func(err error) bool {
			return err != nil && !together.IsSilent(err) && regexp.MustCompile("all ranks can read|reads whole").MatchString(err.Error())
		}) {
			t.Errorf("--data %s: got %v, want a refusal that asks for a table for all ranks", table, errs)
		}
	}
	head, want := readResults(t, at("alone/"+outcome.ResultsName))
	private, parts := slices.Index(head, "private"), slices.Index(head, "parts") // one part is drawn without chance
	var before string
	for range 2 { // the second goes on from the end
		_, errs := commandOnRanks(3, newSweep, args("several")...)
		for rank, err := range errs {
			if err != nil {
				t.Fatalf("rank %d: %v", rank, err)
			}
		}
		_, got := readResults(t, at("several/"+outcome.ResultsName))
		if len(got) != len(want) {
			t.Fatalf("three ranks have %d results, want %d", len(got), len(want))
		}
		compared := 0
		for i, row := range got {
			if row[private] == "false" && row[parts] == "1" {
				if compared++; !slices.Equal(row, want[i]) {
					t.Errorf("three ranks have the baseline %v, want %v", row, want[i])
				}
			}
		}
		if compared < 4 {
			t.Errorf("%d baselines were compared, want those of 2 steps and 2 norms", compared)
		}
		text := readText(t, at("several/"+outcome.ResultsName))
		if before != "" && text != before {
			t.Error("a sweep that had ended made runs again")
		}
		before = text
	}
	records := func(of string) (d outcome.Document) {
		if err := json.Unmarshal([]byte(readText(t, at(of+"/"+outcome.DocumentName))), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	if alone, several := records("alone").Records, records("several").Records; alone == 0 || several != alone {
		t.Errorf("a sweep of three ranks has %d records in its summary, and of one process %d", several, alone)
	}
	_, errs := commandOnRanks(3, newSweep, "--data", at("part-0.csv"), "--schema", at("visits.yaml"), "--data-public", "--split", "first:0.7", "--epsilon", "1",
		"--delta", "1e-6", "--method", "dp-gd,output-perturbation", "--out", at("refused"), "--quiet")
	for rank, err := range errs {
		if err == nil {
			t.Errorf("rank %d made a sweep of a method that needs one process", rank)
		}
	}
	if text := readText(t, at("refused/"+outcome.JournalName)); strings.Contains(text, "dp-gd") && strings.Count(text, "\n") > 1 {
		t.Errorf("a sweep that is refused began runs: %s", text)
	}
}
