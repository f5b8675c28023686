//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestMergedLedgerKnowsItsRuns merges a ledger that paid for a run which was stopped and went on, and one that counts
// the same folder as the first. The new ledger holds the certificates of both, and each charge of both.
func TestMergedLedgerKnowsItsRuns(t *testing.T) {
	resumeFiles(t)
	newPeopleLedger(t, "other.ledger")
	paid := append(slices.Clone(resumable), "--ledger", "people.ledger")
	stopAt(t, 8, nil, append(slices.Clone(paid), "--checkpoint", "short")...)
	stopAt(t, 20, nil, append(slices.Clone(paid), "--checkpoint", "state")...)
	mustInvoke(t, append(slices.Clone(paid), "--quiet", "--resume", "state", "--out", "model")...)
	table := []string{"query", "count", "--data", "people.csv", "--schema", "people.yaml", "--epsilon", "0.1"}
	mustInvoke(t, append(slices.Clone(table), "--out", "old")...)
	mustInvoke(t, append(slices.Clone(table), "--ledger", "other.ledger", "--out", "answer")...)
	mustInvoke(t, "ledger", "import", "people.ledger", "old")
	mustInvoke(t, "ledger", "import", "other.ledger", "old")
	before := counted(t, "people.ledger")
	mustInvoke(t, "ledger", "merge", "people.ledger", "other.ledger", "--out", "all.ledger")
	all := counted(t, "all.ledger")
	if len(all) != len(before)+2 {
		t.Errorf("the new ledger has %d releases, want %d: what both counted counts twice", len(all), len(before)+2)
	}
	mustInvoke(t, "ledger", "check", "all.ledger", "model", "answer", "old")
	mustInvoke(t, "verify", "model", "--ledger", "all.ledger")
	for _, folder := range []string{"model", "answer", "old"} {
		if status, _, stderr := invoke("ledger", "import", "all.ledger", folder); status != exitUsage || !strings.Contains(stderr, "counted already") {
			t.Errorf("%s: got %d and %q, want it counted already", folder, status, stderr)
		}
	}
	text := readText(t, "model/certificate.json")
	edited := strings.Replace(strings.Replace(text, before[1].Hash, before[0].Hash, 1), fmt.Sprintf(`"sequence": %d`, before[1].Seq), fmt.Sprintf(`"sequence": %d`, before[0].Seq), 1)
	writeText(t, "model/certificate.json", edited)
	if status, stdout, _ := invoke("verify", "model", "--ledger", "all.ledger"); status != exitFailed || !strings.Contains(stdout, "no record of the ledger") && !strings.Contains(stdout, "names ledger") {
		t.Errorf("got %d and %s, want a certificate that no record has", status, stdout)
	}
}

// TestMergersKnowWhatTwoLedgersCount merges a ledger that paid for a run, and may not know its end, with one that
// imported the folder of the run. The certificate agrees with the record that has its hash, in each order.
func TestMergersKnowWhatTwoLedgersCount(t *testing.T) {
	for _, order := range [][]string{{"open.ledger", "other.ledger"}, {"other.ledger", "open.ledger"}, {"other.ledger", "people.ledger"}} {
		openRun(t)
		newPeopleLedger(t, "other.ledger")
		mustInvoke(t, "ledger", "import", "other.ledger", "paid")
		mustInvoke(t, append([]string{"ledger", "merge", "--out", "all.ledger"}, order...)...)
		if out, _ := mustInvoke(t, "verify", "paid", "--ledger", "all.ledger"); !strings.Contains(out, "the ledger counts the certificate") {
			t.Errorf("%v: got %s, want a certificate that the ledger counts", order, out)
		}
		mustInvoke(t, "ledger", "check", "all.ledger", "paid")
		text := readText(t, "paid/certificate.json")
		writeText(t, "paid/certificate.json", strings.Replace(text, `"created": "2`, `"created": "1`, 1))
		if status, stdout, _ := invoke("verify", "paid", "--ledger", "all.ledger"); status != exitFailed {
			t.Errorf("%v: got %d and %s, want a changed certificate refused", order, status, stdout)
		}
	}
}
