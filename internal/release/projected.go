package release

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/release/internal/sample"
	"github.com/ditherml/dither/mechanism"
)

// ProjectedOptions are the public parameters of a ProjectedSum.
type ProjectedOptions struct {
	// Noise is the noise with which the sum will be released: a mechanism.JLClipping with
	// Probability 1, or mechanism.NonPrivate.
	Noise mechanism.Noise
	// Projections is the number of random directions from which a norm is estimated. It must equal
	// Noise.Projections if Noise is a JLClipping.
	Projections int
	// Cap is an upper bound on the norm of a clipped vector, as a multiple of Bound. It must equal
	// Noise.Cap if Noise is a JLClipping.
	Cap float64
	// Dim is the length of a vector.
	Dim int
	// Bound is the clipping norm.
	Bound float64
	// MaxRecords is the declared public upper bound on the number of records.
	MaxRecords int
}

// ProjectedSum is a sum of vectors that are clipped by estimates of their norms. The estimate for a
// vector g is M = √(Σ ⟨g, v_j⟩²/r), where v_j are r random normal directions. The sum draws the
// directions itself and reveals them only when it is released. A vector g is multiplied by min(1,
// C/M), where C is the clipping norm. So its norm becomes at most C·√(r/x), where x has the
// chi-squared distribution with r degrees of freedom. This holds for every g, because g was chosen
// before the directions were known. The exact norm is also limited to Cap·C. This is what
// mechanism.JLClipping states. ProjectedSum exists for comparison: if exact norms are known, a
// VectorSum or ProductSum needs less noise.
//
// Three roundings err on the safe side. An estimate M is raised by the largest rounding error. A
// direction consists of normal numbers rounded to 2^-40, and the same amount covers their rounding.
// The random numbers of directions count as random numbers of noise; see DirectionDraws. The
// numbers of a clipped vector are rounded toward zero, so rounding never lengthens the vector.
//
// The directions can be used for one release only, shared by the sums that Empty makes. A
// ProjectedSum is not safe for concurrent use. Each goroutine needs a separate ProjectedSum: Empty
// returns one, and Merge adds it to another.
type ProjectedSum struct {
	vectorTotal
	o          ProjectedOptions
	directions *directions
}

// directions are the projections of one release.
type directions struct {
	all     []float64 // one direction after the other
	largest float64
	used    atomic.Bool
}

// directionBits: directions are whole multiples of 2^-directionBits.
const directionBits = 40

// DirectionDraws returns the number of random numbers in the directions of one release. slack.Of
// needs this number.
func DirectionDraws(projections, dim int) int { return projections * dim }

// maxDirectionNumbers bounds the memory of directions.
const maxDirectionNumbers = 1 << 30

// fitProjected is for sums that clip by projections alone: others would be charged for shorter
// vectors than they add.
func fitProjected(n mechanism.JLClipping, f fit) (grid, error) {
	if !f.projected || n.Probability != 1 {
		return grid{}, fmt.Errorf("release: noise is %v, want it with probability 1 and for a sum that clips by projections", n)
	}
	return newGrid(n, n.NoiseMultiplier, f, sample.MaxGridBits)
}

// maxCap bounds the cap, so that integers hold it.
const maxCap = 1 << 10

// NewProjectedSum returns an empty sum over the records of a sample, with new random directions.
func NewProjectedSum(s Sample, o ProjectedOptions) (*ProjectedSum, error) {
	if s.drawn == nil {
		return nil, fmt.Errorf("release: the sample is empty, want one that Draw made")
	}
	if err := checkMaxRecords(s, o.MaxRecords); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	longer := int(math.Ceil(max(1, o.Cap))) // a vector may have this many bounds
	if o.MaxRecords < 1 || o.MaxRecords > maxMaxRecords/longer {
		return nil, fmt.Errorf("release: max records is %d with cap %v, want 1 to 2^40 when multiplied", o.MaxRecords, o.Cap)
	}
	g, err := fitNoise(o.Noise, fit{maxRecords: o.MaxRecords * longer, maxBound: 1 << maxBoundBits / int64(longer), norm: L2(), dim: o.Dim, projected: true})
	if err != nil {
		return nil, err
	}
	return &ProjectedSum{newVectorTotal(s, g, o.limit(g.bound), o.Dim), o, newDirections(o.Projections * o.Dim)}, nil
}

// limit is the largest norm of a vector for this Δ: at most Cap·Δ, however that is rounded.
func (o ProjectedOptions) limit(bound int64) int64 {
	return int64(o.Cap * float64(bound) * (1 - 0x1p-50))
}

func (o ProjectedOptions) check() error {
	switch n := o.Noise.(type) {
	case mechanism.JLClipping:
		if n.Projections != o.Projections || n.Cap != o.Cap {
			return fmt.Errorf("release: sum has %d projections and cap %v, want those of its noise %v", o.Projections, o.Cap, n)
		}
	case mechanism.NonPrivate:
	default:
		return fmt.Errorf("release: noise is %v, want jl-clipping or non-private for a sum that clips by projections", o.Noise)
	}
	if o.Dim < 1 || o.Dim >= maxVectorNumbers || !positive(o.Bound) {
		return fmt.Errorf("release: sum has vectors of %d numbers and bound %v, want 1 to %d numbers and a positive finite bound", o.Dim, o.Bound, maxVectorNumbers-1)
	}
	if o.Projections < 1 || o.Projections > maxDirectionNumbers/o.Dim || !(o.Cap > 0 && o.Cap <= maxCap) {
		return fmt.Errorf("release: sum has %d projections of %d numbers and cap %v, want at most %d numbers and a cap of more than 0 and at most %d", o.Projections, o.Dim, o.Cap, maxDirectionNumbers, maxCap)
	}
	return nil
}

func newDirections(numbers int) *directions {
	d := &directions{all: make([]float64, numbers)}
	parallel.Parts((numbers+noisePart-1)/noisePart, func(from, to int) {
		whole := make([]int64, min(noisePart, numbers))
		stream := sample.NewStream()
		for at := from * noisePart; at < min(to*noisePart, numbers); at += noisePart {
			part := d.all[at:min(at+noisePart, numbers)]
			stream.RoundedGaussian(whole[:len(part)], directionBits)
			for j := range part {
				part[j] = math.Ldexp(float64(whole[j]), -directionBits)
			}
		}
	})
	for _, v := range d.all {
		d.largest = max(d.largest, math.Abs(v))
	}
	return d
}

// Empty returns an empty sum of the same kind with the same directions, for another goroutine.
func (s *ProjectedSum) Empty() *ProjectedSum { return &ProjectedSum{s.alike(), s.o, s.directions} }

// AddAt adds the vectors of the listed records, one after the other, each of length Dim. If a
// record is not in the sample or was added before, or if a length is wrong, AddAt returns an error
// and adds nothing. A vector contributes zero if it has NaN or infinite numbers, or if it is too
// long to be measured. A proposed vector must not depend on the directions.
func (s *ProjectedSum) AddAt(records []int, vectors []float64) error {
	return s.add(0, records, len(records), vectors, s.roundWithin)
}

// roundWithin writes to q the integers that a record may add: no longer than min(1, Δ/M') times the
// vector in units of the grid, M' being at least M, and than the limit, exactly.
func (s *ProjectedSum) roundWithin(q []int64, v []float64) {
	estimate := s.estimate(v)
	scale := float64(s.grid.bound) / s.o.Bound
	weight := min(1, s.o.Bound/estimate) * (1 - 1e-12)
	if !(weight > 0) || !quantise(q, v, scale*weight, math.Trunc) {
		clear(q)
		return
	}
	if s.grid.norm.within(q, s.limit) {
		return
	}
	shrink := min(1, float64(s.limit)/(s.grid.norm.float(v)*scale*weight)) * (1 - 1e-12)
	if !quantise(q, v, scale*weight*shrink, math.Trunc) || !s.grid.norm.within(q, s.limit) {
		clear(q)
	}
}

// estimate returns at least √(Σ_j ⟨v, z_j⟩²/r) for the normal directions z_j that were rounded. It
// is NaN or +Inf for a vector that is not finite or too long. The error of a scalar product of d
// numbers is at most 2·d·2^-53·Σ|v|·largest, for d below 2^50 (Higham, "Accuracy and Stability of
// Numerical Algorithms", 2nd edition 2002, section 3.1). The rounding of directions changes it by
// at most 2^-(directionBits+1)·Σ|v|.
func (s *ProjectedSum) estimate(v []float64) float64 {
	dim, absolute, sum := s.o.Dim, 0.0, 0.0
	for _, x := range v {
		absolute += math.Abs(x)
	}
	off := absolute * (float64(dim)*0x1p-50*s.directions.largest + 0x1p-40) * (1 + 1e-6)
	for k := range s.o.Projections {
		product := 0.0
		for j, z := range s.directions.all[k*dim : (k+1)*dim] {
			product += z * v[j]
		}
		product = math.Abs(product) + off
		sum += product * product
	}
	return math.Sqrt(sum/float64(s.o.Projections)) * (1 + 1e-9)
}

// Merge adds the records of o to s and empties o. If the sums have different samples or directions,
// or a record in common, Merge returns an error and changes nothing.
func (s *ProjectedSum) Merge(o *ProjectedSum) error {
	if s.directions != o.directions {
		return errOtherKind
	}
	return s.take(&o.vectorTotal)
}

// Seal ends the sum and returns it. It cannot be released after another sum with the same
// directions was released.
func (s *ProjectedSum) Seal() Bounded {
	values, right := s.end()
	return Bounded{&bounded{sample: s.sample, grid: s.grid, values: values, unit: s.o.Bound / float64(s.grid.bound), once: &s.directions.used, faulty: !right}}
}
