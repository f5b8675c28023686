package erm

import (
	"errors"
	"runtime"
	"sync"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/release"
)

// zerothRun is one run of zeroth-order descent.
type zerothRun struct {
	*fitting
	plan zerothPlan
	// all holds the weights for the next step, followed by the directions. Rows are multiplied by
	// all of them in one product.
	all []float64
	// average is the average of the iterates after the first half.
	average []float64
}

func newZerothRun(f *fitting) *zerothRun {
	weights, z := f.Plan.Dim*f.Plan.Columns, *f.Plan.Zeroth
	return &zerothRun{f, z, make([]float64, weights*(1+z.Directions)), make([]float64, weights)}
}

// step pays for and releases the sums of differences along fresh directions, and moves the weights.
func (r *zerothRun) step(step int) error {
	weights := r.all[:len(r.average)]
	directions := r.all[len(weights):]
	for k := range r.plan.Directions {
		signs(directions[k*len(weights):(k+1)*len(weights)], uint64(step*r.plan.Directions+k))
	}
	sums, err := r.release()
	if err != nil {
		return err
	}
	scale := r.plan.Rate / (r.Plan.records() * float64(r.plan.Directions))
	for k, sum := range sums {
		for j, u := range directions[k*len(weights) : (k+1)*len(weights)] {
			weights[j] -= scale * sum * u
		}
	}
	if first := r.plan.Steps / 2; step >= first {
		for j, w := range weights {
			r.average[j] += (w - r.average[j]) / float64(step-first+1)
		}
	}
	return nil
}

// release pays for and returns the noisy sum of the records' differences.
func (r *zerothRun) release() ([]float64, error) {
	sample, err := release.Draw(release.Full(), r.rows.Len())
	if err != nil {
		return nil, err
	}
	norm, err := noiseNorm(r.plan.Noise)
	if err != nil {
		return nil, err
	}
	noise := r.Plan.noise(noiseOf(r.plan.Noise, r.plan.NoiseMultiplier))
	sum, err := release.NewVectorSum(sample, release.VectorOptions{Noise: noise, Norm: norm, Dim: r.plan.Directions, Bound: r.plan.ClippingNorm, MaxRecords: r.Plan.MaxRecords})
	if err != nil {
		return nil, err
	}
	if err = r.sum(sum); err != nil {
		return nil, err
	}
	noisy, err := release.Release(r.grant, noise, sum.Seal())
	return noisy.Values(), err
}

// sum adds the differences of all records, in parallel.
func (r *zerothRun) sum(sum *release.VectorSum) error {
	scorer := r.rows.Scorer(r.all, r.Plan.Columns*(1+r.plan.Directions))
	workers := runtime.GOMAXPROCS(0)
	pass, failed := r.rows.Scan(workers), make([]error, workers)
	var lock sync.Mutex
	parallel.Each(workers, func(k int) {
		part := zerothPart{zerothRun: r, scorer: scorer, sum: sum.Empty(), before: make([]float64, r.Plan.Columns), after: make([]float64, r.Plan.Columns)}
		err := pass.Each(k, part.add)
		lock.Lock()
		defer lock.Unlock()
		failed[k] = errors.Join(err, sum.Merge(part.sum))
	})
	return joined(failed...)
}

// zerothPart is one goroutine's part of the sum.
type zerothPart struct {
	*zerothRun
	scorer  *release.Scorer
	sum     *release.VectorSum
	scores  []float32
	vectors []float64
	// before and after are the scores of one record on both sides of the weights.
	before, after []float64
}

// add adds the differences of the records of a block. A record's differences depend only on its own
// row and label and on released numbers.
func (p *zerothPart) add(b release.Block) error {
	n, k := b.Len(), p.plan.Directions
	if n == 0 {
		return nil
	}
	wide := p.Plan.Columns * (1 + k)
	p.scores, p.vectors = resized(p.scores, n*wide), resized(p.vectors, n*k)
	p.scorer.Scores(p.scores, b)
	for i, label := range b.Labels() {
		p.differences(p.vectors[i*k:(i+1)*k], p.scores[i*wide:(i+1)*wide], float64(label))
	}
	return p.sum.Add(b.Record(0), p.vectors)
}

// differences writes the differences of one record along all directions, or zeros for a record
// without a label. The argument scores holds the scores at the weights, followed by the scores
// along each direction. Losses that overflow give NaN or infinities, which add nothing to the sum.
func (p *zerothPart) differences(dst []float64, scores []float32, label float64) {
	if label != label {
		clear(dst)
		return
	}
	columns, loss := p.Plan.Columns, p.Model.Loss
	for k := range dst {
		for c, z := range scores[:columns] {
			move := p.plan.Radius * float64(scores[(k+1)*columns+c])
			p.before[c], p.after[c] = float64(z)-move, float64(z)+move
		}
		dst[k] = (loss.Value(p.after, label) - loss.Value(p.before, label)) / (2 * p.plan.Radius)
	}
}

// resized returns a slice of n entries. It reuses the memory of s if that is large enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// signs fills dst with random signs. They depend only on the number of the direction, so they are
// public. The generator is SplitMix64 (Steele, Lea & Flood, "Fast Splittable Pseudorandom Number
// Generators", OOPSLA 2014).
func signs(dst []float64, number uint64) {
	state := mixed(number + 1)
	var word uint64
	for j := range dst {
		if j%64 == 0 {
			state += 0x9e3779b97f4a7c15
			word = mixed(state)
		}
		dst[j] = 2*float64(word>>(j%64)&1) - 1
	}
}

// mixed returns the output function of SplitMix64.
func mixed(v uint64) uint64 {
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}
