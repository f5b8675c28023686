// Package query asks private statistics of records: counts, sums, second moments. Each
// question is paid for before its noise is drawn.
package query

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/ditherml/dither/linalg"
	"github.com/ditherml/dither/mechanism"
)

// Terms are the public numbers of one question.
type Terms struct {
	// Payer pays for the release.
	Payer mechanism.Payer
	// Noise is how the answer is released.
	Noise mechanism.Noise
	// MaxRecords is the declared public bound on the number of records.
	MaxRecords int
}

// Count returns the noisy number of records: unbiased, possibly negative, with noise of
// standard deviation NoiseMultiplier.
func Count(t Terms, records int) (float64, error) {
	ones, err := mechanism.NewRows(records, mechanism.RowsOptions{Dim: 1, Step: 1}, func(dst []float64, _, _ int) {
		for i := range dst {
			dst[i] = 1
		}
	})
	if err != nil {
		return 0, err
	}
	total, err := Sum(t, ones, records, 1)
	if err != nil {
		return 0, err
	}
	return total[0], nil
}

// Sum returns the noisy sum of the rows, of which each counts with an L2 norm of at most
// bound (a longer one is shortened): noise of standard deviation NoiseMultiplier·bound on
// every coordinate.
func Sum(t Terms, rows *mechanism.Rows, records int, bound float64) ([]float64, error) {
	sample, err := mechanism.Full().Draw(records)
	if err != nil {
		return nil, err
	}
	sum, err := mechanism.NewSum(sample, rows, mechanism.SumOptions{Noise: t.Noise, Columns: 1, Bound: bound, MaxRecords: t.MaxRecords})
	if err != nil {
		return nil, err
	}
	if err = AddAll(sum, records, func(c *linalg.Contributions, first, n int) {
		c.Columns, c.Coefficients = 1, c.Coefficients[:0]
		for range n {
			c.Coefficients = append(c.Coefficients, 1)
		}
	}); err != nil {
		return nil, err
	}
	noisy, err := mechanism.Release(t.Payer, t.Noise, sum.Seal())
	return noisy.Values(), err
}

// SecondMoment returns the noisy sum of x·xᵀ over rows made with mechanism.MomentRows, a
// symmetric dim×dim matrix, row-major: the released matrix averaged with its transpose, so
// that the noise has standard deviation NoiseMultiplier·radius² on the diagonal and 1/√2 of
// it off the diagonal.
func SecondMoment(t Terms, rows *mechanism.Rows, records int) ([]float64, error) {
	sample, err := mechanism.Full().Draw(records)
	if err != nil {
		return nil, err
	}
	bounded, err := mechanism.SecondMoment(sample, rows, t.Noise, t.MaxRecords)
	if err != nil {
		return nil, err
	}
	noisy, err := mechanism.Release(t.Payer, t.Noise, bounded)
	if err != nil {
		return nil, err
	}
	return symmetric(noisy.Values(), rows.Dim()), nil
}

func symmetric(m []float64, d int) []float64 {
	out := make([]float64, len(m))
	for i := range d {
		for j := range d {
			out[i*d+j] = (m[i*d+j] + m[j*d+i]) / 2
		}
	}
	return out
}

// block is how many records one proposal speaks of.
const block = 256

// AddAll adds the contributions of all records to sum, split over the processors: propose
// fills c for the records first … first+n-1; it is called from several goroutines, each
// with its own c.
func AddAll(sum *mechanism.Sum, records int, propose func(c *linalg.Contributions, first, n int)) error {
	return addParts(sum, records, func(part *mechanism.Sum, c *linalg.Contributions, first, n int) error {
		if propose(c, first, n); c.Records() != n {
			return fmt.Errorf("query: proposal is of %d records, want %d", c.Records(), n)
		}
		return part.Add(first, *c)
	})
}

// AddSample is AddAll for the records of a sample: propose fills c for the records it is given.
func AddSample(sum *mechanism.Sum, sample mechanism.Sample, propose func(c *linalg.Contributions, records []int)) error {
	indices := sample.Indices()
	return addParts(sum, len(indices), func(part *mechanism.Sum, c *linalg.Contributions, first, n int) error {
		propose(c, indices[first:first+n])
		return part.AddAt(indices[first:first+n], *c)
	})
}

// addParts runs add on blocks of n things, in several goroutines with a part of the sum each,
// and merges the parts.
func addParts(sum *mechanism.Sum, n int, add func(part *mechanism.Sum, c *linalg.Contributions, first, n int) error) error {
	parts := max(1, min(runtime.GOMAXPROCS(0), n/block))
	sums, errs := make([]*mechanism.Sum, parts), make([]error, parts)
	var wait sync.WaitGroup
	for p := range parts {
		sums[p] = sum.Empty()
		wait.Go(func() {
			var c linalg.Contributions
			for first, end := p*n/parts, (p+1)*n/parts; first < end && errs[p] == nil; first += block {
				errs[p] = add(sums[p], &c, first, min(block, end-first))
			}
		})
	}
	wait.Wait()
	for p := range parts {
		if errs[p] != nil {
			return errs[p]
		}
		if err := sum.Merge(sums[p]); err != nil {
			return err
		}
	}
	return nil
}
