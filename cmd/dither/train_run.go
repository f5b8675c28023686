package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/bookkeeping"
	"github.com/ditherml/dither/internal/cache"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/layers"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/process"
	"github.com/ditherml/dither/internal/progress"
	"github.com/ditherml/dither/internal/training"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/train"
)

func (t *trainCommand) run(ctx context.Context) error {
	source, err := t.open()
	if err != nil {
		return err
	}
	t.warnDelta(source.schema)
	if t.sweep != "" {
		if t.curve, err = training.ReadCurve(t.sweep); err != nil {
			return err
		}
	}
	if err = t.settle(source.schema); err != nil {
		return err
	}
	begun := time.Now()
	most, err := t.most()
	if err != nil {
		return err
	}
	tell := t.stderr // an epsilon that was asked for and not kept is told in any case
	if t.wish.Charge != "" {
		tell = t.tell()
	}
	f, err := within(ctx, t.stderr, tell, t.wish, source.schema, most, func(epsilon float64) (*training.Run, *certificate.Certificate, error) {
		t.plan.epsilon = epsilon
		f, failed := t.planned(ctx, source)
		if failed != nil || t.network.resume != "" { // its noise is that of the run before
			return f, nil, failed
		}
		return f, &f.Draft, nil
	})
	if err != nil {
		return err
	}
	if !t.of.Root() {
		f.Follow()
		return t.pay(ctx, source, f)
	}
	defer f.Close()
	f.Curve = t.curve
	if t.dryRun {
		return t.dry(ctx, source, f, begun)
	}
	if err = f.Claim(t.out, t.replace, t.stderr); err != nil {
		return err
	}
	f.Folder.SignWith(t.key.Key)
	return t.pay(ctx, source, f)
}

// pay reserves the budget of a run before a record is read, and runs it.
func (t *trainCommand) pay(ctx context.Context, source tables, f *training.Run) error {
	plan, err := f.Agreed()
	if err != nil || t.dryRun {
		return err
	}
	purse, err := t.wish.Purse(ctx, source.schema)
	if err != nil {
		return err
	}
	var files map[string][]byte
	budget, err := f.Pay(ctx, purse)
	if err == nil {
		err = t.of.Read(t.streamed, plan, func() error { return stopped(t.read(ctx, purse.Watch(ctx), source, f)) })
	}
	if err == nil {
		purse.Tell(t.tell())
		files, err = t.fit(ctx, f, budget)
	}
	if err == nil && purse == nil && f.Draft.Private && !f.Tables.Builtin {
		fmt.Fprintln(t.stderr, bookkeeping.Uncounted) // a warning, which --quiet leaves
	}
	return purse.End(ctx, files, t.tell(), err)
}

// most returns the largest epsilon of the run.
func (t *trainCommand) most() (float64, error) {
	if t.wish.Charge != "" && (t.nonPrivate || t.plan.epsilonPerStep > 0 || t.network.resume != "" || t.method.auto) {
		return 0, fmt.Errorf("--charge is given with --non-private, --epsilon-per-step, --resume or --method %s, want the budget of a whole private run by a named method", option.MethodAuto)
	}
	return t.wish.Most(t.plan.epsilon, t.plan.flags.Changed("epsilon")), nil
}

// settle refuses flags that contradict each other, and resolves the method auto.
func (t *trainCommand) settle(s *data.Schema) error {
	if err := t.network.check(); err != nil || t.network.asked() {
		return err
	}
	request, _, err := t.plan.request(t.nonPrivate)
	if err != nil {
		return err
	}
	if err = t.choose(s, request); err != nil {
		return err
	}
	return t.method.check()
}

// planned makes the plan of a run from the flags alone, and drafts the certificate.
func (t *trainCommand) planned(ctx context.Context, source tables) (*training.Run, error) {
	f, err := t.planAny(ctx, source)
	if err == nil {
		f.Threshold, f.Interactions = t.holdout.threshold, t.plan.interactions
	}
	return f, err
}

func (t *trainCommand) planAny(ctx context.Context, source tables) (*training.Run, error) {
	if t.network.asked() {
		return t.planNetwork(ctx, source)
	}
	request, options, err := t.plan.request(t.nonPrivate)
	switch {
	case err != nil:
		return nil, err
	case t.method.elsewhere():
		return t.planMethod(source, request, options)
	}
	return t.planDescent(source, request, options)
}

// planDescent plans gradient descent.
func (t *trainCommand) planDescent(source tables, request train.Request, options train.Options) (*training.Run, error) {
	if t.nonPrivate && !t.plan.describes() {
		training.Converge(&request, &options, source.schema, t.plan.flags.Changed("ridge"))
	}
	var err error
	if options.Average, err = choice("average", t.plan.average); err != nil {
		return nil, err
	}
	if err = options.Validate(); err != nil {
		return nil, err
	}
	streaming := training.Streaming{Tell: t.tell(), Stream: t.stream, Cache: t.cacheFeatures, Source: t.streamed, Holdout: t.holdout.holdout, RowWeights: t.holdout.rowWeights, Weights: t.holdout.weights,
		PrintsRecords: t.printNotPrivate && (t.test == "" || t.testPublic)}
	if err = streaming.Settle(source.schema.Private()); err != nil {
		return nil, err
	}
	if request.Holdout, err = t.holdout.request(t.group); err != nil {
		return nil, err
	}
	if err = t.holdout.weigh(&request); err != nil {
		return nil, err
	}
	if err = t.checkThreshold(source.schema); err != nil {
		return nil, err
	}
	if err = streaming.Improve(&request, options, source.schema, t.plan.interactions, !t.plan.flags.Changed("calibrate")); err != nil {
		return nil, err
	}
	return training.Descent(request, options, t.plan.flags.Changed("momentum"), t.told(source))
}

// planMethod plans a method of package erm.
func (t *trainCommand) planMethod(source tables, request train.Request, options train.Options) (*training.Run, error) {
	if request.PrivateRadius {
		return nil, fmt.Errorf("--row-radius is private with --method %s, want a number", t.method.name)
	}
	if private := source.schema.Private(); len(private) > 0 {
		return nil, fmt.Errorf("column %q has private bounds or levels with --method %s, want them declared, or --method %s, which learns them", private[0].Name, t.method.name, option.MethodGD)
	}
	if err := t.checkThreshold(source.schema); err != nil {
		return nil, err
	}
	whole := request.Epsilon
	if request.PerStep {
		whole = 0
	}
	return training.Minimizer(t.method.request(request), whole, options, t.told(source))
}

// planNetwork plans the training of a network.
func (t *trainCommand) planNetwork(ctx context.Context, source tables) (*training.Run, error) {
	if private := source.schema.Private(); len(private) > 0 {
		return nil, fmt.Errorf("column %q has private bounds or levels with a network, want them declared; --model %s learns them", private[0].Name, layers.Linear)
	}
	if err := t.checkThreshold(source.schema); err != nil {
		return nil, err
	}
	shared, options, err := t.plan.request(t.nonPrivate)
	if err != nil {
		return nil, err
	}
	asked, err := t.network.request(&t.plan, shared, options)
	if err != nil {
		return nil, err
	}
	asked.Dry = t.dryRun || !t.of.Root()
	return training.NewNetwork(ctx, asked, options, t.told(source))
}

func (t *trainCommand) checkThreshold(s *data.Schema) error {
	return t.holdout.threshold.Check(len(s.Target.Levels), t.holdout.holdout != "")
}

// read reads the records in the requested way, watched, and the test table.
func (t *trainCommand) read(ctx, watched context.Context, source tables, f *training.Run) (err error) {
	switch {
	case t.stream:
		f.Encoded, err = cache.Encode(watched, *t.streamed, f.Setup, f.Options, t.tell())
	case t.cacheFeatures:
		f.Table, err = cache.Read(watched, *t.streamed, f.Setup, f.Options, t.tell())
	default:
		f.Records, err = source.train(watched)
	}
	if err == nil {
		f.Test, err = source.test(ctx)
	}
	return err
}

// tell returns the writer of messages that are no warnings, which --quiet silences.
func (t *trainCommand) tell() io.Writer {
	if t.quiet {
		return io.Discard
	}
	return t.stderr
}

// stopped marks an interruption as a failure while running.
func stopped(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return failure.Running(errors.New("stopped before training; nothing was spent or written"))
	}
	return err
}

// fit trains, and returns the files of the folder.
func (t *trainCommand) fit(ctx context.Context, f *training.Run, budget *ledger.Ledger) (map[string][]byte, error) {
	process.OutliveReaders()
	told := progress.NewSteps(t.stderr, t.quiet)
	if !t.quiet { // pricing the run so far takes time
		f.Options.Progress = told.Show
	}
	finished, err := f.Train(ctx, budget)
	told.End()
	if err != nil {
		return nil, err
	}
	if err = f.Folder.Unprinted(finished.Files, t.print(finished.Summary)); err == nil {
		err = t.printPrivateMetrics(f, finished.Result)
	}
	return finished.Files, err
}

// print prints a value as JSON or as text.
func (t *trainCommand) print(v training.Printable) error {
	if t.json {
		return writeJSON(t.stdout, v)
	}
	return v.WriteText(t.stdout)
}

// dry checks the inputs and outputs of a dry run: headers, shapes and columns of the tables, and
// the output folder. It reads no record. A missing table is reported, but is no error.
func (t *trainCommand) dry(ctx context.Context, source tables, f *training.Run, begun time.Time) error {
	f.Compare()
	switch err := source.check(ctx); {
	case errors.Is(err, fs.ErrNotExist): // a plan may be made before the records exist
		fmt.Fprintf(t.stderr, "not checked: %v\n", err)
	case err != nil:
		return stopped(err)
	}
	if err := artefact.CheckClaim(t.out, t.replace); err != nil {
		return err
	}
	d, err := f.DryRun(ctx, training.Ask{Stream: t.stream, PerStep: t.plan.epsilonPerStep, Planned: time.Since(begun).Seconds()})
	if err != nil {
		return stopped(err)
	}
	return t.print(d)
}

// notPrivateBanner precedes every number that the guarantee does not cover.
const notPrivateBanner = "NOT PRIVATE: the numbers below are exact about records that are not public. For this terminal only; do not publish them."

// printPrivateMetrics prints, on request, metrics of records that are not public.
func (t *trainCommand) printPrivateMetrics(f *training.Run, r *train.Result) error {
	if !t.printNotPrivate {
		return nil
	}
	return running(f.WriteExact(t.stderr, notPrivateBanner, r.Model, t.group))
}

// warnDelta warns of a delta that is too large, before anything is spent.
func (t *trainCommand) warnDelta(s *data.Schema) {
	if doubt := training.DeltaDoubt(t.plan.delta, s.Records, s.MaxRecords); doubt != "" && !t.nonPrivate {
		fmt.Fprintln(t.stderr, "WARNING: "+doubt)
	}
}
