package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/flags"
	"github.com/ditherml/dither/internal/glossary"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// explained explains what the arguments of dither explain name, as text and as what JSON holds.
func explained(t *testing.T, args ...string) (string, explain.Explanation) {
	t.Helper()
	command := &explainCommand{}
	c := command.command()
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	e, err := command.explain(strings.Join(c.Flags().Args(), ""))
	if err != nil {
		t.Fatal(err)
	}
	text, err := e.Text()
	if err != nil {
		t.Fatal(err)
	}
	return string(text), e
}

// TestExplainPrintsBothForms wants the command to print the text, and as JSON the numbers behind it.
func TestExplainPrintsBothForms(t *testing.T) {
	want, e := explained(t, "gaussian(5)")
	if text, _ := mustInvoke(t, "explain", "gaussian(5)"); text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	asJSON, _ := mustInvoke(t, "explain", "gaussian(5)", "--json")
	var back explain.Explanation
	if err := json.Unmarshal([]byte(asJSON), &back); err != nil || *back.Claim != *e.Claim || back.Attacker.Advantage != e.Attacker.Advantage || len(back.Sections) != len(e.Sections) {
		t.Errorf("got %s (%v), want JSON of the same", asJSON, err)
	}
}

// TestExplainWhatWasWritten explains folders of every kind, and wants the numbers of the certificate.
func TestExplainWhatWasWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		folder, kind string
		parts        int // how many parts of the records pay by themselves
		want         []string
		args         []string
	}{
		{"descent", "model", 1, []string{"gradient descent on all rows in 120 steps", "frequencies of features, for scaling", "odds about the person", "A person may have up to 5"}, []string{"train", "--quiet"}},
		{"heldout", "model", 2, []string{"divided at random into 2 parts", "each with probability 0.2", "evaluation.json"}, []string{"train", "--quiet", "--interactions", "none", "--holdout", "private:0.2", "--steps", "3"}},
		{"person", "model", 1, []string{"All rows of a person are one record"}, []string{"train", "--quiet", "--interactions", "none", "--unit", "person:person", "--max-records-per-person", "5", "--steps", "3"}},
		{"sampled", "model", 1, []string{"samples that take each row with probability 0.05", "number, 19000, is declared public"}, []string{"train", "--quiet", "--interactions", "none", "--sampling-probability", "0.05", "--steps", "1", "--whiten", "no", "--center", "no", "--records", "19000"}},
		{"output", "model", 1, []string{"output-perturbation"}, []string{"train", "--quiet", "--interactions", "none", "--method", "output-perturbation"}},
		{"network", "model", 1, []string{"neural network, trained in 3 steps", "network.safetensors", "rule flat"}, []string{"train", "--quiet", "--model", "mlp", "--hidden", "2", "--sampling", "full", "--steps", "3"}},
		{"weak", "model", 1, []string{"the guarantee is weak"}, []string{"train", "--quiet", "--interactions", "none", "--epsilon", "40", "--steps", "3"}},
		{"baseline", "model", 0, []string{"NOT PRIVATE", "made without noise"}, []string{"train", "--quiet", "--interactions", "none", "--non-private", "--steps", "3"}},
		{"measured", "evaluation", 1, []string{"120 counts and sums", "the two costs add up"}, []string{"evaluate", "descent", "builtin:randhie", "--private", "--epsilon", "0.5"}},
		{"answer", "answer", 1, []string{"mean of age where age >= 30", "right at most", "All rows of a person are one record"}, []string{"query", "mean", "age", "--where", "age >= 30", "--data", "builtin:randhie", "--unit", "person:person", "--max-records-per-person", "5"}},
	} {
		t.Run(c.folder, func(t *testing.T) {
			mustInvoke(t, append(c.args, "--out", c.folder)...)
			text, e := explained(t, c.folder)
			checkExplanation(t, filepath.Join(c.folder, certificate.FileName), e, c.kind, c.parts)
			plain := strings.Join(strings.Fields(text), " ")
			for _, word := range append(c.want, "dither verify "+c.folder, "what was assumed") {
				if !strings.Contains(plain, word) {
					t.Errorf("got\n%s\nwant it to say %q", text, word)
				}
			}
			checkHarmless(t, text)
			checkAttacks(t, c.folder, text, e)
			alone, _ := mustInvoke(t, "explain", filepath.Join(c.folder, certificate.FileName))
			alone = strings.Join(strings.Fields(alone), " ")
			if !strings.Contains(alone, "name the whole folder") || strings.Contains(alone, "all files agree") {
				t.Errorf("a certificate by itself: got\n%s\nwant it to say that the files were not checked", alone)
			}
		})
	}
}

// checkExplanation compares an explanation with the certificate that it is of. What has no guarantee has
// neither releases with a cost nor an attacker.
func checkExplanation(t *testing.T, path string, e explain.Explanation, kind string, parts int) {
	t.Helper()
	c, err := certificate.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if e.Kind != kind || e.Verified == nil || !*e.Verified || e.Event != c.Event || e.Claim.Epsilon != c.Epsilon || e.Claim.Delta != c.Delta {
		t.Errorf("got %+v, want a verified %s of event %s at epsilon %v", e, kind, c.Event, c.Epsilon)
	}
	if !c.Private {
		if parts != 0 || len(e.Releases) > 0 || e.Attacker != nil {
			t.Errorf("got releases %v and attacker %v of a baseline, want none", e.Releases, e.Attacker)
		}
		return
	}
	dearest := 0.0
	for i, r := range e.Releases {
		if i+1 == len(e.Releases) || e.Releases[i+1].Part != r.Part {
			dearest = max(dearest, float64(r.SoFar))
		}
		if r.What == "" || r.SoFar < r.Alone*(1-1e-9) {
			t.Errorf("got the release %+v, want a purpose and a cost that adds up", r)
		}
	}
	// The certificate counts the slack of the noise, and an accountant may place a bound a little elsewhere.
	if got := e.Releases[len(e.Releases)-1].Part + 1; got != parts || math.Abs(dearest/float64(c.Epsilon)-1) > 2e-4 {
		t.Errorf("got %d parts that cost %v, want %d and epsilon %v", got, dearest, parts, c.Epsilon)
	}
}

// checkAttacks wants the figures of the page's table of attacks to be those of the explanation, digit by digit. An answer has
// no page, and a baseline no table.
func checkAttacks(t *testing.T, folder, text string, e explain.Explanation) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(folder, report.FileName))
	if e.Attacker == nil || os.IsNotExist(err) {
		return
	}
	_, table, _ := strings.Cut(string(page), `<table class="attacks">`)
	table, _, _ = strings.Cut(table, "</table>")
	var got []string
	for _, row := range regexp.MustCompile(`<td>[^<]*</td><td>([^<]*)</td>`).FindAllStringSubmatch(table, -1) {
		got = append(got, row[1])
	}
	a := e.Attacker
	want := []string{strings.NewReplacer("e+", "e").Replace(display.Rounded(float64(a.BayesFactor), 4, true)), report.PercentUp((1+a.Advantage)/2) + " %", report.PercentUp(a.TruePositiveAt1) + " %",
		report.PercentUp(a.TruePositiveAt01) + " %", report.PercentUp(a.PosteriorFromHundredth) + " %", report.OneIn(a.Reconstruction)}
	if !slices.Equal(got, want) {
		t.Errorf("%s: the page bounds attackers by %v, and explain by %v, want one list", folder, got, want)
	}
	words := strings.Join(strings.Fields(text), " ")
	for _, cell := range got[1:] {
		if number := strings.TrimSuffix(strings.TrimRight(strings.TrimSuffix(cell, " %"), "0"), "."); !strings.Contains(words, number) {
			t.Errorf("%s: the page has %q, and explain does not:\n%s", folder, cell, text)
		}
	}
}

// TestExplainPlan explains what a dry run prints, and a plan by itself.
func TestExplainPlan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.json")
	text, _ := mustInvoke(t, "train", "--dry-run", "--json")
	writeText(t, path, text)
	if got, _ := explained(t, path); !strings.HasPrefix(got, "A plan for a private model, not yet run: epsilon 1 ") || !strings.Contains(got, "Nothing was run yet") {
		t.Errorf("a dry run: got\n%s\nwant a plan that was not run", got)
	}
	var run struct{ Plan json.RawMessage }
	if err := json.Unmarshal([]byte(text), &run); err != nil {
		t.Fatal(err)
	}
	writeText(t, path, string(run.Plan))
	if got, e := explained(t, path); e.Kind != "event" || !strings.Contains(got, "120 times, each with fresh randomness") || math.Abs(float64(e.Claim.Epsilon)-1) > 1e-6 {
		t.Errorf("a plan: got\n%s\nwant the event of a plan at epsilon 1", got)
	}
}

// TestExplainEvent holds the cost of an event to that of the accountant, and the sum to the parts.
func TestExplainEvent(t *testing.T) {
	const expression = "sequence(gaussian(5), repeat(1000, poisson(0.01, gaussian(1.1))))"
	text, e := explained(t, expression, "--delta", "1e-5")
	event, err := mechanism.ParseEvent(expression)
	if err != nil {
		t.Fatal(err)
	}
	want, err := account.For(event).Epsilon(event, 1e-5, privacy.AddOrRemoveOne)
	if err != nil || math.Abs(float64(e.Claim.Epsilon)/want.Upper-1) > 1e-3 || len(e.Releases) != 2 || float64(e.Releases[1].SoFar) != want.Upper {
		t.Errorf("got %+v (%v), want two releases that cost %v", e, err, want)
	}
	for _, word := range []string{"  - 2 releases from the same records", "      - a sum of one", "          - from a fresh random sample", "together the releases cost 1.709"} {
		if !strings.Contains(text, word) {
			t.Errorf("got\n%s\nwant it to say %q", text, word)
		}
	}
	pure, epsilon := "laplace(2)", 0.5
	if thorough { // the curve of two takes a second
		pure, epsilon = "sequence(laplace(2), laplace(4))", 0.75
	}
	if _, e = explained(t, pure, "--delta", "0"); math.Abs(float64(e.Claim.Epsilon)-epsilon) > 1e-9 {
		t.Errorf("%s: got epsilon %v, want %v", pure, e.Claim.Epsilon, epsilon)
	}
	if text, replaced := explained(t, "gaussian(5)", "--neighboring", "replace-one", "--rows-per-person", "3"); replaced.Claim.Neighboring != privacy.ReplaceOne || !strings.Contains(text, "3 rows together") {
		t.Errorf("got\n%s\nwant replace-one and three rows", text)
	}
}

// TestExplainDistrusts wants nothing but a warning about files that were changed.
func TestExplainDistrusts(t *testing.T) {
	m := newModelFolder(t, binaryText, 1)
	path := filepath.Join(m.folder, certificate.FileName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	forged := regexp.MustCompile(`"epsilon": [0-9.e-]+`).ReplaceAllString(string(text), `"epsilon": 0.1`)
	writeText(t, path, forged)
	for _, argument := range []string{m.folder, path} {
		status, stdout, stderr := invoke("explain", argument)
		if status != exitFailed || !strings.HasPrefix(stdout, "NOT VERIFIED") || strings.Contains(stdout, "what was released") || !strings.Contains(stderr, "do not rely on it") {
			t.Errorf("%s: got status %d, %q and %q, want a refusal and no explanation", argument, status, stdout, stderr)
		}
	}
}

// TestExplainTerms wants a term to be found by another of its names.
func TestExplainTerms(t *testing.T) {
	if text, e := explained(t, "Clipping"); e.Kind != "term" || !strings.Contains(text, "scaled down") {
		t.Errorf("got %q, want the term clipping-norm", text)
	}
}

// TestTermsAreOfOnePlace wants the help of flags that are terms to say what the glossary says.
func TestTermsAreOfOnePlace(t *testing.T) {
	seen := 0
	flags.Walk(newRoot(nil, nil), func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			for _, name := range []string{"delta", "neighboring"} {
				if f.Name == name && c.CommandPath() != "dither diagnose" {
					if seen++; !strings.Contains(f.Usage, glossary.Short(name)) {
						t.Errorf("%s --%s: got %q, want it to say %q", c.CommandPath(), name, f.Usage, glossary.Short(name))
					}
				}
			}
		})
	})
	if seen < 10 {
		t.Errorf("got %d flags, want 10 or more", seen)
	}
}

func TestExplainRefusals(t *testing.T) {
	folder := t.TempDir()
	m := newModelFolder(t, binaryText, 1)
	writeText(t, filepath.Join(folder, "text.json"), "no json")
	writeText(t, filepath.Join(folder, "other.json"), `{"format": "other"}`)
	checkWrong(t, folder, []wrong{
		{"unknown word", []string{"explain", "gamma"}, exitUsage, "lists the terms"},
		{"two words", []string{"explain", "epsilon", "delta"}, exitUsage, "at most 1"},
		{"no such file", []string{"explain", "no/such.json"}, exitUsage, "no/such.json"},
		{"bad event", []string{"explain", "gaussian(0)"}, exitUsage, "noise multiplier"},
		{"no json", []string{"explain", "text.json"}, exitUsage, "no JSON object"},
		{"other file", []string{"explain", "other.json"}, exitUsage, "format"},
		{"delta of a certificate", []string{"explain", m.folder, "--delta", "1e-5"}, exitUsage, "--delta is given with a certificate"},
		{"delta out of range", []string{"explain", "gaussian(1)", "--delta", "2"}, exitUsage, "--delta is 2"},
		{"not proved", []string{"explain", "without-replacement(100, 10, gaussian(1))", "--neighboring", "add-or-remove-one"}, exitUsage, "replace-one"},
	})
}
