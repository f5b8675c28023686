//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
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
		{"model", []string{"train", "--epsilon", "0.5", "--steps", "3", "--quiet", "--out", "model"}},
		{"held", []string{"train", "--epsilon", "0.5", "--steps", "3", "--quiet", "--holdout", "private:0.2", "--out", "held"}},
		{"network", []string{"train", "--epsilon", "0.5", "--steps", "3", "--quiet", "--model", "mlp", "--hidden", "4", "--out", "network"}},
		{"minimum", []string{"train", "--epsilon", "0.5", "--quiet", "--method", "output-perturbation", "--out", "minimum"}},
		{"chosen", []string{"sweep", "--select", "geometric:2", "--learning-rate", "0.5,1", "--steps", "3", "--epsilon", "0.5", "--quiet", "--out", "chosen"}},
	}
	for i, run := range runs {
		before := accountOf(t, "health.ledger")
		_, stderr := mustInvoke(t, append(run.args, data...)...)
		if quiet := strings.Contains(strings.Join(run.args, " "), "train"); strings.Contains(stderr, "one more release may cost epsilon") == quiet {
			t.Errorf("%s: got %q, want what is left unless it is to be quiet", run.folder, stderr)
		}
		mustInvoke(t, "verify", run.folder, "--ledger", "health.ledger")
		text, err := os.ReadFile(filepath.Join(run.folder, certificate.FileName))
		if err != nil {
			t.Fatal(err)
		}
		a := accountOf(t, "health.ledger")
		last := a.Releases[len(a.Releases)-1]
		if len(a.Releases) != i+1 || !(a.Left < before.Left) || last.Outcome != "released" || last.Certificate != certificate.Hash(text) {
			t.Errorf("%s: got %d releases, %v left of %v, the last %+v; want %d, less, and the hash of the certificate", run.folder, len(a.Releases), a.Left, before.Left, last, i+1)
		}
	}
	mustInvoke(t, "evaluate", "model", "builtin:randhie", "--private", "--epsilon", "0.1", "--ledger", "health.ledger", "--out", "measured")
	mustInvoke(t, "ledger", "check", "health.ledger", "answer", "model", "held", "network", "minimum", "chosen", "measured")
	if a := accountOf(t, "health.ledger"); a.Releases[0].Purpose != "how many" || len(a.Releases) != 7 {
		t.Errorf("got %d releases, the first for %q, want 7 and the stated purpose", len(a.Releases), a.Releases[0].Purpose)
	}
}

// TestLedgerKeepsChoicesWithoutModel makes choices of a Poisson number of runs, mean 1, until one has no run: it has no
// certificate, and stays spent. All of 31 choices have runs with probability 7e-7.
func TestLedgerKeepsChoicesWithoutModel(t *testing.T) {
	newPayingLedger(t, "20")
	for range 31 {
		before := accountOf(t, "health.ledger")
		status, _, stderr := invoke("sweep", "--select", "poisson:1", "--learning-rate", "0.5,1", "--steps", "1", "--epsilon", "0.05", "--quiet", "--data", "builtin:randhie", "--ledger", "health.ledger")
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
		{"too dear an answer", "by itself fits; nothing was read or spent", exitRefused, []string{"query", "count", "--epsilon", "4"}},
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

// TestLedgerOfSchema spends from the ledger that a schema names, from another folder.
func TestLedgerOfSchema(t *testing.T) {
	queryFiles(t)
	mustInvoke(t, "ledger", "create", "people.ledger", "--data", "people", "--epsilon", "1", "--delta", "1e-5", "--row", "one person", "--rows-per-person", "3")
	writeText(t, "people.yaml", binaryText+"ledger: people.ledger\n")
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	table := []string{"--data", filepath.Join(home, "people.csv"), "--schema", filepath.Join(home, "people.yaml")}
	mustInvoke(t, append([]string{"train", "--epsilon", "0.2", "--steps", "2", "--quiet", "--out", "model"}, table...)...)
	if a := accountOf(t, filepath.Join(home, "people.ledger")); len(a.Releases) != 1 {
		t.Errorf("got %d releases, want the one of the schema's ledger", len(a.Releases))
	}
	if text, err := os.ReadFile(filepath.Join("model", "model.json")); err != nil || strings.Contains(string(text), "people.ledger") {
		t.Errorf("the model carries the place of the ledger (%v)", err)
	}
	status, _, stderr := invoke(append([]string{"sweep", "--epsilon", "0.1,0.2", "--test", filepath.Join(home, "people.csv"), "--test-public"}, table...)...)
	if status != exitUsage || !strings.Contains(stderr, "--select is missing") {
		t.Errorf("got %d and %q, want a sweep of private runs refused", status, stderr)
	}
}

// TestLedgerThatWasRestored puts an older copy of a ledger back, and asks for a certificate of the newer one.
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
	mustInvoke(t, append([]string{"train", "--epsilon", "1", "--steps", "2", "--quiet", "--out", "model"}, append(data, schema...)...)...)
	if _, stderr := mustInvoke(t, "evaluate", "model", data[1], "--private", "--epsilon", "1"); !strings.Contains(stderr, "nothing adds this evaluation") {
		t.Errorf("got %q, want that no ledger counts the evaluation", stderr)
	}
	if status, _, stderr := invoke(append(args, "--purpose", "x")...); status != exitUsage || !strings.Contains(stderr, "without --ledger") {
		t.Errorf("got %d and %q, want a purpose without a ledger refused", status, stderr)
	}
}
