package auditing

import (
	"fmt"
	"sync"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
)

// Purse pays for trainings by one plan on canaries, which are records of no person. The first
// training pays from a ledger with the limit of the plan. Each later training must reserve the same event,
// because the price depends on the event only. It pays from a ledger with a large limit, whose
// prices take little time.
type Purse struct {
	limit privacy.Guarantee
	mu    sync.Mutex
	event string // that was paid within the limit, "" for none yet
	// quick is the accountant of the later ledgers, nil where no such accountant prices the event.
	quick account.Accountant
}

// NewPurse returns a purse for trainings within a limit.
func NewPurse(limit privacy.Guarantee) *Purse { return &Purse{limit: limit} }

// plenty is the epsilon of a limit that is no limit.
const plenty = 1e6

// Train trains once with a ledger. It is an error if a later training reserves another event than
// the first training did.
func (p *Purse) Train(train func(*ledger.Ledger) error) error {
	p.mu.Lock()
	event, quick := p.event, p.quick
	p.mu.Unlock()
	if quick == nil {
		l, err := ledger.NewSingle(p.limit)
		if err == nil {
			err = train(l)
		}
		if err == nil && event == "" {
			p.paid(l)
		}
		return err
	}
	l, err := p.ample(quick)
	if err == nil {
		err = train(l)
	}
	if err != nil {
		return err
	}
	if now := l.Event().String(); now != event {
		return fmt.Errorf("a training reserves %s, want %s as the first training of the plan", now, event)
	}
	return nil
}

// ample returns a ledger with a large limit.
func (p *Purse) ample(quick account.Accountant) (*ledger.Ledger, error) {
	limit, err := privacy.NewGuarantee(plenty, p.limit.Delta(), p.limit.Neighboring(), p.limit.Unit())
	if err != nil {
		return nil, err
	}
	return ledger.NewFiltered(limit, quick)
}

// paid keeps the event of a training within the limit, and an accountant that prices it quickly.
func (p *Purse) paid(l *ledger.Ledger) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := l.Event()
	if p.event = all.String(); len(all) != 1 {
		return
	}
	for _, quick := range []account.Accountant{account.GDP, account.ZCDP, account.RDP{Orders: []float64{2}}} {
		ample, err := p.ample(quick)
		if err == nil {
			_, err = ample.Reserve(all[0], "a training on canaries")
		}
		if err == nil {
			p.quick = quick
			return
		}
	}
}
