package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/report"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/spf13/pflag"
)

// methodFlags are the flags that choose the method, and those of methods other than gradient descent.
type methodFlags struct {
	flags    *pflag.FlagSet
	name     string
	auto     bool // name was chosen by auto
	sumRidge float64
	noise    string
	choice   erm.ChoiceRequest
	solver   erm.SolverRequest
	// directions are those of a step of zeroth-order descent, l1Radius that of Frank-Wolfe.
	directions int
	l1Radius   float64
}

// ownFlags names, for each flag that only some methods have, those methods.
var ownFlags = map[string][]string{
	"center":        {train.MethodGD, train.MethodSGD, erm.MethodOutput, erm.MethodObjective, erm.MethodZeroth},
	"steps":         {train.MethodGD, train.MethodSGD, erm.MethodZeroth, erm.MethodFrankWolfe},
	"clipping-norm": {train.MethodGD, train.MethodSGD, erm.MethodZeroth, erm.MethodFrankWolfe},
	"directions":    {erm.MethodZeroth},
	"l1-radius":     {erm.MethodFrankWolfe},
	"output-noise":  {erm.MethodOutput, erm.MethodZeroth},
	"solver":        {erm.MethodOutput},
	"solver-steps":  {erm.MethodOutput},
	"solver-rate":   {erm.MethodOutput},
	"solver-passes": {erm.MethodOutput},
	"solver-batch":  {erm.MethodOutput},
	"grid-points":   {erm.MethodExponential},
	"grid-reach":    {erm.MethodExponential},
	"loss-bound":    {erm.MethodExponential},
	"choice":        {erm.MethodExponential, erm.MethodFrankWolfe},
}

// descentFlags are the flags of gradient descent with noise in every step.
var descentFlags = []string{"sampling-probability", "batch-size", "parts", "clipping", "whiten", "learning-rate", "momentum", "ridge",
	"average", "epsilon-per-step", "unit", "max-records-per-person", streamFlag, cacheFeaturesFlag, "holdout", "holdout-noise", "holdout-bins", "holdout-score-range", "holdout-residual-bound",
	"class-weights", "sample-weights", "parameter-radius", "optimizer", "schedule", "warm-up", "l1", "output-rule", "noise-contraction", "accounting", "temperature"}

func (m *methodFlags) add(f *pflag.FlagSet) {
	m.flags = f
	names := make([]string, 0, len(erm.Names()))
	for _, name := range erm.Names() {
		names = append(names, name+" ("+erm.Summary(name)+")")
	}
	f.StringVar(&m.name, "method", train.MethodGD, strings.Join(append([]string{erm.MethodAuto + " (what suits epsilon, delta, target and features, which are public; it says which and why)", train.MethodGD + " (gradient descent with noise in every step; " + train.MethodSGD + " when sampling)"}, names...), ", "))
	f.Float64Var(&m.sumRidge, "sum-ridge", 0, "strength of the penalty on squared weights, beside the sum of losses: half of it times the squared norm (default: the method's)")
	f.StringVar(&m.noise, "output-noise", "", fmt.Sprintf("noise on released weights, or of zeroth-order descent, which has the first two: %s, or %s, %s or %s, of which %s and %s need no delta (default %s, with --delta 0 %s)", erm.NoiseGaussian, erm.NoiseL1, erm.NoiseL2, erm.NoiseLInfinity, erm.NoiseL1, erm.NoiseLInfinity, erm.NoiseGaussian, erm.NoiseL1))
	f.StringVar(&m.solver.Name, "solver", "", fmt.Sprintf("what %s releases with noise: %s, the minimizer; %s, where descent on all rows ends; or %s, where descent on batches in one random order ends, under replace-one (default %s)", erm.MethodOutput, erm.SolverExact, erm.SolverGradient, erm.SolverPermuted, erm.SolverExact))
	f.IntVar(&m.solver.Steps, "solver-steps", 0, fmt.Sprintf("steps of %s (default: as many as stand for the default ridge)", erm.SolverGradient))
	f.Float64Var(&m.solver.Rate, "solver-rate", 0, fmt.Sprintf("step size of %s, or of %s without a ridge (default: half of the largest that is proved)", erm.SolverGradient, erm.SolverPermuted))
	f.IntVar(&m.solver.Passes, "solver-passes", 0, fmt.Sprintf("passes of %s over the rows (default 10)", erm.SolverPermuted))
	f.IntVar(&m.solver.Batch, "solver-batch", 0, fmt.Sprintf("rows in a batch of %s, at most 256 (default 50)", erm.SolverPermuted))
	f.IntVar(&m.choice.Points, "grid-points", 0, "points of the grid along each weight (default: by the number of weights)")
	f.Float64Var(&m.choice.Reach, "grid-reach", 0, "the grid goes from minus this to this along each weight (default: a score of 5 for the longest row)")
	f.Float64Var(&m.choice.LossBound, "loss-bound", 0, "where the loss of a row is cut (default 2)")
	f.StringVar(&m.choice.Choice, "choice", "", fmt.Sprintf("how a point of the grid, or a coordinate of %s, is chosen: %s or %s (default %s, of coordinates %s with a delta)", erm.MethodFrankWolfe, erm.ChoiceFlip, erm.ChoiceExponential, erm.ChoiceFlip, erm.ChoiceExponential))
	f.IntVar(&m.directions, "directions", 0, fmt.Sprintf("random directions in a step of %s (default %d)", erm.MethodZeroth, erm.DefaultDirections))
	f.Float64Var(&m.l1Radius, "l1-radius", 0, fmt.Sprintf("largest sum of magnitudes of the weights of %s (default: a score of 10 by one coordinate of levels, of 2 by one of a number in units of half its range)", erm.MethodFrankWolfe))
}

// elsewhere reports whether the method is one of package erm.
func (m *methodFlags) elsewhere() bool { return slices.Contains(erm.Names(), m.name) }

// check refuses an unknown method, and flags that the method does not have.
func (m *methodFlags) check() error {
	descent := []string{train.MethodGD, train.MethodSGD}
	if !m.elsewhere() && !slices.Contains(descent, m.name) {
		return fmt.Errorf("--method is %q, want one of %s", m.name, strings.Join(append([]string{erm.MethodAuto, train.MethodGD, train.MethodSGD}, erm.Names()...), ", "))
	}
	var wrong error
	m.flags.Visit(func(f *pflag.Flag) {
		having, some := ownFlags[f.Name]
		switch {
		case f.Name == "sum-ridge":
			having, some = erm.Names(), true
		case slices.Contains(descentFlags, f.Name):
			having, some = descent, true
		}
		if some && !slices.Contains(having, m.name) && wrong == nil {
			wrong = m.misplaced(f.Name, having)
		}
	})
	return wrong
}

// misplaced is the error about a flag that other methods have.
func (m *methodFlags) misplaced(flag string, having []string) error {
	if m.auto {
		return fmt.Errorf("--%s is given with --method %s, which takes %s for this table and budget and has no such flag, want --method %s", flag, erm.MethodAuto, m.name, strings.Join(having, " or "))
	}
	return fmt.Errorf("--%s is given with --method %s, want it with %s only", flag, m.name, strings.Join(having, ", "))
}

// request turns the flags into what is asked of erm.
func (m *methodFlags) request(r train.Request) erm.Request {
	return erm.Request{Method: m.name, Epsilon: r.Epsilon, Delta: r.Delta, Neighboring: r.Neighboring, Loss: r.Loss, Normalization: r.Normalization,
		Radius: r.Radius, Intercept: r.Intercept, Transforms: r.Transforms, SumRidge: m.sumRidge, Noise: m.noise, Center: r.Center, Choice: m.choice, Solver: m.solver,
		Zeroth:     erm.ZerothRequest{Steps: r.Steps, Directions: m.directions, ClippingNorm: r.ClippingNorm},
		FrankWolfe: erm.FrankWolfeRequest{Steps: r.Steps, Radius: m.l1Radius, ClippingNorm: r.ClippingNorm}}
}

// runMethod is run for a method of package erm.
func (t *trainCommand) runMethod(ctx context.Context, source tables, request train.Request, options train.Options) error {
	f, err := computed(ctx, t.stderr, calibrating, func() (trainRun, error) { return t.planMethod(source, request, options) })
	if err != nil {
		return err
	}
	if t.dryRun {
		if err = t.checkTables(ctx, source); err != nil {
			return stopped(err)
		}
		return t.printMethodDryRun(f)
	}
	if f.folder, err = artefact.Claim(t.out, t.replace, t.stderr); err != nil {
		return err
	}
	defer f.folder.Close()
	if f.records, err = source.train(ctx); err != nil {
		return stopped(err)
	}
	if f.test, err = source.test(ctx); err != nil {
		return stopped(err)
	}
	if err = t.rehearse(f); err != nil {
		return err
	}
	return t.fit(ctx, f)
}

// planMethod settles the plan of a method of package erm from the flags alone, and drafts the certificate.
func (t *trainCommand) planMethod(source tables, request train.Request, options train.Options) (trainRun, error) {
	if request.PrivateRadius {
		return trainRun{}, fmt.Errorf("--row-radius is private with --method %s, want a number", t.method.name)
	}
	if private := source.schema.Private(); len(private) > 0 {
		return trainRun{}, fmt.Errorf("column %q has private bounds or levels with --method %s, want them declared, or --method %s, which learns them", private[0].Name, t.method.name, train.MethodGD)
	}
	if err := t.holdout.check(len(source.schema.Target.Levels)); err != nil {
		return trainRun{}, err
	}
	var setup erm.Setup
	draft, err := within(wholeBudget(request), func(epsilon float64) (certificate.Certificate, error) {
		asked := t.method.request(request)
		if !request.PerStep {
			asked.Epsilon = epsilon
		}
		var failed error
		if setup, failed = erm.NewSetup(asked, source.schema); failed != nil {
			return certificate.Certificate{}, failed
		}
		return setup.Plan.Certificate()
	})
	if err != nil {
		return trainRun{}, err
	}
	f := trainRun{source: source, setup: shared(setup), other: &setup, options: options, draft: draft}
	f.draft.Declared = declarations(source, "")
	f.draft.Assumptions = assumptionsOf(setup.Plan.Premises(), setup.Schema, setup.Features, f.draft)
	return f, nil
}

// shared is what a method's setup has in common with one of package train.
func shared(s erm.Setup) train.Setup {
	p := s.Plan
	return train.Setup{Schema: s.Schema, Features: s.Features, Model: s.Model, Plan: train.Plan{Neighboring: p.Neighboring, Unit: p.Unit, RowsPerPerson: p.RowsPerPerson, Delta: p.Delta,
		Records: p.Records, MaxRecords: p.MaxRecords, Dim: p.Dim, Columns: p.Columns, NonPrivate: p.NonPrivate}}
}

// warnings are drawn from public numbers.
func (f trainRun) warnings() []string {
	p := f.draft
	out := f.methodWarnings()
	if doubt := deltaDoubt(p.Delta, f.source.schema.Records, f.source.schema.MaxRecords); p.Private && doubt != "" {
		out = append([]string{doubt}, out...)
	}
	return out
}

// methodWarnings are those of the method.
func (f trainRun) methodWarnings() []string {
	if f.network != nil {
		return f.network.warnings(f.draft)
	}
	if f.other != nil && !f.other.Plan.NonPrivate {
		return nil
	}
	return warnings(f.setup)
}

// noiseWords says how much noise there is for one record.
func (f trainRun) noiseWords() string {
	if f.network != nil {
		return f.network.noiseWords()
	}
	if f.other != nil {
		return ""
	}
	return noiseWords(f.setup.Plan)
}

// events lists the releases with their shares of the budget: under other methods of the Rényi divergence at
// the order that prices the plan.
func (f trainRun) events() []report.Event {
	if f.network != nil {
		return f.network.events()
	}
	if f.other == nil {
		return wording.Releases(f.setup.Plan)
	}
	p := f.other.Plan
	steps, total := p.Steps(), 0.0
	out := make([]report.Event, len(steps))
	for i, s := range steps {
		out[i] = report.Event{Purpose: s.Purpose, Text: eventText(s.Event), Count: 1, Share: share(p, s.Event)}
		if r, repeated := s.Event.(mechanism.Repeat); repeated {
			out[i].Count = r.Count
		}
		total += out[i].Share
	}
	for i := range out {
		out[i].Share /= total
	}
	return out
}

// share is the divergence of an event at the order that prices the plan, or 1 where there is none.
func share(p erm.Plan, e mechanism.Event) float64 {
	_, order, err := account.RDP{}.Best(p.Event(), p.Delta, p.Neighboring)
	if err != nil || p.NonPrivate {
		return 1
	}
	curve, err := account.RDP{Orders: []float64{order}}.Curve(e, p.Neighboring)
	if err != nil {
		return 1
	}
	return curve[0]
}

// modelFacts describes model and training.
func (f trainRun) modelFacts(r *train.Result) []report.Fact {
	if f.network != nil {
		return f.network.modelFacts()
	}
	if f.other == nil {
		return modelFacts(f, r)
	}
	m := r.Model
	out := []report.Fact{
		{Name: "model", Value: fmt.Sprintf("linear, %s loss, %d × %d weights", m.Linear().Loss.Name(), m.Linear().Columns, m.Linear().Dim)},
		{Name: "method", Value: f.other.Plan.Method + ": " + erm.Summary(f.other.Plan.Method)},
		{Name: "rows", Value: rowWords(m.Features())},
	}
	for _, fact := range f.other.Plan.Facts() {
		out = append(out, report.Fact{Name: fact.Name, Value: fact.Value})
	}
	return out
}

// methodDryRun is what --dry-run prints for a method of package erm.
type methodDryRun struct {
	Plan        erm.Plan                `json:"plan"`
	Certificate certificate.Certificate `json:"certificate"`
}

func (t *trainCommand) printMethodDryRun(f trainRun) error {
	if t.json {
		return writeJSON(t.stdout, methodDryRun{f.other.Plan, f.draft})
	}
	w := t.stdout
	fmt.Fprintf(w, "dry run: nothing was read from the records, spent or written\n\nguarantee  %s\n", guaranteeText(f.draft))
	writeWidth(w, f.draft)
	fmt.Fprint(w, "\nplan\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  method\t%s\t\n", f.other.Plan.Method)
	for _, e := range f.events() {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", e.Purpose, e.Text, shareWords(f.draft, e))
	}
	fmt.Fprintf(table, "  weights\t%d × %d\t\n", f.other.Plan.Columns, f.other.Plan.Dim)
	for _, fact := range f.other.Plan.Facts() {
		fmt.Fprintf(table, "  %s\t%s\t\n", fact.Name, fact.Value)
	}
	fmt.Fprintf(table, "  rows\tat most %d\t\n", f.other.Plan.MaxRecords)
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nassumptions\n  - %s\n", strings.Join(f.draft.Assumptions, "\n  - "))
	return err
}
