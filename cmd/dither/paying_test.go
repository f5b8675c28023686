//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/display"
)

// newPayingLedger makes a ledger for the built-in table.
func newPayingLedger(t *testing.T, epsilon string) {
	t.Helper()
	t.Chdir(t.TempDir())
	mustInvoke(t, "ledger", "create", "health.ledger", "--data", "randhie", "--epsilon", epsilon, "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5")
}

// TestLedgerPaysForEverything spends from one ledger by each command that releases something.
func TestLedgerPaysForEverything(t *testing.T) {
	newPayingLedger(t, "3")
	data := []string{"--data", "builtin:randhie", "--ledger", "health.ledger"}
	runs := []struct {
		folder string
		args   []string
	}{
		{"answer", []string{"query", "count", "--epsilon", "0.1", "--out", "answer", "--purpose", "how many"}},
		{"model", []string{"train", "--interactions", "none", "--epsilon", "0.5", "--steps", "3", "--quiet", "--out", "model"}},
		{"held", []string{"train", "--interactions", "none", "--epsilon", "0.5", "--steps", "3", "--quiet", "--holdout", "private:0.2", "--out", "held"}},
		{"network", []string{"train", "--epsilon", "0.5", "--steps", "3", "--quiet", "--model", "mlp", "--hidden", "4", "--out", "network"}},
		{"minimum", []string{"train", "--epsilon", "0.5", "--quiet", "--method", "output-perturbation", "--out", "minimum"}},
		{"chosen", []string{"sweep", "--select", "geometric:2", "--learning-rate", "0.5,1", "--steps", "3", "--epsilon", "0.5", "--quiet", "--out", "chosen"}},
	}
	for i, run := range runs {
		before := accountOf(t, "health.ledger")
		_, stderr := mustInvoke(t, append(run.args, data...)...)
		if quiet := slices.Contains(run.args, "--quiet"); strings.Contains(stderr, "one more release may cost epsilon") == quiet {
			t.Errorf("%s: got %q, want what is left unless it is to be quiet", run.folder, stderr)
		}
		if stdout, _ := mustInvoke(t, "verify", run.folder, "--ledger", "health.ledger"); !strings.Contains(stdout, "health.ledger: the ledger counts the certificate") {
			t.Errorf("%s: got %q, want that the ledger was looked at", run.folder, stdout)
		}
		text, err := os.ReadFile(filepath.Join(run.folder, certificate.FileName))
		if err != nil {
			t.Fatal(err)
		}
		c, err := certificate.Decode(text)
		if err != nil || c.Recorded.Others != i || c.Recorded.Limit != 3 || c.Recorded.LimitDelta != 1e-5 || !(c.Recorded.Spent > 0 && c.Recorded.Spent <= 3) {
			t.Errorf("%s: got the record %+v, %v, want %d other releases under epsilon 3 at 1e-5", run.folder, c.Recorded, err, i)
		}
		if page, _ := os.ReadFile(filepath.Join(run.folder, "report.html")); strings.Contains(string(page), "What it rests on") && !strings.Contains(string(page), fmt.Sprintf("the ledger counted %d other release", i)) {
			t.Errorf("%s: the page lacks the %d other releases", run.folder, i)
		}
		a := accountOf(t, "health.ledger")
		last := a.Releases[len(a.Releases)-1]
		if len(a.Releases) != i+1 || !(a.Left < before.Left) || last.Outcome != "released" || last.Certificate != certificate.Hash(text) {
			t.Errorf("%s: got %d releases, %v left of %v, the last %+v; want %d, less, and the hash of the certificate", run.folder, len(a.Releases), a.Left, before.Left, last, i+1)
		}
	}
	mustInvoke(t, "evaluate", "model", "builtin:randhie", "--private", "--epsilon", "0.1", "--ledger", "health.ledger", "--out", "measured")
	for _, folder := range []string{"answer", "model", "held", "network", "minimum", "chosen", "measured"} {
		if text := readText(t, filepath.Join(folder, certificate.FileName)); strings.Count(text, " alone: a durable ledger paid for it, and ") != 1 {
			t.Errorf("%s: the certificate does not say that a ledger paid: %s", folder, text)
		}
		if c, err := certificate.Read(filepath.Join(folder, certificate.FileName)); err != nil || !signedByItsRun(t, c, counted(t, "health.ledger")) {
			t.Errorf("%s: error %v, want a certificate that the run of its record signed", folder, err)
		}
	}
	mustInvoke(t, "ledger", "check", "health.ledger", "answer", "model", "held", "network", "minimum", "chosen", "measured")
	if a := accountOf(t, "health.ledger"); a.Releases[0].Purpose != "how many" || len(a.Releases) != 7 {
		t.Errorf("got %d releases, the first for %q, want 7 and the stated purpose", len(a.Releases), a.Releases[0].Purpose)
	}
}

// signedByItsRun reports whether the run that reserved the record of a certificate signed it, and no other run did.
func signedByItsRun(t *testing.T, c certificate.Certificate, all []budget.Release) (signed bool) {
	t.Helper()
	signature := c.Recorded.Signature
	c.Recorded.Signature = ""
	text, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		is := r.Signed(text, signature)
		if own := r.Seq == c.Recorded.Sequence; own {
			signed = is
		} else if is {
			t.Errorf("the run of record %d signed the certificate of record %d", r.Seq, c.Recorded.Sequence)
		}
	}
	return signed
}

// TestChargeIsKept trains a linear model, a network and a minimizer, each with a tenth of the budget and then with all
// that is left.
func TestChargeIsKept(t *testing.T) {
	percent := regexp.MustCompile(`charge +([0-9.]+) % of the ledger's budget; the plan's own guarantee has epsilon ([0-9.]+)`)
	filters := []string{"rdp", "zcdp", "gdp", "basic"}
	if !editEvery {
		filters = filters[:2] // the others with the tag long
	}
	for _, filter := range filters {
		t.Chdir(t.TempDir())
		mustInvoke(t, "ledger", "create", "health.ledger", "--data", "randhie", "--epsilon", "3", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5", "--filter", filter)
		charged := func(least, most float64, args ...string) {
			t.Helper()
			_, stderr := mustInvoke(t, append([]string{"train", "--delta", "1e-6", "--data", "builtin:randhie", "--ledger", "health.ledger"}, args...)...)
			found := percent.FindStringSubmatch(stderr)
			if found == nil {
				t.Fatalf("%s: got %q, want the charge", filter, stderr)
			}
			if share := display.Parse(found[1]); share < least || share > most {
				t.Errorf("%s, %v: the charge is %v %%, want %v to %v", filter, args, share, least, most)
			}
			if slices.Contains(args, "--epsilon") && display.Parse(found[2]) > 0.05 {
				t.Errorf("%s: the plan's own epsilon is %s, want at most 0.05", filter, found[2])
			}
		}
		charged(9.9, 10, "--steps", "3", "--charge", "10%")
		if filter == "rdp" {
			charged(9.9, 10, "--steps", "3", "--model", "mlp", "--hidden", "3", "--sampling", "full", "--charge", "10%")
		} else {
			charged(9.9, 10, "--steps", "2", "--charge", "10%")
		}
		charged(0.001, 10, "--method", "output-perturbation", "--charge", "10%", "--epsilon", "0.05")
		charged(77, 80, "--steps", "3", "--charge", "left")
		if a := accountOf(t, "health.ledger"); len(a.Releases) != 4 {
			t.Errorf("%s: there are %d releases, want 4", filter, len(a.Releases))
		}
	}
	// under several orders the shares of runs do not add up: what counts is what the ledger loses
	mustInvoke(t, "ledger", "create", "two.ledger", "--data", "randhie", "--epsilon", "3", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5", "--order", "8,32")
	mustInvoke(t, "train", "--method", "output-perturbation", "--output-noise", "l1", "--delta", "0", "--epsilon", "1", "--data", "builtin:randhie", "--ledger", "two.ledger", "--out", "pure", "--quiet")
	before := accountOf(t, "two.ledger").Share
	mustInvoke(t, "train", "--steps", "3", "--charge", "25%", "--data", "builtin:randhie", "--ledger", "two.ledger", "--out", "after", "--quiet")
	if took := accountOf(t, "two.ledger").Share - before; took > 0.25 || took < 0.249 {
		t.Errorf("two orders: the run took %v of the budget, want nearly 0.25", took)
	}
	// an epsilon at which no noise can be found is not the end of the search
	mustInvoke(t, "ledger", "create", "large.ledger", "--data", "randhie", "--epsilon", "60", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5")
	mustInvoke(t, "train", "--steps", "3", "--charge", "1%", "--data", "builtin:randhie", "--ledger", "large.ledger", "--out", "small", "--quiet")
	if status, _, stderr := invoke("train", "--charge", "10%", "--epsilon", "0", "--ledger", "health.ledger"); status != exitUsage || !strings.Contains(stderr, "--epsilon is 0") {
		t.Errorf("epsilon 0: got status %d, %q, want a usage error", status, stderr)
	}
	for _, c := range [][]string{{"--charge", "10%"}, {"--charge", "", "--ledger", "health.ledger"}, {"--charge", "10%", "--ledger", "health.ledger", "--method", "auto"}, {"--charge", "1", "--ledger", "health.ledger"}, {"--charge", "101%", "--ledger", "health.ledger"}, {"--charge", "left", "--ledger", "health.ledger", "--epsilon-per-step", "0.1"}} {
		if status, _, stderr := invoke(append([]string{"train"}, c...)...); status != exitUsage || !strings.Contains(stderr, "--charge is") {
			t.Errorf("%v: got status %d, %q, want a usage error", c, status, stderr)
		}
	}
}

// TestLedgerKeepsChoicesWithoutModel makes choices of a Poisson number of runs, mean 1, until one
// has no run: it has no certificate, and stays spent. All of 31 choices have runs with probability
// 7e-7.
func TestLedgerKeepsChoicesWithoutModel(t *testing.T) {
	newPayingLedger(t, "20")
	for range 31 {
		before := accountOf(t, "health.ledger")
		status, _, stderr := invoke("sweep", "--select", "poisson:1", "--learning-rate", "0.5,1", "--steps", "1", "--noise-multiplier", "100", "--quiet", "--data", "builtin:randhie", "--ledger", "health.ledger")
		if status == exitDone {
			continue
		}
		a := accountOf(t, "health.ledger")
		if status != exitFailed || len(a.Releases) != len(before.Releases)+1 || !(a.Left < before.Left) || a.Releases[len(before.Releases)].Certificate != "" {
			t.Errorf("got %d, %q, %d releases and %v left of %v; want a failure that stays spent", status, stderr, len(a.Releases), a.Left, before.Left)
		}
		return
	}
	t.Error("every choice had runs, want one without")
}

// TestLedgerRefusesBeforeReading asks for more than a ledger has, about a table that is not there.
func TestLedgerRefusesBeforeReading(t *testing.T) {
	queryFiles(t)
	mustInvoke(t, "ledger", "create", "people.ledger", "--data", "people", "--epsilon", "0.5", "--delta", "1e-5", "--row", "one person", "--rows-per-person", "3")
	before := accountOf(t, "people.ledger")
	absent := []string{"--data", "absent.csv", "--schema", "people.yaml", "--ledger", "people.ledger"}
	for _, c := range []struct {
		name, want string
		status     int
		args       []string
	}{
		{"too dear a model", "by itself fits; nothing was read or spent", exitRefused, []string{"train", "--epsilon", "4", "--quiet"}},
		{"too dear an answer", "or less at delta 1e-06; nothing was read or spent", exitRefused, []string{"query", "count", "--epsilon", "4"}},
		{"no privacy", "", exitRefused, []string{"train", "--non-private", "--quiet"}},
		{"a table that is not there", "absent.csv", exitUsage, []string{"query", "count", "--epsilon", "0.1"}},
	} {
		status, stdout, stderr := invoke(append(c.args, absent...)...)
		if status != c.status || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: got %d, %q and %q, want %d and %q", c.name, status, stdout, stderr, c.status, c.want)
		}
	}
	if a := accountOf(t, "people.ledger"); a.Left != before.Left {
		t.Errorf("got %v left, want %v: no release had begun", a.Left, before.Left)
	}
}

// TestRefusalNamesWhatFits asks for one number with more epsilon than is left. The epsilon that the refusal names fits,
// whatever the noise, and twice as much does not.
func TestRefusalNamesWhatFits(t *testing.T) {
	queryFiles(t)
	for _, noise := range [][]string{{"--delta", "0"}, {"--noise", "laplace"}, {"--noise", "discrete"}} {
		mustInvoke(t, "ledger", "create", noise[1]+".ledger", "--data", "people", "--epsilon", "1", "--delta", "1e-5", "--row", "one person", "--rows-per-person", "3")
		ask := func(epsilon float64) (status int, stderr string) {
			status, _, stderr = invoke(append([]string{"query", "count", "--epsilon", fmt.Sprint(epsilon), "--data", "people.csv", "--schema", "people.yaml", "--ledger", noise[1] + ".ledger"}, noise...)...)
			return status, stderr
		}
		status, refusal := ask(5)
		_, named, _ := strings.Cut(refusal, "this plan fits with epsilon ")
		fitting := 0.0
		if _, err := fmt.Sscan(named, &fitting); err != nil || status != exitRefused {
			t.Fatalf("%q: got %d and %q, want an epsilon that fits", noise, status, refusal)
		}
		if again, stderr := ask(2 * fitting); again != exitRefused {
			t.Errorf("%q: epsilon %v: got %d and %q, want it refused", noise, 2*fitting, again, stderr)
		}
		if again, stderr := ask(fitting); again != exitDone {
			t.Errorf("%q: epsilon %v: got %d and %q, want it paid", noise, fitting, again, stderr)
		}
	}
}

// TestLedgerOfSchema spends from the ledger that a schema names, from another folder.
func TestLedgerOfSchema(t *testing.T) {
	queryFiles(t)
	mustInvoke(t, "ledger", "create", "people.ledger", "--data", "people", "--epsilon", "1", "--delta", "1e-5", "--row", "one person", "--rows-per-person", "3")
	writeText(t, "people.yaml", binaryText+"ledger: people.ledger\n")
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	mustInvoke(t, "ledger", "create", "other.ledger", "--data", "people", "--epsilon", "1", "--delta", "1e-5", "--row", "one person", "--rows-per-person", "3")
	t.Chdir(t.TempDir())
	table := []string{"--data", filepath.Join(home, "people.csv"), "--schema", filepath.Join(home, "people.yaml")}
	status, _, stderr := invoke(append([]string{"query", "count", "--epsilon", "0.1", "--ledger", filepath.Join(home, "other.ledger")}, table...)...)
	if status != exitUsage || !strings.Contains(stderr, "leave --ledger out") || len(accountOf(t, filepath.Join(home, "other.ledger")).Releases) != 0 {
		t.Errorf("got %d and %q, want another ledger than that of the schema refused", status, stderr)
	}
	mustInvoke(t, append([]string{"query", "count", "--epsilon", "0.1", "--ledger", filepath.Join(home, ".", "people.ledger")}, table...)...)
	mustInvoke(t, append([]string{"train", "--epsilon", "0.2", "--steps", "2", "--quiet", "--out", "model"}, table...)...)
	if a := accountOf(t, filepath.Join(home, "people.ledger")); len(a.Releases) != 2 {
		t.Errorf("got %d releases, want two in the schema's ledger", len(a.Releases))
	}
	if text, err := os.ReadFile(filepath.Join("model", "model.json")); err != nil || strings.Contains(string(text), "people.ledger") {
		t.Errorf("the model carries the place of the ledger (%v)", err)
	}
	status, _, stderr = invoke(append([]string{"sweep", "--epsilon", "0.1,0.2", "--test", filepath.Join(home, "people.csv"), "--test-public"}, table...)...)
	if status != exitUsage || !strings.Contains(stderr, "--select is missing") {
		t.Errorf("got %d and %q, want a sweep of private runs refused", status, stderr)
	}
}

// TestLedgerThatWasRestored puts an older copy of a ledger back, and asks for a certificate of the
// newer one.
func TestLedgerThatWasRestored(t *testing.T) {
	newPayingLedger(t, "3")
	copied, err := os.ReadFile("health.ledger")
	if err != nil {
		t.Fatal(err)
	}
	count := []string{"query", "count", "--epsilon", "0.1", "--data", "builtin:randhie", "--ledger", "health.ledger"}
	mustInvoke(t, append(count, "--out", "first")...)
	if err := os.WriteFile("health.ledger", copied, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // shorter than the certificate, then another record in its place
		status, stdout, _ := invoke("verify", "first", "--ledger", "health.ledger")
		if status != exitFailed || !strings.Contains(stdout, "restored from a copy") {
			t.Errorf("got %d and %q, want a ledger that does not extend the certificate", status, stdout)
		}
		mustInvoke(t, count...)
	}
	mustInvoke(t, "ledger", "create", "other.ledger", "--data", "randhie", "--epsilon", "1", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5")
	if status, stdout, _ := invoke("verify", "first", "--ledger", "other.ledger"); status != exitFailed || !strings.Contains(stdout, "the certificate names ledger") {
		t.Errorf("got %d and %q, want another ledger", status, stdout)
	}
}

// TestUncountedRunsSaySo runs without a ledger.
func TestUncountedRunsSaySo(t *testing.T) {
	data, schema := queryFiles(t)
	args := append(append([]string{"query", "count", "--epsilon", "1"}, data...), schema...)
	if _, stderr := mustInvoke(t, args...); !strings.Contains(stderr, "ledger     none") {
		t.Errorf("got %q, want that no ledger counts the answer", stderr)
	}
	if _, stderr := mustInvoke(t, append([]string{"train", "--epsilon", "1", "--steps", "2", "--quiet", "--out", "model"}, append(data, schema...)...)...); strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "ledger     none") {
		t.Errorf("got %q, want that no ledger counts the run, and nothing else", stderr)
	}
	if _, stderr := mustInvoke(t, "evaluate", "model", data[1], "--private", "--epsilon", "1", "--out", "measured"); !strings.Contains(stderr, "nothing adds this evaluation") {
		t.Errorf("got %q, want that no ledger counts the evaluation", stderr)
	}
	mustInvoke(t, append(args, "--out", "answer")...)
	choice := append([]string{"sweep", "--select", "geometric:2", "--learning-rate", "0.5,1", "--steps", "1", "--epsilon", "0.2", "--test", data[1], "--test-public", "--quiet", "--out", "chosen"}, append(data, schema...)...)
	if _, stderr := mustInvoke(t, choice...); strings.Count(stderr, "ledger     none") != 1 {
		t.Errorf("got %q, want that no ledger counts the choice", stderr)
	}
	if _, stderr := mustInvoke(t, append([]string{"train", "--epsilon", "1", "--steps", "2", "--holdout", "private:0.2", "--out", "held"}, append(data, schema...)...)...); strings.Count(stderr, "ledger     none") != 1 {
		t.Errorf("got %q, want that no ledger counts the run", stderr)
	}
	for _, name := range []string{"answer/certificate.json", "model/certificate.json", "model/report.html", "measured/certificate.json", "chosen/certificate.json", "held/certificate.json"} {
		if text := readText(t, filepath.FromSlash(name)); strings.Count(text, " alone: no durable ledger paid for it, and ") != 1 {
			t.Errorf("%s does not say that no ledger paid: %s", name, text)
		}
	}
	if status, _, stderr := invoke(append(args, "--purpose", "x")...); status != exitUsage || !strings.Contains(stderr, "without --ledger") {
		t.Errorf("got %d and %q, want a purpose without a ledger refused", status, stderr)
	}
}

// TestWitnessTellsAndPublishesNothing reads a table, a copy of it, one with more rows and one in
// another order: the operator is told, and nothing about the content is in any other output or
// file.
func TestWitnessTellsAndPublishesNothing(t *testing.T) {
	queryFiles(t)
	mustInvoke(t, "ledger", "create", "people.ledger", "--data", "people", "--epsilon", "5", "--delta", "1e-5", "--row", "one person", "--rows-per-person", "3")
	text := readFile(t, "people.csv")
	rows := strings.SplitAfter(text, "\n")
	slices.Reverse(rows[1 : len(rows)-1])
	writeText(t, "copy.csv", text)
	writeText(t, "turned.csv", strings.Join(rows, ""))
	writeText(t, "more.csv", text+rows[1]+rows[2])
	edit(t, "people.yaml", "age: {numeric: [0, 100]", "age: {numeric: [0, 50]")
	writeText(t, "narrow.yaml", readFile(t, "people.yaml"))
	edit(t, "people.yaml", "age: {numeric: [0, 50]", "age: {numeric: [0, 100]")
	var published strings.Builder
	before := accountOf(t, "people.ledger").Left
	for i, c := range []struct{ table, schema, want string }{
		{"people.csv", "people.yaml", "the first look"}, {"people.csv", "people.yaml", "the same records as at record 1 "}, {"copy.csv", "people.yaml", "the same records"},
		{"turned.csv", "people.yaml", "the same records"}, {"people.csv", "narrow.yaml", "the same records"}, {"more.csv", "people.yaml", "and 2 lines more; the budget counts on"},
		{"turned.csv", "people.yaml", "and others than at record 11"},
	} {
		out := fmt.Sprint("answer", i)
		stdout, stderr := mustInvoke(t, "query", "count", "--data", c.table, "--schema", c.schema, "--epsilon", "0.1", "--ledger", "people.ledger", "--out", out, "--json")
		if !strings.Contains(stderr, "records    "+c.want) && !strings.Contains(stderr, c.want) || strings.Count(stderr, "records    ") != 1 {
			t.Errorf("%s under %s: got %q, want %q", c.table, c.schema, stderr, c.want)
		}
		published.WriteString(stdout)
		if left := accountOf(t, "people.ledger").Left; !(left < before) {
			t.Errorf("%s: %v is left of %v, want that the name pays", c.table, left, before)
		} else {
			before = left
		}
	}
	table := []string{"--data", "people.csv", "--schema", "people.yaml", "--ledger", "people.ledger", "--epsilon", "0.1"}
	stdout, stderr := mustInvoke(t, append([]string{"train", "--steps", "2", "--out", "model"}, table...)...)
	if !strings.Contains(stderr, "records    the same records") {
		t.Errorf("train: got %q, want the line of the operator", stderr)
	}
	published.WriteString(stdout)
	for range 2 { // the table is encoded, and read from the cache
		if _, stderr = mustInvoke(t, append([]string{"train", "--steps", "2", "--stream", "--out", t.TempDir() + "/streamed"}, table...)...); !strings.Contains(stderr, "records    the same records") {
			t.Errorf("train --stream: got %q, want the line of the operator", stderr)
		}
	}
	if _, stderr = mustInvoke(t, "evaluate", "model", "more.csv", "--private", "--epsilon", "0.1", "--ledger", "people.ledger", "--out", "measured"); !strings.Contains(stderr, "2 lines more") {
		t.Errorf("evaluate: got %q, want the line of the operator", stderr)
	}
	stdout, stderr = mustInvoke(t, append([]string{"sweep", "--select", "geometric:2", "--learning-rate", "0.5,1", "--steps", "2", "--out", "chosen", "--test", "people.csv", "--test-public"}, table...)...)
	if strings.Count(stderr, "records    the same records") != 1 {
		t.Errorf("sweep: got %q, want one line of the operator", stderr)
	}
	published.WriteString(stdout)
	if stdout, stderr = mustInvoke(t, append([]string{"train", "--steps", "2", "--quiet", "--out", "silent"}, table...)...); strings.Contains(stdout+stderr, "records    ") {
		t.Errorf("got %q with --quiet, want no line", stderr)
	}
	mustInvoke(t, "ledger", "show", "people.ledger", "--page", "page.html")
	mustInvoke(t, "ledger", "export", "people.ledger", "--out", "export.jsonl")
	for _, args := range [][]string{{"show"}, {"show", "--json"}, {"show", "--csv"}, {"check"}, {"check", "--json"}} {
		stdout, _ = mustInvoke(t, append([]string{"ledger", args[0], "people.ledger"}, args[1:]...)...)
		published.WriteString(stdout)
	}
	private := readFile(t, "people.ledger.witness")
	secrets := regexp.MustCompile(`"(?:sum|key)": "([0-9a-f]{64})"`).FindAllStringSubmatch(private, -1)
	if len(secrets) < 10 {
		t.Fatalf("the private file has %d digests, want those of all runs", len(secrets))
	}
	err := filepath.WalkDir(".", func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && path != "people.ledger.witness" {
			published.WriteString(readFile(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets {
		if strings.Contains(published.String(), s[1]) || strings.Contains(published.String(), s[1][:16]) {
			t.Errorf("digest or key %s is in an output", s[1])
		}
	}
	for _, words := range []string{"lines more", "the same records as", "witness\"", "dither-witness"} {
		if strings.Contains(published.String(), words) {
			t.Errorf("%q is in an output", words)
		}
	}
	if err = os.Remove("people.ledger.witness"); err != nil {
		t.Fatal(err)
	}
	if _, stderr = mustInvoke(t, append([]string{"query", "count"}, table...)...); !strings.Contains(stderr, "records    none: there is no people.ledger.witness") {
		t.Errorf("got %q, want that there is no witness", stderr)
	}
	if _, err = os.Stat("people.ledger.witness"); err == nil {
		t.Error("a run made the file of the witness, want that it stays away once it is removed")
	}
}
