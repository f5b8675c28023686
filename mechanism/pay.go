package mechanism

import (
	"fmt"
	"slices"
	"sync"
)

// pay pays for the release of these noises from this draw, all of them or none.
func (d *drawn) pay(p Payer, noises []Event) error {
	if d.whole != nil {
		return d.whole.pay(p, noises)
	}
	switch d.sampling.kind {
	case samplingFull:
		for _, e := range noises {
			if err := p.Pay(e); err != nil {
				return err
			}
		}
		return nil
	case samplingPartition:
		return d.payRound(p, noises)
	}
	event, err := d.sampling.Price(together(noises))
	if err != nil {
		return err
	}
	if d.released.Swap(true) {
		return fmt.Errorf("mechanism: a release was made from this sample before, want a fresh draw, or all sums of it in one Join")
	}
	if d.sampling.kind == samplingCyclic {
		return d.payRound(p, noises)
	}
	return p.Pay(event)
}

// together is the event of several releases from one sample. Those without noise are one without noise.
func together(noises []Event) Event {
	open := !slices.ContainsFunc(noises, func(e Event) bool { return e != NonPrivate{} })
	if len(noises) == 1 || open {
		return noises[0]
	}
	return Sequence(noises)
}

// rounds is the state of the rounds of one partition.
type rounds struct {
	mu   sync.Mutex
	next int    // the part whose turn it is
	paid string // the event that this round was paid for
}

// payRound pays when the first part is released; the other parts follow in order with the same
// event, each once a round.
func (d *drawn) payRound(p Payer, noises []Event) error {
	r := d.round
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next != d.part {
		return fmt.Errorf("mechanism: part %d of the partition is released out of turn, want part %d", d.part, r.next)
	}
	event, err := d.sampling.Price(together(noises))
	if err != nil {
		return err
	}
	if d.part == 0 {
		if err = p.Pay(event); err != nil {
			return err
		}
		r.paid = event.String()
	} else if r.paid != event.String() {
		return fmt.Errorf("mechanism: the release is %v, want %s, which this round was paid for", event, r.paid)
	}
	r.next = (r.next + 1) % d.sampling.parts
	return nil
}
