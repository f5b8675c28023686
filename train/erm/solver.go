package erm

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// solverRequest is the part of a request that chooses the solver.
type solverRequest struct {
	Name          string
	Steps         int
	Rate          float64
	Passes, Batch int
}

func (r Request) solver() solverRequest {
	return solverRequest{r.Solver, r.SolverSteps, r.SolverRate, r.SolverPasses, r.SolverBatch}
}

// solverPlan holds the numbers of a solver other than "exact".
type solverPlan struct {
	Name   string  `json:"name"`
	Steps  int     `json:"steps,omitempty"`
	Rate   float64 `json:"rate,omitempty"`
	Passes int     `json:"passes,omitempty"`
	Batch  int     `json:"batch,omitempty"`
}

// released is a solver of weights that are released with noise.
type released interface {
	Sensitivity(dim int) (float64, error)
	Run(ctx context.Context, rows *release.Rows, n mechanism.Noise, norm release.Norm) (release.Bounded, error)
}

// exactSolver is the solver that finds the exact minimizer of a problem.
type exactSolver struct{ release.Problem }

var (
	_ released = exactSolver{}
	_ released = release.GradientDescent{}
	_ released = release.PermutedDescent{}
)

func (e exactSolver) Sensitivity(dim int) (float64, error) {
	if err := e.Validate(); err != nil {
		return 0, err
	}
	return e.Problem.Sensitivity(dim), nil
}

func (e exactSolver) Run(ctx context.Context, rows *release.Rows, n mechanism.Noise, norm release.Norm) (release.Bounded, error) {
	return e.Minimize(ctx, rows, n, norm)
}

const (
	// defaultPasses and defaultBatch are the defaults of "permuted-descent".
	defaultPasses, defaultBatch = 10, 50
	// mostSteps bounds the default number of steps of "gradient-descent".
	mostSteps = 1 << 16
)

// plan returns the plan of the solver and its ridge. The argument asked is the requested ridge, and
// ridge is the method's default.
func (r solverRequest) plan(p Plan, asked, ridge float64) (plan *solverPlan, sumRidge float64, err error) {
	if r.Name == "" {
		r.Name = option.SolverExact
	}
	if !(r.Rate >= 0) || math.IsInf(r.Rate, 1) || r.Steps < 0 || r.Passes < 0 || r.Batch < 0 {
		return nil, 0, fmt.Errorf("erm: the solver has %d steps, rate %v, %d passes and batches of %d, want no negative, infinite or NaN numbers", r.Steps, r.Rate, r.Passes, r.Batch)
	}
	gradient, permuted := r.Name == option.SolverGradient, r.Name == option.SolverPermuted
	if !gradient && r.Steps > 0 || !gradient && !permuted && r.Rate > 0 || !permuted && (r.Passes > 0 || r.Batch > 0) {
		return nil, 0, fmt.Errorf("erm: solver %s has %d steps, rate %v, %d passes and batches of %d, want none that belong to another solver", r.Name, r.Steps, r.Rate, r.Passes, r.Batch)
	}
	switch {
	case gradient:
		plan, err = r.gradient(p, asked, ridge)
		return plan, asked, err
	case permuted:
		plan = &solverPlan{Name: r.Name, Rate: r.Rate, Passes: r.Passes, Batch: r.Batch}
		if plan.Passes == 0 {
			plan.Passes = defaultPasses
		}
		if plan.Batch == 0 {
			plan.Batch = min(defaultBatch, max(1, p.Records))
		}
		if asked == 0 && r.Rate == 0 {
			asked = ridge
		}
		return plan, asked, nil
	case r.Name != option.SolverExact:
		return nil, 0, fmt.Errorf("erm: solver is %q, want %s, %s or %s", r.Name, option.SolverExact, option.SolverGradient, option.SolverPermuted)
	}
	if asked == 0 {
		asked = ridge
	}
	return nil, asked, nil
}

// gradient returns the plan of gradient descent. Its default rate is half of the largest rate. The
// default number of steps makes the sum of the rates 1/Λ for the default ridge Λ. The end is then
// about as far from the start as the minimizer with that ridge, and one record moves it about as
// much.
func (r solverRequest) gradient(p Plan, asked, ridge float64) (*solverPlan, error) {
	problem, err := p.problem(ridge)
	if err != nil {
		return nil, err
	}
	problem.Ridge = asked
	out := &solverPlan{Name: r.Name, Steps: r.Steps, Rate: r.Rate}
	if out.Rate == 0 {
		out.Rate = release.GradientDescent{Problem: problem}.LargestRate() / 2
	}
	if out.Steps == 0 {
		out.Steps = int(min(mostSteps, math.Ceil(1/(ridge*out.Rate))))
	}
	return out, nil
}

// solver returns the solver of an output plan. The ridge of descent may be 0.
func (p Plan) solver() (released, error) {
	loss, err := lossOf(p.Loss)
	if err != nil {
		return nil, err
	}
	o := p.Output
	problem := release.Problem{Loss: loss, Columns: p.Columns, Radius: p.RowBound, Ridge: o.Ridge, MaxRecords: p.MaxRecords}
	switch {
	case o.Solver == nil:
		return exactSolver{problem}, problem.Validate()
	case o.Solver.Name == option.SolverGradient && o.Solver.Passes == 0 && o.Solver.Batch == 0:
		d := release.GradientDescent{Problem: problem, Rate: o.Solver.Rate, Steps: o.Solver.Steps}
		return d, d.Validate()
	case o.Solver.Name == option.SolverPermuted && o.Solver.Steps == 0:
		if p.Neighboring != privacy.ReplaceOne {
			return nil, fmt.Errorf("erm: solver %s is asked for under %v, want %v, for which alone it is proved; %s has no such limit", option.SolverPermuted, p.Neighboring, privacy.ReplaceOne, option.SolverGradient)
		}
		d := release.PermutedDescent{Problem: problem, Records: p.Records, Batch: o.Solver.Batch, Passes: o.Solver.Passes, Rate: o.Solver.Rate}
		return d, d.Validate()
	}
	return nil, fmt.Errorf("erm: solver is %+v, want %s or %s with numbers of its own", *o.Solver, option.SolverGradient, option.SolverPermuted)
}

// words returns a description of the solver for people to read.
func (s *solverPlan) words() string {
	switch {
	case s == nil:
		return "the exact minimizer, by Newton's method"
	case s.Name == option.SolverGradient:
		return fmt.Sprintf("%d steps of gradient descent of rate %.4g", s.Steps, s.Rate)
	}
	return fmt.Sprintf("%d passes over batches of %d in one random order", s.Passes, s.Batch)
}
