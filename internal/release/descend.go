package release

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/release/internal/sample"
	"github.com/ditherml/dither/mechanism"
)

// GradientDescent is full-batch gradient descent with a fixed number of steps, without noise in the
// steps. A step is w ← w - Rate·∇J(w), from w = 0, where J is the objective of Problem. The ridge
// of the problem may be 0.
//
// The last iterate is private with noise, because its distance between neighbors is bounded. Let G
// be the largest norm of one record's gradient. Each step moves the iterates of neighbors apart by
// at most Rate·G. It multiplies their previous distance by at most c = 1 - Rate·Ridge. So after T
// steps their distance is at most Rate·G·(1 + c + … + c^(T-1)) (Zhang, Zheng, Mou & Wang,
// "Efficient Private ERM for Smooth Objectives", IJCAI 2017, https://arxiv.org/abs/1703.09947).
//
// A step multiplies distances by at most c if Rate is at most 2/(2·Ridge + K). Here K is the
// curvature of the losses of MaxRecords records together (Hardt, Recht & Singer, "Train Faster,
// Generalize Better", ICML 2016, lemma 3.7, https://arxiv.org/abs/1509.01240).
type GradientDescent struct {
	// Problem is the minimization problem whose objective the steps descend.
	Problem Problem
	// Rate is the learning rate of every step.
	Rate float64
	// Steps is the number of steps.
	Steps int
}

// maxDescentSteps bounds the steps.
const maxDescentSteps = 1 << 20

// LargestRate returns the largest valid Rate. At this rate a step never increases the distance
// between the iterates of neighbors, apart from the gradient of the record in which they differ.
func (d GradientDescent) LargestRate() float64 {
	return 2 / (2*d.Problem.Ridge + float64(d.Problem.MaxRecords)*d.Problem.Curvature()) * (1 - 0x1p-40)
}

// Validate returns an error if a number is invalid.
func (d GradientDescent) Validate() error {
	if err := d.Problem.validate(0); err != nil {
		return err
	}
	if d.Steps < 1 || d.Steps > maxDescentSteps || !(d.Rate > 0 && d.Rate <= d.LargestRate()) {
		return fmt.Errorf("release: gradient descent has %d steps of rate %v, want 1 to 2^20 steps and a rate of at most %v, 2 over the largest curvature", d.Steps, d.Rate, d.LargestRate())
	}
	return nil
}

// apart returns how far n movements of size 1, one a step, come to lie apart: 1 + c + … + c^(n-1),
// rounded upward.
func (d GradientDescent) apart() float64 {
	steps, drawn := float64(d.Steps), d.Rate*d.Problem.Ridge
	if drawn == 0 {
		return steps
	}
	return min(steps, -math.Expm1(steps*math.Log1p(-drawn))/drawn*(1+0x1p-40))
}

// roundings bounds the error of one step, and size the norm of all iterates.
func (d GradientDescent) roundings(dim int) (rounding, size float64) {
	n := float64(d.Problem.MaxRecords)
	size = 2 * d.Rate * n * d.Problem.GradientBound() * d.apart()
	return d.Rate*d.Problem.roundingError(dim, n, size, 0) + 4*0x1p-53*size, size
}

// Sensitivity returns an upper bound on the L2 distance between the last iterates of two neighbors,
// where one record is added or removed. The argument dim is the length of a row. The bound includes
// the rounding of every step. If rounding is too large a share of the bound, Sensitivity returns an
// error.
func (d GradientDescent) Sensitivity(dim int) (float64, error) {
	if err := d.Validate(); err != nil {
		return 0, err
	}
	rounding, _ := d.roundings(dim)
	moved := d.Rate * d.Problem.GradientBound()
	if !(2*rounding <= maxRounding*moved) {
		return 0, fmt.Errorf("release: rounding of a step may move weights by %v where a record moves them by %v, want at most %v of it; use fewer records", 2*rounding, moved, maxRounding)
	}
	return (moved + 2*rounding) * d.apart() * (1 + 0x1p-40), nil
}

// Run returns the last iterate of gradient descent over all rows, sealed, for release with the
// noise n. If one record is added or removed, the result changes by at most one bound in the norm,
// as for Problem.Minimize.
func (d GradientDescent) Run(ctx context.Context, rows *Rows, n mechanism.Noise, norm Norm) (Bounded, error) {
	if rows == nil {
		return Bounded{}, errNoRows
	}
	bound, err := d.Sensitivity(rows.Dim())
	if err != nil {
		return Bounded{}, err
	}
	_, size := d.roundings(rows.Dim())
	point, err := newPoint(rows, n, norm, extent{d.Problem, bound, size})
	if err != nil {
		return Bounded{}, err
	}
	m := newMinimization(d.Problem, rows, nil, 0)
	w := make([]float64, m.Columns*m.dim)
	for range d.Steps {
		if ctx.Err() != nil {
			return Bounded{}, stopped(ctx)
		}
		w = added(w, m.gradient(w), -d.Rate)
	}
	return m.seal(point, w)
}

// added returns w + t·v.
func added(w, v []float64, t float64) []float64 {
	out := make([]float64, len(w))
	for j, x := range v {
		out[j] = w[j] + t*x
	}
	return out
}

// PermutedDescent is stochastic gradient descent over batches of records, without noise in the
// steps. The records are in one random order, which is the same in every pass. The last iterate is
// private with noise that is added to it (Wu, Li, Kumar, Chaudhuri, Jha & Naughton, "Bolt-on
// Differential Privacy for Scalable Stochastic Gradient Descent-based Analytics", SIGMOD 2017,
// https://arxiv.org/abs/1606.04722). The proof covers only replace-one, because adding a record
// would change all later batches.
//
// Step t is w ← (1 - η_t·λ)·w - (η_t/Batch)·Σ ∇ℓ_i(w), where the sum is over the records i of the
// batch. Here λ = Ridge/Records and η_t = min(1/(β+λ), 1/(λ·t)), where β is the curvature of one
// record's loss. If the ridge is 0, η_t is Rate. Let G be the largest norm of one record's
// gradient. Replacing a record moves the step of its batch by at most 2·η_t·G/Batch, once in each
// pass. Every later step s multiplies the distance between the two iterates by at most 1 - η_s·λ.
type PermutedDescent struct {
	// Problem is the minimization problem whose objective the steps descend.
	Problem Problem
	// Records is the public number of records.
	Records int
	// Batch is the size of a batch, at most 256. The last batch of a pass may be smaller. Passes is
	// the number of passes over the records.
	Batch, Passes int
	// Rate is the learning rate of all steps if the ridge is 0. It is at most 2/β, where β is the
	// curvature of one record's loss. If the ridge is not 0, Rate is 0.
	Rate float64
}

// Validate returns an error if a number is invalid.
func (d PermutedDescent) Validate() error {
	if err := d.Problem.validate(0); err != nil {
		return err
	}
	if d.Records < 1 || d.Records > d.Problem.MaxRecords || d.Batch < 1 || d.Batch > passRows || d.Passes < 1 || d.Passes > maxDescentSteps {
		return fmt.Errorf("release: descent has %d records, batches of %d and %d passes, want 1 to max records, batches of at most %d and 1 to 2^20 passes", d.Records, d.Batch, d.Passes, passRows)
	}
	largest := 2 / d.Problem.Curvature() * (1 - 0x1p-40)
	if d.Problem.Ridge > 0 && d.Rate != 0 || d.Problem.Ridge == 0 && !(d.Rate > 0 && d.Rate <= largest) {
		return fmt.Errorf("release: rate of the descent is %v with ridge %v, want 0 beside a ridge and else at most %v", d.Rate, d.Problem.Ridge, largest)
	}
	return nil
}

// batches is the number of steps in a pass.
func (d PermutedDescent) batches() int { return (d.Records + d.Batch - 1) / d.Batch }

// rate returns η_t, t counted from 0, and λ.
func (d PermutedDescent) rate(t int) (rate, ridge float64) {
	if d.Problem.Ridge == 0 {
		return d.Rate, 0
	}
	ridge = d.Problem.Ridge / float64(d.Records)
	return min(1/(d.Problem.Curvature()+ridge), 1/(ridge*float64(t+1))), ridge
}

// size bounds the norm of all iterates, for sums of rates.
func (d PermutedDescent) size() float64 {
	_, ridge := d.rate(0)
	sum := 0.0
	for t := range d.batches() * d.Passes {
		rate, _ := d.rate(t)
		sum += rate
	}
	if ridge > 0 {
		sum = min(sum, 1/ridge)
	}
	return 2 * d.Problem.GradientBound() * sum
}

// Sensitivity returns half of an upper bound on the L2 distance between the last iterates of two
// neighbors, where one record is replaced. Accountants double this number under replace-one. The
// bound is the largest over the batches that may contain the record. It is computed step by step
// and includes the rounding of every step. The argument dim is the length of a row.
func (d PermutedDescent) Sensitivity(dim int) (float64, error) {
	if err := d.Validate(); err != nil {
		return 0, err
	}
	batches, size := d.batches(), d.size()
	ofBatch, rounding, kept := make([]float64, batches), 0.0, 1.0
	for t := batches*d.Passes - 1; t >= 0; t-- {
		rate, ridge := d.rate(t)
		ofBatch[t%batches] += rate * kept
		wrong := d.Problem.roundingError(dim, float64(d.Batch), size, 0)/float64(d.Batch) + d.Problem.Ridge/float64(d.Records)*size*0x1p-50
		rounding += (rate*wrong + 8*0x1p-53*size) * kept
		kept *= (1 - rate*ridge) * (1 + 0x1p-50)
	}
	largest := 0.0
	for _, v := range ofBatch {
		largest = max(largest, v)
	}
	moved := largest * d.Problem.GradientBound() / float64(d.Batch)
	if !(rounding <= maxRounding*moved) {
		return 0, fmt.Errorf("release: rounding may move weights by %v where a record moves them by %v, want at most %v of it; use fewer passes", rounding, moved, maxRounding)
	}
	return (moved + rounding) * (1 + 0x1p-30), nil
}

// Run returns the last iterate of the descent over all rows, sealed, for release with the noise n.
// The number of rows must be Records. Replacing one record changes the result by at most two bounds
// in the norm.
func (d PermutedDescent) Run(ctx context.Context, rows *Rows, n mechanism.Noise, norm Norm) (Bounded, error) {
	if rows == nil || rows.count != d.Records {
		return Bounded{}, fmt.Errorf("release: the rows are not as many as the declared records, which this descent takes as public, want %d", d.Records)
	}
	bound, err := d.Sensitivity(rows.Dim())
	if err != nil {
		return Bounded{}, err
	}
	point, err := newPoint(rows, n, norm, extent{d.Problem, bound, d.size()})
	if err != nil {
		return Bounded{}, err
	}
	m := newMinimization(d.Problem, rows, nil, 0)
	p, w, order := m.newPart(), make([]float64, m.Columns*m.dim), permutation(d.Records)
	for t := range d.batches() * d.Passes {
		if ctx.Err() != nil {
			return Bounded{}, stopped(ctx)
		}
		from := t % d.batches() * d.Batch
		clear(p.chunk)
		for _, i := range order[from:min(from+d.Batch, d.Records)] {
			m.addLoss(p, i, w)
		}
		rate, ridge := d.rate(t)
		for j, g := range p.chunk {
			w[j] -= rate * (g/float64(d.Batch) + ridge*w[j])
		}
	}
	return m.seal(point, w)
}

// permutation returns 0 … n-1 in a random order.
func permutation(n int) []int {
	order, s := make([]int, n), sample.NewStream()
	for i := range order {
		j := int(s.Below(uint64(i) + 1))
		order[i] = order[j]
		order[j] = i
	}
	return order
}
