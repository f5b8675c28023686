package release

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/ditherml/dither/internal/release/internal/sample"
	"github.com/ditherml/dither/mechanism"
)

// Recursion is noisy gradient descent that releases only its last iterate. The objective is the sum
// of the losses of generalized linear models divided by Divisor, plus (Ridge/2)·‖w‖². A step is
//
//	w ← (1 - LearningRate·Ridge)·w - LearningRate·(Σ clipped gradients + noise)/Divisor,
//
// from w = 0. Each weight is kept within ±Reach. All arithmetic is in integers. RunRecursion
// releases the last iterate.
//
// The guarantee is proven as follows. Write X for the integers that represent the weights. Write
// A(X) for the integers that a step computes from X before it adds noise, and A' for A on a
// neighbor's records.
//
//  1. Let a·x be the gradient of a record with row x. The factor a does not fall as the score
//     rises. So if a is clipped to a magnitude that depends on the row alone, a·x remains the
//     gradient of a convex loss. That loss is as smooth as before (Song, Steinke, Thakkar &
//     Thakurta, "Evading the Curse of Dimensionality in Unconstrained Private GLMs", AISTATS 2021,
//     section 4, https://arxiv.org/abs/2006.06783). Therefore each column is clipped separately.
//     Without rounding, a step multiplies the distance between two points by at most c =
//     Contraction.
//  2. Rounding changes A(X) by at most e (see slack), whatever X and the records are. So ‖A(X) -
//     A'(X')‖ ≤ c·‖X-X'‖ + s. Here s is one record's bound plus 2e. Under replace-one it is two
//     such bounds plus 2e.
//  3. Let X' be the iterates of the neighbor, with noise V'. Let Y start where X' starts and move
//     by A instead of A', with the noise W = V' + k. The integers k depend on the past. In the last
//     step k is the difference d = A(Y) - A'(X'). In earlier steps k is d times a factor, with each
//     number rounded toward zero. Noise is rounded, and round(V'+k) = round(V') + k. So Y ends
//     where X' ends. The distance z between Y and X' obeys z ← c·z + s + √(numbers) - a in a step
//     with ‖k‖ ≤ a. Keeping weights within ±Reach only shortens distances. Given the past, W is the
//     noise of X moved by k. So by composition (Dong, Roth & Su, "Gaussian Differential Privacy",
//     JRSS B 2022, theorem 3.2) the sequence W against the noise of X is √(Σ a²)/S-Gaussian
//     differentially private, where S is the standard deviation of the noise. The ends of Y and of
//     X are the same function of these noises.
//  4. The least Σ a² with z = 0 at the end has a_t ∝ c^(T-t). It is the formula of the event. This
//     is theorem 4.1 of the source of mechanism.LastIterate. The proof also holds for steps in
//     integers, which are not functions of bounded slope.
type Recursion struct {
	// Rows are the records. They must be dense, without standardization, and have at most 2^16
	// coordinates.
	Rows *Rows
	RecursionOptions
	// Before, if not nil, is called before each step with the number of the step, from 0. An error
	// of Before ends the run. What was paid stays spent.
	Before func(step int) error
}

// RecursionOptions are the public parameters of a Recursion.
type RecursionOptions struct {
	// Derivative is the derivative of a record's loss with respect to its scores.
	Derivative LossDerivative
	// Columns is the number of scores of a record.
	Columns int
	// Dim is the number of coordinates of a row.
	Dim int
	// RowStep is the width of the grid of rows. RowBound is a bound on their L2 norm: a longer row
	// contributes nothing.
	RowStep, RowBound float64
	// ClippingNorm is the largest L2 norm of one record's gradient. The part of each column is
	// clipped to ClippingNorm/√Columns.
	ClippingNorm float64
	// LearningRate, Ridge and Divisor are the numbers in the formula of a step; see Recursion.
	LearningRate, Ridge, Divisor float64
	// Reach is the largest magnitude of a weight.
	Reach float64
	// MaxRecords is the declared public upper bound on the number of records.
	MaxRecords int
}

// decayBits: the share that the ridge takes of weights in a step is a multiple of 2^-decayBits.
const decayBits = 32

// decay is that share in such multiples.
func (o RecursionOptions) decay() uint64 {
	return uint64(math.Round(math.Ldexp(o.LearningRate*o.Ridge, decayBits)))
}

// Contraction returns an upper bound on the factor by which a step multiplies the distance between
// two points. It is max(1 - η·m, η·M - 1), where η is the learning rate and η·m is
// Ridge·LearningRate on its grid. M is m plus the largest curvature of the mean loss, which is
// slope·RowBound²·MaxRecords/Divisor. It is an error if the bound is not below 1 or if a number is
// invalid.
func (o RecursionOptions) Contraction() (float64, error) {
	if err := o.check(); err != nil {
		return 0, err
	}
	least := math.Ldexp(float64(o.decay()), -decayBits)
	curvature := o.LearningRate * o.Derivative.slope() * o.RowBound * o.RowBound * float64(o.MaxRecords) / o.Divisor
	c := max(1-least, float64((least+curvature)*(1+1e-12))-1) // the conversion forbids fused arithmetic: the same number on every machine
	if !(c < 1) {
		return 0, fmt.Errorf("release: learning rate %v with ridge %v keeps %v of a distance in a step, want less than 1; use a ridge and a learning rate below %.6g", o.LearningRate, o.Ridge, c, 2/(o.Ridge+curvature/o.LearningRate))
	}
	return c, nil
}

// maxRecursionDim keeps products of rows and halves of weights within 63 bits.
const maxRecursionDim = 1 << 16

func (o RecursionOptions) check() error {
	// What embeds a loss derivative could change between two steps, after the price was computed
	// from its slope.
	if _, huber := o.Derivative.(HuberDerivative); o.Derivative != (LogisticDerivative{}) && !huber || o.Columns < 1 || o.Dim < 1 || o.Dim > maxRecursionDim || o.Columns > maxRecursionDim {
		return fmt.Errorf("release: recursion has loss derivative %v, %d columns and %d coordinates, want a loss derivative of this package and 1 to 2^16 of both", o.Derivative, o.Columns, o.Dim)
	}
	for _, n := range []struct {
		name  string
		value float64
	}{{"row step", o.RowStep}, {"row bound", o.RowBound}, {"clipping norm", o.ClippingNorm}, {"learning rate", o.LearningRate}, {"ridge", o.Ridge}, {"divisor", o.Divisor}, {"reach", o.Reach}} {
		if !positive(n.value) {
			return fmt.Errorf("release: %s of the recursion is %v, want a positive finite number", n.name, n.value)
		}
	}
	if d := o.LearningRate * o.Ridge; !(d >= 1.0/(1<<decayBits) && d < 1) {
		return fmt.Errorf("release: learning rate times ridge is %v, want 2^-%d to less than 1", d, decayBits)
	}
	return o.Derivative.check()
}

// maxSlack is the largest part of the charged sensitivity that rounding may take.
const maxSlack = 0.01

// slack bounds, in integers of a step, twice the distance e of A from a step without rounding, plus
// the cost of rounding k. The noise is charged at total integers. The ridge contributes half an
// integer in each number to e. Each record's coefficients have three errors: a half each, the error
// of their scores times the slope, and the loss derivative's own error.
func (o RecursionOptions) slack(total float64) float64 {
	columns, numbers := math.Sqrt(float64(o.Columns)), math.Sqrt(float64(o.Columns)*float64(o.Dim))
	largestScore := o.Reach * math.Sqrt(float64(o.Dim)) * o.RowBound
	derivative := math.Ldexp(o.Derivative.slope()*largestScore, -50) + math.Ldexp(max(1, o.Derivative.largest()), -48)
	record := columns * (o.RowBound/o.RowStep/2 + total*(o.RowBound/o.ClippingNorm*derivative+math.Ldexp(1, -51)))
	return (2*(numbers/2+float64(o.MaxRecords)*record) + numbers) * (1 + 1e-9)
}

// recursionGrid is the integer scale of a recursion.
type recursionGrid struct {
	grid            // bound is one record's, without the slack
	unit    float64 // of weights
	limit   int64   // of weights, in units
	score   float64 // what an integer of a product of weights and rows stands for
	perSlot float64 // integers of a coefficient for a derivative of 1
}

// fitRecursion returns the scale of the event's noise for a recursion, or says why the event does
// not cover it.
func fitRecursion(l mechanism.LastIterate, o RecursionOptions) (recursionGrid, error) {
	if err := mechanism.CheckEvent(l); err != nil {
		return recursionGrid{}, err
	}
	c, err := o.Contraction()
	switch {
	case err != nil:
		return recursionGrid{}, err
	case !(l.Contraction >= c) || l.Steps < 1:
		return recursionGrid{}, fmt.Errorf("release: event is %v, want a contraction of at least %v and at least 1 step, as the recursion has", l, c)
	}
	room := math.Ceil(o.Reach * o.Divisor / (o.LearningRate * o.ClippingNorm)) // weights within their reach do not overflow
	if room > maxMaxRecords {
		return recursionGrid{}, fmt.Errorf("release: reach of the recursion is %v, want less; weights would leave the integers", o.Reach)
	}
	if o.MaxRecords < 1 || o.MaxRecords > maxMaxRecords {
		return recursionGrid{}, fmt.Errorf("release: max records is %d, want 1 to 2^40", o.MaxRecords)
	}
	noise := mechanism.Gaussian{NoiseMultiplier: l.NoiseMultiplier}
	g, err := newGrid(noise, l.NoiseMultiplier, fit{maxRecords: max(o.MaxRecords, int(room)), norm: L2()}, sample.MaxGridBits)
	if err != nil {
		return recursionGrid{}, err
	}
	total := float64(g.bound)
	slack := o.slack(total)
	if !(slack <= maxSlack*total) {
		return recursionGrid{}, fmt.Errorf("release: rounding takes %.3g of the sensitivity of the last iterate, want at most %v; use fewer records, narrower rows or account for every step", slack/total, maxSlack)
	}
	g.bound -= int64(math.Ceil(slack))
	out := recursionGrid{grid: g, unit: o.LearningRate / o.Divisor * (o.ClippingNorm / float64(g.bound)), perSlot: float64(g.bound) / o.ClippingNorm * o.RowStep}
	if !positive(out.unit) || !positive(out.perSlot) || math.IsInf(out.unit*o.RowStep, 0) {
		return recursionGrid{}, fmt.Errorf("release: clipping norm of the recursion is %v and row step %v, want numbers whose scale is positive and finite", o.ClippingNorm, o.RowStep)
	}
	out.score = out.unit * o.RowStep
	out.limit = int64(min(o.Reach/out.unit, 1<<sumBits-1))
	return out, nil
}

// CheckRecursion returns an error if the event does not cover a recursion with these options.
// RunRecursion refuses such a recursion before it pays.
func CheckRecursion(l mechanism.LastIterate, o RecursionOptions) error {
	_, err := fitRecursion(l, o)
	return err
}

// RunRecursion pays for the event, takes the steps of the recursion, and releases the weights after
// the last step, column after column. Nothing else is released. If the event does not cover the
// recursion, RunRecursion returns an error before it pays.
func RunRecursion(p mechanism.Payer, l mechanism.LastIterate, r Recursion) (Noisy, error) {
	g, err := fitRecursion(l, r.RecursionOptions)
	if err != nil {
		return Noisy{}, err
	}
	if r.Rows == nil || r.Rows.known == nil || r.Rows.file != nil || !r.Rows.frame.own() || r.Rows.kind == Sparse || r.Rows.dim != r.Dim || r.Rows.step != r.RowStep || r.Rows.Len() != r.Rows.total {
		return Noisy{}, fmt.Errorf("release: rows of the recursion are of another kind, want all records that entered, dense, in memory, in their own frame, of %d coordinates on a grid of %v", r.Dim, r.RowStep)
	}
	all, err := Draw(Full(), r.Rows.total)
	if err != nil {
		return Noisy{}, err
	}
	if err = checkMaxRecords(all, r.MaxRecords); err != nil {
		return Noisy{}, err
	}
	if p == nil {
		return Noisy{}, fmt.Errorf("release: the release has no payer, want a grant of a ledger")
	}
	if err = p.Pay(l); err != nil {
		return Noisy{}, err
	}
	return r.run(l.Steps, g, all)
}

func (r Recursion) run(steps int, g recursionGrid, all Sample) (Noisy, error) {
	x, noise := make([]int64, r.Columns*r.Dim), make([]int64, r.Columns*r.Dim)
	for step := range steps {
		if r.Before != nil {
			if err := r.Before(step); err != nil {
				return Noisy{}, err
			}
		}
		next, err := r.next(g, all, x)
		if err != nil {
			return Noisy{}, err
		}
		if err = drawNoise(noise, g.grid); err != nil {
			return Noisy{}, err
		}
		for j := range x {
			x[j] = max(-g.limit, min(g.limit, saturatingAdd(next[j], -noise[j])))
		}
	}
	weights := make([]float64, len(x))
	for j, v := range x {
		weights[j] = float64(v) * g.unit
	}
	return Noisy{weights}, nil
}

// next returns A(X): the weights less the ridge's share, less the sum of gradients. Both are within
// ±2^60.
func (r Recursion) next(g recursionGrid, all Sample, x []int64) ([]int64, error) {
	sum, err := r.gradients(g, all, x)
	if err != nil {
		return nil, err
	}
	decay := r.decay()
	for j, v := range x {
		sum[j] = v - shareOf(v, decay) - sum[j]
	}
	return sum, nil
}

// shareOf returns v·decay/2^decayBits, rounded to nearest.
func shareOf(v int64, decay uint64) int64 {
	high, low := bits.Mul64(uint64(max(v, -v)), decay)
	low, carry := bits.Add64(low, 1<<(decayBits-1), 0)
	share := int64((high+carry)<<(64-decayBits) | low>>decayBits)
	if v < 0 {
		return -share
	}
	return share
}
