package erm

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
)

// newtonPlan is the section of Newton's method with double noise. Every step makes three releases
// with normal noise: the gradient, the trace of the second derivative, and the step.
type newtonPlan struct {
	Steps int `json:"steps"`
	// GradientNoise, TraceNoise and StepNoise are the noise multipliers of the three releases. Each
	// is in units of the bound on one record. They are 0 in a plan without privacy.
	GradientNoise float64 `json:"gradient-noise-multiplier"`
	TraceNoise    float64 `json:"trace-noise-multiplier"`
	StepNoise     float64 `json:"step-noise-multiplier"`
	// GradientBound is the largest norm of one record's gradient. Curvature is the largest
	// eigenvalue of the second derivative of one record's loss.
	GradientBound float64 `json:"gradient-bound"`
	Curvature     float64 `json:"curvature"`
	// Declared says that a public center is subtracted from the rows. The center follows from the
	// schema.
	Declared bool `json:"declared-center,omitempty"`
	// Ridge is Λ in the penalty (Λ/2)·‖w‖², which is added to the sum of losses. 0 means
	// no penalty. A ridge costs nothing.
	Ridge float64 `json:"ridge,omitempty"`
}

const (
	// defaultNewtonSteps is the default number of steps. On two tables, at ε from 0.5 to 4, 10 did
	// better than 4 and 6.
	defaultNewtonSteps = 10
	// baselineNewtonSteps is the default number of steps of a baseline, whose steps cost nothing.
	// The Huber loss needs this many steps.
	baselineNewtonSteps = 100
	// newtonGradientShare and newtonTraceShare are the shares of the gradient and the trace in μ².
	// The step has the rest. The result hardly changes while the first share is between 0.4 and
	// 0.8.
	newtonGradientShare, newtonTraceShare = 0.5, 0.05
	// newtonLogits limits the standard deviation of the noise that one step adds to the score of a
	// row of the largest norm. On two tables 0.1 and 0.2 did about equally well, and better than
	// 0.5.
	newtonLogits = 0.2
	// maxNewtonSteps bounds the steps of a plan. It is far above any use.
	maxNewtonSteps = 1 << 12
)

// newtonMethod is Newton's method with double noise for a loss of one score. A step releases a
// noisy gradient g and then the noisy vector (H + Λ·I)⁻¹·g, where H is the second derivative of the
// sum of losses. One record moves that vector by a bound that follows from ‖g‖ and Λ (see
// release.NewtonStep). H itself is never released, so the noise is on a vector instead of a matrix.
// Λ comes from the noisy trace of H. There is no line search and no restart, because both would
// read records without paying.
//
// Every release has normal noise with a fixed multiplier. One record moves the released value by at
// most the bound of the release, whatever was released before. So the price of the sequence is
// exact.
//
// Source: Ganesh, Haghifam, Steinke & Thakurta, "Faster Differentially Private Convex Optimization
// via Second-Order Methods", NeurIPS 2023, https://arxiv.org/abs/2305.13209, algorithm 3 with
// modification by addition. Sums replace the source's means, so the method does not need the number
// of records.
type newtonMethod struct{}

func (newtonMethod) name() string    { return "newton" }
func (newtonMethod) summary() string { return "Newton's method with noise on gradient and step" }

// secondDerivative returns the largest second derivative of a loss. It returns an error for losses
// that the method does not cover.
func secondDerivative(l model.Loss) (float64, error) {
	switch l {
	case model.Logistic, model.Huber(l.Lipschitz(1)):
		return l.Smoothness(), nil
	}
	return 0, fmt.Errorf("erm: loss is %s with method newton, want logistic or huber, which have one score and a bounded gradient", l.Name())
}

func (m newtonMethod) plan(r Request, s *Setup) error {
	if r.Noise != "" {
		return fmt.Errorf("erm: noise is %q with method newton, want none named; it is normal", r.Noise)
	}
	largest, err := secondDerivative(s.Model.Loss)
	if err != nil {
		return err
	}
	s.Features = linearMap(r, s)
	if s.Model, err = model.NewLinear(s.Model.Loss, len(s.Schema.Target.Levels), s.Features.Dim()); err != nil {
		return err
	}
	bound := boundsOf(s.Features, s.Schema).l2
	p := &s.Plan
	p.Dim, p.RowBound = s.Model.Dim, bound
	steps := defaultNewtonSteps
	if p.NonPrivate {
		steps = baselineNewtonSteps
	}
	p.Newton = &newtonPlan{Steps: steps, Declared: s.Features.Center != nil, GradientBound: s.Model.Loss.Lipschitz(1) * bound, Curvature: largest * bound * bound, Ridge: r.SumRidge}
	if p.NonPrivate {
		return nil
	}
	z, err := r.calibrate(*p, m.draws(*p), func(z float64) mechanism.Event { return p.Newton.withNoise(z).event() })
	noisy := p.Newton.withNoise(z)
	p.Newton = &noisy
	return err
}

// withNoise returns the section with the noise at which each step costs as much as one normal
// release with multiplier z.
func (n newtonPlan) withNoise(z float64) newtonPlan {
	n.GradientNoise = z / math.Sqrt(newtonGradientShare)
	n.TraceNoise = z / math.Sqrt(newtonTraceShare)
	n.StepNoise = z / math.Sqrt(1-newtonGradientShare-newtonTraceShare)
	return n
}

func (n newtonPlan) event() mechanism.Event {
	return mechanism.Repeat{Event: mechanism.Sequence{mechanism.Gaussian{NoiseMultiplier: n.GradientNoise}, mechanism.Gaussian{NoiseMultiplier: n.TraceNoise},
		mechanism.Gaussian{NoiseMultiplier: n.StepNoise}}, Count: n.Steps}
}

func (newtonMethod) validate(p Plan) error {
	n := p.Newton
	if err := p.only(n != nil); err != nil {
		return err
	}
	loss, err := lossOf(p.Loss)
	if err != nil {
		return err
	}
	gradient, curvature := loss.Lipschitz(1)*p.RowBound, loss.Smoothness()*p.RowBound*p.RowBound
	switch {
	case p.Columns != 1 || n.Steps < 1 || n.Steps > maxNewtonSteps:
		return fmt.Errorf("erm: newton has %d columns and %d steps, want 1 and 1 to %d", p.Columns, n.Steps, maxNewtonSteps)
	case !(math.Abs(n.GradientBound/gradient-1) < 1e-9) || !(math.Abs(n.Curvature/curvature-1) < 1e-9):
		return fmt.Errorf("erm: gradient bound is %v and curvature %v, want %v and %v, which follow from loss and rows", n.GradientBound, n.Curvature, gradient, curvature)
	case !(n.Ridge >= 0) || math.IsInf(n.Ridge, 1):
		return fmt.Errorf("erm: ridge is %v, want 0 or a positive finite number", n.Ridge)
	case !p.NonPrivate && (!positive(n.GradientNoise) || !positive(n.TraceNoise) || !positive(n.StepNoise)):
		return fmt.Errorf("erm: noise multipliers are %v, %v and %v, want positive finite numbers", n.GradientNoise, n.TraceNoise, n.StepNoise)
	}
	return checkSide(p.Dim, p.Columns)
}

func (newtonMethod) event(p Plan) mechanism.Event {
	if p.NonPrivate {
		return mechanism.Repeat{Event: mechanism.NonPrivate{}, Count: 3 * p.Newton.Steps}
	}
	return p.Newton.event()
}

func (newtonMethod) draws(p Plan) int { return p.Newton.Steps * (2*p.Dim + 1) }

func (m newtonMethod) steps(p Plan) []step {
	of := func(z float64) mechanism.Event {
		return mechanism.Repeat{Event: p.noise(mechanism.Gaussian{NoiseMultiplier: z}), Count: p.Newton.Steps}
	}
	return []step{{"gradients", of(p.Newton.GradientNoise)}, {"traces of the second derivative", of(p.Newton.TraceNoise)}, {"steps", of(p.Newton.StepNoise)}}
}

func (newtonMethod) facts(p Plan) []fact {
	return []fact{{"steps", fmt.Sprintf("%d of Newton's method", p.Newton.Steps)}, {"bound of a record's gradient", fmt.Sprintf("%.4g", p.Newton.GradientBound)},
		{"largest curvature of a record", fmt.Sprintf("%.4g", p.Newton.Curvature)}, {"ridge", fmt.Sprintf("%.4g beside the sum of losses", p.Newton.Ridge)}}
}

func (newtonMethod) fit(ctx context.Context, f *fitting) ([]float64, error) {
	run := newtonRun{f, *f.Plan.Newton, make([]float64, f.Plan.Dim), newRecords(f)}
	for step := range run.plan.Steps {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("erm: stopped after step %d of %d: %w", step, run.plan.Steps, context.Cause(ctx))
		}
		if err := run.step(); err != nil {
			return nil, err
		}
	}
	return run.weights, nil
}

// newtonRun is one run of Newton's method.
type newtonRun struct {
	*fitting
	plan    newtonPlan
	weights []float64
	records *records
}

// step makes the three releases of a step and moves the weights.
func (r *newtonRun) step() error {
	released, err := r.gradient()
	if err != nil {
		return err
	}
	gradient := append([]float64(nil), released...)
	for j, w := range r.weights {
		gradient[j] += r.plan.Ridge * w
	}
	trace, err := r.trace()
	if err != nil {
		return err
	}
	direction, err := r.solve(gradient, r.ridge(trace, kernel.Norm(gradient)))
	if err != nil {
		return err
	}
	for j, v := range direction {
		r.weights[j] -= v
	}
	return nil
}

// gradient pays for and returns the noisy sum of the records' gradients.
func (r *newtonRun) gradient() ([]float64, error) {
	return r.sum(r.plan.GradientNoise, r.Plan.Dim, r.plan.GradientBound, func(dst, x []float64, label float32) {
		a, _ := r.derivatives(x, label)
		for j, v := range x {
			dst[j] = a * v
		}
	})
}

// trace pays for and returns the noisy trace of the sum of the records' second derivatives.
func (r *newtonRun) trace() (float64, error) {
	sum, err := r.sum(r.plan.TraceNoise, 1, r.plan.Curvature, func(dst, x []float64, label float32) {
		_, second := r.derivatives(x, label)
		for _, v := range x {
			dst[0] += second * v * v
		}
	})
	if err != nil {
		return 0, err
	}
	return sum[0], nil
}

// ridge returns the number that is added to the diagonal of the second derivative. A larger ridge
// makes the step shorter, and the noise of the step falls with the square of the ridge.
//
// Near the minimum, the gradient is mostly noise. There the third root of trace·curvature²·z²
// balances both effects (the source has λ³ ∝ trace/ρ). Far from the minimum, the noise of the step
// is proportional to the norm of the gradient. This noise must stay small compared with the
// weights, or the steps do not converge. The ridge is at least the curvature of one record.
func (r *newtonRun) ridge(trace, gradient float64) float64 {
	z, beta := r.plan.StepNoise, r.plan.Curvature
	near := math.Cbrt(max(0, trace) * beta * beta * z * z)
	far := math.Sqrt(gradient * beta * z * r.Plan.RowBound / newtonLogits)
	return r.plan.Ridge + max(beta, near, far)
}

// derivatives returns the first derivative of a record's loss by its score, and the curvature that
// the step uses for the record. Both are 0 for a record without a label. They never exceed the
// bounds of the loss.
//
// For the logistic loss the curvature is the second derivative. The Huber loss has second
// derivative 0 at large residuals, and a step without those records would go far beyond the
// minimum. For those records the curvature is width/|residual|, from the parabola that touches the
// loss from above (Huber & Ronchetti, "Robust Statistics", 2nd edition 2009, section 7.8, modified
// weights).
//
// A row beyond its bound is not shortened here, because the sum checks and shortens its
// contribution.
func (r *newtonRun) derivatives(x []float64, label float32) (first, second float64) {
	if label != label {
		return 0, 0
	}
	var residual [1]float64
	score := [1]float64{kernel.Dot(x, r.weights)}
	r.Model.Loss.Residuals(residual[:], score[:], float64(label))
	if r.Model.Loss != model.Logistic { // Huber, whose largest derivative is its width
		width := r.Model.Loss.Lipschitz(1)
		return residual[0], width / max(width, math.Abs(score[0]-float64(label)))
	}
	p := score
	r.Model.Loss.Predict(p[:])
	return residual[0], p[0] * (1 - p[0])
}

// sum pays for and returns the noisy sum of one vector for each record.
func (r *newtonRun) sum(z float64, dim int, bound float64, vector func(dst, x []float64, label float32)) ([]float64, error) {
	terms := pass.Settings{Payer: r.grant, Noise: r.Plan.noise(mechanism.Gaussian{NoiseMultiplier: z}), MaxRecords: r.Plan.MaxRecords}
	return pass.SumVectors(terms, r.rows.Len(), dim, bound, func(_ int, dst []float64, listed []int) error {
		for k, record := range listed {
			err := r.records.each(r.rows.First()+record, 1, func(_ int, x []float64, label float32) {
				vector(dst[k*dim:(k+1)*dim], x, label)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// solve pays for and returns the noisy step for a released gradient.
func (r *newtonRun) solve(gradient []float64, ridge float64) ([]float64, error) {
	step := release.NewtonStep{Gradient: gradient, Ridge: ridge, Curvature: r.plan.Curvature, MaxRecords: r.Plan.MaxRecords}
	rows, err := release.NewRows(r.rows.Len(), step.Rows(), func(dst []float64, first, n int) {
		clear(dst)
		// Rows in memory never fail to load.
		_ = r.records.each(r.rows.First()+first, n, func(i int, x []float64, label float32) {
			_, second := r.derivatives(x, label)
			root := math.Sqrt(second)
			for j, v := range x {
				dst[i*len(x)+j] = root * v
			}
		})
	})
	if err != nil {
		return nil, err
	}
	noise := r.Plan.noise(mechanism.Gaussian{NoiseMultiplier: r.plan.StepNoise})
	solved, err := step.Solve(rows, noise)
	if err != nil {
		return nil, err
	}
	noisy, err := release.Release(r.grant, noise, solved)
	return noisy.Values(), err
}
