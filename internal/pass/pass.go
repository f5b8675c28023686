// Package pass drives passes over records. It asks each record for its proposal once, on all
// processors. It secretly asks some records a second time.
//
// [All], [Sample], [Together] and [Vectors] fill the sums of package release. [Count], [Sum],
// [SumVectors], [SecondMoment] and [Products] also pay for one such sum and release it.
package pass

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/picks"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/spot"
	"github.com/ditherml/dither/mechanism"
)

// Settings are the public numbers of one question.
type Settings struct {
	// Payer pays for the release.
	Payer mechanism.Payer
	// Noise is the noise of the answer.
	Noise mechanism.Noise
	// MaxRecords is the declared public bound on the number of records.
	MaxRecords int
}

// Count returns the noisy number of records. It is unbiased and may be negative; its noise has
// standard deviation NoiseMultiplier.
func Count(t Settings, records int) (float64, error) {
	rows, err := release.NewRows(records, release.RowsOptions{Dim: 1, Step: 1}, func(dst []float64, _, _ int) {
		for i := range dst {
			dst[i] = 1
		}
	})
	if err != nil {
		return 0, err
	}
	total, err := Sum(t, rows, records, 1)
	if err != nil {
		return 0, err
	}
	return total[0], nil
}

// ones proposes every record once.
func ones(c *kernel.Contributions, b release.Block) {
	c.Columns, c.Coefficients = 1, c.Coefficients[:0]
	for range b.Len() {
		c.Coefficients = append(c.Coefficients, 1)
	}
}

// Sum returns the noisy sum of the rows. Each row counts with an L2 norm of at most bound, and a
// longer row is shortened. The noise has standard deviation NoiseMultiplier·bound on every
// coordinate; rounding is far smaller (release.SumOptions.Coarse).
func Sum(t Settings, rows *release.Rows, records int, bound float64) ([]float64, error) {
	sample, err := release.Draw(release.Full(), records)
	if err != nil {
		return nil, err
	}
	sum, err := release.NewSum(sample, rows, release.SumOptions{Noise: t.Noise, Columns: 1, Bound: bound, MaxRecords: t.MaxRecords, Coarse: true})
	if err != nil {
		return nil, err
	}
	if err = All(sum, rows, ones); err != nil {
		return nil, err
	}
	noisy, err := release.Release(t.Payer, t.Noise, sum.Seal())
	return noisy.Values(), err
}

// SecondMoment returns the noisy sum of x·xᵀ over rows made with release.MomentRows, a symmetric
// dim×dim matrix, row-major. It is the released matrix averaged with its transpose. The noise has
// standard deviation NoiseMultiplier·radius² on the diagonal and 1/√2 of that off the diagonal.
func SecondMoment(t Settings, rows *release.Rows, records int) ([]float64, error) {
	sample, err := release.Draw(release.Full(), records)
	if err != nil {
		return nil, err
	}
	bounded, err := release.SecondMoment(sample, rows, t.Noise, t.MaxRecords)
	if err != nil {
		return nil, err
	}
	noisy, err := release.Release(t.Payer, t.Noise, bounded)
	if err != nil {
		return nil, err
	}
	return Symmetric(noisy.Values(), rows.Dim()), nil
}

// Symmetric returns the mean of a d×d matrix, row-major, and its transpose.
func Symmetric(m []float64, d int) []float64 {
	out := make([]float64, len(m))
	for i := range d {
		for j := range d {
			out[i*d+j] = (m[i*d+j] + m[j*d+i]) / 2
		}
	}
	return out
}

// All adds the contributions of all records to sum, split over the processors. The function propose
// fills c for the records of a block. Several goroutines call it, each with its own c. After an
// error the sum may hold some of the records.
func All(sum *release.Sum, rows *release.Rows, propose func(c *kernel.Contributions, b release.Block)) error {
	parts := partsOf(rows.Len(), rows.BlockLen())
	pass := rows.Scan(parts)
	return addParts(sum, parts, func(w *worker, p int) error {
		return pass.Each(p, func(b release.Block) error { return w.add(b, propose) })
	})
}

// Sample is All for the records of a sample. A goroutine takes the next block when it has finished
// one, because the goroutines that start last would otherwise end last.
func Sample(sum *release.Sum, rows *release.Rows, sample release.Sample, propose func(c *kernel.Contributions, b release.Block)) error {
	indices, size := sample.Indices(), rows.BlockLen()
	parts := partsOf(len(indices), size)
	if parts > 1 {
		size = min(size, (len(indices)/(parts*blocksOfPart)+7)&^7)
	}
	var next atomic.Int64
	return addParts(sum, parts, func(w *worker, _ int) error {
		b := blocks.Get().(*release.Block)
		defer blocks.Put(b)
		for {
			to := int(next.Add(int64(size)))
			from := to - size
			if from >= len(indices) {
				return nil
			}
			records, err := indices[from:min(to, len(indices))], error(nil)
			rows.Prefetch(records)
			if *b, err = rows.LoadAt(records, *b); err != nil {
				return err
			}
			if err = w.add(*b, propose); err != nil {
				return err
			}
		}
	})
}

// blocksOfPart is the least number of blocks of a sample for each goroutine.
const blocksOfPart = 4

// blocks are reusable copies of samples' records.
var blocks = sync.Pool{New: func() any { return &release.Block{} }}

// worker is the state of one goroutine.
type worker struct {
	sum  *release.Sum
	c    *kernel.Contributions
	spot *spot.Records
}

// add adds the proposals for a block.
func (w *worker) add(b release.Block, propose func(c *kernel.Contributions, b release.Block)) error {
	if propose(w.c, b); w.c.Records() != b.Len() {
		return fmt.Errorf("pass: proposal is of %d records, want %d", w.c.Records(), b.Len())
	}
	if !w.spot.Agree(w.c, b, propose) {
		return release.ErrComputation
	}
	return w.sum.AddBlock(b, *w.c)
}

// partsOf returns the number of parts of n things for all processors, none smaller than a block.
func partsOf(n, block int) int { return max(1, min(runtime.GOMAXPROCS(0), n/block)) }

// addParts runs add for each part, in several goroutines, and merges the parts. Each goroutine has
// a part of the sum. The caller's goroutine has the sum itself.
func addParts(sum *release.Sum, parts int, add func(w *worker, p int) error) error {
	workers, errs, secret := make([]worker, parts), make([]error, parts), picks.NewSecret()
	parallel.Each(parts, func(p int) {
		w, c := &workers[p], proposalsOf(1)
		defer proposals.Put(c)
		w.sum, w.c, w.spot = sum, &(*c)[0], spot.NewRecords(secret.Part(p), 1)
		if p < parts-1 {
			w.sum = sum.Empty()
		}
		errs[p] = add(w, p)
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	for _, w := range workers[:parts-1] {
		if err := sum.Merge(w.sum); err != nil {
			return err
		}
	}
	return nil
}

// manySums is the number of sums from which Together takes longer blocks. The fixed work for each
// sum and block then costs more than a short block saves by staying in the cache.
const manySums = 16

// proposals are reusable proposals of one sum, or of a group of them.
var proposals = sync.Pool{New: func() any { return &[]kernel.Contributions{} }}

// proposalsOf returns empty proposals for this number of sums, in reused memory.
func proposalsOf(sums int) *[]kernel.Contributions {
	c := proposals.Get().(*[]kernel.Contributions)
	all := (*c)[:cap(*c)]
	for i := range all {
		all[i].Columns, all[i].Coefficients = 0, all[i].Coefficients[:0]
	}
	*c = append(all, make([]kernel.Contributions, max(0, sums-len(all)))...)[:sums]
	return c
}

// Together is All for a group of sums, in one pass. The argument rows has the rows of each sum,
// which must be the same integers. Each goroutine requests its own proposer. A proposer fills c[m]
// for the records of blocks[m]. All blocks[m] have the same records, under the frame of sum m's
// rows.
func Together(group *release.Group, rows []*release.Rows, proposer func() func(c []kernel.Contributions, blocks []release.Block)) error {
	base := rows[0]
	parts := partsOf(base.Len(), base.BlockLen())
	pass := base.Scan(parts)
	if len(rows) >= manySums {
		pass = base.LongPass(parts)
	}
	groups, errs, secret := make([]*release.Group, parts), make([]error, parts), picks.NewSecret()
	parallel.Each(parts, func(p int) {
		groups[p] = group.Empty()
		blocks, propose := make([]release.Block, len(rows)), proposer()
		c, alone := proposalsOf(len(rows)), spot.NewRecords(secret.Part(p), len(rows))
		defer proposals.Put(c)
		errs[p] = pass.Each(p, func(b release.Block) error {
			for m, r := range rows {
				if m > 0 && r == rows[m-1] {
					blocks[m] = blocks[m-1]
					continue
				}
				var err error
				if blocks[m], err = r.Standardize(b, blocks[m]); err != nil {
					return err
				}
			}
			propose(*c, blocks)
			if !alone.AgreeAll(*c, blocks, propose) {
				return release.ErrComputation
			}
			return groups[p].AddBlock(blocks, *c)
		})
	})
	for p := range parts {
		if errs[p] != nil {
			return errs[p]
		}
		if err := group.Merge(groups[p]); err != nil {
			return err
		}
	}
	return nil
}
