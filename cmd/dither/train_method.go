package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/data"
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

// choose replaces the method auto by one that suits what is public, and says which and why.
func (t *trainCommand) choose(s *data.Schema, r train.Request) error {
	if t.method.name != erm.MethodAuto {
		return nil
	}
	chosen, err := t.method.recommend(s, r)
	if err != nil {
		return err
	}
	t.method.name, t.method.auto = chosen.Method, true
	_, err = fmt.Fprintf(t.stderr, "method %s: %s\n", chosen.Method, chosen.Reason)
	return err
}

// recommend leaves the choice to package erm, unless a flag or the schema asks for what descent has.
func (m *methodFlags) recommend(s *data.Schema, r train.Request) (erm.Recommendation, error) {
	var asked string
	m.flags.Visit(func(f *pflag.Flag) {
		descent := slices.Contains(descentFlags, f.Name) || slices.Contains(ownFlags[f.Name], train.MethodGD)
		if descent && asked == "" {
			asked = "--" + f.Name
		}
	})
	if len(s.Private()) > 0 && asked == "" {
		asked = "a column with private bounds or levels"
	}
	if asked != "" {
		return erm.Recommendation{Method: train.MethodGD, Reason: asked + " is for descent"}, nil
	}
	return erm.Recommend(m.request(r), s)
}
