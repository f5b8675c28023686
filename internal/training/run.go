package training

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/curve"
	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
)

// Tables describe the tables of a run. All of it is public.
type Tables struct {
	// Schema is the declared schema.
	Schema *data.Schema
	// Name is the name of the training table.
	Name string
	// Source is the training table. It is nil for records in memory and for built-in data sets. Stream
	// says that its rows stay in a file.
	Source *data.Source
	Stream bool
	// Builtin is true for a built-in table. Argument is its name on the command line, "" for the
	// default.
	Builtin  bool
	Argument string
	// Extra lists the columns of the training table that are read in addition to its features.
	Extra []string
	// Owner names whose records they are, and Purpose says what the model is for; "" for unsaid.
	Owner, Purpose string
	// TestName names the table to measure the model on. TestPublic is true if that table is
	// declared public. Group is the column whose levels divide the measures, "" for none.
	TestName   string
	TestPublic bool
	Group      string
}

// Run is one training run. Descent, Minimizer and NewNetwork make one. Its records are set before
// Train.
type Run struct {
	Tables Tables
	// Setup has the parts that all methods share: schema, features, model, unit and sizes. For
	// gradient descent it is the whole setup.
	Setup train.Setup
	// Other is the setup of a method of package erm, and Network the setup of a network. They are
	// nil for other methods.
	Other   *erm.Setup
	Network *Network
	Options train.Options
	// Draft is the certificate as far as the plan decides it.
	Draft certificate.Certificate
	// Threshold is the probability above which the second of two levels is predicted.
	Threshold Threshold
	// Interactions are the words of the flag interactions. Where another setting keeps a rule from following
	// them, a warning says so.
	Interactions string
	// Curve is the curve of a sweep on public records, for the page; nil for none.
	Curve *Curve
	// Folder is the folder of the results.
	Folder *artefact.Folder
	// Exactly one of Records, Encoded and Table holds the records.
	Records *data.Dataset
	Encoded *os.File
	Table   *train.Table
	// Test holds the records to measure the model on, nil for none.
	Test *data.Dataset

	request  train.Request // of gradient descent
	prices   []pricedNoise
	method   method
	figures  []figure.Figure // of the page, drawn from the plan
	attacker curve.Kept      // of the page

	follows bool                       // it is the part of a rank that is not the root
	sign    func(digest []byte) []byte // for the record of a ledger that pays
}

// method is the part of a run that differs between the ways to train.
type method interface {
	// untrained returns the model with weights of zero.
	untrained() (*model.Model, error)
	// fit trains and pays with the ledger.
	fit(ctx context.Context, l *ledger.Ledger) (*train.Result, error)
	// warnings returns warnings that follow from public numbers.
	warnings() []string
	// noise returns words for the noise relative to one record, or "".
	noise() string
	// releases returns the releases with their shares of the budget.
	releases() []report.Event
	// facts returns facts about the model and its training.
	facts(r *train.Result) []report.Fact
	// dryRun returns the plan, its cost and its assumptions.
	dryRun(ctx context.Context, ask Ask) (Printable, error)
}

// Declared returns the declarations about the data of a private choice, or nil. The table may be nil.
func Declared(publicTest bool, scoredOn string, table database.Table) *certificate.Declared {
	d := certificate.Declared{PublicTest: publicTest, ScoredOn: scoredOn}
	if table != nil {
		d.Records = table.Name()
	}
	if d != (certificate.Declared{}) {
		return &d
	}
	return nil
}

// declare fills in the draft's declarations and assumptions.
func (r *Run) declare(p draft.Premises, features train.Setup) {
	d := certificate.Declared{PublicTest: r.Tables.TestPublic && r.Tables.TestName != "", Owner: r.Tables.Owner, Purpose: r.Tables.Purpose}
	if r.Tables.Source != nil && r.Tables.Source.Database != nil {
		d.Records = r.Tables.Source.Database.Name()
	}
	if r.Network != nil {
		d.Frozen = r.Network.Frozen
	}
	if d != (certificate.Declared{}) {
		r.Draft.Declared = &d
	}
	r.Draft.Assumptions = artefact.AssumptionsOf(p, features.Schema, features.Features, r.Draft)
}

// rehearse makes all output files with zero weights instead of the trained ones. A file that cannot
// be made is thus refused before the budget is spent. It reads no training record.
func (r *Run) rehearse() error {
	m, err := r.method.untrained()
	if err == nil {
		err = artefact.CheckAbout(r.Draft.Declared)
	}
	if err != nil {
		return err
	}
	r.figures = curve.BudgetFigures(r.Draft)
	_, _, err = r.files(&train.Result{Model: m, LearningRate: 1, Divisor: 1})
	return err
}

// Finished is a run that has ended successfully. All of it may be published.
type Finished struct {
	Result *train.Result
	// Files are the files of the folder, by name.
	Files   map[string][]byte
	Summary Summary
}

// Train rehearses, records the cost in the folder, trains, and pays with the ledger. If the folder
// has a name, it writes the files. An error after the first draw of noise states the spent cost.
func (r *Run) Train(ctx context.Context, l *ledger.Ledger) (*Finished, error) {
	if err := r.rehearse(); err != nil {
		return nil, err
	}
	if err := r.Folder.Spend(r.Draft); err != nil {
		return nil, err
	}
	before := len(l.Event())
	out := &Finished{}
	var err error
	if out.Result, err = r.method.fit(ctx, l); err != nil {
		return nil, r.failure(len(l.Event()) > before, err)
	}
	if out.Files, out.Summary, err = r.files(out.Result); err != nil {
		return nil, r.Folder.Failure(err)
	}
	if r.Folder.Path() == "" {
		return out, nil
	}
	return out, r.Folder.Write(out.Files)
}

// failure marks the error of a run for which nothing may have been reserved.
func (r *Run) failure(reserved bool, err error) error {
	if !reserved {
		err = r.Folder.Unspend(err)
	}
	switch {
	case errors.Is(err, ledger.ErrOverBudget):
		return err
	case r.Network != nil && r.Network.Checkpoint != "" && r.Folder.Spent():
		if errors.Is(err, context.Canceled) { // the checkpoint is then complete and counts every step
			r.Folder.RemoveTrace()
		}
		err = fmt.Errorf("%w; what was released is in %s, and --resume %s goes on from it", err, r.Network.Checkpoint, r.Network.Checkpoint)
	}
	return r.Folder.Failure(err)
}

// Claim reserves the name of a folder for the results, and the name of the checkpoints. Close
// releases unused names.
func (r *Run) Claim(path string, replace bool, tell io.Writer) (err error) {
	if r.Folder, err = artefact.Claim(path, replace, tell); err == nil {
		err = r.Network.takeCheckpoint()
	}
	return err
}

// Close releases the names and files that a run has reserved.
func (r *Run) Close() {
	if r.Encoded != nil {
		r.Encoded.Close()
	}
	r.Folder.Close()
	r.Network.closeCheckpoint()
}
