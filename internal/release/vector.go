package release

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/mechanism"
)

// VectorOptions are the public parameters of a VectorSum.
type VectorOptions struct {
	// Noise is the noise with which the sum will be released.
	Noise mechanism.Noise
	// Norm is the norm in which one record's vector is measured.
	Norm Norm
	// Dim is the length of a vector.
	Dim int
	// Bound is the largest norm of one record's vector.
	Bound float64
	// MaxRecords is the declared public upper bound on the number of records.
	MaxRecords int
}

// VectorSum is an exact sum of verified vectors, one for each record. Examples are counts,
// histograms, the clipped bits of adaptive clipping, and gradients that are not products with rows.
// A vector is rounded to integers, and added only if its norm, computed exactly, is within the
// bound. A VectorSum is not safe for concurrent use. Each goroutine needs a separate VectorSum:
// Empty returns one, and Merge adds it to another.
type VectorSum struct {
	seenSet
	dim   int
	bound float64
	grid  grid
	limit int64 // of one vector on the grid: half of the bound where vectors belong to groups: a record takes one out and puts another in
	total []int64
	check vectorCheck
}

// maxVectorNumbers bounds the numbers of a vector, so that their squares, each at most 2^104, fit
// 128 bits together.
const maxVectorNumbers = 1 << 23

// NewVectorSum returns an empty sum over the records of a sample.
func NewVectorSum(s Sample, o VectorOptions) (*VectorSum, error) {
	if s.drawn == nil {
		return nil, fmt.Errorf("release: the sample is empty, want one that Draw made")
	}
	if err := checkCount(s, o.MaxRecords); err != nil {
		return nil, err
	}
	if o.Dim < 1 || o.Dim >= maxVectorNumbers || !positive(o.Bound) || o.Noise == nil {
		return nil, fmt.Errorf("release: sum has vectors of %d numbers, bound %v and noise %v, want 1 to %d numbers, a positive finite bound and a noise", o.Dim, o.Bound, o.Noise, maxVectorNumbers-1)
	}
	if err := o.Norm.check(); err != nil {
		return nil, err
	}
	g, err := fitNoise(o.Noise, fit{maxRecords: o.MaxRecords, norm: o.Norm, dim: o.Dim})
	if err != nil {
		return nil, err
	}
	return newVectorSum(s, o.Dim, o.Bound, g, newVectorCheck(o.Dim)), nil
}

func newVectorSum(s Sample, dim int, bound float64, g grid, check vectorCheck) *VectorSum {
	limit := g.bound
	if s.drawn.whole != nil {
		limit /= 2 // a record takes one vector out and puts another in
	}
	return &VectorSum{seenSet: newSeenSet(s), dim: dim, bound: bound, grid: g, limit: limit, total: make([]int64, dim), check: check}
}

// Empty returns an empty sum of the same kind, for another goroutine.
func (s *VectorSum) Empty() *VectorSum {
	return newVectorSum(s.sample, s.dim, s.bound, s.grid, s.check.alike())
}

// Add adds the vectors of consecutive records, beginning with record first, one after the other,
// each of length Dim. If a record is not in the sample or was added before, or if a length is
// wrong, Add returns an error and adds nothing. A vector with NaN or infinite numbers contributes
// zero. A vector beyond the bound is moved toward zero until it is within the bound.
func (s *VectorSum) Add(first int, vectors []float64) error {
	return s.add(first, nil, len(vectors)/s.dim, vectors)
}

// AddAt does what Add does, for the listed records in any order. There is one vector for each
// listed record.
func (s *VectorSum) AddAt(records []int, vectors []float64) error {
	return s.add(0, records, len(records), vectors)
}

func (s *VectorSum) add(first int, records []int, n int, vectors []float64) error {
	if len(vectors) != n*s.dim || s.sealed {
		return fmt.Errorf("release: vectors have %d numbers, want %d a record, before the sum is sealed", len(vectors), s.dim)
	}
	if err := s.mark(first, records, n); err != nil {
		return err
	}
	q := make([]int64, s.dim)
	for i := range n {
		s.roundWithin(q, vectors[i*s.dim:(i+1)*s.dim])
		if err := s.check.admit(q, s.grid.norm, s.limit); err != nil {
			return err
		}
		for j, v := range q {
			s.total[j] += v
		}
	}
	return nil
}

// roundWithin writes to q the integers that a record may add: their norm is at most the limit, exactly.
func (s *VectorSum) roundWithin(q []int64, v []float64) {
	scale := float64(s.grid.bound) / s.bound
	if !quantise(q, v, scale, math.Round) {
		clear(q)
		return
	}
	if s.grid.norm.within(q, s.limit) {
		return
	}
	shrink := min(1, float64(s.limit)/scale/s.grid.norm.float(v)) * (1 - 1e-12)
	if !quantise(q, v, scale*shrink, math.Trunc) || !s.grid.norm.within(q, s.limit) {
		clear(q)
	}
}

// Merge adds the records of o to s and empties o. If the sums are of different samples or kinds, or
// have a record in common, Merge returns an error and changes nothing.
func (s *VectorSum) Merge(o *VectorSum) error {
	if s.grid != o.grid || s.dim != o.dim || s.bound != o.bound {
		return errOtherKind
	}
	if err := s.merge(&o.seenSet); err != nil {
		return err
	}
	s.check.merge(&o.check, o.total)
	addTo(s.total, o.total)
	return nil
}

// Seal ends the sum and returns it. If one record is added or removed, the integers of the result
// change by at most Δ in the norm of the sum. Δ is the integer that represents VectorOptions.Bound.
func (s *VectorSum) Seal() Bounded {
	s.sealed = true
	values := slices.Clone(s.total) // a copy of s that still adds does not change them
	return Bounded{&bounded{sample: s.sample, adds: true, grid: s.grid, values: values, unit: s.bound / float64(s.grid.bound), faulty: !s.check.agrees(values)}}
}
