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
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
)

// Tables are what a run says of its tables. All of it is public.
type Tables struct {
	// Schema is the one that was declared.
	Schema *data.Schema
	// Name is what the training table is called.
	Name string
	// Source is the training table, nil of records in memory and of built-in data sets.
	Source *data.Source
	// Builtin is whether the table is a built-in one; Argument is what the command line calls it, "" for the default.
	Builtin  bool
	Argument string
	// Extra are the columns of the training table that are read besides its features.
	Extra []string
	// TestName is the table to measure the model on, and TestPublic says whether it is declared
	// public. Group is the column by whose levels its measures are divided, "" for none.
	TestName   string
	TestPublic bool
	Group      string
}

// Run is one training run. Descent, Minimizer and NewNetwork plan one. What it reads is set before Train.
type Run struct {
	Tables Tables
	// Setup has what all methods share: schema, features, model, unit and sizes. Of gradient descent it has all.
	Setup train.Setup
	// Other is the setup of a method of package erm, Network that of a network; nil for other methods.
	Other   *erm.Setup
	Network *Network
	Options train.Options
	// Draft is the certificate as far as the plan decides it.
	Draft certificate.Certificate
	// Threshold is above which probability the second of two levels is predicted.
	Threshold Threshold
	// Curve is of a sweep on public records, for the page; nil for none.
	Curve *Curve
	// Folder is where the results go.
	Folder *artefact.Folder
	// Records are in one of the three places.
	Records *data.Dataset
	Encoded *os.File
	Table   *train.Table
	// Test are the records to measure the model on, nil for none.
	Test *data.Dataset

	request  train.Request // of gradient descent
	prices   []pricedNoise
	method   method
	figures  []figure.Figure // of the page, drawn from the plan
	attacker curve.Kept      // of the page
}

// method is what the ways to train have each of their own.
type method interface {
	// untrained returns the model with weights of zero.
	untrained() (*model.Model, error)
	// fit trains, and pays with the ledger.
	fit(ctx context.Context, l *ledger.Ledger) (*train.Result, error)
	// warnings returns doubts drawn from public numbers.
	warnings() []string
	// noise returns how much noise there is for one record, "" for none to tell of.
	noise() string
	// releases returns the releases with their shares of the budget.
	releases() []report.Event
	// facts returns what model and training are.
	facts(r *train.Result) []report.Fact
	// dryRun returns the plan, its cost and what it assumes.
	dryRun(ctx context.Context, ask Ask) (Printable, error)
}

// Declared returns what was declared of other data than the records, nil for nothing.
func Declared(publicTest bool, scoredOn string) *certificate.Declared {
	if d := (certificate.Declared{PublicTest: publicTest, ScoredOn: scoredOn}); d != (certificate.Declared{}) {
		return &d
	}
	return nil
}

// declare fills in what the draft says of declarations, and what it assumes.
func (r *Run) declare(p certificate.Premises, features train.Setup) {
	r.Draft.Declared = Declared(r.Tables.TestPublic && r.Tables.TestName != "", "")
	if r.Network != nil && r.Network.Frozen != nil {
		if r.Draft.Declared == nil {
			r.Draft.Declared = &certificate.Declared{}
		}
		r.Draft.Declared.Frozen = r.Network.Frozen
	}
	r.Draft.Assumptions = artefact.AssumptionsOf(p, features.Schema, features.Features, r.Draft)
}

// rehearse makes everything that will be written, with weights of zero in place of the trained
// ones. So a file that cannot be made is refused before the budget is spent. It looks at no
// training record.
func (r *Run) rehearse() error {
	m, err := r.method.untrained()
	if err != nil {
		return err
	}
	r.figures = curve.BudgetFigures(r.Draft)
	_, _, err = r.files(&train.Result{Model: m, LearningRate: 1, Divisor: 1})
	return err
}

// Finished is a run that has ended well. All of it may be published.
type Finished struct {
	Result *train.Result
	// Files are those of the folder, by name.
	Files   map[string][]byte
	Summary Summary
}

// Train rehearses, leaves the trace of the cost in the folder, trains, pays with the ledger, and writes the files where
// the folder has a name. An error after the first draw of noise says what was spent.
func (r *Run) Train(ctx context.Context, l *ledger.Ledger) (*Finished, error) {
	if err := r.rehearse(); err != nil {
		return nil, err
	}
	if err := r.Folder.Spend(r.Draft); err != nil {
		return nil, err
	}
	before := len(l.Entries())
	out := &Finished{}
	var err error
	if out.Result, err = r.method.fit(ctx, l); err != nil {
		return nil, r.failure(len(l.Entries()) > before, err)
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
		r.Folder.Unspend()
	}
	switch {
	case errors.Is(err, ledger.ErrOverBudget):
		return err
	case r.Network != nil && r.Network.Checkpoint != "" && r.Folder.Spent():
		if errors.Is(err, context.Canceled) { // then the checkpoint is whole, and counts every step
			r.Folder.RemoveTrace()
		}
		err = fmt.Errorf("%w; what was released is in %s, and --resume %s goes on from it", err, r.Network.Checkpoint, r.Network.Checkpoint)
	}
	return r.Folder.Failure(err)
}

// Claim takes the name of a folder for the results, and that of the checkpoints; Close gives back what is not used.
func (r *Run) Claim(path string, replace bool, tell io.Writer) (err error) {
	if r.Folder, err = artefact.Claim(path, replace, tell); err == nil {
		err = r.Network.takeCheckpoint()
	}
	return err
}

// Close gives back the names and files that a run has taken.
func (r *Run) Close() {
	if r.Encoded != nil {
		r.Encoded.Close()
	}
	r.Folder.Close()
	r.Network.closeCheckpoint()
}
