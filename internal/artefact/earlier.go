package artefact

import (
	"slices"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/train/neural"
)

// Earlier returns the earlier runs from which a plan continues, oldest first. Each run has the
// record of a durable ledger that paid for it. Earlier returns nil if no ledger paid for any of the
// runs, or if the records belong to other runs. The oldest record may also have paid for runs
// before it, if no ledger paid for those.
func Earlier(whole neural.Plan, records []certificate.LedgerRecord) []budget.EarlierRun {
	stopped := len(whole.Interrupted)
	first := stopped - len(records) // the run of the oldest record
	if first < 0 || first == stopped {
		return nil
	}
	var out []budget.EarlierRun
	paid := 0
	for i, record := range records {
		next := first + i + 1
		begun := begunBy(whole, next)
		out = append(out, budget.EarlierRun{Record: budget.Anchor{Seq: record.Sequence, Hash: record.Head, Where: record.Ledger},
			Event: budget.After(reserved(whole, next-1), paid), Kept: keptBy(whole, next) - paid, Releases: begun - paid})
		paid = begun
	}
	rest := budget.After(whole.Event(), paid)
	if rest == nil || rest.String() != own(whole, stopped).String() {
		return nil // what is left cannot be told apart, so all of it is charged
	}
	return out
}

// begunBy returns the largest number of releases that the first runs may have begun.
func begunBy(p neural.Plan, stopped int) int {
	return budget.Releases(reserved(p, stopped)) - budget.Releases(own(p, stopped))
}

// keptBy returns how many releases the state after the first runs rests on. It counts the last of these
// runs up to its kept steps, and all releases that may have been begun before.
func keptBy(p neural.Plan, stopped int) int {
	last := p.Interrupted[stopped-1]
	if last.Kept == 0 { // the run may have begun nothing
		return begunBy(p, stopped-1)
	}
	last.Released = last.Kept
	p.Interrupted = append(slices.Clone(p.Interrupted[:stopped-1]), last)
	return begunBy(p, stopped)
}

// reserved returns the event of a plan whose run goes on from this number of stopped runs.
func reserved(p neural.Plan, stopped int) mechanism.Event {
	p.Interrupted = p.Interrupted[:stopped]
	return p.Event()
}

// own returns the event of the steps alone that such a run makes itself.
func own(p neural.Plan, stopped int) mechanism.Event {
	for _, run := range p.Interrupted[:stopped] {
		p.Steps -= run.Kept
	}
	p.Interrupted = nil
	if p.Records == 0 || p.Person != nil { // the first run released their number
		return budget.After(p.Event(), 1)
	}
	return p.Event()
}
