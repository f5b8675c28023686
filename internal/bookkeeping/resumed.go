package bookkeeping

import (
	"fmt"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/mechanism"
)

// againstResumed returns what the certificate of a resumed run and the ledger say of one another. The record
// of the run pays for the last releases of the certificate. Earlier records pay for those before.
func (l *Ledger) againstResumed(c certificate.Certificate, own []budget.Release) []string {
	event, err := mechanism.ParseEvent(c.Event)
	if err != nil {
		return []string{err.Error()}
	}
	last := own[0]
	before := budget.Releases(event) - budget.Releases(last.Event)
	if rest := budget.After(event, before); len(own) > 1 || rest == nil || rest.String() != last.Event.String() {
		return []string{fmt.Sprintf("the certificate has the event %s, and record %d of the ledger %s, want its last releases", artefact.Shortly(c.Event), last.Seq, artefact.Shortly(last.Event.String()))}
	}
	paid := 0
	for _, at := range c.Recorded.Earlier {
		if found := l.place(&at); found != "" {
			return []string{found}
		}
		for _, r := range l.Summary().Releases {
			if r.Seq == at.Sequence {
				paid += budget.Releases(r.Event)
			}
		}
	}
	if paid < before {
		return []string{fmt.Sprintf("the certificate has %d releases of earlier runs, and their records in the ledger pay for %d", before, paid)}
	}
	return nil
}
