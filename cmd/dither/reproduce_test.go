package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/reproduce"
)

func TestReproduceLists(t *testing.T) {
	out, _ := mustInvoke(t, "reproduce", "--data", t.TempDir())
	for _, want := range []string{"composition (", "Source: ", "Data: none but", "on two processors"} {
		if !strings.Contains(out, want) {
			t.Errorf("the list lacks %q:\n%s", want, out)
		}
	}
	out, _ = mustInvoke(t, "reproduce", "--json")
	var all []reproduce.Listed
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) == 0 || all[0].Name == "" || all[0].Minutes == 0 {
		t.Errorf("got %v, %v, want a list in JSON", all, err)
	}
}

func TestReproduceRuns(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	out, _ := mustInvoke(t, "reproduce", "composition", "--quiet", "--out", folder)
	for _, want := range []string{"QUANTITY", "PUBLISHED", "EXPLANATION", "30.98", "135.4", "public data sets"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
	for line := range strings.Lines(out) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > plainWidth {
			t.Errorf("a line of %d characters, want at most %d: %q", n, plainWidth, line)
		}
	}
	for _, name := range []string{"comparisons.json", "comparisons.csv", "comparisons.md", "index.html"} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !strings.Contains(string(text), "30.98") {
			t.Errorf("%s: got error %v or no figure in it", name, err)
		}
	}
	for _, name := range []string{"composition-epsilon-over-runs.svg", "composition-epsilon-over-runs.png"} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || len(text) < 1000 {
			t.Errorf("%s: got %d bytes, error %v, want a picture", name, len(text), err)
		}
	}
	if status, _, message := invoke("reproduce", "composition", "--out", folder); status != exitUsage || !strings.Contains(message, "--replace") {
		t.Errorf("a folder with files: got status %d, %q, want %d and --replace", status, message, exitUsage)
	}
	out, _ = mustInvoke(t, "reproduce", "composition", "--quiet", "--json")
	var document struct {
		Reproductions []struct{ Comparisons []experiment.Comparison }
	}
	if err := json.Unmarshal([]byte(out), &document); err != nil || len(document.Reproductions) != 1 || len(document.Reproductions[0].Comparisons) < 10 {
		t.Errorf("--json: got %v, error %v", document, err)
	}
}

func TestReproduceRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"nothing"}, "composition"},
		{[]string{"composition", "--all"}, "want one of them"},
		{[]string{"--all", "--linear"}, "want one of them"},
		{[]string{"composition", "--repeats", "-1"}, "--repeats is -1"},
		{[]string{"composition", "--data", "/no/such/folder"}, "--data is"},
		{[]string{"composition", "--replace"}, "--out"},
		{[]string{"--out", "x"}, "want names"},
	} {
		if status, _, message := invoke(append([]string{"reproduce"}, c.args...)...); status != exitUsage || !strings.Contains(message, c.want) {
			t.Errorf("%v: got status %d, %q, want %d and %q", c.args, status, message, exitUsage, c.want)
		}
	}
}

// TestReproduceDisagrees wants a figure that is not golden to be named, and the status of a failure.
func TestReproduceDisagrees(t *testing.T) {
	r := experiment.Result{Reproduction: experiment.Reproduction{Name: "a"}, Outcome: experiment.Outcome{Comparisons: []experiment.Comparison{
		{Quantity: "right", Value: 1, Golden: &experiment.Golden{Value: 1}}, {Quantity: "wrong", Value: 2, Golden: &experiment.Golden{Value: 1, Tolerance: 0.5}},
	}}}
	c := newReproduce()
	c.SetOut(&strings.Builder{})
	err := (&reproduceCommand{}).end(c, []experiment.Result{r}, nil)
	if err == nil || status(err) != exitFailed || !strings.Contains(err.Error(), "a: wrong is 2, want 1 within 0.5") || strings.Contains(err.Error(), "right") {
		t.Errorf("got %v, want a failure that names the second figure alone", err)
	}
}
