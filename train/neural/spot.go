package neural

import (
	"slices"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/picks"
	"github.com/ditherml/dither/internal/spot"
	"github.com/ditherml/dither/network"
)

// spotted is one record of each step whose proposal is computed again, from that record alone. A
// nil spotted checks nothing.
type spotted struct {
	record  int // -1: there is none
	alone   *worker
	factors []kernel.Factors[float32] // of the record
}

// pick secretly chooses one of the records of a step.
func (s *spotted) pick(records []int) {
	if s == nil {
		return
	}
	if s.record = -1; len(records) > 0 {
		s.record = records[picks.NewSecret().One(len(records))]
	}
}

// within returns the index of the record in a chunk, if the chunk has it. The records of a chunk
// ascend.
func (s *spotted) within(records []int) (at int, found bool) {
	if s == nil {
		return 0, false
	}
	return slices.BinarySearch(records, s.record)
}

// load computes the factors of the record alone.
func (s *spotted) load(r *run) (err error) {
	if s.alone == nil {
		s.alone = newWorkerOf(r, r.largest(1))
		s.alone.tape.Serial(true)
	}
	s.factors, err = s.alone.factors([]int{s.record})
	return err
}

// agrees reports whether a record's proposal in w for group k equals its proposal computed alone.
// The index at is the record's place in the chunk. It compares factors, weight and count.
func (s *spotted) agrees(w *worker, own []kernel.Factors[float32], k, at int) bool {
	alone := s.alone.weighted(s.factors, k, s.alone.counts)
	for b, f := range own {
		if !sameFactors(f, at, alone[b]) {
			return false
		}
	}
	groups := len(w.groups)
	return spot.Same(w.weights[at:at+1], s.alone.weights[:1]) && spot.Same(w.counts[at*groups+k:at*groups+k+1], s.alone.counts[k:k+1])
}

// sameFactors reports whether record i of a chunk has the factors of the one record in alone.
func sameFactors(all kernel.Factors[float32], i int, alone kernel.Factors[float32]) bool {
	rights := partOf(all.Rights, i, all.Records)
	if all.Index != nil && all.Positions > 1 {
		return sameEntries(all, i, alone) // with the right factors of the positions that add something
	}
	return spot.Same(partOf(all.Lefts, i, all.Records), alone.Lefts) && spot.Same(rights, alone.Rights) && sameEntries(all, i, alone)
}

// sameEntries reports whether record i has the sparse left factors of the one record in alone. With
// several positions it compares their right factors too. The number of entries that add nothing may
// depend on other records.
func sameEntries(all kernel.Factors[float32], i int, alone kernel.Factors[float32]) bool {
	index, values, rights := partOf(all.Index, i, all.Records), partOf(all.Values, i, all.Records), partOf(all.Rights, i, all.Records)
	at := 0
	for k, v := range index {
		if v == kernel.NoIndex {
			continue
		}
		for at < len(alone.Index) && alone.Index[at] == kernel.NoIndex {
			at++
		}
		if at == len(alone.Index) || alone.Index[at] != v || values != nil && !spot.Same(values[k:k+1], alone.Values[at:at+1]) {
			return false
		}
		if all.Positions > 1 && !spot.Same(rights[k*all.Right:(k+1)*all.Right], alone.Rights[at*all.Right:(at+1)*all.Right]) {
			return false
		}
		at++
	}
	return !slices.ContainsFunc(alone.Index[at:], func(v uint32) bool { return v != kernel.NoIndex })
}

// partOf returns the part of record i out of this number of records.
func partOf[T any](s []T, i, records int) []T { return s[i*len(s)/records : (i+1)*len(s)/records] }

// drops reports whether layers set random numbers to zero, new ones in each pass.
func drops(layers network.Layers) bool {
	return slices.ContainsFunc(layers, func(l network.Layer) bool {
		switch l := l.(type) {
		case network.Dropout:
			return true
		case network.Frozen:
			return drops(l.Layers)
		case network.Residual:
			return drops(l.Layers)
		}
		return false
	})
}
