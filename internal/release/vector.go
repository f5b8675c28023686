package release

import (
	"fmt"
	"math"

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
	vectorTotal
	bound float64
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
	limit := g.bound
	if s.drawn.whole != nil {
		limit /= 2 // a record takes one vector out and puts another in
	}
	return &VectorSum{newVectorTotal(s, g, limit, o.Dim), o.Bound}, nil
}

// Empty returns an empty sum of the same kind, for another goroutine.
func (s *VectorSum) Empty() *VectorSum { return &VectorSum{s.alike(), s.bound} }

// Add adds the vectors of consecutive records, beginning with record first, one after the other,
// each of length Dim. If a record is not in the sample or was added before, or if a length is
// wrong, Add returns an error and adds nothing. A vector with NaN or infinite numbers contributes
// zero. A vector beyond the bound is moved toward zero until it is within the bound.
func (s *VectorSum) Add(first int, vectors []float64) error {
	return s.add(first, nil, len(vectors)/len(s.total), vectors, s.roundWithin)
}

// AddAt does what Add does, for the listed records in any order. There is one vector for each
// listed record.
func (s *VectorSum) AddAt(records []int, vectors []float64) error {
	return s.add(0, records, len(records), vectors, s.roundWithin)
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
	if s.grid != o.grid || len(s.total) != len(o.total) || s.bound != o.bound {
		return errOtherKind
	}
	return s.take(&o.vectorTotal)
}

// Seal ends the sum and returns it. If one record is added or removed, the integers of the result
// change by at most Δ in the norm of the sum. Δ is the integer that represents VectorOptions.Bound.
func (s *VectorSum) Seal() Bounded {
	values, right := s.end()
	return Bounded{&bounded{sample: s.sample, adds: true, grid: s.grid, values: values, unit: s.bound / float64(s.grid.bound), faulty: !right}}
}
