package budget

import (
	"crypto/ed25519"
	"errors"
	"fmt"

	"github.com/ditherml/dither/mechanism"
)

// EarlierRun is a run that ended before its end, as the checkpoint says from which another one goes on.
//
// A run pays for its own releases only, so nothing that is said here makes a charge smaller than what
// was released:
//
//  1. Each release is drawn by one process, and that process reserved it before.
//  2. A reservation becomes smaller only when the process that made it counts what it began, and ends.
//  3. The process that goes on reserves all releases that it will draw. Two of them reserve twice.
//
// What was reserved by a process that was killed stays spent, since its checkpoint may be a copy and
// proves no number of releases.
type EarlierRun struct {
	// Record is the reservation of the run. Where is the name of its ledger, "" for none.
	Record Anchor
	// Event is what the run reserved.
	Event mechanism.Event
	// Releases is the largest number of releases that the run may have begun, as the checkpoint has it. The
	// state of the checkpoint rests on Kept of them.
	Kept, Releases int
	// Digest is the SHA-256 of the checkpoint that the run wrote, and Signature what Payment.Sign returned
	// for it. Only the last run needs them: its process read the checkpoints of the runs before.
	Digest, Signature []byte
}

// ErrElsewhere is the error of Continues for runs that another ledger counts, or none.
var ErrElsewhere = errors.New("budget: the ledger did not pay for the run before")

// Continues returns nil if the ledger counts these runs, each with the releases that its state rests on. It
// wraps ErrElsewhere where another ledger counts them, or where the last record holds no key of its run, as
// earlier programs wrote it. A checkpoint that is older than the end of its run is refused, and so is one that
// the last run did not sign.
func (b *Book) Continues(runs []EarlierRun, population string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range runs {
		if r.Record.Where != b.state.create.Ledger {
			return ErrElsewhere
		}
	}
	if err := b.state.counts(runs, population); err != nil {
		return err
	}
	for _, r := range runs {
		if begun, ended := b.state.at[r.Record.Seq].began(); ended && begun > r.Releases {
			return fmt.Errorf("budget: the run of record %d began %d releases, and the checkpoint knows of %d, want the newest checkpoint of the run and not a copy", r.Record.Seq, begun, r.Releases)
		}
	}
	if len(runs) == 0 {
		return nil
	}
	return b.state.signed(runs[len(runs)-1])
}

// signed refuses a checkpoint that the process of its record did not sign.
func (s *state) signed(r EarlierRun) error {
	key := runKey(s.at[r.Record.Seq].Run)
	if key == nil {
		return ErrElsewhere
	}
	if !ed25519.Verify(key, signedText(r.Digest), r.Signature) {
		return fmt.Errorf("budget: the run of record %d did not write this checkpoint, or it was changed since, want the file as that run left it; else train anew", r.Record.Seq)
	}
	return nil
}

// Counts returns nil if the ledger counts these runs, each with the releases that its state rests on.
func (b *Book) Counts(runs []EarlierRun, population string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.counts(runs, population)
}

func (s *state) counts(runs []EarlierRun, population string) error {
	last := uint64(0) // the record of the terms
	for _, r := range runs {
		if err := s.extends(r.Record.Seq, r.Record.Hash); err != nil {
			return err
		}
		if r.Record.Seq <= last {
			return fmt.Errorf("budget: record %d is named after record %d, want each run with a record of its own, oldest first", r.Record.Seq, last)
		}
		last = r.Record.Seq
		if err := s.pays(r, population); err != nil {
			return err
		}
	}
	return nil
}

// pays refuses a record of another run, and one that paid for fewer releases than the state rests on.
func (s *state) pays(r EarlierRun, population string) error {
	h, known := s.at[r.Record.Seq]
	switch {
	case !known || h.Source != "":
		return fmt.Errorf("budget: record %d is no reservation, want that of the run before", r.Record.Seq)
	case h.plan.record.Event != r.Event.String():
		return fmt.Errorf("budget: record %d pays for %.200s, want %.200v, which the run before reserved", r.Record.Seq, h.plan.record.Event, r.Event)
	case h.Population != population:
		return fmt.Errorf("budget: record %d is about population %q, want %q, that of the run which goes on", r.Record.Seq, h.Population, population)
	}
	if begun, ended := h.began(); ended && begun < r.Kept {
		return fmt.Errorf("budget: record %d pays for %d releases, and the checkpoint is after %d of them, want the checkpoint of that run", r.Record.Seq, begun, r.Kept)
	}
	return nil
}

// began returns how many releases a run began. Nobody knows of a run that did not end.
func (h *held) began() (releases int, ended bool) {
	switch h.Outcome {
	case Stopped:
		return h.Begun, true
	case Released:
		return Releases(h.plan.event), true
	}
	return 0, false
}
