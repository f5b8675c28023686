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

// TestResumeWantsTheCheckpointOfItsRecord puts other states in the place of a checkpoint that a ledger paid for. None
// has more steps than were paid. The record of a run signs its own states alone.
func TestResumeWantsTheCheckpointOfItsRecord(t *testing.T) {
	resumeFiles(t)
	paid := append(slices.Clone(resumable), "--ledger", "people.ledger")
	stopAt(t, 20, nil, append(slices.Clone(paid), "--checkpoint", "state")...)
	stopAt(t, 20, nil, append(slices.Clone(paid), "--checkpoint", "second")...)
	stopAt(t, 20, nil, append(slices.Clone(resumable), "--checkpoint", "free")...)
	before := len(counted(t, "people.ledger"))
	for name, forge := range map[string]func(c, own, other *neural.Checkpoint){
		"an uncounted run": func(c, own, _ *neural.Checkpoint) { c.Paid = own.Paid },
		"an uncounted run with a signature": func(c, own, _ *neural.Checkpoint) {
			c.Paid, c.Sign = own.Paid, func([]byte) []byte { return own.Signature }
		},
		"one weight": func(c, own, _ *neural.Checkpoint) {
			*c = *own
			c.Weights = slices.Clone(own.Weights)
			c.Weights[0] = -c.Weights[0]
			c.Sign = func([]byte) []byte { return own.Signature }
		},
		"another record": func(c, own, other *neural.Checkpoint) {
			*c = *own
			c.Paid, c.Sign = other.Paid, func([]byte) []byte { return own.Signature }
		},
		"fewer steps": func(c, own, _ *neural.Checkpoint) {
			*c = *own
			c.Taken, c.Sign = 19, func([]byte) []byte { return own.Signature }
			c.Ahead = 1
		},
	} {
		own, other, free := readState(t, "state"), readState(t, "second"), readState(t, "free")
		forge(free, own, other)
		held, err := free.Write("forged")
		if err != nil {
			t.Fatal(err)
		}
		held.Close()
		status, stdout, stderr := invoke(append(slices.Clone(paid), "--quiet", "--resume", "forged", "--out", "model")...)
		if status != exitUsage || !strings.Contains(stderr, "did not write this checkpoint") || display.Exists("model") {
			t.Errorf("%s: got %d, %q and %q, want the state refused", name, status, stdout, stderr)
		}
	}
	if after := len(counted(t, "people.ledger")); after != before {
		t.Errorf("%d reservations for states that were refused", after-before)
	}
	mustInvoke(t, append(slices.Clone(paid), "--quiet", "--resume", "state", "--out", "model")...)
}

// TestVerifyRefusesRecordsOfStoppedRuns names the record of a run that was stopped, and was given the rest back, in the
// certificate of another run of the same plan.
func TestVerifyRefusesRecordsOfStoppedRuns(t *testing.T) {
	resumeFiles(t)
	paid := append(slices.Clone(resumable), "--ledger", "people.ledger")
	stopAt(t, 8, nil, append(slices.Clone(paid), "--checkpoint", "state")...)
	mustInvoke(t, append(slices.Clone(paid), "--quiet", "--out", "model")...)
	mustInvoke(t, "verify", "model", "--ledger", "people.ledger")
	all := counted(t, "people.ledger")
	text := readText(t, "model/certificate.json")
	text = strings.Replace(strings.Replace(text, all[1].Hash, all[0].Hash, 1), fmt.Sprintf(`"sequence": %d`, all[1].Seq), fmt.Sprintf(`"sequence": %d`, all[0].Seq), 1)
	writeText(t, "model/certificate.json", text)
	for _, args := range [][]string{{"verify", "model", "--ledger", "people.ledger"}, {"ledger", "check", "people.ledger", "model"}} {
		if status, stdout, stderr := invoke(args...); status != exitFailed || !strings.Contains(stdout, "stopped after 9 releases") {
			t.Errorf("%q: got %d, %s and %q, want a run that did not make this model", args, status, stdout, stderr)
		}
	}
}

func readState(t *testing.T, path string) *neural.Checkpoint {
	t.Helper()
	c, err := neural.ReadCheckpoint(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
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

// TestCheckWantsARecordForEachCertificate names the open record of a run in the certificate of another run, which
// nobody paid for. The ledger is that of the moment before the first run ended, which knows no hash of its certificate.
func TestCheckWantsARecordForEachCertificate(t *testing.T) {
	resumeFiles(t)
	meanwhile := &watcher{at: map[string]func(){"step 24 of 40": func() { writeText(t, "open.ledger", readText(t, "people.ledger")) }}}
	if status := run(t.Context(), append(slices.Clone(resumable), "--ledger", "people.ledger", "--out", "paid"), meanwhile, meanwhile); status != exitDone {
		t.Fatalf("got exit status %d and %s", status, meanwhile.text.String())
	}
	mustInvoke(t, append(slices.Clone(resumable), "--quiet", "--out", "free")...)
	own, other := readText(t, "paid/certificate.json"), readText(t, "free/certificate.json")
	record := own[strings.Index(own, ` "ledger": {`):strings.Index(own, ` "assumptions"`)]
	other = strings.Replace(other, ` "assumptions"`, record+` "assumptions"`, 1)
	writeText(t, "free/certificate.json", strings.Replace(other, "no durable ledger paid", "a durable ledger paid", 1))
	mustInvoke(t, "ledger", "check", "open.ledger", "paid", "paid")
	for ledger, want := range map[string]string{"open.ledger": "the run of the record signed the certificate", "people.ledger": "the ledger counts the certificate"} {
		if stdout, _ := mustInvoke(t, "verify", "paid", "--ledger", ledger); !strings.Contains(stdout, want) {
			t.Errorf("%s: got %s, want %q", ledger, stdout, want)
		}
	}
	if status, _, stderr := invoke("ledger", "import", "open.ledger", "free"); status != exitFailed || !strings.Contains(stderr, "a run that did not sign this certificate") {
		t.Errorf("got %d and %q, want it said that the run of the record made another one", status, stderr)
	}
	for _, folders := range [][]string{{"paid", "free"}, {"free", "paid"}, {"."}} {
		if status, stdout, stderr := invoke(append([]string{"ledger", "check", "open.ledger"}, folders...)...); status != exitFailed || !strings.Contains(stdout, "and so does another certificate") {
			t.Errorf("%q: got %d, %s and %q, want one record for two certificates refused", folders, status, stdout, stderr)
		}
	}
}
