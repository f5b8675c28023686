package dither

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/training"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// Run is the result of Train. All of it is released.
type Run struct {
	// Model predicts; it is safe for concurrent use.
	Model *model.Model
	// Certificate states what the run guarantees, and the plan that the guarantee follows from.
	Certificate certificate.Certificate
	files       map[string][]byte
}

// Train returns a linear model of the schema's target, trained as the command trains it without
// flags. It pays with all that is left of the budget, or with less by WithEpsilon. Records are a
// slice of structs, a file name, or a *data.Dataset of the same schema. data.FromStructs says which
// field stands for which column. Errors of the arguments and of the budget come before anything is
// spent; the error wraps ledger.ErrOverBudget when too little is left. An error after the first
// step, as when ctx ends, says that the budget is spent; the folder of Into records it. The number
// of records is private, so Train also trains on no records.
//
// Private bounds, bins and levels in the schema are learned by releases that are not Gaussian. Such
// a training needs an unspent budget and leaves nothing of it, even by WithEpsilon.
func Train(ctx context.Context, b *Budget, s *data.Schema, records any, options ...Option) (*Run, error) {
	if err := b.check(s); err != nil {
		return nil, err
	}
	asked, err := settled(ctx, options)
	if err != nil {
		return nil, err
	}
	if err = asked.only("Train", "WithEpsilon", "PerPerson", "WithProgress", "Into"); err != nil {
		return nil, err
	}
	person := asked.plan.Person
	b.calls.Lock()
	defer b.calls.Unlock()
	request, how := train.Defaults()
	request.Delta, request.Neighboring = b.delta, b.neighboring
	var o data.ReadOptions
	if person != nil {
		request.Person, o.Extra = &train.PersonUnit{Column: person.Column, MaxRows: person.MaxRows}, []string{person.Column}
	}
	if request.Epsilon, err = b.asked(ctx, asked.epsilon); err != nil {
		return nil, err
	}
	planned, err := training.Descent(request, how, false, training.Tables{Schema: s})
	if err != nil {
		return nil, err
	}
	limit, err := b.open(ctx, s.Name, planned.Setup.Plan.Method(), planned.Setup.Plan.Event(), planned.Setup.Plan.Derivation().Unit)
	if err != nil {
		return nil, err
	}
	var written []byte // the certificate
	defer func() { b.settle(ctx, written) }()
	if planned.Folder, err = taken(asked.folder); err != nil {
		return nil, err
	}
	defer planned.Close()
	if planned.Records, err = read(ctx, s, records, o); err != nil {
		return nil, err
	}
	if err = unspent(ctx); err != nil {
		return nil, err
	}
	if asked.progress != nil {
		planned.Options.Progress = func(p train.Progress) { asked.progress(p.Step, p.Steps, p.Epsilon) }
	}
	finished, err := planned.Train(ctx, limit)
	if err != nil {
		return nil, err
	}
	written = finished.Files[certificate.FileName]
	c, err := certificate.Decode(written)
	return &Run{Model: finished.Result.Model, Certificate: c, files: finished.Files}, err
}

// taken reserves the name of a folder, if one is given.
func taken(folder *string) (*artefact.Folder, error) {
	if folder == nil {
		return new(artefact.Folder), nil
	}
	if *folder == "" {
		return nil, errors.New("dither: folder of Into is empty, want a name that nothing has")
	}
	if _, err := os.Lstat(*folder); err == nil {
		return nil, fmt.Errorf("dither: folder %s exists, want a name that nothing has", *folder)
	}
	home := filepath.Dir(*folder)
	if _, err := os.Stat(home); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("dither: folder %s is not there, want a place for %s; make it first", home, filepath.Base(*folder))
	}
	return artefact.Claim(*folder, false, io.Discard)
}

// Save writes the model, the certificate and report.html into a new folder, which Verify and the
// command read. It refuses a name that exists, and a Run that Train did not return.
func (r *Run) Save(folder string) error {
	if r == nil || len(r.files) == 0 {
		return errors.New("dither: run is empty, want one that Train returned")
	}
	return artefact.Write(folder, r.files)
}

// Open returns the model of a folder that Save or the command wrote. It does not verify the folder.
func Open(folder string) (*model.Model, error) {
	m, err := model.Load(folder)
	if err != nil && artefact.IsUnfinished(folder) {
		return nil, artefact.Unfinished(folder)
	}
	return m, err
}

// Verification is the result of Verify.
type Verification struct {
	// Verified reports whether the folder agrees with itself, and Checked lists what was compared.
	Verified bool
	Checked  []string
	// Disagreements lists what does not follow from the plan and what differs between files. It is
	// empty for a verified folder.
	Disagreements []string
	// Guarantee, in words, and Certificate are set for a verified folder alone.
	Guarantee   string
	Certificate *certificate.Certificate
}

// Verify recomputes everything that follows from the plan in a folder that Save or the command
// wrote. It returns the result of comparing all files with that. A folder that disagrees with
// itself gives Verified false and no error. The error is about files that are missing or
// unreadable.
func Verify(folder string) (Verification, error) {
	v, err := artefact.Verify(folder)
	return Verification(v), err
}
