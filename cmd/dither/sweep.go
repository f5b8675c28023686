package main

import (
	"context"
	"fmt"
	"io"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/bookkeeping"
	"github.com/ditherml/dither/internal/flags"
	"github.com/ditherml/dither/internal/grid"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/internal/progress"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/signature"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/internal/values"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/sweep"
	"github.com/spf13/cobra"
)

// sweepCommand holds the flags of dither sweep.
type sweepCommand struct {
	grid.Options
	flags       *grid.Flags
	planFile    string
	json, quiet bool
	wish        bookkeeping.Wish
	key         signature.Private
	ranks       together.Flags
}

func newSweep() *cobra.Command {
	s := &sweepCommand{}
	c := &cobra.Command{
		Annotations: map[string]string{together.Several: "yes"}, Use: "sweep", Short: "Train many times with other settings: accuracy against privacy", Long: values.SweepLong, Example: values.SweepExample, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return s.ranks.Run(c, func() {}, func() error { return s.run(c) })
		},
	}
	f := c.Flags()
	f.StringVar(&s.planFile, "plan", "", "YAML file of what to run: names of these flags as keys, values or lists of them as values")
	f.IntVar(&s.Repeats, "repeats", 1, "runs of each configuration, each with noise of its own; intervals are Student's, of 95 % confidence")
	f.BoolVar(&s.Baseline, "baseline", false, "also run without privacy, to compare")
	f.StringVar(&s.Split, "split", "", "divide a table that is declared public into training and test part: first:0.8 trains on the first 80 % of the rows, random:0.2 tests on a random fifth, always the same")
	f.BoolVar(&s.DataPublic, "data-public", false, "declare the table public: no record of it is anybody's secret")
	f.StringVar(&s.Select, "select", "", "choose settings privately: geometric:MEAN, poisson:MEAN, logarithmic:MEAN or negative-binomial:SHAPE:MEAN makes a random number of runs with settings drawn at random, and writes the best on public records as a model folder, for --epsilon in all; all settings must cost the same")
	f.StringVar(&s.Mark, "mark", "", "configuration that figures and page point out, as epsilon=1,clipping-norm=0.5, or none (default: the smallest epsilon within one standard error of the best)")
	f.StringVar(&s.Out, "out", outcome.DefaultFolder, "folder of the results; one with the same sweep is gone on with")
	f.BoolVar(&s.PrintNotPrivate, "print-not-private", false, "measure on a test table that is not public: print metrics on this terminal only, without files of results")
	f.BoolVar(&s.DryRun, "dry-run", false, "print configurations, what each and all cost, and about how long they take, and stop")
	addWish(f, &s.wish, &s.key)
	f.BoolVar(&s.json, "json", false, "print JSON")
	f.BoolVar(&s.quiet, "quiet", false, "no progress; warnings stay")
	s.ranks.Add(f)
	s.flags = grid.NewFlags(f, newTrain().Flags())
	return c
}

// drawImage draws a figure as an image. Tests of other functions replace it, because images take
// most of the time of a small sweep.
var drawImage = report.WritePNG

func (s *sweepCommand) run(c *cobra.Command) error {
	p, err := s.plan(c)
	if err != nil {
		return err
	}
	ctx, messages := c.Context(), c.ErrOrStderr()
	switch {
	case p.Choice != nil && s.DryRun:
		return printed(c, s.json, p.Choice, func() ([]byte, error) { return p.ChoiceText(), nil })
	case p.Choice != nil:
		folder := ""
		if c.Flags().Changed("out") {
			folder = s.Out
		}
		purse, failed := s.wish.Purse(ctx, p.Schema)
		if failed != nil {
			return failed
		}
		told := messages
		if s.quiet {
			told = io.Discard
		}
		p.Key, p.Watch, p.Tell = s.key.Key, purse.Watch, func() { purse.Tell(told) }
		p.Pay = func(c *certificate.Certificate) (*ledger.Ledger, error) { return purse.Pay(ctx, c) }
		chosen, failed := p.Choose(ctx, folder, messages, s.quiet)
		if failed == nil && purse == nil && !p.Public() {
			fmt.Fprintln(messages, bookkeeping.Uncounted)
		}
		if failed = purse.End(ctx, p.Choice.Files, told, failed); failed != nil {
			return failed
		}
		return printed(c, s.json, chosen, func() ([]byte, error) { return chosen.Text(), nil })
	case s.wish != (bookkeeping.Wish{}) || p.Schema.Ledger != "" && !s.DataPublic && !s.DryRun:
		return fmt.Errorf("--select is missing, want it where a ledger pays: other sweeps are for public tables, which --data-public declares")
	case s.key.Key != nil:
		return fmt.Errorf("--sign is given without --select, want both: other sweeps write no certificate")
	case s.DryRun:
		study, seconds := p.Dry()
		return printed(c, s.json, study.DryDocument(seconds, s.Mark != ""), func() ([]byte, error) { return study.DryText(seconds) })
	}
	study, summaries, err := p.Execute(ctx, grid.NewProgress(messages, s.quiet, isTerminal(messages)), drawImage)
	if err != nil || study == nil { // at a rank that is not the root
		return err
	}
	return printed(c, s.json, study.Document(summaries, true), func() ([]byte, error) { return study.Text(summaries, notPrivateBanner) })
}

// plan settles tables, configurations and prices.
func (s *sweepCommand) plan(c *cobra.Command) (*grid.Plan, error) {
	if s.planFile != "" {
		if err := s.flags.ReadFile(s.planFile); err != nil {
			return nil, err
		}
	}
	fixed, varied, err := s.flags.Settings()
	if err != nil {
		return nil, err
	}
	if err = grid.Check(s.Options, fixed, varied); err != nil {
		return nil, err
	}
	base, err := s.base(fixed)
	if err != nil {
		return nil, err
	}
	p, err := grid.New(s.Options, base, fixed, varied)
	if err != nil {
		return nil, err
	}
	if err = p.Divide(c.Context()); err != nil {
		return nil, err
	}
	return progress.Await(c.Context(), c.ErrOrStderr(), "calibrating the noise", func() (*grid.Plan, error) { return p, p.Price(c.Context()) })
}

// base returns the part that all runs share: dither train with the settings that do not vary.
func (s *sweepCommand) base(fixed []sweep.Setting) (grid.Base, error) {
	t, err := configure(fixed, false)
	if err != nil {
		return grid.Base{}, err
	}
	t.printNotPrivate, t.table.Hashed = s.PrintNotPrivate, true
	source, err := t.open()
	if err != nil {
		return grid.Base{}, err
	}
	b := grid.Base{Schema: source.schema, Table: source.name, Test: t.test, Name: source.name, TestName: source.testName, TestPublic: source.testPublic, Related: t.sources[0].Related,
		Train: unlessStopped(source.train), ReadTest: unlessStopped(source.test), Program: program(), Command: s.flags.Command(s.Options, s.planFile)}
	b.Files = []sweep.Setting{{Name: "data", Value: t.tablePath}, {Name: "labels", Value: t.table.Labels}, {Name: "schema", Value: t.schema}, {Name: "test", Value: t.test}, {Name: "test-labels", Value: t.testLabels}}
	b.Databases = map[string]*tabular.Hashed{"data": tabular.HashedOf(t.sources[0]), "test": tabular.HashedOf(t.sources[1])}
	b.Run = func(ctx context.Context, settings []sweep.Setting, c *sweep.Candidate) error {
		each, failed := configure(settings, c.Baseline)
		if failed != nil {
			return failed
		}
		each.named, each.streamed = t.named, t.streamed
		if failed = each.settle(source.schema); failed != nil {
			return failed
		}
		f, failed := each.planned(ctx, source)
		switch {
		case failed != nil:
			return failed
		case f.Network != nil:
			c.Network, c.NetworkOptions = &f.Network.Setup, f.Network.Options
		case f.Other != nil:
			c.Other, c.Options = f.Other, f.Options
		default:
			c.Linear, c.Options = &f.Setup, f.Options
		}
		c.Certificate = f.Draft
		return nil
	}
	return b, nil
}

// unlessStopped returns a reader whose error states that the read was stopped, if it was.
func unlessStopped(read func(context.Context) (*data.Dataset, error)) func(context.Context) (*data.Dataset, error) {
	return func(ctx context.Context) (*data.Dataset, error) {
		d, err := read(ctx)
		return d, stopped(err)
	}
}

// configure returns dither train with these settings.
func configure(settings []sweep.Setting, baseline bool) (*trainCommand, error) {
	t, c := newTrainCommand()
	t.stdout, t.stderr = io.Discard, io.Discard
	for _, one := range settings {
		if c.Flags().Lookup(one.Name) == nil { // the noise multiplier, which replaces an epsilon
			continue
		}
		if err := c.Flags().Set(one.Name, one.Value); err != nil {
			return nil, flags.Wrong(err)
		}
	}
	if baseline {
		return t, c.Flags().Set("non-private", "true")
	}
	return t, nil
}
