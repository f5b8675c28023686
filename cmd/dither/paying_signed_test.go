//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// openRun trains the model paid under people.ledger. open.ledger is a copy that does not know the end of the run.
func openRun(t *testing.T) {
	t.Helper()
	resumeFiles(t)
	meanwhile := &watcher{at: map[string]func(){"step 24 of 40": func() { writeText(t, "open.ledger", readText(t, "people.ledger")) }}}
	if status := run(t.Context(), append(slices.Clone(resumable), "--ledger", "people.ledger", "--out", "paid"), meanwhile, meanwhile); status != exitDone {
		t.Fatalf("got exit status %d and %s", status, meanwhile.text.String())
	}
	if err := os.Chmod("open.ledger", 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRecordsWithoutKeyProveNoRun gives a certificate the record of an older program, and a made-up signature. Nobody
// can check this signature, and nothing says that it was checked.
func TestRecordsWithoutKeyProveNoRun(t *testing.T) {
	openRun(t)
	newPeopleLedger(t, "old.ledger")
	c, err := certificate.Read("paid/certificate.json")
	if err != nil {
		t.Fatal(err)
	}
	event, err := mechanism.ParseEvent(c.Event)
	if err != nil {
		t.Fatal(err)
	}
	b, err := budget.OpenFile(t.Context(), "old.ledger")
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Reserve(t.Context(), budget.Ask{Data: "people", Event: event, Draws: c.NoiseDraws, Delta: c.Delta, Neighboring: c.Neighboring,
		Unit: privacy.Unit{Row: c.Unit, RowsPerPerson: c.GroupRows}, Purpose: "model", Person: "anna", Run: "old",
		Own: budget.Guarantee{Epsilon: float64(c.Epsilon), Delta: c.Delta, Accountant: c.Accountant}})
	if err != nil {
		t.Fatal(err)
	}
	seq, head := r.Place()
	c.Recorded = &certificate.LedgerRecord{Ledger: b.Ledger(), Sequence: seq, Head: head, Signature: strings.Repeat("0", 128)}
	c.ReportSHA256 = "" // the page names another ledger
	text, err := c.Encode()
	if err = errors.Join(err, b.Close(), os.Remove("paid/report.html")); err != nil {
		t.Fatal(err)
	}
	writeText(t, "paid/certificate.json", string(text))
	if out, _ := mustInvoke(t, "verify", "paid", "--ledger", "old.ledger"); !strings.Contains(out, "nothing shows that it wrote this certificate") {
		t.Errorf("got %s, want it said that nothing shows the run", out)
	}
	if status, _, stderr := invoke("ledger", "import", "old.ledger", "paid"); status != exitUsage || !strings.Contains(stderr, "did not say which certificate it wrote") {
		t.Errorf("got %d and %q, want it said that nothing shows the run", status, stderr)
	}
}

// TestRunsSignTheirCertificates changes certificates of runs whose end the ledger does not know. The key of each run
// ended with its process, so a certificate that another one wrote names no record.
func TestRunsSignTheirCertificates(t *testing.T) {
	openRun(t)
	if out, _ := mustInvoke(t, "verify", "paid", "--ledger", "open.ledger"); !strings.Contains(out, "the run of the record signed the certificate") {
		t.Errorf("got %s, want the signature of the run named", out)
	}
	if out, _ := mustInvoke(t, "ledger", "check", "open.ledger", "paid"); !strings.Contains(out, "agrees    yes") {
		t.Errorf("got %s, want a ledger that agrees", out)
	}
	newPeopleLedger(t, "second.ledger")
	newPeopleLedger(t, "third.ledger")
	mustInvoke(t, "ledger", "merge", "open.ledger", "second.ledger", "--out", "all.ledger")
	if status, _, stderr := invoke("ledger", "import", "all.ledger", "paid"); status != exitUsage || !strings.Contains(stderr, "counted already, by record") {
		t.Errorf("got %d and %q, want a run that the merger took", status, stderr)
	}
	mustInvoke(t, "ledger", "import", "third.ledger", "paid")
	whole := readText(t, "paid/certificate.json")
	text := func(c certificate.Certificate) string {
		out, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for name, forge := range map[string]func(c *certificate.Certificate) string{
		"the time":     func(c *certificate.Certificate) string { c.Created = "2001-01-01T00:00:00Z"; return text(*c) },
		"no signature": func(c *certificate.Certificate) string { c.Recorded.Signature = ""; return text(*c) },
		"one digit of the signature": func(c *certificate.Certificate) string {
			digits := []byte(c.Recorded.Signature)
			digits[0] ^= 1
			c.Recorded.Signature = string(digits)
			return text(*c)
		},
		"a signature of zeros": func(c *certificate.Certificate) string {
			c.Recorded.Signature = strings.Repeat("0", 128)
			return text(*c)
		},
	} {
		var c certificate.Certificate
		if err := json.Unmarshal([]byte(whole), &c); err != nil {
			t.Fatal(err)
		}
		writeText(t, "paid/certificate.json", forge(&c))
		for _, args := range [][]string{{"verify", "paid", "--ledger", "open.ledger"}, {"ledger", "check", "open.ledger", "paid"}} {
			if status, stdout, stderr := invoke(args...); status != exitFailed || !strings.Contains(stdout, "a run that did not sign this certificate") || strings.Contains(stdout, "the run of the record signed") {
				t.Errorf("%s, %q: got %d, %s and %q, want a certificate that its run did not sign", name, args, status, stdout, stderr)
			}
		}
	}
	for name, signature := range map[string]string{"letters": strings.Repeat("g", 128), "few digits": "00"} {
		var c certificate.Certificate
		if err := json.Unmarshal([]byte(whole), &c); err != nil {
			t.Fatal(err)
		}
		c.Recorded.Signature = signature
		writeText(t, "paid/certificate.json", text(c))
		if status, stdout, stderr := invoke("verify", "paid"); status != exitFailed || !strings.Contains(stdout, "want 128 hexadecimal digits") {
			t.Errorf("%s: got %d, %s and %q, want no such signature", name, status, stdout, stderr)
		}
	}
}
