package release

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/ditherml/dither/internal/release/internal/sample"
	"github.com/ditherml/dither/mechanism"
)

// Sample is one draw of records. Two samples are the same only if they come from the same call of
// Draw. The zero value contains no records, and NewSum returns an error for it.
type Sample struct{ drawn *drawn }

type drawn struct {
	sampling Sampling
	records  int
	indices  []int    // ascending; nil for a full sample
	member   []uint64 // one bit a record; nil for a full sample
	once     bool     // drawn for one release alone
	released atomic.Bool
	series   bool          // drawn, and paid for, by a Series
	part     int           // of a partition
	round    partPayer     // shared by the parts of one partition, or nil
	whole    *drawn        // of a sample of groups, what was divided into them
	by       *Communicator // drew it for all ranks, or nil
}

// Draw returns a sample of this number of records, drawn from its own random stream. The
// distribution of the sample is the one that the event of s.Price states.
func Draw(s Sampling, records int) (Sample, error) {
	if records < 0 {
		return Sample{}, errNegative
	}
	event, err := s.Price(mechanism.Gaussian{NoiseMultiplier: 1})
	if err != nil {
		return Sample{}, err
	}
	d := &drawn{sampling: s, records: records, once: true}
	switch e := event.(type) {
	case mechanism.Gaussian: // in full
		d.once = false
	case mechanism.PoissonSampled:
		d.take(sample.NewStream().Poisson(nil, records, threshold(e.Probability)))
	case mechanism.WithoutReplacement:
		if records != e.Records {
			return Sample{}, fmt.Errorf("release: the number of records is not the declared one, want %d for %v", e.Records, s)
		}
		d.take(sample.NewStream().Subset(records, e.Batch))
	case mechanism.TruncatedPoisson:
		if records > e.Records {
			return Sample{}, fmt.Errorf("release: there are more records than the declared %d of %v; raise the declared bound", e.Records, s)
		}
		stream := sample.NewStream()
		taken := stream.Poisson(nil, records, threshold(e.Probability))
		d.take(entriesAt(taken, stream.Subset(len(taken), min(len(taken), e.MaxBatch))))
	default:
		return Sample{}, fmt.Errorf("release: sampling is %v, want its parts by DrawParts or Rotate", s)
	}
	return Sample{d}, nil
}

var errNegative = fmt.Errorf("release: number of records is negative, want 0 or more")

// DrawParts returns the parts of a partition of this number of records, drawn from its own random
// stream. A round of releases makes one release from each part, in order. The first release of a
// round pays for the whole round.
func DrawParts(s Sampling, records int) ([]Sample, error) {
	if records < 0 {
		return nil, errNegative
	}
	parts, _, err := partsOf(s)
	if err != nil {
		return nil, err
	}
	if partition, wrong := Partitioned(parts); wrong != nil || s != partition {
		return nil, fmt.Errorf("release: sampling is %v, want a partition", s)
	}
	samples, round := make([]Sample, parts), &rounds{parts: parts}
	for k, indices := range divide(records, parts) {
		samples[k] = Sample{&drawn{sampling: s, records: records, part: k, round: round}}
		samples[k].drawn.take(indices)
	}
	return samples, nil
}

// Indices returns the numbers of the records in the sample, ascending. They are private, and only
// for gradient code. The caller may modify the slice.
func (s Sample) Indices() []int {
	if s.drawn == nil {
		return nil
	}
	if s.drawn.member != nil {
		return slices.Clone(s.drawn.indices)
	}
	all := make([]int, s.drawn.records)
	for i := range all {
		all[i] = i
	}
	return all
}

// threshold returns the number of 64-bit words that take a record: threshold/2^64 ≤ q is executed,
// q is charged.
func threshold(q float64) uint64 { return uint64(math.Floor(math.Ldexp(q, 64))) }

// partsOf returns the number of parts of a sampling, and the probability with which one takes a
// record of its own.
func partsOf(s Sampling) (parts int, q float64, err error) {
	event, err := s.Price(mechanism.Gaussian{NoiseMultiplier: 1})
	if err != nil {
		return 0, 0, err
	}
	partition, divided := event.(mechanism.Partition)
	if !divided {
		return 0, 0, fmt.Errorf("release: sampling is %v, want a partition or a cyclic one", s)
	}
	if coin, tossed := partition.Event.(mechanism.PoissonSampled); tossed {
		return partition.Parts, coin.Probability, nil
	}
	return partition.Parts, 1, nil
}

// divide puts each record into a part drawn uniformly and independently of everything else.
func divide(records, parts int) [][]int {
	members := make([][]int, parts)
	stream := sample.NewStream()
	for i := range records {
		part := stream.Below(uint64(parts))
		members[part] = append(members[part], i)
	}
	return members
}

// entriesAt returns the numbers at these places.
func entriesAt(numbers, places []int) []int {
	taken := make([]int, len(places))
	for k, i := range places {
		taken[k] = numbers[i]
	}
	return taken
}

// take makes these indices, ascending, the sample.
func (d *drawn) take(indices []int) {
	d.indices = indices
	d.member = make([]uint64, (d.records+63)/64)
	for _, i := range indices {
		d.member[i/64] |= 1 << (i % 64)
	}
}

// full reports whether the sample is of all records.
func (s Sample) full() bool { return s.drawn.sampling == Full() }

// has reports whether all records that have these bits are in the sample. The bits are of one word,
// and at is the first record.
func (s Sample) has(at int, records uint64) bool {
	if at < 0 || at >= s.drawn.records || at/64*64+bits.Len64(records) > s.drawn.records {
		return false
	}
	return s.drawn.member == nil || records&^s.drawn.member[at/64] == 0
}
