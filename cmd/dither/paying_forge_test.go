//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/train/neural"
)

// TestResumePaysForKeptSteps joins the steps of a run that no ledger counts to the record of another run of the
// same plan, which was stopped before. The ledger paid for fewer releases than the weights rest on.
func TestResumePaysForKeptSteps(t *testing.T) {
	resumeFiles(t)
	paid := append(slices.Clone(resumable), "--ledger", "people.ledger")
	stopAt(t, 8, nil, append(slices.Clone(paid), "--checkpoint", "state")...)
	stopAt(t, 36, nil, append(slices.Clone(resumable), "--checkpoint", "free")...)
	first, err := neural.ReadCheckpoint("state")
	if err != nil {
		t.Fatal(err)
	}
	forged, err := neural.ReadCheckpoint("free")
	if err != nil {
		t.Fatal(err)
	}
	forged.Paid = first.Paid
	held, err := forged.Write("free")
	if err != nil {
		t.Fatal(err)
	}
	held.Close()
	status, stdout, stderr := invoke(append(paid, "--quiet", "--resume", "free", "--out", "forged")...)
	if status != exitUsage || !strings.Contains(stderr, "pays for 9 releases, and the checkpoint is after 37") || display.Exists("forged") {
		t.Errorf("got %d, %q and %q, want steps that nothing counts refused", status, stdout, stderr)
	}
}

// TestVerifyWantsTheRecordsOfEarlierRuns names the record of a shorter run in a certificate. The ledger is that of
// the moment before the run ended, which knows no hash of the certificate.
func TestVerifyWantsTheRecordsOfEarlierRuns(t *testing.T) {
	resumeFiles(t)
	paid := append(slices.Clone(resumable), "--ledger", "people.ledger")
	stopAt(t, 8, nil, append(slices.Clone(paid), "--checkpoint", "short")...)
	stopAt(t, 20, nil, append(slices.Clone(paid), "--checkpoint", "state")...)
	meanwhile := &watcher{at: map[string]func(){"step 24 of 40": func() { writeText(t, "open.ledger", readText(t, "people.ledger")) }}}
	if status := run(t.Context(), append(paid, "--resume", "state", "--out", "model"), meanwhile, meanwhile); status != exitDone {
		t.Fatalf("got exit status %d and %s", status, meanwhile.text.String())
	}
	mustInvoke(t, "verify", "model", "--ledger", "open.ledger")
	all := counted(t, "people.ledger")
	text := readText(t, "model/certificate.json")
	edited := strings.Replace(strings.Replace(text, all[1].Hash, all[0].Hash, 1), fmt.Sprintf(`"sequence": %d`, all[1].Seq), fmt.Sprintf(`"sequence": %d`, all[0].Seq), 1)
	writeText(t, "model/certificate.json", edited)
	status, stdout, stderr := invoke("verify", "model", "--ledger", "open.ledger")
	if status != exitFailed || strings.Count(stdout, "pays for 9 releases, and the checkpoint is after 21 of them") != 1 {
		t.Errorf("got %d, %s and %q, want one difference, about a record that paid for less", status, stdout, stderr)
	}
}
