package bookkeeping

import (
	"fmt"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/train/neural"
)

// againstResumed returns what the certificate of a resumed run and the ledger say of one another. The record
// of the run pays for the last releases of the certificate. Earlier records pay for those before.
func (l *Ledger) againstResumed(c certificate.Certificate, own []budget.Release) []string {
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
	for _, at := range c.Recorded.Earlier {
		if found := l.place(&at); found != "" {
			return []string{found}
		}
	}
	plan, err := strict.ReadPlan[neural.Plan]("neural", c.Plan)
	runs := artefact.Earlier(plan, c.Recorded.Earlier)
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
