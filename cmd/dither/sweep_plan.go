package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/ditherml/dither/internal/grid"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/progress"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train/erm"
)

// sweepPlan is everything that is settled before a sweep runs.
type sweepPlan struct {
	fixed      []sweep.Setting
	varied     []sweep.Parameter
	source     tables
	base       *trainCommand // with the settings that all runs share
	parts      sweepParts
	candidates []sweep.Candidate
	cost       sweep.Cost      // of all runs
	selection  *sweepSelection // nil: all runs are shown
	marked     outcome.Marked  // by --mark
}

// public reports whether neither the table nor what models are measured on is private.
func (p *sweepPlan) public() bool { return p.parts.dataPublic }

// plan settles tables, configurations and their prices.
func (s *sweepCommand) plan(ctx context.Context) (*sweepPlan, error) {
	s.flags.SortFlags = false // in the order in which they were given
	p := &sweepPlan{}
	var err error
	if p.fixed, p.varied, err = s.settings(); err != nil {
		return nil, err
	}
	if err = s.checkBaseline(p); err != nil {
		return nil, err
	}
	if p.base, err = s.configure(p.fixed, nil, true); err != nil {
		return nil, err
	}
	p.base.printNotPrivate = s.printNotPrivate
	if p.source, err = p.base.open(); err != nil {
		return nil, err
	}
	if p.parts, err = s.measuredOn(p); err != nil {
		return nil, err
	}
	if err = p.parts.divide(ctx, p); err != nil {
		return nil, err
	}
	if s.choose != "" {
		p.selection, err = progress.Await(ctx, s.stderr, calibrating, func() (*sweepSelection, error) { return s.selection(ctx, p) })
		return p, err
	}
	if _, err = progress.Await(ctx, s.stderr, calibrating, func() (*sweepPlan, error) { return p, s.candidates(ctx, p) }); err != nil {
		return nil, err
	}
	if err = s.checkMark(p); err != nil {
		return nil, err
	}
	p.cost, err = sweep.CostOf(p.candidates, func(c *sweep.Candidate) int { return c.Runs(s.repeats) })
	return p, err
}

// checkBaseline refuses --baseline for methods that have none, before anything is planned.
func (s *sweepCommand) checkBaseline(p *sweepPlan) error {
	if !s.baseline {
		return nil
	}
	for _, name := range p.allSettings("method") {
		if !erm.HasBaseline(name) {
			return fmt.Errorf("--baseline is given with --method %s, which does not run without privacy, want other methods with it; %s has the same minimizer and a baseline", name, erm.MethodOutput)
		}
	}
	return nil
}

// candidates plans every configuration, several at a time.
func (s *sweepCommand) candidates(ctx context.Context, p *sweepPlan) error {
	configurations, err := sweep.Combine(p.varied)
	if err != nil {
		return err
	}
	for _, settings := range configurations {
		p.candidates = append(p.candidates, sweep.Candidate{Settings: settings})
	}
	if s.baseline {
		p.candidates = append(p.candidates, grid.Baselines(configurations)...)
	}
	errs := make([]error, len(p.candidates))
	parallel.Items(len(errs), func(i int) { errs[i] = s.candidate(ctx, p, &p.candidates[i]) })
	for i, failed := range errs {
		if failed != nil && len(p.varied) > 0 {
			return fmt.Errorf("%s: %w", p.candidates[i].Words(), failed)
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}

// configure returns dither train with these settings.
func (s *sweepCommand) configure(fixed, settings []sweep.Setting, private bool) (*trainCommand, error) {
	t, c := newTrainCommand()
	t.stdout, t.stderr = io.Discard, io.Discard
	for _, one := range slices.Concat(fixed, settings) {
		if one.Name == noiseMultiplierFlag || !private && grid.OfBudget(one.Name) && one.Name != "delta" {
			continue
		}
		if err := c.Flags().Set(one.Name, one.Value); err != nil {
			return nil, fmt.Errorf("--%s is %q, want a value as dither train takes it", one.Name, one.Value)
		}
	}
	if !private {
		return t, c.Flags().Set("non-private", "true")
	}
	return t, nil
}

// candidate fills in the plan of one configuration.
func (s *sweepCommand) candidate(ctx context.Context, p *sweepPlan, c *sweep.Candidate) error {
	t, err := s.configure(p.fixed, c.Settings, !c.Baseline)
	if err != nil {
		return err
	}
	t.streamed = p.base.streamed
	if err = t.settle(p.source.schema); err != nil {
		return err
	}
	f, err := t.planned(ctx, p.source)
	if err != nil {
		return err
	}
	switch {
	case f.Network != nil:
		c.Network, c.NetworkOptions = &f.Network.Setup, f.Network.Options
	case f.Other != nil:
		c.Other, c.Options = f.Other, f.Options
	default:
		c.Linear, c.Options = &f.Setup, f.Options
	}
	if c.Certificate = f.Draft; c.Baseline {
		return nil
	}
	for _, one := range slices.Concat(p.fixed, c.Settings) {
		if one.Name == noiseMultiplierFlag {
			return grid.SetNoise(c, one.Value)
		}
	}
	return nil
}
