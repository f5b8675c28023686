package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/grid"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/internal/process"
	"github.com/ditherml/dither/internal/training"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/sweep"
)

// sweepSelection is a private choice of settings: what it costs at most and how many runs it makes on average.
type sweepSelection struct {
	plan  sweep.Selection
	draft certificate.Certificate // of the first configuration
}

// selectionLaw reads --select LAW:MEAN.
func (s *sweepCommand) selectionLaw() (sweep.RunCountDistribution, error) {
	law, err := sweep.ParseLaw(s.choose)
	if err != nil {
		return law, fmt.Errorf("--select: %s", strings.TrimPrefix(err.Error(), "sweep: "))
	}
	return law, nil
}

// selection settles a private choice. The epsilon is that of the whole: each run gets the largest that keeps it.
func (s *sweepCommand) selection(ctx context.Context, p *sweepPlan) (*sweepSelection, error) {
	law, err := s.selectionLaw()
	switch {
	case err != nil:
		return nil, err
	case s.repeats != 1 || s.baseline || s.printNotPrivate || s.mark != "":
		return nil, fmt.Errorf("--select is given with --repeats, --baseline, --mark or --print-not-private, want none of them: a private choice shows its winner alone")
	case !p.parts.testPublic:
		return nil, fmt.Errorf("--select is given without public records to score models on, want --test FILE --test-public; scores on private records would have to be paid for")
	case p.varies("epsilon") || p.varies("epsilon-per-step") || p.varies("delta") || p.varies(noiseMultiplierFlag):
		return nil, fmt.Errorf("--select is given with several budgets, want one, of which the choice takes no more")
	}
	asked := 0.0
	if !s.flags.Changed(noiseMultiplierFlag) && !s.flags.Changed("epsilon-per-step") {
		if asked, err = s.fitBudget(ctx, p, law); err != nil {
			return nil, err
		}
	}
	if err = s.candidates(ctx, p); err != nil {
		return nil, err
	}
	out := &sweepSelection{}
	if out.plan, err = sweep.NewSelection(p.candidates, law); err != nil {
		return nil, err
	}
	if out.draft, err = out.plan.Certificate(&p.candidates[0]); err == nil && asked > 0 && max(float64(out.draft.Epsilon), out.draft.Charge()) <= asked {
		out.draft.Asked = certificate.Epsilon(asked)
	}
	return out, err
}

// fitBudget replaces the epsilon of the whole by the largest of a run with which the choice costs
// no more. It bisects its logarithm, and returns the epsilon of the whole.
func (s *sweepCommand) fitBudget(ctx context.Context, p *sweepPlan, law sweep.RunCountDistribution) (float64, error) {
	whole := 1.0
	if given := p.allSettings("epsilon"); len(given) == 1 {
		var err error
		if whole, err = strconv.ParseFloat(given[0], 64); err != nil || !(whole > 0) {
			return 0, fmt.Errorf("--epsilon is %q, want a positive number", given[0])
		}
	}
	configurations, err := sweep.Combine(p.varied)
	if err != nil {
		return 0, err
	}
	epsilon, err := grid.LargestRun(law, whole, func(epsilon float64) (c sweep.Candidate, err error) {
		at := *p
		at.setEpsilon(epsilon)
		c.Settings = configurations[0]
		err = s.candidate(ctx, &at, &c)
		return c, err
	})
	if err != nil {
		return 0, err
	}
	p.setEpsilon(epsilon)
	return whole, nil
}

// setEpsilon fixes the epsilon of a run.
func (p *sweepPlan) setEpsilon(epsilon float64) {
	var fixed []sweep.Setting
	for _, one := range p.fixed {
		if one.Name != "epsilon" {
			fixed = append(fixed, one)
		}
	}
	p.fixed = append(fixed, sweep.Setting{Name: "epsilon", Value: strconv.FormatFloat(epsilon, 'g', -1, 64)})
}

// printSelection prints what a private choice would do and cost.
func (s *sweepCommand) printSelection(p *sweepPlan, chosen *sweepSelection) error {
	if s.json {
		return writeJSON(s.stdout, map[string]any{"selection": chosen.plan, "certificate": chosen.draft})
	}
	run := p.candidates[0].Certificate
	return writeAll(s.stdout, fmt.Appendf(nil, "dry run: nothing was trained, spent or written\n\nguarantee  %s\n\n%s to draw from; a random number of runs, %d on average (%s), each of epsilon %s;\nthe best on %s is released%s\n",
		guaranteeText(chosen.draft), count(len(p.candidates), "configuration"), chosen.plan.Mean, chosen.plan.RunCountDistribution, epsilonText(float64(run.Epsilon)), oneLine(p.measuredName()), wording.NoRuns(chosen.plan)))
}

// choosePrivately makes the choice and writes the model folder of the winner.
func (s *sweepCommand) choosePrivately(ctx context.Context, p *sweepPlan, chosen *sweepSelection) error {
	out := s.out
	if !s.flags.Changed("out") {
		out = ""
	}
	place, err := artefact.Claim(out, false, s.stderr)
	if err != nil {
		return err
	}
	defer place.Close()
	if err = p.parts.read(ctx, p.source); err != nil {
		return err
	}
	examiner, err := sweep.NewEvaluator(p.parts.test)
	if err != nil {
		return err
	}
	budget, err := chosen.draft.Ledger()
	if err != nil {
		return err
	}
	if !s.quiet {
		fmt.Fprintln(s.stderr, "choosing; how far it is would tell what is not released")
	}
	runs := sweep.Sweep{Candidates: p.candidates, Repeats: 1, Training: p.parts.training, Examiner: examiner}
	metric := sweep.Metrics(p.source.schema.Target)[0]
	process.OutliveReaders()
	if err = place.Spend(chosen.draft); err != nil {
		return err
	}
	won, err := runs.Select(ctx, budget, chosen.plan, metric, false)
	if err != nil {
		return selectionFailure(place, budget, err)
	}
	study := s.study(p)
	study.Folder = place.Path()
	files, err := study.WinnerFiles(won, outcome.Origin{Program: program(), Asked: chosen.draft.Asked, Declared: training.Declared(p.source.testPublic && p.source.testName != "", oneLine(p.measuredName()))})
	if err != nil {
		return place.Failure(err)
	}
	if err = place.Write(files); err != nil {
		return err
	}
	if s.json {
		return writeJSON(s.stdout, map[string]any{"folder": place.Path(), "settings": won.Winner.Settings, "certificate": won.Certificate})
	}
	return writeAll(s.stdout, fmt.Appendf(nil, "model      %s\nguarantee  %s\nchosen     %s\n\ncheck the guarantee: dither verify %s\n", place.Path(), guaranteeText(won.Certificate), printable(won.Winner.Words()), place.Path()))
}

// selectionFailure marks the error of a choice for which nothing may have been reserved.
func selectionFailure(place *artefact.Folder, budget *ledger.Ledger, err error) error {
	if len(budget.Entries()) == 0 {
		place.Unspend()
	}
	switch {
	case errors.Is(err, ledger.ErrOverBudget):
		return err
	case errors.Is(err, sweep.ErrNoRuns):
		err = fmt.Errorf("the random number of runs came up as 0: nothing was trained or written; a larger mean makes that rarer")
	case errors.Is(err, sweep.ErrAllDiverged):
		err = fmt.Errorf("the weights of every run did not stay finite: there is no model; lower the learning rates")
	}
	return place.Failure(err)
}
