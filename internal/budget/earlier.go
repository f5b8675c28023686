package budget

import (
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
	// Releases is the largest number of releases that the run may have begun, as the checkpoint has it.
	Releases int
}

// ErrElsewhere is the error of Continues for runs that another ledger counts, or none.
var ErrElsewhere = errors.New("budget: the ledger did not pay for the run before")

// Continues returns nil if the ledger counts these runs, each with at least the releases that it began. It
// wraps ErrElsewhere where another ledger counts them.
func (b *Book) Continues(runs []EarlierRun, population string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range runs {
		if r.Record.Where != b.state.create.Ledger {
			return ErrElsewhere
		}
	}
	for _, r := range runs {
		if err := b.state.extends(r.Record.Seq, r.Record.Hash); err != nil {
			return err
		}
		if err := b.state.counts(r, population); err != nil {
			return err
		}
	}
	return nil
}

// counts refuses a checkpoint of another run than that of its record, and one that is older than the end
// of its run.
func (s *state) counts(r EarlierRun, population string) error {
	h, known := s.at[r.Record.Seq]
	switch {
	case !known || h.Source != "":
		return fmt.Errorf("budget: record %d is no reservation, want that of the run before", r.Record.Seq)
	case h.plan.record.Event != r.Event.String():
		return fmt.Errorf("budget: record %d pays for %.200s, want %.200v, which the run before reserved", r.Record.Seq, h.plan.record.Event, r.Event)
	case h.Population != population:
		return fmt.Errorf("budget: record %d is about population %q, want %q, that of the run which goes on", r.Record.Seq, h.Population, population)
	}
	begun := r.Releases // nobody knows of a run that did not end
	switch h.Outcome {
	case Stopped:
		begun = h.Begun
	case Released:
		begun = Releases(h.plan.event)
	}
	if begun > r.Releases {
		return fmt.Errorf("budget: the run of record %d began %d releases, and the checkpoint knows of %d, want the newest checkpoint of the run and not a copy", r.Record.Seq, begun, r.Releases)
	}
	return nil
}
