package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/training"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/spf13/pflag"
)

// methodFlags are the flags that choose the method, and the flags of methods other than gradient
// descent.
type methodFlags struct {
	flags    *pflag.FlagSet
	name     string
	auto     bool // auto chose the name
	sumRidge float64
	noise    string
	// asked holds the options that only some methods have.
	asked erm.Request
}

// ownFlags maps each flag that only some methods have to those methods.
var ownFlags = map[string][]string{
	"center":        {option.MethodGD, option.MethodSGD, option.MethodOutput, option.MethodObjective, option.MethodZeroth},
	"steps":         {option.MethodGD, option.MethodSGD, option.MethodZeroth, option.MethodFrankWolfe},
	"clipping-norm": {option.MethodGD, option.MethodSGD, option.MethodZeroth, option.MethodFrankWolfe},
	"directions":    {option.MethodZeroth},
	"l1-radius":     {option.MethodFrankWolfe},
	"output-noise":  {option.MethodOutput, option.MethodZeroth},
	"solver":        {option.MethodOutput},
	"solver-steps":  {option.MethodOutput},
	"solver-rate":   {option.MethodOutput},
	"solver-passes": {option.MethodOutput},
	"solver-batch":  {option.MethodOutput},
	"grid-points":   {option.MethodExponential},
	"grid-reach":    {option.MethodExponential},
	"loss-bound":    {option.MethodExponential},
	"choice":        {option.MethodExponential, option.MethodFrankWolfe},
}

// descentFlags are the flags of gradient descent with noise in every step.
var descentFlags = []string{"sampling-probability", "batch-size", "parts", "clipping", "whiten", "learning-rate", "momentum", "ridge",
	"average", "epsilon-per-step", "unit", "max-records-per-person", training.StreamFlag, training.CacheFlag, "holdout", "holdout-noise", "holdout-bins", "holdout-score-range", "holdout-residual-bound",
	"class-weights", "sample-weights", "parameter-radius", "optimizer", "schedule", "warm-up", "l1", "output-rule", "noise-contraction", "accounting", "temperature", "calibrate"}

func (m *methodFlags) add(f *pflag.FlagSet) {
	m.flags = f
	names := make([]string, 0, len(erm.Names()))
	for _, name := range erm.Names() {
		names = append(names, name+" ("+erm.Summary(name)+")")
	}
	f.StringVar(&m.name, "method", option.MethodGD, strings.Join(append([]string{option.MethodAuto + " (what suits epsilon, delta, target and features, which are public; it says which and why)", option.MethodGD + " (gradient descent with noise in every step; " + option.MethodSGD + " when sampling)"}, names...), ", "))
	f.Float64Var(&m.sumRidge, "sum-ridge", 0, "strength of the penalty on squared weights, beside the sum of losses: half of it times the squared norm (default: the method's)")
	f.StringVar(&m.noise, "output-noise", "", fmt.Sprintf("noise on released weights, or of zeroth-order descent, which has the first two: %s, or %s, %s or %s; %s and %s need no delta (default %s, with --delta 0 %s)", option.NoiseGaussian, option.NoiseL1, option.NoiseL2, option.NoiseLInfinity, option.NoiseL1, option.NoiseLInfinity, option.NoiseGaussian, option.NoiseL1))
	f.StringVar(&m.asked.Solver, "solver", "", fmt.Sprintf("what %s releases with noise: %s, the minimizer; %s, where descent on all rows ends; or %s, where descent on batches in one random order ends, under replace-one (default %s)", option.MethodOutput, option.SolverExact, option.SolverGradient, option.SolverPermuted, option.SolverExact))
	f.IntVar(&m.asked.SolverSteps, "solver-steps", 0, fmt.Sprintf("steps of %s (default: as many as stand for the default ridge)", option.SolverGradient))
	f.Float64Var(&m.asked.SolverRate, "solver-rate", 0, fmt.Sprintf("step size of %s, or of %s without a ridge (default: half of the largest that is proved)", option.SolverGradient, option.SolverPermuted))
	f.IntVar(&m.asked.SolverPasses, "solver-passes", 0, fmt.Sprintf("passes of %s over the rows (default 10)", option.SolverPermuted))
	f.IntVar(&m.asked.SolverBatch, "solver-batch", 0, fmt.Sprintf("rows in a batch of %s, at most 256 (default 50)", option.SolverPermuted))
	f.IntVar(&m.asked.GridPoints, "grid-points", 0, "points of the grid along each weight (default: by the number of weights)")
	f.Float64Var(&m.asked.GridReach, "grid-reach", 0, "the grid goes from minus this to this along each weight (default: a score of 5 for the longest row)")
	f.Float64Var(&m.asked.LossBound, "loss-bound", 0, "where the loss of a row is cut (default 2)")
	f.StringVar(&m.asked.Choice, "choice", "", fmt.Sprintf("how a point of the grid, or a coordinate of %s, is chosen: %s or %s (default %s, of coordinates %s with a delta)", option.MethodFrankWolfe, option.ChoiceFlip, option.ChoiceExponential, option.ChoiceFlip, option.ChoiceExponential))
	f.IntVar(&m.asked.Directions, "directions", 0, fmt.Sprintf("random directions in a step of %s (default %d)", option.MethodZeroth, option.DefaultDirections))
	f.Float64Var(&m.asked.L1Radius, "l1-radius", 0, fmt.Sprintf("largest sum of magnitudes of the weights of %s (default: a score of 10 by one coordinate of levels, of 2 by one of a number in units of half its range)", option.MethodFrankWolfe))
}

// elsewhere reports whether the method belongs to package erm.
func (m *methodFlags) elsewhere() bool { return slices.Contains(erm.Names(), m.name) }

// check refuses an unknown method, and flags that the method does not have.
func (m *methodFlags) check() error {
	descent := []string{option.MethodGD, option.MethodSGD}
	if !m.elsewhere() && !slices.Contains(descent, m.name) {
		return fmt.Errorf("--method is %q, want one of %s", m.name, strings.Join(append([]string{option.MethodAuto, option.MethodGD, option.MethodSGD}, erm.Names()...), ", "))
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

// misplaced returns the error for a flag of other methods.
func (m *methodFlags) misplaced(flag string, having []string) error {
	if m.auto {
		return fmt.Errorf("--%s is given with --method %s, which takes %s for this table and budget and has no such flag, want --method %s", flag, option.MethodAuto, m.name, strings.Join(having, " or "))
	}
	return fmt.Errorf("--%s is given with --method %s, want it with %s only", flag, m.name, strings.Join(having, ", "))
}

// request returns the request to package erm.
func (m *methodFlags) request(r train.Request) erm.Request {
	asked := m.asked
	asked.Method, asked.Epsilon, asked.Delta, asked.Neighboring, asked.Loss = m.name, r.Epsilon, r.Delta, r.Neighboring, r.Loss
	asked.Normalization, asked.Radius, asked.Intercept, asked.Transforms = r.Normalization, r.Radius, r.Intercept, r.Transforms
	asked.SumRidge, asked.Noise, asked.Center, asked.Steps, asked.ClippingNorm = m.sumRidge, m.noise, r.Center, r.Steps, r.ClippingNorm
	return asked
}

// choose replaces the method auto by one that suits the public numbers. It prints the method and
// the reason.
func (t *trainCommand) choose(s *data.Schema, r train.Request) error {
	if t.method.name != option.MethodAuto {
		return nil
	}
	chosen, reason, err := t.method.recommend(s, r)
	if err != nil {
		return err
	}
	t.method.name, t.method.auto = chosen, true
	_, err = fmt.Fprintf(t.stderr, "method %s: %s\n", chosen, reason)
	return err
}

// recommend leaves the choice to package erm, unless a flag or the schema requires descent.
func (m *methodFlags) recommend(s *data.Schema, r train.Request) (method, reason string, err error) {
	var asked string
	m.flags.Visit(func(f *pflag.Flag) {
		descent := slices.Contains(descentFlags, f.Name) || slices.Contains(ownFlags[f.Name], option.MethodGD)
		if descent && asked == "" {
			asked = "--" + f.Name
		}
	})
	if len(s.Private()) > 0 && asked == "" {
		asked = "a column with private bounds or levels"
	}
	if asked != "" {
		return option.MethodGD, asked + " is for descent", nil
	}
	return erm.Recommend(m.request(r), s)
}
