package release

import (
	"fmt"
	"slices"
	"sync"

	"github.com/ditherml/dither/mechanism"
)

// pay pays for a release with these noises from this draw. It errs unless all was paid; what was
// paid before an error stays spent.
func (d *drawn) pay(p mechanism.Payer, noises []mechanism.Event) error {
	if _, added := p.(rankPayer); d.by != nil && !added {
		return fmt.Errorf("release: the sample is a part of what several processes drew, want a release of all of them")
	}
	switch {
	case d.whole != nil:
		return d.whole.pay(p, noises)
	case d.series:
		return fmt.Errorf("release: the sample was drawn by a series, want its sums made for the series' noise and released by the series")
	case d.sampling == Full():
		for _, e := range noises {
			if err := p.Pay(e); err != nil {
				return err
			}
		}
		return nil
	}
	event, err := d.sampling.Price(together(noises))
	if err != nil {
		return err
	}
	if d.once && d.released.Swap(true) {
		return fmt.Errorf("release: a release was made from this sample before, want a fresh draw, or all sums of it in one Join")
	}
	if d.round != nil {
		return d.round.pay(p, d.part, event)
	}
	return p.Pay(event)
}

// together returns the event of several releases from one sample. Several that are all without
// noise are one without noise.
func together(noises []mechanism.Event) mechanism.Event {
	open := !slices.ContainsFunc(noises, func(e mechanism.Event) bool { return e != mechanism.NonPrivate{} })
	if len(noises) == 1 || open {
		return noises[0]
	}
	return mechanism.Sequence(noises)
}

// partPayer pays for the release of a part of a partition.
type partPayer interface {
	pay(p mechanism.Payer, part int, event mechanism.Event) error
}

// rounds is the state of the rounds of one partition.
type rounds struct {
	parts int
	mu    sync.Mutex
	next  int    // the part whose turn it is
	paid  string // the event that this round was paid for
}

// pay pays when the first part is released; the other parts follow in order with the same
// event, each once a round.
func (r *rounds) pay(p mechanism.Payer, part int, event mechanism.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next != part {
		return fmt.Errorf("release: part %d of the partition is released out of turn, want part %d", part, r.next)
	}
	if part == 0 {
		if err := p.Pay(event); err != nil {
			return err
		}
		r.paid = event.String()
	} else if r.paid != event.String() {
		return fmt.Errorf("release: the release is %v, want %s, which this round was paid for", event, r.paid)
	}
	r.next = (r.next + 1) % r.parts
	return nil
}
