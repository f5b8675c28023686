package release

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// ProductBlock is the shape of one block of a network's parameters, as kernel.Factors has it: Right
// × Left numbers, with one more in each row for a bias. Sparse says that its left factors are given
// by indices; the block is then Left × Right.
type ProductBlock struct {
	Right, Left  int
	Bias, Sparse bool
}

// width is the length of a left factor with its bias.
func (b ProductBlock) width() int {
	if b.Bias {
		return b.Left + 1
	}
	return b.Left
}

// Numbers is how many numbers the block has.
func (b ProductBlock) Numbers() int { return b.Right * b.width() }

// ProductOptions are the public numbers of a sum of products.
type ProductOptions struct {
	// Noise is how the sum will be released.
	Noise mechanism.Noise
	// Blocks are the blocks that are clipped together, one after the other.
	Blocks []ProductBlock
	// Bound is the largest L2 norm of one record's contribution to all blocks together.
	Bound float64
	// MaxRecords is the declared public bound on the number of records.
	MaxRecords int
}

// ProductSum is an exact sum of verified contributions to blocks of parameters. Each contribution
// is a sum of outer products: what the layers of a network make of a record (see kernel.Factors).
// Factors are proposals: both sides are rounded to integers, and the norm of their products is
// computed exactly, over all blocks. The record is added only if it is within the bound. It is not
// safe for concurrent use; goroutines fill their own (Empty) and Merge. Order and division of the
// work do not change a bit of the result.
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
	return newProductSum(s, o.Blocks, o.Bound, g, numbers, productSecrets(o.Blocks)), nil
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

// Empty returns a sum of the same kind with nothing in it, for another goroutine.
func (s *ProductSum) Empty() *ProductSum {
	return newProductSum(s.sample, s.blocks, s.bound, s.grid, len(s.total), s.secrets)
}

// EmptyIn is Empty in the memory of old, which is of no use after it. old is a sum of the same
// blocks that was merged or never added to. A sum with records in it, sealed, or of other blocks is
// left as it is, and so is the nil of a first call.
func (s *ProductSum) EmptyIn(old *ProductSum) *ProductSum {
	if old == nil || old == s || old.sealed || old.faulty || !old.empty() || !slices.Equal(old.blocks, s.blocks) {
		return s.Empty()
	}
	old.seenSet, old.bound, old.grid, old.secrets = newSeenSet(s.sample), s.bound, s.grid, s.secrets
	return old
}

// Add adds the contributions of the records that are listed, the i-th times weights[i], or as they
// are without weights. There is one Factors for each block. If a record is not in the sample or was
// added already, or factors have another shape, the caller is wrong and nothing is added. A record
// with NaN or infinities contributes zero; one beyond the bound is moved toward zero until it holds
// it.
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
		s.verify(i, weight)
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

// verify rounds what the i-th record proposes until it holds the bound. Let S be Σ over the blocks
// of the squared entries of Σ_t right_t ⊗ left_t. Afterwards S is at most Δ², in exact integers,
// and each number is within its 16 bits. It is the only place where a proposal becomes part of a
// sum.
func (s *ProductSum) verify(i int, weight float64) {
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

// Merge adds what o holds and empties o. It errs, and adds nothing, unless both sums are of the
// same sample and kind and have no record in common.
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

// Seal ends the sum. One record changes the integers of the result by at most Δ in L2 norm, which
// stands for Bound, when it is added or removed.
func (s *ProductSum) Seal() Bounded {
	s.sealed = true
	values := slices.Clone(s.total) // a copy of s that still adds does not change them
	return Bounded{&bounded{sample: s.sample, grid: s.grid, values: values, unit: s.bound / float64(s.grid.bound), faulty: !s.agrees(values)}}
}
