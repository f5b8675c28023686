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

// Run is a finished training. All of it was released.
type Run struct {
	// Model predicts; it is safe for concurrent use.
	Model *model.Model
	// Certificate states what the run guarantees, and the plan from which that follows.
	Certificate certificate.Certificate
	files       map[string][]byte
}

// Train trains a linear model of the schema's target, as the command does without flags, and pays
// for it with what is left of the budget, or less by WithEpsilon. Records are a slice of structs, a
// file name, or a *data.Dataset of the same schema; data.FromStructs says which field stands for
// which column. What can be refused is refused before anything is spent; the error wraps
// ledger.ErrOverBudget when too little is left. An error after the first step, as when ctx ends,
// leaves the budget spent, and says so; what Into names keeps it. How many records there are is
// private: none are trained on like many.
//
// Private bounds, bins and levels in the schema are learned by releases that are not Gaussian. Such
// a training wants an unspent budget and leaves nothing of it, even by WithEpsilon.
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
	if request.Epsilon, err = b.asked(asked.epsilon); err != nil {
		return nil, err
	}
	planned, err := training.Descent(request, how, false, training.Tables{Schema: s})
	if err != nil {
		return nil, err
	}
	limit, err := b.open(planned.Setup.Plan.Event(), planned.Setup.Plan.Derivation().Unit)
	if err != nil {
		return nil, err
	}
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
	c, err := certificate.Decode(finished.Files[certificate.FileName])
	return &Run{Model: finished.Result.Model, Certificate: c, files: finished.Files}, err
}

// taken takes the name of a folder, if there is one.
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

// Save writes model, certificate and report.html into a new folder, which Verify and the command
// read. A name that something has is refused, and so is a Run that Train did not return.
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
	// Verified says whether the folder agrees with itself, and Checked lists what was compared.
	Verified bool
	Checked  []string
	// Disagreements are what does not follow from the plan, or differs between files; none where it
	// is verified.
	Disagreements []string
	// Guarantee in words, and Certificate, are there where it is verified.
	Guarantee   string
	Certificate *certificate.Certificate
}

// Verify recomputes what follows from the plan of a folder that Save or the command wrote, and
// compares all of its files. The error is about files that are missing or cannot be read; a folder
// that disagrees with itself has a verification with Verified false.
func Verify(folder string) (Verification, error) {
	v, err := artefact.Verify(folder)
	return Verification(v), err
}
