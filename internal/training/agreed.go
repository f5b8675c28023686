package training

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train/neural"
)

// Agreed returns a text of everything that decides what a run releases: certificate, schema, what turns
// records into rows, loss, options, and the checkpoint from which it goes on. Ranks that train together must have the same
// text. It is made before a ledger notes its record in the draft.
func (r *Run) Agreed() ([]byte, error) {
	schema, err := r.Tables.Schema.YAML()
	if err != nil {
		return nil, err
	}
	draft, err := json.Marshal(r.Draft)
	if err != nil {
		return nil, err
	}
	options := r.Options
	options.Progress, options.Scratch = nil, nil
	rows := r.Setup.Features
	plan := fmt.Appendf(nil, "%s\n%s\n%+v\nrows %x %s %v %v", draft, schema, options, rows.Fingerprint(), rows.Norm, rows.Radius, rows.Intercept)
	if loss := r.Setup.Model.Loss; loss != nil {
		spec, failed := model.SpecOf(loss)
		if failed != nil {
			return nil, failed
		}
		plan = fmt.Appendf(plan, "\nloss %+v", spec)
	}
	if r.Network != nil {
		o := r.Network.Options
		o.Progress, o.Checkpoint, o.Initial = nil, nil, nil // all ranks begin with the weights of the root
		plan = fmt.Appendf(plan, "\n%+v", o)
		if r.Network.from != nil {
			state := *r.Network.from
			state.Plan, state.Paid, state.Sign = neural.Plan{}, nil, nil // which the draft has
			hash := sha256.New()
			fmt.Fprintf(hash, "%+v", state)
			plan = fmt.Appendf(plan, "\ngoes on from %x", hash.Sum(nil))
		}
	}
	return plan, nil
}

// Follow makes the run the part of a rank that is not the root: it writes no files, and no ledger pays.
func (r *Run) Follow() {
	r.Folder, r.follows = new(artefact.Folder), true
	if r.Network != nil {
		r.Network.Checkpoint = ""
	}
}
