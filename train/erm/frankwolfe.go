package erm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/picks"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/spot"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
)

// frankWolfePlan is the section of Frank-Wolfe. Steps are counted from 0. In step t, the sum of the
// records' gradients gives a score to every coordinate with either sign. Each coordinate of one
// record's gradient is clipped to a magnitude of ClippingNorm. One coordinate with its sign is
// chosen privately, and the weights w move to
//
//	(1-γ)·w + γ·v, γ = 2/(t+2),
//
// where v has Radius with that sign at that coordinate, and 0 elsewhere. The weights stay within
// the L1 ball of this radius. After T steps at most T weights are not 0. The noise of a choice
// grows only with the logarithm of the number of weights.
//
// Source: Talwar, Thakurta & Zhang, "Nearly Optimal Private LASSO", NIPS 2015,
// https://arxiv.org/abs/1411.5417, algorithm 2, with sums instead of means.
type frankWolfePlan struct {
	Steps        int     `json:"steps"`
	Radius       float64 `json:"radius"`
	ClippingNorm float64 `json:"clipping-norm"`
	// Choice is "exponential" or "permute-and-flip".
	Choice string `json:"choice"`
	// ChoiceEpsilon is the ε of the choice in one step. One record moves each score by at most 1 in
	// units of the clipping norm. For "exponential" the probability of a coordinate is proportional
	// to exp(ε·score/2).
	ChoiceEpsilon float64 `json:"choice-epsilon"`
}

const (
	// mostFrankWolfeSteps bounds the default number of steps. maxFrankWolfeSteps bounds the number
	// of steps of any plan.
	mostFrankWolfeSteps, maxFrankWolfeSteps = 200, 1 << 14
	// leastPeak is the least default of the peak for rows of norm 1. It fits rows of text, which
	// have about 1/leastPeak² words. The peak and the default scores were chosen on a part of the
	// training records of film reviews and of four tables.
	leastPeak = 0.05
	// scoresOfLevels and scoresOfNumbers are the default scores that one coordinate at its peak may
	// cause. The first is a logit. The second is a target scaled to ±1.
	scoresOfLevels, scoresOfNumbers = 10, 2
	// frankWolfeWeights is the largest number of weights.
	frankWolfeWeights = 1 << 22
)

func (w frankWolfePlan) choice() mechanism.Choice {
	if w.Choice == option.ChoiceExponential {
		return mechanism.Exponential{Epsilon: w.ChoiceEpsilon}
	}
	return mechanism.PermuteAndFlip{Epsilon: w.ChoiceEpsilon}
}

func (w frankWolfePlan) event() mechanism.Event {
	return mechanism.Repeat{Event: w.choice(), Count: w.Steps}
}

// with returns the plan with another ε of a choice.
func (w frankWolfePlan) with(epsilon float64) frankWolfePlan {
	w.ChoiceEpsilon = epsilon
	return w
}

type frankWolfe struct{}

var _ method = frankWolfe{}

func (frankWolfe) name() string { return option.MethodFrankWolfe }

func (frankWolfe) summary() string {
	return "sparse weights within an L1 ball, one privately chosen coordinate a step"
}

func (m frankWolfe) plan(r Request, s *Setup) error {
	switch {
	case s.Plan.NonPrivate:
		return fmt.Errorf("erm: method %s is asked for without privacy, want a finite epsilon", option.MethodFrankWolfe)
	case r.SumRidge != 0 || r.Noise != "":
		return fmt.Errorf("erm: ridge of the sum is %v and noise %q with method %s, want none; the radius takes the place of a ridge, and there is no noise but the choice", r.SumRidge, r.Noise, option.MethodFrankWolfe)
	}
	if err := withoutIntercept(r, s); err != nil {
		return err
	}
	w := frankWolfePlan{Steps: r.Steps, Radius: r.L1Radius, ClippingNorm: r.ClippingNorm, Choice: r.Choice}
	if w.Choice == "" {
		if w.Choice = option.ChoiceExponential; r.Delta == 0 {
			w.Choice = option.ChoiceFlip
		}
	}
	w.fill(s, r.Epsilon)
	w.ChoiceEpsilon = 1
	s.Plan.FrankWolfe = &w
	if err := m.validate(s.Plan); err != nil {
		return err
	}
	z, err := r.calibrate(s.Plan, 0, func(z float64) mechanism.Event { return w.with(1 / z).event() })
	w.ChoiceEpsilon = 1 / z
	return err
}

// fill sets the numbers that the request leaves open. The peak is the magnitude of a coordinate in
// the longest row, if all coordinates of that row are equal. The peak is at least leastPeak times
// the norm of the longest row.
func (w *frankWolfePlan) fill(s *Setup, epsilon float64) {
	peak := s.Plan.RowBound * max(leastPeak, 1/math.Sqrt(float64(s.Plan.Dim)))
	if w.Radius == 0 {
		w.Radius = scoresOfLevels / peak
		if s.Schema.Target.Regression() {
			w.Radius = scoresOfNumbers / peak
		}
	}
	if w.ClippingNorm == 0 {
		w.ClippingNorm = peak * min(1, s.Model.Loss.Lipschitz(s.Plan.Columns))
	}
	if w.Steps == 0 {
		w.Steps = frankWolfeSteps(s.Plan.records(), epsilon)
	}
}

// withoutIntercept removes the constant feature unless the request has an intercept. In rows with
// many features the constant is often the largest coordinate. A bound on the largest coordinate
// would then be a bound on the constant.
func withoutIntercept(r Request, s *Setup) (err error) {
	if r.Intercept != 0 {
		return nil
	}
	features := *s.Features
	features.Intercept = 0
	if s.Model, err = model.NewLinear(s.Model.Loss, len(s.Schema.Target.Levels), features.Dim()); err != nil {
		return err
	}
	s.Features, s.Plan.Dim, s.Plan.RowBound = &features, s.Model.Dim, largestRow(&features)
	return nil
}

// frankWolfeSteps returns the number (n·ε)^(2/3) of the source's theorem 2.2 without its constants,
// but at least 1 and at most mostFrankWolfeSteps.
func frankWolfeSteps(records, epsilon float64) int {
	return max(1, int(min(mostFrankWolfeSteps, math.Ceil(math.Pow(records*epsilon, 2.0/3)))))
}

func (frankWolfe) validate(p Plan) error {
	if err := p.only(p.FrankWolfe != nil); err != nil {
		return err
	}
	w := p.FrankWolfe
	switch {
	case w.Steps < 1 || w.Steps > maxFrankWolfeSteps || p.Dim > frankWolfeWeights/p.Columns:
		return fmt.Errorf("erm: method %s has %d steps over %d×%d weights, want 1 to %d steps and at most 2^22 weights", option.MethodFrankWolfe, w.Steps, p.Columns, p.Dim, maxFrankWolfeSteps)
	case !positive(w.Radius) || !positive(w.ClippingNorm) || !positive(w.ChoiceEpsilon):
		return fmt.Errorf("erm: radius is %v, clipping norm %v, epsilon of a choice %v, want positive finite numbers", w.Radius, w.ClippingNorm, w.ChoiceEpsilon)
	case w.Choice != option.ChoiceFlip && w.Choice != option.ChoiceExponential:
		return fmt.Errorf("erm: choice is %q, want %s or %s", w.Choice, option.ChoiceFlip, option.ChoiceExponential)
	case p.NonPrivate:
		return fmt.Errorf("erm: method %s is planned without privacy, want a finite epsilon", option.MethodFrankWolfe)
	}
	return nil
}

func (frankWolfe) event(p Plan) mechanism.Event { return p.FrankWolfe.event() }

// draws returns 0, because choices are exact.
func (frankWolfe) draws(Plan) int { return 0 }

func (m frankWolfe) steps(p Plan) []step {
	return []step{{"coordinates and their signs", m.event(p)}}
}

func (frankWolfe) facts(p Plan) []fact {
	w := p.FrankWolfe
	return []fact{
		{"steps", fmt.Sprintf("%d, each with one of %d coordinates and its sign", w.Steps, p.Dim*p.Columns)},
		{"weights", fmt.Sprintf("with a sum of magnitudes of at most %.4g, and at most %d of them not 0", w.Radius, w.Steps)},
		{"bound of a record", fmt.Sprintf("%.4g on each coordinate of its gradient", w.ClippingNorm)},
		{"choice", w.Choice},
	}
}

func (m frankWolfe) fit(ctx context.Context, f *fitting) ([]float64, error) {
	peaks, err := release.NewRowsWithMax(f.rows)
	if err != nil {
		return nil, err
	}
	plan, weights := *f.Plan.FrankWolfe, make([]float64, f.Plan.Dim*f.Plan.Columns)
	run := frankWolfeRun{f, plan, peaks}
	for step := range plan.Steps {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("erm: stopped after step %d of %d: %w", step, plan.Steps, context.Cause(ctx))
		}
		chosen, err := run.choose(weights)
		if err != nil {
			return nil, err
		}
		plan.move(weights, chosen, step)
	}
	return weights, nil
}

// move makes one step toward the vertex of a candidate. Coordinate j has the positive vertex 2j and
// the negative vertex 2j+1.
func (w frankWolfePlan) move(weights []float64, chosen, step int) {
	gamma := 2 / float64(step+2)
	for j := range weights {
		weights[j] *= 1 - gamma
	}
	weights[chosen/2] += gamma * w.Radius * float64(1-2*(chosen%2))
}

// frankWolfeRun is one run of Frank-Wolfe.
type frankWolfeRun struct {
	*fitting
	plan  frankWolfePlan
	peaks *release.RowsWithMax
}

// choose pays for a step and returns its candidate.
func (r frankWolfeRun) choose(weights []float64) (int, error) {
	scores, err := r.scores(weights)
	if err != nil {
		return 0, err
	}
	return release.Choose(r.grant, r.plan.choice(), scores)
}

// scores adds up the gradients of all records at the weights, in parallel.
func (r frankWolfeRun) scores(weights []float64) (release.Scores, error) {
	sample, err := release.Draw(release.Full(), r.rows.Len())
	if err != nil {
		return release.Scores{}, err
	}
	sum, err := release.NewScoreSum(sample, r.peaks, release.ScoreOptions{Columns: r.Plan.Columns, Bound: r.plan.ClippingNorm, MaxRecords: r.Plan.MaxRecords})
	if err != nil {
		return release.Scores{}, err
	}
	scorer, workers := r.rows.Scorer(weights, r.Plan.Columns), runtime.GOMAXPROCS(0)
	pass, failed, secret := r.rows.Scan(workers), make([]error, workers), picks.NewSecret()
	var lock sync.Mutex
	parallel.Each(workers, func(k int) {
		var c kernel.Contributions
		part, alone := sum.Empty(), spot.NewRecords(secret.Part(k), 1)
		propose := func(c *kernel.Contributions, b release.Block) {
			r.Model.Propose(c, b.Labels(), func(dst []float32) { scorer.Scores(dst, b) })
		}
		err := pass.Each(k, func(b release.Block) error {
			if propose(&c, b); !alone.Agree(&c, b, propose) {
				return release.ErrComputation
			}
			return part.AddBlock(b, c)
		})
		lock.Lock()
		defer lock.Unlock()
		failed[k] = errors.Join(err, sum.Merge(part))
	})
	return sum.Seal(), joined(failed...)
}
