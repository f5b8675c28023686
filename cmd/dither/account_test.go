package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// accountJSON runs dither account with --json.
func accountJSON(t *testing.T, args ...string) explain.Cost {
	t.Helper()
	stdout, _ := mustInvoke(t, append([]string{"account", "--json"}, args...)...)
	var out explain.Cost
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatalf("%q: %v in %s", args, err, stdout)
	}
	return out
}

func parseEvent(t *testing.T, text string) mechanism.Event {
	t.Helper()
	e, err := mechanism.ParseEvent(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestAccountIsTheLibrary holds every number of the JSON to the accountants', bit for bit.
func TestAccountIsTheLibrary(t *testing.T) {
	for _, c := range []struct {
		event, relation string
		delta           float64
	}{
		{"repeat(300, poisson(0.5, gaussian(40)))", "add-or-remove-one", 1e-6},
		{"sequence(gaussian(3), repeat(60, laplace(20)))", "replace-one", 1e-5},
		{"repeat-and-select(1, 10, gaussian(5))", "zero-out", 1e-6},
		{"laplace(2)", "add-or-remove-one", 0},
		{"gaussian(2)", "add-or-remove-one", 0},
		{"non-private()", "add-or-remove-one", 1e-6},
		{"sequence()", "add-or-remove-one", 1e-6},
	} {
		out := accountJSON(t, c.event, "--delta", display.Plain(c.delta), "--neighboring", c.relation)
		n, err := privacy.ParseNeighboring(c.relation)
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Accountants) != len(account.All()) {
			t.Fatalf("%s: got %d accountants, want all %d", c.event, len(out.Accountants), len(account.All()))
		}
		for i, a := range account.All() {
			v, refused := a.Epsilon(parseEvent(t, c.event), c.delta, n)
			checkPrice(t, out, i, a.Name(), v, refused)
			if a.Name() == "best" && (out.Claim.Accountant != "best" || float64(out.Claim.Epsilon) != v.Upper || out.Claim.Delta != c.delta || out.Claim.Neighboring != n) {
				t.Errorf("%s: got claim %+v, want the upper bound %v of best", c.event, out.Claim, v.Upper)
			}
		}
	}
}

func checkPrice(t *testing.T, cost explain.Cost, i int, name string, v account.Interval, refused error) {
	t.Helper()
	p := cost.Accountants[i]
	switch {
	case p.Accountant != name:
		t.Errorf("got accountant %s, want %s", p.Accountant, name)
	case refused != nil:
		if p.Refused == "" || p.Upper != nil {
			t.Errorf("%s: got %+v, want it refused: %v", name, p, refused)
		}
	case p.Refused != "" || float64(*p.Lower) != v.Lower || float64(*p.Estimate) != v.Estimate || float64(*p.Upper) != v.Upper:
		t.Errorf("%s: got %+v, want %+v", name, p, v)
	}
}

func TestAccountForDelta(t *testing.T) {
	out := accountJSON(t, "repeat(300, poisson(0.5, gaussian(40)))", "--epsilon", "1")
	v, err := account.Best.Delta(steps(300, 0.5, 40), 1, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	if out.Asked != "delta" || float64(*out.Epsilon) != 1 || out.Delta != nil || out.Claim.Delta != v.Upper || out.Claim.Epsilon != 1 {
		t.Errorf("got %+v, want the delta %v", out, v.Upper)
	}
}

// TestAccountFlags: the three flags and the expression are one event.
func TestAccountFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"repeat(300, poisson(0.01, gaussian(1.1)))": {"--noise-multiplier", "1.1", "--sampling-probability", "0.01", "--steps", "300"},
		"repeat(1, gaussian(4))":                    {"--noise-multiplier", "4"},
		"repeat(7, gaussian(4))":                    {"--noise-multiplier", "4", "--sampling-probability", "1", "--steps", "7"},
	} {
		if out := accountJSON(t, args...); out.Event != want {
			t.Errorf("%q: got %s, want %s", args, out.Event, want)
		}
	}
}

func TestAccountNamed(t *testing.T) {
	out := accountJSON(t, "gaussian(2)", "--accountant", "rdp")
	v, err := account.RDP{}.Epsilon(mechanism.Gaussian{NoiseMultiplier: 2}, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Accountants) != 1 || out.Claim.Accountant != "rdp" || float64(out.Claim.Epsilon) != v.Upper {
		t.Errorf("got %+v, want the one claim %v of rdp", out, v.Upper)
	}
}

// TestAccountGroup compares with the theorem that k rows of a Gaussian release cost what one
// costs at noise divided by k (Dong, Roth & Su 2022, theorem 2.14), computed by another way.
func TestAccountGroup(t *testing.T) {
	out := accountJSON(t, "gaussian(50)", "--rows-per-person", "10")
	v, err := account.GDP.Epsilon(mechanism.Gaussian{NoiseMultiplier: 5}, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	if out.Group == nil || out.Group.Rows != 10 || math.Abs(float64(out.Group.Epsilon)-v.Upper) > 1e-7*v.Upper {
		t.Errorf("got %+v, want 10 rows at epsilon %v", out.Group, v.Upper)
	}
	if stdout, _ := mustInvoke(t, "account", "gaussian(1)", "--rows-per-person", "100000"); !strings.Contains(stdout, "no finite epsilon is proven for 100000 rows") {
		t.Errorf("got %s, want it said that 100000 rows have no finite epsilon", stdout)
	}
	if out = accountJSON(t, "gaussian(50)"); out.Group != nil {
		t.Errorf("got a group %+v that nobody asked for", out.Group)
	}
	stdout, _ := mustInvoke(t, "account", "laplace(50)", "--rows-per-person", "3", "--delta", "0")
	if !strings.Contains(stdout, "for 3 rows together") {
		t.Errorf("got %s, want the group's epsilon", stdout)
	}
}

// TestAccountFiles prices a model folder, its certificate, its plan and a dry run: the same
// event at the same terms.
func TestAccountFiles(t *testing.T) {
	m := newModelFolder(t, binaryText, 1)
	folder := t.TempDir()
	planFile := writeText(t, filepath.Join(folder, "plan.json"), string(m.certificate.Plan))
	whole, err := json.Marshal(map[string]any{"plan": m.certificate.Plan, "certificate": m.certificate, "warnings": []string{}})
	if err != nil {
		t.Fatal(err)
	}
	dry := writeText(t, filepath.Join(folder, "dry(run).json"), string(whole))
	for _, path := range []string{m.folder, filepath.Join(m.folder, certificate.FileName), planFile, dry} {
		out := accountJSON(t, path, "--accountant", "gdp")
		if out.Event != m.certificate.Event || float64(*out.Delta) != m.certificate.Delta || out.Neighboring != m.certificate.Neighboring {
			t.Errorf("%s: got %s, delta %v, %v; want those of the certificate", path, out.Event, *out.Delta, out.Neighboring)
		}
		if math.Abs(float64(out.Claim.Epsilon-m.certificate.Epsilon)) > 1e-6 {
			t.Errorf("%s: got epsilon %v, want %v", path, out.Claim.Epsilon, m.certificate.Epsilon)
		}
		if out.Group == nil || out.Group.Rows != 3 || math.Abs(float64(out.Group.Epsilon-m.certificate.GroupEpsilon)) > 1e-6*float64(out.Group.Epsilon) {
			t.Errorf("%s: got group %+v, want 3 rows at %v", path, out.Group, m.certificate.GroupEpsilon)
		}
		if (out.Stated != nil) != (path != planFile) {
			t.Errorf("%s: got stated epsilon %v", path, out.Stated)
		}
		if path != planFile {
			continue
		}
		if out = accountJSON(t, path, "--accountant", "gdp", "--delta", "1e-9", "--neighboring", "replace-one"); float64(*out.Delta) != 1e-9 || out.Neighboring != privacy.ReplaceOne || out.Stated != nil {
			t.Errorf("%s: got delta %v, %v, stated %v; want the flags to decide", path, *out.Delta, out.Neighboring, out.Stated)
		}
	}
	if stdout, _ := mustInvoke(t, "account", m.folder, "--accountant", "gdp"); !strings.Contains(stdout, "stated    the certificate says epsilon") || strings.Contains(stdout, "LESS") {
		t.Errorf("got %s, want what the certificate says, and no warning", stdout)
	}
	m.certificate.Epsilon /= 2
	m.write(t)
	if stdout, _ := mustInvoke(t, "account", m.folder, "--accountant", "gdp"); !strings.Contains(stdout, "LESS than the proven lower bound") {
		t.Errorf("got %s, want a warning of the understated certificate", stdout)
	}
}

// TestAccountText: the bounds that are printed hold, whatever the rounding, and the ends of an
// interval can be told apart.
func TestAccountText(t *testing.T) {
	for _, event := range []string{"repeat(300, poisson(0.5, gaussian(40)))", "gaussian(1)", "laplace(0.3)", "poisson(1e-5, gaussian(2))", "repeat-and-select(1, 10, gaussian(5))"} {
		stdout, _ := mustInvoke(t, "account", event)
		out := accountJSON(t, event)
		checkHarmless(t, stdout)
		if !strings.Contains(stdout, out.Event) || !strings.Contains(stdout, "add-or-remove-one") {
			t.Errorf("got %s, want the event and the relation", stdout)
		}
		for _, p := range out.Accountants {
			cells := cellsOf(stdout, p.Accountant)
			if len(cells) < 4 {
				t.Fatalf("got %s, want a line for %s", stdout, p.Accountant)
			}
			if p.Refused != "" {
				if !strings.Contains(stdout, "refused: no proof for") {
					t.Errorf("got %s, want %s refused", stdout, p.Accountant)
				}
				continue
			}
			low, lowErr := strconv.ParseFloat(cells[1], 64)
			high, highErr := strconv.ParseFloat(cells[3], 64)
			if lowErr != nil || highErr != nil || low > float64(*p.Lower) || high < float64(*p.Upper) || high > float64(*p.Upper)*(1+2e-5) {
				t.Errorf("%s: got %q, want bounds around %v and %v", p.Accountant, cells, *p.Lower, *p.Upper)
			}
			if *p.Lower < *p.Upper && cells[1] == cells[3] {
				t.Errorf("%s: got %q, want ends that differ", p.Accountant, cells)
			}
		}
		if strings.Count(stdout, "may be claimed") != 1 || !strings.HasPrefix(cellsOf(stdout, "claim")[1], "epsilon") {
			t.Errorf("got %s, want one claim", stdout)
		}
	}
}

// cellsOf returns the words of the first line that starts with a word.
func cellsOf(text, word string) []string {
	for line := range strings.Lines(text) {
		if cells := strings.Fields(line); len(cells) > 0 && cells[0] == word {
			return cells
		}
	}
	return nil
}

// TestAccountNext: the command that is proposed runs, and does what it says.
func TestAccountNext(t *testing.T) {
	for _, args := range [][]string{
		{"repeat(100, gaussian(30))", "--neighboring", "replace-one"},
		{"sequence(partition(3, laplace(4)))", "--neighboring", "zero-out"},
		{"--noise-multiplier", "20", "--steps", "50"},
		{"gaussian(1)", "--epsilon", "2"},
		{"gaussian(1)", "--delta", "0"},
	} {
		next := accountJSON(t, args...).Next
		words := strings.Split(strings.TrimPrefix(next, "dither "), " ")
		if at := strings.Index(next, `--event "`); at >= 0 {
			words = append(strings.Fields(next[:at])[1:], "--event", strings.Trim(next[at+len("--event "):], `"`))
		}
		status, _, stderr := invoke(words...)
		if len(words) < 3 || status != exitDone {
			t.Errorf("%q: got status %d, %s for %q", args, status, stderr, words)
		}
	}
}

func TestAccountWrong(t *testing.T) {
	folder := t.TempDir()
	writeText(t, filepath.Join(folder, "list.json"), "[1]")
	writeText(t, filepath.Join(folder, "other.json"), `{"a": 1}`)
	writeText(t, filepath.Join(folder, "plan.json"), `{"neighboring": "zero-out", "unit": "x", "delta": 3}`)
	writeText(t, filepath.Join(folder, "certificate.json"), `{"format": "dither-certificate", "format-version": 1, "event": "normal(1)", "neighboring": "zero-out"}`)
	writeText(t, filepath.Join(folder, "delta.json"), `{"format": "dither-certificate", "format-version": 1, "event": "gaussian(1)", "neighboring": "zero-out", "delta": 2}`)
	writeText(t, filepath.Join(folder, "relation.json"), `{"format": "dither-certificate", "format-version": 1, "event": "gaussian(1)", "neighboring": "near"}`)
	if err := os.Truncate(writeText(t, filepath.Join(folder, "big.json"), "{}"), 16<<20+1); err != nil {
		t.Fatal(err)
	}
	with := func(args ...string) []string { return append([]string{"account"}, args...) }
	noise := func(args ...string) []string { return append(with("--noise-multiplier"), args...) }
	checkWrong(t, folder, []wrong{
		{"nothing", with(), exitUsage, "nothing to price"},
		{"two arguments", with("repeat(2,", "gaussian(1))"), exitUsage, "quotation marks"},
		{"unknown event", with("normal(1)"), exitUsage, "position 1"},
		{"event without numbers", with("gaussian"), exitUsage, "want ("},
		{"bad number", with("gaussian(x)"), exitUsage, "want a noise multiplier"},
		{"negative number", with("gaussian(-1)"), exitUsage, "want a positive finite number"},
		{"no number", with("gaussian(NaN)"), exitUsage, "want a positive finite number"},
		{"control characters", with("gaussian(1)\x1b[2J"), exitUsage, "position 12"},
		{"missing file", with("absent.json"), exitUsage, "absent.json: no such file"},
		{"missing file in a folder", with("absent/plan"), exitUsage, "absent/plan: no such file"},
		{"folder without certificate", with("."), exitUsage, "position 1"},
		{"large file", with("big.json"), exitUsage, "big.json is no plain file of at most 16.8 MB"},
		{"no object", with("list.json"), exitUsage, "list.json is no JSON object"},
		{"neither plan nor certificate", with("other.json"), exitUsage, "neither a plan nor a certificate"},
		{"plan that is not valid", with("plan.json"), exitUsage, "delta is 3"},
		{"certificate with an unknown event", with("certificate.json"), exitUsage, "position 1"},
		{"certificate with a delta of 2", with("delta.json"), exitUsage, "delta is 2"},
		{"certificate of another relation", with("relation.json"), exitUsage, `neighboring is "near"`},
		{"event and flags", with("gaussian(1)", "--steps", "2"), exitUsage, "one or the other"},
		{"noise missing", with("--steps", "2"), exitUsage, "--noise-multiplier is missing"},
		{"negative noise", noise("-1"), exitUsage, "--noise-multiplier is -1"},
		{"huge noise", noise("1e300"), exitUsage, "--noise-multiplier is 1e+300"},
		{"noise no number", noise("NaN"), exitUsage, "--noise-multiplier is NaN"},
		{"probability 0", noise("1", "--sampling-probability", "0"), exitUsage, "--sampling-probability is 0"},
		{"probability no number", noise("1", "--sampling-probability", "NaN"), exitUsage, "--sampling-probability is NaN"},
		{"negative steps", noise("1", "--steps", "-5"), exitUsage, "--steps is -5"},
		{"delta 1", with("gaussian(1)", "--delta", "1"), exitUsage, "--delta is 1"},
		{"negative delta", with("gaussian(1)", "--delta", "-1e-6"), exitUsage, "--delta is -1e-06"},
		{"delta no number", with("gaussian(1)", "--delta", "NaN"), exitUsage, "--delta is NaN"},
		{"negative epsilon", with("gaussian(1)", "--epsilon", "-1"), exitUsage, "--epsilon is -1"},
		{"infinite epsilon", with("gaussian(1)", "--epsilon", "Inf"), exitUsage, "--epsilon is +Inf"},
		{"both", with("gaussian(1)", "--epsilon", "1", "--delta", "1e-5"), exitUsage, "both given"},
		{"rows and epsilon", with("gaussian(1)", "--epsilon", "1", "--rows-per-person", "2"), exitUsage, "--rows-per-person goes with --delta"},
		{"no rows", with("gaussian(1)", "--rows-per-person", "0"), exitUsage, "--rows-per-person is 0"},
		{"too many rows", with("gaussian(1)", "--rows-per-person", "1000000000"), exitUsage, "--rows-per-person is 1000000000"},
		{"relation", with("gaussian(1)", "--neighboring", "near"), exitUsage, `neighboring is "near"`},
		{"no proof under the relation", with("without-replacement(100, 5, gaussian(5))"), exitUsage, "no proof under add-or-remove-one"},
		{"accountant", with("gaussian(1)", "--accountant", "abacus"), exitUsage, `accountant is "abacus"`},
		{"replace without plot", with("gaussian(1)", "--replace"), exitUsage, "--replace goes with --plot"},
		{"plot over a file", with("gaussian(1)", "--plot", "list.json"), exitUsage, "list.json exists"},
		{"plot in no folder", with("gaussian(1)", "--plot", "absent/plot.svg"), exitUsage, "cannot be"},
		{"accountant without a proof", with("laplace(1)", "--accountant", "gdp"), exitUsage, "no accountant that was asked has a bound"},
	})
}

func TestAccountHelp(t *testing.T) {
	stdout, _ := mustInvoke(t, "account", "--help")
	for _, want := range []string{"EVENT", "--noise-multiplier", "--rows-per-person", "--neighboring", "pld, "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("got a help text without %q", want)
		}
	}
}

// TestAccountTogether prices several events and files as one plan, and refuses different relations.
func TestAccountTogether(t *testing.T) {
	together, _ := mustInvoke(t, "account", "gaussian(3)", "repeat(2, gaussian(4))", "--json")
	one, _ := mustInvoke(t, "account", "sequence(gaussian(3), repeat(2, gaussian(4)))", "--json")
	if together != one {
		t.Errorf("two arguments give\n%s\nthe sequence gives\n%s", together, one)
	}
	folder := t.TempDir()
	mustInvoke(t, "train", "--out", filepath.Join(folder, "model"), "--quiet", "--steps", "3", "--whiten", "no")
	out, _ := mustInvoke(t, "account", filepath.Join(folder, "model"), "laplace(10)", "--accountant", "pld")
	if !strings.Contains(out, "laplace(10))") || strings.Contains(out, "the certificate says") {
		t.Errorf("a model and an event: got %q", out)
	}
	status, _, message := invoke("account", "gaussian(1)", "laplace(")
	if status != exitUsage || !strings.Contains(message, "argument 2 of 2") || !strings.Contains(message, "quotation marks") {
		t.Errorf("a broken event: status %d, %q", status, message)
	}
}
