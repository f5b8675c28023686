package release

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// ProductBlock is the shape of one block of a network's parameters. The block is a matrix, where
// Right is the number of rows and Left is the number of columns. If Bias is true, each row has one
// more number. If Sparse is true, the left factors are given by indices (see kernel.Factors), and
// the block is stored transposed.
type ProductBlock struct {
	// Right and Left are the lengths of the right and left factors of the block.
	Right, Left int
	// Bias reports whether each row ends with a bias. Sparse reports whether left factors are given
	// by indices.
	Bias, Sparse bool
}

// width is the length of a left factor with its bias.
func (b ProductBlock) width() int {
	if b.Bias {
		return b.Left + 1
	}
	return b.Left
}

// Numbers returns the number of parameters in the block.
func (b ProductBlock) Numbers() int { return b.Right * b.width() }

// ProductOptions are the public parameters of a ProductSum.
type ProductOptions struct {
	// Noise is the noise with which the sum will be released.
	Noise mechanism.Noise
	// Blocks are the shapes of the blocks that are clipped together, in order.
	Blocks []ProductBlock
	// Bound is the largest L2 norm of one record's contribution to all blocks together.
	Bound float64
	// MaxRecords is the declared public upper bound on the number of records.
	MaxRecords int
}

// ProductSum is an exact sum of records' contributions to blocks of a network's parameters. A
// contribution is a sum of outer products of vectors, which are called factors (see
// kernel.Factors). Proposed factors are not trusted. They are rounded to integers, and the norm of
// the contribution to all blocks together is computed exactly. A contribution is added only if its
// norm is within the bound. A ProductSum is not safe for concurrent use. Each goroutine needs a
// separate ProductSum: Empty returns one, and Merge adds it to another. The result has the same
// bits in whatever order the records are added.
type ProductSum struct {
	seenSet
	blocks []ProductBlock
	bound  float64
	grid   grid
	total  []int64
	parts  []productPart // working space, one of each block
	// What the sum is checked with; see admit.
	secrets []productSecret
	mix     uint64
	faulty  bool // a check failed: nothing is released
}

const (
	// maxLeft is the largest magnitude of a left factor's integers, maxRight that of a right one's.
	maxLeft, maxRight = 255, math.MaxInt16
	// productGroup is how many products of them fit 32 bits: 256·255·32767 < 2^31.
	productGroup = 256
	// productBoundBits: Δ is at most 2^productBoundBits. A left factor is at least about maxLeft
	// long, so that right ones within the bound need no more than their 16 bits.
	productBoundBits = 23
	// maxProductNumbers and maxPositions keep every square sum below 2^127: an entry of a record's
	// contribution is below 2^20·2^23.
	maxProductNumbers, maxPositions = 1 << 31, 1 << 20
)

// NewProductSum returns an empty sum over the records of a sample.
func NewProductSum(s Sample, o ProductOptions) (*ProductSum, error) {
	if s.drawn == nil {
		return nil, fmt.Errorf("release: the sample is empty, want one that Draw made")
	}
	if err := checkMaxRecords(s, o.MaxRecords); err != nil {
		return nil, err
	}
	if len(o.Blocks) == 0 || !positive(o.Bound) || o.Noise == nil {
		return nil, fmt.Errorf("release: sum has %d blocks, bound %v and noise %v, want at least 1 block, a positive finite bound and a noise", len(o.Blocks), o.Bound, o.Noise)
	}
	numbers := 0
	for _, b := range o.Blocks {
		if b.Right < 1 || b.Left < 0 || b.width() < 1 || b.Sparse && b.Bias || b.width() > (maxProductNumbers-numbers)/b.Right {
			return nil, fmt.Errorf("release: block is %+v, want at least 1 right number, at least 1 left number or a bias, sparse ones without a bias, and at most %d numbers in all", b, maxProductNumbers)
		}
		numbers += b.Numbers()
	}
	g, err := fitNoise(o.Noise, fit{maxRecords: o.MaxRecords, maxBound: 1 << productBoundBits, norm: L2(), dim: numbers})
	if err != nil {
		return nil, err
	}
	return newProductSum(s, slices.Clone(o.Blocks), o.Bound, g, numbers, productSecrets(o.Blocks)), nil
}

func newProductSum(s Sample, blocks []ProductBlock, bound float64, g grid, numbers int, secrets []productSecret) *ProductSum {
	p := &ProductSum{seenSet: newSeenSet(s), blocks: blocks, bound: bound, grid: g, total: make([]int64, numbers), parts: make([]productPart, len(blocks)), secrets: secrets}
	at := 0
	for k, b := range blocks {
		p.parts[k] = productPart{ProductBlock: b, total: p.total[at : at+b.Numbers()]}
		at += b.Numbers()
	}
	return p
}

// Empty returns an empty sum of the same kind, for another goroutine.
func (s *ProductSum) Empty() *ProductSum {
	return newProductSum(s.sample, s.blocks, s.bound, s.grid, len(s.total), s.secrets)
}

// EmptyIn does what Empty does, and reuses the memory of old, which must not be used afterwards.
// The memory is reused only if old is a sum of the same blocks that was merged or never added to.
// Otherwise, for example if old is nil, EmptyIn leaves old unchanged and allocates new memory.
func (s *ProductSum) EmptyIn(old *ProductSum) *ProductSum {
	if old == nil || old == s || old.sealed || old.faulty || !old.empty() || !slices.Equal(old.blocks, s.blocks) {
		return s.Empty()
	}
	old.seenSet, old.bound, old.grid, old.secrets = newSeenSet(s.sample), s.bound, s.grid, s.secrets
	return old
}

// Add adds the contributions of the listed records. The argument factors has one element for each
// block. If weights is not nil, the contribution of the i-th record is multiplied by weights[i].
// Add returns an error and adds nothing if a record is not in the sample or was added before. The
// same holds if factors have a wrong shape. A record with NaN or infinite factors contributes zero.
// A contribution beyond the bound is shortened until it is within the bound.
func (s *ProductSum) Add(records []int, factors []kernel.Factors[float32], weights []float32) error {
	if s.sealed {
		return errSealed
	}
	if err := s.check(len(records), factors, weights); err != nil {
		return err
	}
	if err := s.mark(0, records, len(records)); err != nil {
		return err
	}
	for k := range s.parts {
		s.parts[k].begin(factors[k])
	}
	for i := range records {
		weight := 1.0
		if weights != nil {
			weight = float64(weights[i])
		}
		s.addRecord(i, weight)
	}
	for k := range s.parts {
		s.parts[k].finish()
	}
	if s.faulty {
		return ErrComputation
	}
	return nil
}

// check refuses factors of another shape.
func (s *ProductSum) check(records int, factors []kernel.Factors[float32], weights []float32) error {
	if len(factors) != len(s.blocks) || weights != nil && len(weights) != records {
		return fmt.Errorf("release: factors are for %d blocks and there are %d weights, want %d blocks and a weight for each of %d records", len(factors), len(weights), len(s.blocks), records)
	}
	for k, f := range factors {
		if !s.blocks[k].fits(records, f) {
			return fmt.Errorf("release: factors of block %d are not of %d records and the shape %+v, want those of the block", k, records, s.blocks[k])
		}
	}
	return nil
}

// fits reports whether factors are of this many records and of the block's shape.
func (b ProductBlock) fits(records int, f kernel.Factors[float32]) bool {
	places := records * f.Positions
	if f.Records != records || f.Positions < 1 || f.Positions > maxPositions || f.Right != b.Right || f.Left != b.Left || f.Bias != b.Bias || len(f.Rights) != places*f.Right {
		return false
	}
	if !b.Sparse {
		return f.Index == nil && len(f.Lefts) == places*f.Left
	}
	entries := f.Entries == 1 || f.Positions == 1 && f.Entries >= 0 && f.Entries <= maxPositions
	if !entries || len(f.Index) != places*f.Entries || f.Values != nil && len(f.Values) != len(f.Index) {
		return false
	}
	for _, v := range f.Index {
		if v != kernel.NoIndex && int64(v) >= int64(b.Left) {
			return false
		}
	}
	return true
}

// addRecord rounds what the i-th record proposes until it holds the bound. Let S be Σ over the blocks
// of the squared entries of Σ_t right_t ⊗ left_t. Afterwards S is at most Δ², in exact integers,
// and each number is within its 16 bits. It is the only place where a proposal becomes part of a
// sum.
func (s *ProductSum) addRecord(i int, weight float64) {
	factor, nearest := weight*float64(s.grid.bound)/s.bound, true
	for spare := 1e-9; spare < 1; spare *= 10 { // where terms cancel, rounding toward zero may lengthen
		var norm square
		largest := 0.0
		for k := range s.parts {
			largest = max(largest, s.parts[k].round(i, factor, nearest)) // NaN stays
			s.parts[k].addNorm(&norm, i)
		}
		switch short := norm.within(s.grid.bound); {
		case largest <= maxRight && short:
			s.admit(i)
			s.keep()
			return
		case !(largest < math.MaxFloat64): // no finite number
			s.drop(i)
			return
		case largest > maxRight:
			factor *= maxRight / largest * (1 - spare)
		case !short:
			factor *= min(1, float64(s.grid.bound)/norm.root()) * (1 - spare)
		}
		nearest = false
	}
	s.drop(i)
}

// drop makes the i-th record contribute zero.
func (s *ProductSum) drop(i int) {
	for k := range s.parts {
		s.parts[k].drop(i)
	}
}

// keep adds the record that was formed, in the blocks where finish does not add all records.
func (s *ProductSum) keep() {
	for k := range s.parts {
		s.parts[k].keep()
	}
}

// Merge adds the records of o to s and empties o. If the sums are of different samples or kinds, or
// have a record in common, Merge returns an error and changes nothing.
func (s *ProductSum) Merge(o *ProductSum) error {
	if s == o || s.grid != o.grid || s.bound != o.bound || !slices.Equal(s.blocks, o.blocks) {
		return errOtherKind
	}
	if err := s.merge(&o.seenSet); err != nil {
		return err
	}
	s.mergeChecks(o)
	addTo(s.total, o.total)
	return nil
}

// Seal ends the sum and returns it. If one record is added or removed, the integers of the result
// change by at most Δ in L2 norm. Δ is the integer that represents ProductOptions.Bound.
func (s *ProductSum) Seal() Bounded {
	s.sealed = true
	values := slices.Clone(s.total) // a copy of s that still adds does not change them
	return Bounded{&bounded{sample: s.sample, adds: true, grid: s.grid, values: values, unit: s.bound / float64(s.grid.bound), faulty: !s.agrees(values)}}
}
