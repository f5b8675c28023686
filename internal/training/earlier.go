package training

import (
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/train/neural"
)

// Earlier returns the runs that this one goes on from, each with the record of a durable ledger that paid
// for it, oldest first. It returns nil where no ledger did. The oldest record may have paid for several
// runs, because none paid for the runs before.
func (r *Run) Earlier() []budget.EarlierRun {
	n := r.Network
	if n == nil || n.from == nil {
		return nil
	}
	stopped := len(n.whole.Interrupted)
	first := stopped - len(n.from.Paid) // the run of the oldest record
	if first < 0 || first == stopped {
		return nil
	}
	var out []budget.EarlierRun
	paid := 0
	for i, record := range n.from.Paid {
		next := first + i + 1
		begun := budget.Releases(reserved(n.whole, next)) - budget.Releases(own(n.whole, next))
		out = append(out, budget.EarlierRun{Record: budget.Anchor{Seq: record.Sequence, Hash: record.Head, Where: record.Ledger},
			Event: budget.After(reserved(n.whole, next-1), paid), Releases: begun - paid})
		paid = begun
	}
	rest := budget.After(n.whole.Event(), paid)
	if rest == nil || rest.String() != own(n.whole, stopped).String() {
		return nil // what is left cannot be told apart, so all of it is charged
	}
	return out
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
	if p.Records == 0 { // the first run released their number
		return budget.After(p.Event(), 1)
	}
	return p.Event()
}
