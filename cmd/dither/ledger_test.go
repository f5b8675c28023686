//go:build unix

package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/draft"
)

// ledgerUnit is the unit of answers about the built-in table.
const ledgerUnit = "one person-year row"

// newLedgerFile makes a ledger for answers about the built-in table, and a folder with an answer.
func newLedgerFile(t *testing.T) (ledger, answer string) {
	t.Helper()
	t.Chdir(t.TempDir())
	mustInvoke(t, "ledger", "create", "health.ledger", "--data", "health", "--epsilon", "2", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5", "--who", "anna")
	mustInvoke(t, "query", "count", "--data", "builtin:randhie", "--epsilon", "0.5", "--out", "answer")
	return "health.ledger", "answer"
}

// TestLedgerFamily takes a ledger through its commands.
func TestLedgerFamily(t *testing.T) {
	ledger, answer := newLedgerFile(t)
	if info, err := os.Stat(ledger); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v (%v), want a file for its owner alone", info.Mode(), err)
	}
	before := priceOf(t, ledger, answer)
	if !before.Fits || !(before.Epsilon > 0.499 && before.Epsilon <= 0.5) || !(before.LeftAfter < before.Left) || before.LeftAfter <= 0 {
		t.Errorf("got the price %+v, want epsilon 0.5 that fits and leaves less", before)
	}
	if status, stdout, stderr := invoke("ledger", "check", ledger, answer); status != exitFailed || !strings.Contains(stdout, "no record of the ledger names this certificate") || !strings.Contains(stderr, "dither ledger import") {
		t.Errorf("got %d, %q and %q, want a certificate that the ledger does not know", status, stdout, stderr)
	}
	if counted, _ := mustInvoke(t, "ledger", "import", ledger, answer, "--who", "bert"); !strings.Contains(counted, "counted   answer: epsilon 0.5 at delta 1e-06 alone") {
		t.Errorf("got %q, want the answer counted", counted)
	}
	if again, stdout, stderr := invoke("ledger", "import", ledger, answer); again != exitUsage || stdout != "" || !strings.Contains(stderr, "counted already") {
		t.Errorf("got %d, %q and %q, want a second import refused", again, stdout, stderr)
	}
	if text, _ := mustInvoke(t, "ledger", "check", ledger, answer); !strings.Contains(text, "agrees    yes") {
		t.Errorf("got %q, want agreement", text)
	}
	a := accountOf(t, ledger)
	if a.Spent != before.After || a.Left != before.LeftAfter || a.Delta != 1e-5 || len(a.Releases) != 1 || a.Releases[0].Person != "bert" || a.Releases[0].Purpose != "query" || a.Releases[0].Epsilon != before.Epsilon {
		t.Errorf("got %+v, want the answer by bert, and %v spent and %v left as priced", a, before.After, before.LeftAfter)
	}
	text, _ := mustInvoke(t, "ledger", "show", ledger)
	for _, want := range []string{"by anna", "rdp at order", "releases\n", "bert", "0.5 at 1e-06", "imported", a.Releases[0].Certificate[:8], a.Releases[0].Time[:10]} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant %q in it", text, want)
		}
	}
	checkHarmless(t, text)
	table, _ := mustInvoke(t, "ledger", "show", ledger, "--csv")
	if rows, err := csv.NewReader(strings.NewReader(table)).ReadAll(); err != nil || len(rows) != 2 || rows[1][3] != "bert" {
		t.Errorf("got %q (%v), want a header and a release", table, err)
	}
	mustInvoke(t, "ledger", "show", ledger, "--page", "page.html")
	if page, err := os.ReadFile("page.html"); err != nil || !strings.Contains(string(page), "Privacy budget of health") || !strings.Contains(string(page), "by 1 release, which proves epsilon") {
		t.Errorf("got a page of %d bytes (%v), want one with the release", len(page), err)
	}
	lines, _ := mustInvoke(t, "ledger", "export", ledger)
	mustInvoke(t, "ledger", "export", ledger, "--out", "archive.jsonl")
	if archive, err := os.ReadFile("archive.jsonl"); err != nil || string(archive) != lines || strings.Count(lines, "\n") != a.Records || strings.Contains(lines, "witness-key") {
		t.Errorf("got %d lines and a file of %d bytes (%v), want %d records in both", strings.Count(lines, "\n"), len(archive), err, a.Records)
	}
}

// ledgerPrice and ledgerAccount are what the commands print as JSON.
type ledgerPrice struct {
	Fits      bool    `json:"fits"`
	Epsilon   float64 `json:"epsilon"`
	After     float64 `json:"epsilon-spent-after"`
	Left      float64 `json:"epsilon-left"`
	LeftAfter float64 `json:"epsilon-left-after"`
}

type ledgerAccount struct {
	Spent    float64 `json:"epsilon-spent"`
	Left     float64 `json:"epsilon-left"`
	Delta    float64 `json:"delta"`
	Share    float64 `json:"share-spent"`
	Records  int     `json:"records"`
	Releases []struct {
		Time, Purpose, Person, Certificate, Outcome string
		Epsilon                                     float64
	} `json:"releases"`
}

func priceOf(t *testing.T, ledger, subject string) (p ledgerPrice) {
	t.Helper()
	text, _ := mustInvoke(t, "ledger", "price", ledger, subject, "--json")
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func accountOf(t *testing.T, ledger string) (a ledgerAccount) {
	t.Helper()
	text, _ := mustInvoke(t, "ledger", "show", ledger, "--json")
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestLedgerPriceRefuses: a plan beyond the budget has its exit status, and what would fit.
func TestLedgerPriceRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	mustInvoke(t, "ledger", "create", "l", "--data", "d", "--epsilon", "1", "--delta", "1e-5", "--row", "one person")
	status, stdout, stderr := invoke("ledger", "price", "l", "repeat(100, gaussian(2))")
	if status != exitRefused || !strings.Contains(stdout, "fits      no: with") || !strings.Contains(stderr, "over budget") || !strings.Contains(stderr, "times the noise") {
		t.Errorf("got %d, %q and %q, want a refusal with what would fit", status, stdout, stderr)
	}
	plan, _ := mustInvoke(t, "train", "--data", "builtin:randhie", "--dry-run", "--json")
	writeText(t, "plan.json", plan)
	if status, _, stderr = invoke("ledger", "price", "l", "plan.json"); status != exitUsage || !strings.Contains(stderr, ledgerUnit) || !strings.Contains(stderr, "one person") {
		t.Errorf("got %d and %q, want a plan about another unit refused", status, stderr)
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal([]byte(plan), &parts); err != nil || parts["plan"] == nil {
		t.Fatalf("the output of the dry run (%v) has no plan", err)
	}
	writeText(t, "bare.json", string(parts["plan"]))
	if status, _, stderr = invoke("ledger", "price", "l", "bare.json"); status != exitUsage || !strings.Contains(stderr, ledgerUnit) {
		t.Errorf("got %d and %q, want a plan about another unit refused", status, stderr)
	}
	mustInvoke(t, "ledger", "create", "m", "--data", "d", "--epsilon", "5", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5")
	if p := priceOf(t, "m", "plan.json"); !p.Fits || !(p.Epsilon > 0.9 && p.Epsilon <= 1) {
		t.Errorf("got %+v, want the plan of epsilon 1 that fits", p)
	}
	if a := accountOf(t, "m"); a.Records != 1 || a.Spent != 0 {
		t.Errorf("got %+v, want nothing reserved by a price", a)
	}
}

// TestLedgerCheckFindsFaults: an edited folder, and a certificate that says something else than its record.
func TestLedgerCheckFindsFaults(t *testing.T) {
	ledger, answer := newLedgerFile(t)
	mustInvoke(t, "ledger", "import", ledger, answer)
	edit(t, filepath.Join(answer, answerName), "{", "{ ")
	if status, stdout, stderr := invoke("ledger", "check", ledger, answer); status != exitFailed || !strings.Contains(stdout, "fault     answer: answer.json is not spelled") || !strings.Contains(stderr, "disagree") {
		t.Errorf("got %d, %q and %q, want an edited answer found", status, stdout, stderr)
	}
	mustInvoke(t, "ledger", "create", "other.ledger", "--data", "health", "--epsilon", "2", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5")
	if status, stdout, stderr := invoke("ledger", "import", "other.ledger", answer); status != exitFailed || stdout != "" || !strings.Contains(stderr, "not verified") {
		t.Errorf("got %d, %q and %q, want an edited answer refused", status, stdout, stderr)
	}
}

// TestLedgerRepairAndMerge: what is damaged forfeits the rest, and caps add up.
func TestLedgerRepairAndMerge(t *testing.T) {
	ledger, answer := newLedgerFile(t)
	mustInvoke(t, "ledger", "create", "second.ledger", "--data", "health", "--epsilon", "3", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5", "--order", "9")
	if status, _, stderr := invoke("ledger", "merge", ledger, "second.ledger", "--out", "all.ledger"); status != exitUsage || !strings.Contains(stderr, "differ in their terms") {
		t.Errorf("got %d and %q, want ledgers of other orders refused", status, stderr)
	}
	order := strings.Fields(strings.SplitN(firstOutput(mustInvoke(t, "ledger", "show", ledger)), "at order ", 2)[1])[0]
	mustInvoke(t, "ledger", "create", "third.ledger", "--data", "health", "--epsilon", "3", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5", "--order", order)
	mustInvoke(t, "ledger", "import", ledger, answer)
	merged, _ := mustInvoke(t, "ledger", "merge", ledger, "third.ledger", "--out", "all.ledger")
	if !strings.Contains(merged, "cap       epsilon 5 at delta 2e-05: the caps add up") {
		t.Errorf("got %q, want caps that add up", merged)
	}
	if a := accountOf(t, "all.ledger"); len(a.Releases) != 1 || !(a.Left > 2) {
		t.Errorf("got %+v, want the release of the first ledger and most of the caps", a)
	}
	text, err := os.ReadFile("all.ledger")
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, "all.ledger", strings.Replace(string(text), `"import"`, `"imPort"`, 1))
	if status, _, stderr := invoke("ledger", "show", "all.ledger"); status != exitFailed || !strings.Contains(stderr, "dither ledger repair") {
		t.Errorf("got %d and %q, want damage with the remedy", status, stderr)
	}
	if repaired, _ := mustInvoke(t, "ledger", "repair", "all.ledger"); !strings.Contains(repaired, "forfeit") || !strings.Contains(repaired, "all.ledger.damaged-1") {
		t.Errorf("got %q, want all that is left forfeited and the damaged file kept", repaired)
	}
	if a := accountOf(t, "all.ledger"); a.Left != 0 {
		t.Errorf("%v is left after a repair, want nothing", a.Left)
	}
	if status, _, stderr := invoke("ledger", "price", "all.ledger", "gaussian(100)"); status != exitRefused || !strings.Contains(stderr, "nothing is left") {
		t.Errorf("got %d and %q, want everything refused", status, stderr)
	}
}

// TestLedgerKnowsItsOwn: a run that the ledger paid for is imported neither there nor into an older copy.
func TestLedgerKnowsItsOwn(t *testing.T) {
	t.Chdir(t.TempDir())
	mustInvoke(t, "ledger", "create", "l", "--data", "randhie", "--epsilon", "3", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5")
	text, err := os.ReadFile("l")
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, "copy", string(text))
	mustInvoke(t, "query", "count", "--data", "builtin:randhie", "--epsilon", "0.2", "--ledger", "l", "--out", "answer")
	for ledger, want := range map[string]string{"l": "counted already, by record 1", "copy": "record 1 was seen before"} {
		if status, stdout, stderr := invoke("ledger", "import", ledger, "answer"); status != exitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: got %d, %q and %q, want %q", ledger, status, stdout, stderr, want)
		}
	}
	mustInvoke(t, "ledger", "check", "l", "answer")
	if status, stdout, _ := invoke("ledger", "check", "copy", "answer"); status != exitFailed || !strings.Contains(stdout, "restored from a copy") {
		t.Errorf("got %d and %q, want an older copy found", status, stdout)
	}
	mustInvoke(t, "ledger", "create", "other", "--data", "randhie", "--epsilon", "3", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5")
	mustInvoke(t, "ledger", "import", "other", "answer")
}

// TestLedgerKnowsWhatItPaidFor: a certificate that names the record of another run is not called counted.
func TestLedgerKnowsWhatItPaidFor(t *testing.T) {
	newPayingLedger(t, "3")
	mustInvoke(t, "query", "count", "--data", "builtin:randhie", "--epsilon", "0.1", "--ledger", "health.ledger", "--out", "answer")
	mustInvoke(t, "query", "count", "--data", "builtin:randhie", "--epsilon", "0.5", "--out", "dear")
	_, paid, err := artefact.ReadCertificate("answer")
	if err != nil {
		t.Fatal(err)
	}
	_, dear, err := artefact.ReadCertificate("dear")
	if err != nil {
		t.Fatal(err)
	}
	dear.Recorded, dear.Assumptions = paid.Recorded, draft.Counted(dear.Assumptions, paid.Recorded)
	text, err := dear.Encode()
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, "dear/certificate.json", string(text))
	mustInvoke(t, "verify", "dear") // by itself: no file of the folder shows what paid
	if status, stdout, stderr := invoke("ledger", "import", "health.ledger", "dear"); status != exitFailed || stdout != "" || !strings.Contains(stderr, "record 1 of this ledger, which does not pay for it") {
		t.Errorf("got %d, %q and %q, want a record that pays for another run", status, stdout, stderr)
	}
}

// TestLedgerForfeits: what an intact ledger has left is given up where a reason is given.
func TestLedgerForfeits(t *testing.T) {
	ledger, _ := newLedgerFile(t)
	if text, _ := mustInvoke(t, "ledger", "repair", ledger, "--forfeit", "restored from a copy", "--who", "carl"); !strings.Contains(text, "restored from a copy") {
		t.Errorf("got %q, want the reason", text)
	}
	if a := accountOf(t, ledger); a.Left != 0 || a.Records != 2 {
		t.Errorf("got %+v, want nothing left and one record more", a)
	}
	if text, _ := mustInvoke(t, "ledger", "check", ledger); !strings.Contains(text, "all that was left is forfeited") {
		t.Errorf("got %q, want it noted", text)
	}
}

func firstOutput(stdout, _ string) string { return stdout }

// TestLedgerRefuses tries wrong input of each command. Nothing is printed or left.
func TestLedgerRefuses(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	mustInvoke(t, "ledger", "create", at("good"), "--data", "d", "--epsilon", "1", "--delta", "1e-5", "--row", "one person")
	text, err := os.ReadFile(at("good"))
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, at("open"), string(text))
	writeText(t, at("newer"), strings.ReplaceAll(string(text), "dither chain\x01", "dither chain\x02"))
	writeText(t, at("text"), strings.Repeat("no ledger\n", 2000))
	if err = os.Chmod(at("open"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err = syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := chain.Create(t.Context(), at("foreign"), []byte(`{"version":1}`))
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
	create := func(more ...string) []string {
		return append([]string{"ledger", "create", "new", "--data", "d", "--epsilon", "1", "--delta", "1e-5", "--row", "one person"}, more...)
	}
	checkWrong(t, folder, []wrong{
		{"no such file", []string{"ledger", "show", "none"}, exitUsage, "dither ledger create none"},
		{"a folder", []string{"ledger", "show", "."}, exitUsage, "want a file"},
		{"a pipe", []string{"ledger", "check", "pipe"}, exitUsage, "want a file"},
		{"another format", []string{"ledger", "show", "text"}, exitUsage, "no ledger of dither"},
		{"another program's records", []string{"ledger", "show", "foreign"}, exitUsage, "record 0"},
		{"a newer version", []string{"ledger", "show", "newer"}, exitUsage, "newer"},
		{"a file that others can write", []string{"ledger", "price", "open", "gaussian(1)"}, exitUsage, "chmod go-w"},
		{"no file", []string{"ledger", "show"}, exitUsage, "FILE"},
		{"no subject", []string{"ledger", "price", "good"}, exitUsage, "MODEL-FOLDER"},
		{"two formats", []string{"ledger", "show", "good", "--csv", "--json"}, exitUsage, "one of them"},
		{"replace without a page", []string{"ledger", "show", "good", "--replace"}, exitUsage, "--page"},
		{"a page that exists", []string{"ledger", "show", "good", "--page", "text"}, exitUsage, "text"},
		{"an export that exists", []string{"ledger", "export", "good", "--out", "text"}, exitUsage, "text"},
		{"an unknown population", []string{"ledger", "price", "good", "gaussian(1)", "--population", "west"}, exitUsage, "west"},
		{"no folder of a model", []string{"ledger", "import", "good", "."}, exitUsage, "certificate.json"},
		{"no folder to check", []string{"ledger", "check", "good", "none"}, exitUsage, "none"},
		{"a ledger that exists", []string{"ledger", "create", "good", "--data", "d", "--epsilon", "1", "--delta", "1e-5", "--row", "one person"}, exitUsage, "exists"},
		{"no epsilon", []string{"ledger", "create", "new", "--data", "d", "--delta", "1e-5", "--row", "one person"}, exitUsage, "epsilon"},
		{"no name", []string{"ledger", "create", "new", "--epsilon", "1", "--delta", "1e-5", "--row", "one person"}, exitUsage, "missing or 0: --data"},
		{"a wrong filter", create("--filter", "renyi"), exitUsage, "rdp"},
		{"a population without words", create("--population", "north"), exitUsage, "northern clinics"},
		{"a password on the command line", []string{"ledger", "show", "postgres://anna:" + secret + "@localhost/x"}, exitUsage, "PGPASSWORD"},
		{"an intact ledger to repair", []string{"ledger", "repair", "good"}, exitUsage, "intact"},
		{"a server to repair", []string{"ledger", "repair", "postgres://localhost/x"}, exitUsage, "server"},
		{"one ledger to merge", []string{"ledger", "merge", "good", "--out", "new"}, exitUsage, "arguments"},
		{"a ledger with itself", []string{"ledger", "merge", "good", "good", "--out", "new"}, exitUsage, "copies of one"},
		{"a merger into nothing", []string{"ledger", "merge", "good", "good"}, exitUsage, "--out"},
		{"a merger into what exists", []string{"ledger", "merge", "good", "good", "--out", "text"}, exitUsage, "exists"},
	})
}
