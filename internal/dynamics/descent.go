package dynamics

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/dense"
)

// Options are the settings of a descent.
type Options struct {
	// Steps is the number of steps. It is required.
	Steps int
	// LearningRate is the learning rate of the mean loss, at a Clipping.Most of 1. It is required.
	// See StableRate.
	LearningRate float64
	// NoiseMultiplier is the standard deviation of the noise that is added to each number of the
	// sum of gradients, in units of Clipping.Bound. The noise is the same in every run and protects
	// nothing.
	NoiseMultiplier float64
	// Looks is the number of times that the kernel is computed: at the first and last weights,
	// after half of the steps, after a quarter, and so on. 0 means never.
	Looks int
}

// Trajectory is the course of a descent.
type Trajectory struct {
	// Start and End are the mean losses at the first and the last weights. Least is the least on
	// the way.
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Least float64 `json:"least"`
	// Last is the mean of the mean losses over the last tenth of the steps, and Late over the tenth
	// before. Both are Start if there are too few steps.
	Last float64 `json:"last-tenth"`
	Late float64 `json:"tenth-before"`
	// Rises counts the steps after which the loss was larger, beyond rounding. Rise is the largest
	// rise.
	Rises int     `json:"rises"`
	Rise  float64 `json:"largest-rise"`
	// Against counts the steps at which the weighted sum pointed away from the gradient. The loss
	// then rises however small the step is. Noise does not count here.
	Against int `json:"steps-against-the-gradient"`
	// Losses are the mean losses at up to 41 evenly spaced points.
	Losses []float64 `json:"losses"`
	// Characters describe M each time that the kernel is computed.
	Characters []Character `json:"characters,omitempty"`
}

const (
	// rounding is the least rise of a loss, relative to the first loss, that counts.
	rounding = 1e-12
	// points is the number of losses that a trajectory keeps, after the first.
	points = 40
	// settled bounds the decrease of a loss at rest from the next-to-last tenth of the steps to the
	// last. The decrease is relative to the remaining loss, and to the whole decrease. A loss that
	// falls as 1/steps loses a tenth of the remainder. A loss that falls evenly loses a tenth of
	// its way.
	settled = 0.05
	// zero is the share of the first loss that counts as 0.
	zero = 1e-3
)

// StableRate returns half of the reciprocal of an eigenvalue: 0.5·records/(Smoothness·λ). The
// eigenvalue is the largest of the second derivative of the mean loss by the weights, from the
// tangent kernel and the loss' smoothness. Descents with at most this rate go down where H alone
// decides, unless the kernel grows fourfold.
func StableRate(p Problem) (float64, error) {
	if err := p.check(); err != nil {
		return 0, err
	}
	tangent, err := NewKernel(p, []int{len(p.Network.Blocks())})
	if err != nil {
		return 0, err
	}
	values, err := dense.Eigenvalues(tangent.Sum())
	if err != nil {
		return 0, fmt.Errorf("dynamics: the eigenvalues of the kernel did not converge, want finite weights and inputs")
	}
	largest := values[len(values)-1]
	if !(largest > 0) {
		return 0, fmt.Errorf("dynamics: the largest eigenvalue of the kernel is %v, want more than 0; the outputs do not depend on the weights", largest)
	}
	return 0.5 * float64(len(p.Labels)) / (p.Loss.Smoothness() * largest), nil
}

// Descend returns the course of a descent of the mean loss with all records in every step: w ← w -
// η/n·(Σ_r Σ_i s_(r,i)·g_(r,i) + noise). Here η is the learning rate divided by Clipping.Most.
func Descend(p Problem, c Clipping, o Options) (*Trajectory, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := p.checkGroups(c.Groups); err != nil {
		return nil, err
	}
	if o.Steps < 1 || !(o.LearningRate > 0) || math.IsInf(o.LearningRate, 1) || !(o.NoiseMultiplier >= 0) || o.Looks < 0 {
		return nil, fmt.Errorf("dynamics: steps is %d, learning rate %v, noise multiplier %v and looks %d, want at least 1 step, a positive finite rate and no negative numbers", o.Steps, o.LearningRate, o.NoiseMultiplier, o.Looks)
	}
	d := &descent{pass: newPass(p), clipping: c, options: o, out: &Trajectory{Least: math.Inf(1)}}
	d.weights = append([]float64(nil), p.Weights...)
	d.sum, d.gradient = make([]float64, p.Network.Trained()), make([]float64, p.Network.Trained())
	for step := range o.Steps + 1 {
		if err := d.at(step); err != nil {
			return nil, err
		}
		if step < o.Steps {
			d.step()
		}
	}
	return d.out, nil
}

// descent is the state of a descent.
type descent struct {
	*pass
	clipping               Clipping
	options                Options
	weights, sum, gradient []float64
	normals                unsafeNormals
	before                 float64     // the loss before the last step
	tenths                 [11]float64 // sums of losses; the last entry has the last step alone
	out                    *Trajectory
}

// at computes everything at the weights after this many steps.
func (d *descent) at(step int) error {
	loss := d.pass.at(d.weights)
	t, steps := d.out, d.options.Steps
	if !(loss < math.Inf(1)) {
		return fmt.Errorf("dynamics: the loss after %d steps of %s is %v, want a finite one; take a smaller learning rate", step, d.clipping.Name, loss)
	}
	if step == 0 {
		t.Start = loss
	} else if rise := loss - d.before; rise > rounding*t.Start {
		t.Rises++
		t.Rise = max(t.Rise, rise)
	}
	if d.tenths[step*10/steps] += loss; step == steps {
		d.finish()
	}
	if step*points/steps > (step-1)*points/steps || step == 0 {
		t.Losses = append(t.Losses, loss)
	}
	d.before, t.End, t.Least = loss, loss, min(t.Least, loss)
	if d.due(step) {
		return d.look()
	}
	return nil
}

// finish fills in the means of the last two tenths.
func (d *descent) finish() {
	counts := [11]int{}
	for step := range d.options.Steps + 1 {
		counts[step*10/d.options.Steps]++
	}
	d.out.Last, d.out.Late = (d.tenths[9]+d.tenths[10])/float64(counts[9]+counts[10]), d.out.Start
	if counts[8] > 0 {
		d.out.Late = d.tenths[8] / float64(counts[8])
	}
}

// due reports whether the kernel is computed after this number of steps. It is at the first and
// last weights, and each time at half of the steps, because most changes are early.
func (d *descent) due(step int) bool {
	if step == 0 {
		return d.options.Looks > 0
	}
	for j := range d.options.Looks - 1 {
		if step == d.options.Steps>>j {
			return true
		}
	}
	return false
}

// look describes the kernel at the weights.
func (d *descent) look() error {
	here := d.Problem
	here.Weights = d.weights
	tangent, err := NewKernel(here, d.clipping.Groups)
	if err != nil {
		return err
	}
	c, err := Describe(tangent.Clipped(d.scales(d.clipping)))
	d.out.Characters = append(d.out.Characters, c)
	return err
}

// step changes the weights.
func (d *descent) step() {
	scales := d.scales(d.clipping)
	all := make([][]float64, len(scales))
	for r := range all {
		all[r] = d.ones
	}
	clear(d.sum)
	clear(d.gradient)
	d.add(d.sum, d.clipping.Groups, scales)
	d.add(d.gradient, d.clipping.Groups, all)
	along, sum, gradient := 0.0, 0.0, 0.0
	for j, v := range d.sum {
		along, sum, gradient = along+v*d.gradient[j], sum+v*v, gradient+d.gradient[j]*d.gradient[j]
	}
	if along < -rounding*math.Sqrt(sum*gradient) {
		d.out.Against++
	}
	rate := d.options.LearningRate / d.clipping.most() / float64(len(d.Labels))
	noise := d.options.NoiseMultiplier * d.clipping.Bound
	for j, v := range d.sum {
		if noise > 0 {
			v += noise * d.normals.next()
		}
		d.weights[j] -= rate * v
	}
}

// Monotone reports whether the loss never rose.
func (t *Trajectory) Monotone() bool { return t.Rises == 0 }

// Verdict is the end of a descent.
type Verdict string

const (
	// ReachedZero means that the loss in the last tenth of the steps is below a thousandth of the
	// first loss.
	ReachedZero Verdict = "yes"
	// AtRest means that it is not, and hardly lower than in the tenth before.
	AtRest Verdict = "no"
	// UnderWay means neither: more steps would decide.
	UnderWay Verdict = "under way"
)

// Verdict returns whether the loss reached 0, for losses whose minimum is 0.
func (t *Trajectory) Verdict() Verdict {
	switch {
	case t.Last <= zero*t.Start:
		return ReachedZero
	case t.Late-t.Last <= settled*min(t.Last, math.Abs(t.Start-t.Last))+rounding*t.Start:
		return AtRest
	}
	return UnderWay
}
