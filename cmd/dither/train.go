package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/cache"
	"github.com/ditherml/dither/internal/curve"
	"github.com/ditherml/dither/internal/process"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/spf13/cobra"
)

const trainLong = `Train a private model from a table, and write a model folder: model.json, certificate.json
and report.html. The model is linear, or with --model a network.

Without arguments it trains on the built-in RAND Health Insurance Experiment: does a person
see a doctor in the year? With a table of your own, a schema file declares what is public:
the columns, their bounds and levels, the target ("dither schema init" drafts one).

The budget (epsilon, delta) covers everything that is learned from the records: the number
of records if it is not declared, means and covariance for scaling, and every step.
Nothing else about the records is written or printed.

What nobody can declare may be private in the schema, and is then learned within the budget:
bounds: private with a wide range, bins: private with max-bins, levels: private with max-levels.

With --holdout private:0.2 a random fifth of the records is not trained on. The model is measured
on it by one noisy release, with intervals; a record is in one part or the other, so the whole
costs no more than --epsilon.

With --model mlp, cnn, text or a file of layers a network is trained, on samples of the records, each
record's gradient clipped. Its weights stand in network.safetensors, which other programs read. With
--checkpoint FILE a run that is stopped goes on with --resume FILE; with --frozen-from the first
layers of another network are taken over as they are.`

const trainExample = `  dither train
  dither train --data people.csv --schema people.yaml --epsilon 0.5
  dither train --data people.csv --schema people.yaml --test test.csv --test-public
  dither train --data x.npy --labels y.npy --schema x.yaml --dry-run
  dither train --sampling-probability 0.05
  dither train --data huge.csv --schema huge.yaml --stream --feature-bits 8
  dither train --holdout private:0.2 --threshold best
  dither train --model mlp --hidden 64,32 --epsilon 3
  dither train --model layers.yaml --data images.npy --labels y.npy --schema images.yaml --checkpoint state
  dither train --data people.csv --schema people.yaml --sweep dither-sweep
  dither train --frozen-from dither-model --data other.csv --schema other.yaml
  dither train --non-private`

// trainCommand holds the flags of dither train.
type trainCommand struct {
	table                       tableFlags
	tablePath, schema           string
	target                      string
	test, testLabels            string
	testPublic, printNotPrivate bool
	out                         string
	replace, assumePublic       bool
	dryRun, nonPrivate          bool
	json, quiet                 bool
	records, maxRecords         int
	group                       string
	stream, cacheFeatures       bool
	streamed                    *data.Source // the table that --stream and --cache-features are for, or nil
	plan                        planFlags
	holdout                     holdoutFlags
	method                      methodFlags
	network                     networkFlags
	figures                     []sweep.Figure // of the page, drawn from the plan
	attacker                    curve.Kept     // of the page
	sweep                       string
	curve                       *publicSweep // that --sweep names, or nil
	stdout, stderr              io.Writer
}

func newTrain() *cobra.Command {
	_, c := newTrainCommand()
	return c
}

// newTrainCommand returns the command with the struct that its flags fill.
func newTrainCommand() (*trainCommand, *cobra.Command) {
	t := &trainCommand{}
	c := &cobra.Command{
		Use: "train", Short: "Train a private model from a table", Long: trainLong, Example: trainExample, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			t.stdout, t.stderr = c.OutOrStdout(), c.ErrOrStderr()
			return t.run(c.Context())
		},
	}
	f := c.Flags()
	f.StringVar(&t.tablePath, "data", "", "table: "+tableWords()+" (default: the built-in data set)")
	t.table.add(c)
	f.StringVar(&t.schema, "schema", "", "schema file (YAML) that declares columns, bounds, levels and target")
	f.StringVar(&t.target, "target", "", "column to predict, when it is not the schema's target")
	f.StringVar(&t.test, "test", "", "table of other records to measure the model on")
	f.StringVar(&t.testLabels, "test-labels", "", "NPY or IDX file with the target of the test table")
	f.BoolVar(&t.testPublic, "test-public", false, "declare the test table public: its metrics go into the report")
	f.BoolVar(&t.printNotPrivate, "print-not-private", false, "print metrics of records that are not public on this terminal only; they are not covered by the guarantee")
	f.StringVar(&t.group, "group", "", "categorical column by whose levels metrics are split")
	f.StringVar(&t.out, "out", "", "model folder to write (default: dither-model, or the next free dither-model-2, …)")
	f.BoolVar(&t.replace, "replace", false, "replace the model folder if it exists")
	f.BoolVar(&t.assumePublic, "assume-public", false, "accept a schema whose bounds or levels were copied out of the records")
	f.BoolVar(&t.dryRun, "dry-run", false, "print plan, cost and assumptions, of gradient descent also time and memory; check headers, columns and the output folder; stop before a record is read or anything is spent")
	f.BoolVar(&t.nonPrivate, "non-private", false, "baseline without privacy: epsilon is infinite and every file says so; a linear model is trained to convergence without clipping unless flags say how it descends")
	f.IntVar(&t.records, "records", 0, "declared public number of records, instead of the schema's")
	f.IntVar(&t.maxRecords, "max-records", 0, "declared public bound on the number of records, instead of the schema's")
	f.BoolVar(&t.stream, streamFlag, false, "for tables larger than memory: encode the table once into the cache folder, and read it from there in every step (dither clean removes it)")
	f.BoolVar(&t.cacheFeatures, cacheFeaturesFlag, false, "for costly transforms: keep the encoded features, which are private records, in the cache folder for later runs on the same table (dither data lists them, dither clean removes them)")
	f.StringVar(&t.sweep, sweepFlag, "", "folder of a finished dither sweep on public records: the report draws its accuracy over epsilon, with the epsilon of this run")
	f.BoolVar(&t.json, "json", false, "print the summary (or the dry run) as JSON")
	f.BoolVar(&t.quiet, "quiet", false, "no progress")
	t.plan.add(f)
	t.holdout.add(f)
	t.method.add(f)
	t.network.add(f)
	return t, c
}

func (t *trainCommand) run(ctx context.Context) error {
	source, err := t.open()
	if err != nil {
		return err
	}
	t.warnDelta(source.schema)
	if t.sweep != "" {
		if t.curve, err = readPublicSweep(t.sweep); err != nil {
			return err
		}
	}
	if err = t.network.check(); err != nil {
		return err
	}
	if t.network.asked() {
		return t.runNetwork(ctx, source)
	}
	request, options, err := t.plan.request(t.nonPrivate)
	if err != nil {
		return err
	}
	if err = t.choose(source.schema, request); err != nil {
		return err
	}
	if err = t.method.check(); err != nil {
		return err
	}
	if t.method.elsewhere() {
		return t.runMethod(ctx, source, request, options)
	}
	begun := time.Now()
	type planned struct {
		trainRun
		request train.Request
		prices  []pricedNoise
	}
	p, err := computed(ctx, t.stderr, calibrating, func() (p planned, err error) {
		p.request = request
		if p.trainRun, err = t.planDescent(source, &p.request, options); err == nil && t.dryRun {
			p.prices = pricedNoises(p.request, source.schema)
		}
		return p, err
	})
	if err != nil {
		return err
	}
	f := p.trainRun
	request = p.request
	if t.dryRun {
		if err = t.checkTables(ctx, source); err != nil {
			return stopped(err)
		}
		t.plan.descent.prices = p.prices
		f.planned = time.Since(begun).Seconds()
		return t.printDryRun(ctx, f)
	}
	if f.folder, err = artefact.Claim(t.out, t.replace, t.stderr); err != nil {
		return err
	}
	defer f.folder.Close()
	if err = t.read(ctx, &f); err != nil {
		return stopped(err)
	}
	if f.encoded != nil {
		defer f.encoded.Close()
	}
	if f.test, err = source.test(ctx); err != nil {
		return stopped(err)
	}
	if err = t.rehearse(f); err != nil {
		return err
	}
	return t.fit(ctx, f)
}

// calibrating says what a command does before it reads records.
const calibrating = "calibrating the noise"

// planDescent settles the plan of gradient descent from the flags alone, and drafts the certificate.
func (t *trainCommand) planDescent(source tables, request *train.Request, options train.Options) (f trainRun, err error) {
	if t.nonPrivate {
		t.plan.converge(request, &options, source.schema)
	}
	f.source, f.options = source, options
	if err = options.Validate(); err != nil {
		return f, err
	}
	if err = t.checkStream(request, source.schema.Private()); err != nil {
		return f, err
	}
	if request.Holdout, err = t.holdout.request(t.group); err != nil {
		return f, err
	}
	if err = t.holdout.weigh(request); err != nil {
		return f, err
	}
	if err = t.holdout.check(len(source.schema.Target.Levels)); err != nil {
		return f, err
	}
	if f.setup, f.draft, err = train.Draft(*request, source.schema); err != nil {
		return f, err
	}
	if f.setup.Plan.LastIterate != nil && !t.plan.flags.Changed("momentum") {
		f.options.Momentum = 0
	}
	if err = f.setup.Check(f.options); err != nil {
		return f, err
	}
	f.draft.Declared = declarations(source, "")
	f.draft.Assumptions = assumptionsOf(f.setup.Plan.Premises(), f.setup.Schema, f.setup.Features, f.draft)
	return f, nil
}

// wholeBudget is the epsilon that was asked for the whole run, 0 where it was asked for each step; infinite for a
// baseline.
func wholeBudget(r train.Request) float64 {
	if r.PerStep {
		return 0
	}
	return r.Epsilon
}

// read reads the training records in the way that was asked for.
func (t *trainCommand) read(ctx context.Context, f *trainRun) (err error) {
	switch {
	case t.stream:
		f.encoded, err = cache.Encode(ctx, *t.streamed, f.setup, f.options, t.tell())
	case t.cacheFeatures:
		f.table, err = cache.Read(ctx, *t.streamed, f.setup, f.options, t.tell())
	default:
		f.records, err = f.source.train(ctx)
	}
	return err
}

// rehearse makes everything that will be written, with weights of zero in place of the trained
// ones, so that what cannot be made is refused before the budget is spent. It looks at no
// training record.
func (t *trainCommand) rehearse(f trainRun) error {
	m, err := f.untrained()
	if err != nil {
		return err
	}
	f.records, t.figures = nil, curve.BudgetFigures(f.draft)
	_, _, err = t.artefacts(f, &train.Result{Model: m, LearningRate: 1, Divisor: 1})
	return err
}

// untrained is the model with weights of zero.
func (f trainRun) untrained() (*model.Model, error) {
	if f.network != nil {
		return f.network.untrained()
	}
	return model.New(f.setup.Schema, f.setup.Features, f.setup.Model.Loss, make([]float64, f.setup.Model.Weights()))
}

// failure marks the error of a run, of which nothing may have been reserved.
func (f trainRun) failure(budget *ledger.Ledger, err error) error {
	if len(budget.Entries()) == 0 {
		f.folder.Unspend()
	}
	switch {
	case errors.Is(err, ledger.ErrOverBudget):
		return err
	case f.network != nil && f.network.checkpoint != "" && f.folder.Spent():
		if errors.Is(err, context.Canceled) { // then the checkpoint is whole, and counts every step
			f.folder.RemoveTrace()
		}
		err = f.network.interrupted(err)
	}
	return f.folder.Failure(err)
}

// stopped marks an interruption as a failure while running.
func stopped(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return failed{errors.New("stopped before training; nothing was spent or written")}
	}
	return err
}

// fitting is everything that a run needs once its inputs are read.
type trainRun struct {
	source  tables
	setup   train.Setup     // with another method, the numbers that it shares with all
	other   *erm.Setup      // nil: package train
	network *networkFitting // nil: a linear model
	options train.Options
	draft   certificate.Certificate
	folder  *artefact.Folder
	records *data.Dataset // nil: in encoded or table
	encoded *os.File
	table   *train.Table
	test    *data.Dataset // nil: none
	planned float64       // seconds that the plan took
}

func (t *trainCommand) fit(ctx context.Context, f trainRun) error {
	budget, err := ledgerOf(f.draft)
	if err != nil {
		return err
	}
	process.OutliveReaders()
	if err = f.folder.Spend(f.draft); err != nil {
		return err
	}
	progress := newProgress(t.stderr, t.quiet)
	if !t.quiet { // what a run costs so far takes time to price
		f.options.Progress = progress.show
	}
	var result *train.Result
	switch {
	case f.network != nil:
		result, err = f.network.fit(ctx, budget, f)
	case f.other != nil:
		result, err = erm.Fit(ctx, budget, *f.other, f.records, erm.Options{FeatureBits: f.options.FeatureBits})
	case f.encoded != nil:
		result, err = t.fitStream(ctx, budget, f)
	case f.table != nil:
		result, err = f.table.Fit(ctx, budget, f.setup, f.options)
	default:
		result, err = train.Fit(ctx, budget, f.setup, f.records, f.options)
	}
	progress.end()
	if err != nil {
		return f.failure(budget, err)
	}
	files, summary, err := t.artefacts(f, result)
	if err != nil {
		return f.folder.Failure(err)
	}
	if err := f.folder.Write(files); err != nil {
		return err
	}
	if err := f.folder.Unprinted(files, t.printSummary(summary, f)); err != nil {
		return err
	}
	return t.printPrivateMetrics(f, result)
}

// epsilonText prints epsilon rounded upward to four digits, or "infinity".
func epsilonText(v float64) string { return certificate.Epsilon(v).Rounded() }
