package training

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/ledger"
)

// Purse pays for a run. It notes its record in the draft, where a durable ledger pays.
type Purse interface {
	Pay(ctx context.Context, draft *certificate.Certificate, earlier ...budget.EarlierRun) (*ledger.Ledger, error)
	// Sign signs the SHA-256 of a checkpoint for the record.
	Sign(digest []byte) []byte
}

// Pay reserves the budget of the run, and returns its ledger. The checkpoints of the run are signed for its
// record.
func (r *Run) Pay(ctx context.Context, purse Purse) (*ledger.Ledger, error) {
	if r.follows {
		return r.Draft.Ledger()
	}
	l, err := purse.Pay(ctx, &r.Draft, r.earlier()...)
	if err == nil && r.Draft.Recorded == nil {
		err = r.checkUncounted()
	}
	r.sign = purse.Sign
	return l, err
}

// earlier returns the runs that this one goes on from, as artefact.Earlier does, with the records and the
// signature of the checkpoint.
func (r *Run) earlier() []budget.EarlierRun {
	n := r.Network
	if n == nil || n.from == nil {
		return nil
	}
	out := artefact.Earlier(n.whole, n.from.Paid)
	if len(out) > 0 {
		last := &out[len(out)-1]
		last.Digest, last.Signature = n.from.Digest, n.from.Signature
	}
	return out
}

// checkUncounted refuses to go on without a ledger from a checkpoint that a ledger paid for, whatever its
// runs were.
func (r *Run) checkUncounted() error {
	if n := r.Network; n != nil && n.from != nil && len(n.from.Paid) > 0 {
		at := n.from.Paid[len(n.from.Paid)-1]
		return fmt.Errorf("the checkpoint is of a run that record %d of ledger %.8q pays for, want --ledger with it: without one nothing counts the steps that are left", at.Sequence, at.Ledger)
	}
	return nil
}
