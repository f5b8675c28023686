package bookkeeping

import (
	"fmt"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/train/neural"
)

// againstResumed returns what the certificate of a resumed run and the ledger say of one another. The record
// of the run pays for the last releases of the certificate. Earlier records pay for those before.
func (l *Ledger) againstResumed(c certificate.Certificate, own, all []budget.Release) []string {
	event, err := mechanism.ParseEvent(c.Event)
	if err != nil {
		return []string{err.Error()}
	}
	last := own[0]
	if n := l.Terms().Neighboring; c.Neighboring != n {
		return []string{fmt.Sprintf("the certificate is under %v, and the ledger under %v", c.Neighboring, n)}
	}
	before := budget.Releases(event) - budget.Releases(last.Event)
	if rest := budget.After(event, before); len(own) > 1 || rest == nil || rest.String() != last.Event.String() {
		return []string{fmt.Sprintf("the certificate has the event %s, and record %d of the ledger %s, want its last releases", artefact.Shortly(c.Event), last.Seq, artefact.Shortly(last.Event.String()))}
	}
	plan, err := strict.ReadPlan[neural.Plan]("neural", c.Plan)
	runs := artefact.Earlier(plan, c.Recorded.Earlier)
	if runs != nil && last.Source != "" {
		return taken(runs, all)
	}
	for _, at := range c.Recorded.Earlier {
		if found := l.place(&at); found != "" {
			return []string{found}
		}
	}
	switch {
	case err != nil:
		return []string{err.Error()}
	case runs == nil || runs[len(runs)-1].Record.Seq >= last.Seq:
		return []string{"the records of earlier runs that the certificate names are not those of the runs in its plan"}
	}
	if err = l.Counts(runs, last.Population); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// taken returns which earlier runs a merger did not take from another ledger, with the releases that
// their states rest on.
func taken(runs []budget.EarlierRun, all []budget.Release) []string {
	for _, run := range runs {
		paid := 0
		for _, r := range all {
			if cameFrom(r, certificate.LedgerRecord{Ledger: run.Record.Where, Sequence: run.Record.Seq}) {
				paid = budget.Releases(r.Event)
			}
		}
		if paid < run.Kept {
			return []string{fmt.Sprintf("record %d of ledger %.8s paid for %s of the run, want %d; this ledger took no more from there", run.Record.Seq, run.Record.Where, display.Count(paid, "release"), run.Kept)}
		}
	}
	return nil
}

// mergedFrom begins the source of a release that a merger took from another ledger.
const mergedFrom = "ledger "

// cameFrom reports whether a merger took a release from a record of another ledger.
func cameFrom(r budget.Release, at certificate.LedgerRecord) bool {
	for _, step := range strings.Split(r.Source, ", ") {
		if step == fmt.Sprintf(mergedFrom+"%.8s record %d", at.Ledger, at.Sequence) {
			return true
		}
		if !strings.HasPrefix(step, mergedFrom) { // the name of a folder
			return false
		}
	}
	return false
}
