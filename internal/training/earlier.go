package training

import (
	"fmt"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/budget"
)

// Earlier returns the runs that this one goes on from, as artefact.Earlier does, with the records of the
// checkpoint.
func (r *Run) Earlier() []budget.EarlierRun {
	if n := r.Network; n != nil && n.from != nil {
		return artefact.Earlier(n.whole, n.from.Paid)
	}
	return nil
}

// CheckUncounted refuses to go on without a ledger from a checkpoint that a ledger paid for, whatever its
// runs were.
func (r *Run) CheckUncounted() error {
	if n := r.Network; n != nil && n.from != nil && len(n.from.Paid) > 0 {
		at := n.from.Paid[len(n.from.Paid)-1]
		return fmt.Errorf("the checkpoint is of a run that record %d of ledger %.8q pays for, want --ledger with it: without one nothing counts the steps that are left", at.Sequence, at.Ledger)
	}
	return nil
}
