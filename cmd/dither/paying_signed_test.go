//go:build unix

package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
)

// TestRunsSignTheirCertificates changes certificates of runs whose end the ledger does not know. The key of each run
// ended with its process, so a certificate that another one wrote names no record.
func TestRunsSignTheirCertificates(t *testing.T) {
	resumeFiles(t)
	meanwhile := &watcher{at: map[string]func(){"step 24 of 40": func() { writeText(t, "open.ledger", readText(t, "people.ledger")) }}}
	if status := run(t.Context(), append(slices.Clone(resumable), "--ledger", "people.ledger", "--out", "paid"), meanwhile, meanwhile); status != exitDone {
		t.Fatalf("got exit status %d and %s", status, meanwhile.text.String())
	}
	if err := os.Chmod("open.ledger", 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := mustInvoke(t, "verify", "paid", "--ledger", "open.ledger"); !strings.Contains(out, "the run of the record signed the certificate") {
		t.Errorf("got %s, want the signature of the run named", out)
	}
	if out, _ := mustInvoke(t, "ledger", "check", "open.ledger", "paid"); !strings.Contains(out, "agrees    yes") {
		t.Errorf("got %s, want a ledger that agrees", out)
	}
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
			if status, stdout, stderr := invoke(args...); status != exitFailed || !strings.Contains(stdout, "a run that did not sign this certificate") {
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
