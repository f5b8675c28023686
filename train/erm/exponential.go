package erm

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// exponentialPlan is the section of the exponential mechanism. The weights are one point of a grid.
// Points with a smaller sum of clipped losses are more likely (McSherry & Talwar, "Mechanism Design
// via Differential Privacy", FOCS 2007, https://doi.org/10.1109/FOCS.2007.66).
type exponentialPlan struct {
	// Points is the number of points of the grid along each weight, from -Reach to Reach.
	Points int     `json:"points"`
	Reach  float64 `json:"reach"`
	// LossBound is the value to which the loss of a record is clipped.
	LossBound float64 `json:"loss-bound"`
	// Choice is "permute-and-flip" or "exponential".
	Choice string `json:"choice"`
	// ChoiceEpsilon is the ε of the choice. For "exponential" the probability of a point is
	// proportional to exp(-ε·loss/LossBound), where loss is its sum of clipped losses. One record
	// moves the exponents by between 0 and ε.
	ChoiceEpsilon float64 `json:"choice-epsilon"`
}

const (
	// maxGridWeights is the largest number of weights of a grid. maxGridWork is the largest number
	// of multiply-adds over all points and records.
	maxGridWeights, maxGridWork = 4, 1e10
	// defaultReach is the default of Reach times the largest norm of a row. One weight at Reach
	// then changes a score by at most this much.
	defaultReach = 5
	// defaultLossBound is the default of LossBound. It clips the loss of a record whose score is
	// wrong by about 2.
	defaultLossBound = 2
)

// defaultPoints is the number of points along each of 1 to 4 weights.
var defaultPoints = [maxGridWeights]int{1001, 61, 21, 11}

func (e exponentialPlan) choice() mechanism.Choice {
	if e.Choice == option.ChoiceExponential {
		return mechanism.Exponential{Epsilon: e.ChoiceEpsilon}
	}
	return mechanism.PermuteAndFlip{Epsilon: e.ChoiceEpsilon}
}

// candidates returns the number of points of the grid.
func (e exponentialPlan) candidates(weights int) int {
	n := 1
	for range weights {
		n *= e.Points
	}
	return n
}

// point returns the weights of a candidate.
func (e exponentialPlan) point(weights, candidate int) []float64 {
	w := make([]float64, weights)
	for j := range w {
		w[j] = e.Reach * (2*float64(candidate%e.Points)/float64(e.Points-1) - 1)
		candidate /= e.Points
	}
	return w
}

type exponential struct{}

var _ method = exponential{}

func (exponential) name() string { return option.MethodExponential }

func (exponential) summary() string {
	return "a choice among a declared grid of weights by their losses; for up to 4 weights"
}

func (m exponential) plan(r Request, s *Setup) error {
	weights := s.Plan.Dim * s.Plan.Columns
	if weights > maxGridWeights {
		return fmt.Errorf("erm: method %s is asked for %d weights, want at most %d; the grid grows exponentially, and %s has no such limit", option.MethodExponential, weights, maxGridWeights, option.MethodObjective)
	}
	if s.Plan.NonPrivate {
		return fmt.Errorf("erm: method %s is asked for without privacy, want a finite epsilon", option.MethodExponential)
	}
	e := exponentialPlan{Points: r.GridPoints, Reach: r.GridReach, LossBound: r.LossBound, Choice: r.Choice, ChoiceEpsilon: 1}
	if e.Points == 0 {
		e.Points = defaultPoints[weights-1]
	}
	if e.Reach == 0 {
		e.Reach = defaultReach / s.Plan.RowBound
	}
	if e.LossBound == 0 {
		e.LossBound = defaultLossBound
	}
	if e.Choice == "" {
		e.Choice = option.ChoiceFlip
	}
	s.Plan.Exponential = &e
	if err := m.validate(s.Plan); err != nil {
		return err
	}
	z, err := r.calibrate(s.Plan, 0, func(z float64) mechanism.Event {
		e.ChoiceEpsilon = 1 / z
		return e.choice()
	})
	s.Plan.Exponential.ChoiceEpsilon = 1 / z
	return err
}

func (exponential) validate(p Plan) error {
	if err := p.only(p.Exponential != nil); err != nil {
		return err
	}
	e, weights := p.Exponential, p.Dim*p.Columns
	switch {
	case weights > maxGridWeights || e.Points < 2 || e.Points > 1<<20:
		return fmt.Errorf("erm: the grid has %d weights and %d points along each, want at most %d weights and 2 to 2^20 points", weights, e.Points, maxGridWeights)
	case !positive(e.Reach) || !positive(e.LossBound) || !positive(e.ChoiceEpsilon):
		return fmt.Errorf("erm: reach of the grid is %v, bound of losses %v, epsilon of the choice %v, want positive finite numbers", e.Reach, e.LossBound, e.ChoiceEpsilon)
	case e.Choice != option.ChoiceFlip && e.Choice != option.ChoiceExponential:
		return fmt.Errorf("erm: choice is %q, want %s or %s", e.Choice, option.ChoiceFlip, option.ChoiceExponential)
	case p.NonPrivate:
		return fmt.Errorf("erm: method %s is planned without privacy, want a finite epsilon", option.MethodExponential)
	}
	if work := math.Pow(float64(e.Points), float64(weights)) * float64(weights) * float64(p.MaxRecords); !(work <= maxGridWork) || math.Pow(float64(e.Points), float64(weights)) > 1<<20 {
		return fmt.Errorf("erm: the grid takes %.3g multiply-adds at max records %d, want at most %.3g and 2^20 points in all; take fewer points", work, p.MaxRecords, maxGridWork)
	}
	return nil
}

func (exponential) event(p Plan) mechanism.Event { return p.Exponential.choice() }

// draws returns 0, because the choice is exact.
func (exponential) draws(Plan) int { return 0 }

func (m exponential) steps(p Plan) []step { return []step{{"choice of the weights", m.event(p)}} }

func (exponential) facts(p Plan) []fact {
	e := p.Exponential
	return []fact{
		{"grid", fmt.Sprintf("%d points from %.4g to %.4g along each of %d weights", e.Points, -e.Reach, e.Reach, p.Dim*p.Columns)},
		{"losses", fmt.Sprintf("cut at %.4g a record", e.LossBound)},
		{"choice", e.Choice},
	}
}

func (m exponential) fit(ctx context.Context, f *fitting) ([]float64, error) {
	e, weights := f.Plan.Exponential, f.Plan.Dim*f.Plan.Columns
	sample, err := release.Draw(release.Full(), f.rows.Len())
	if err != nil {
		return nil, err
	}
	sum, err := release.NewLosses(sample, release.LossesOptions{Candidates: e.candidates(weights), MaxRecords: f.Plan.MaxRecords})
	if err != nil {
		return nil, err
	}
	grid := make([][]float64, e.candidates(weights))
	for i := range grid {
		grid[i] = e.point(weights, i)
	}
	type part struct {
		sum       *release.Losses
		fractions []float64
	}
	err = eachRow(ctx, f, func() part { return part{sum.Empty(), make([]float64, len(grid))} }, func(p part, i int, x []float64, label float64) error {
		m.losses(f, p.fractions, grid, x, label)
		return p.sum.Add(i, p.fractions)
	}, func(p part) error { return sum.Merge(p.sum) })
	if err != nil {
		return nil, err
	}
	chosen, err := release.Choose(f.grant, e.choice(), sum.Seal())
	if err != nil {
		return nil, err
	}
	return grid[chosen], nil
}

// losses writes the losses of one record at all points of the grid, divided by LossBound and at
// most 1. The losses of a record whose label is NaN are 0.
func (exponential) losses(f *fitting, dst []float64, grid [][]float64, x []float64, label float64) {
	clear(dst)
	if label != label {
		return
	}
	scores, dim := make([]float64, f.Plan.Columns), f.Plan.Dim
	for i, w := range grid {
		for k := range scores {
			scores[k] = kernel.Dot(x, w[k*dim:(k+1)*dim])
		}
		dst[i] = f.Model.Loss.Value(scores, label) / f.Plan.Exponential.LossBound
	}
}
