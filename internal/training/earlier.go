package training

import (
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
