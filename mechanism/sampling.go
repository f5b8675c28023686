package mechanism

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/ditherml/dither/mechanism/internal/sample"
)

// Sampling decides which records take part in one release, and what that makes
// the release cost: it draws and it prices, so the two cannot disagree. The zero
// value is invalid.
type Sampling struct {
	kind samplingKind
	// probability is what is charged, threshold/2^64 ≤ probability what is executed.
	probability float64
	threshold   uint64
	// records and batch are of a fixed size or the most there may be, parts of a partition.
	records, batch, parts int
}

type samplingKind uint8

const (
	samplingFull samplingKind = iota + 1
	samplingPoisson
	samplingFixedSize
	samplingPartition
	samplingTruncated
	samplingCyclic
	samplingSeries // drawn, and paid for, by a Series
)

// Full takes every record: nothing is drawn and nothing is amplified.
func Full() Sampling { return Sampling{kind: samplingFull} }

// Poisson takes each record independently with probability ⌊q·2^64⌋/2^64, at most q; 0 < q < 1
// and at least 2^-64. Samples may be empty, and their sizes are private.
func Poisson(q float64) (Sampling, error) {
	threshold := uint64(0)
	if q > 0 && q < 1 {
		threshold = uint64(math.Floor(math.Ldexp(q, 64)))
	}
	if threshold == 0 {
		return Sampling{}, fmt.Errorf("mechanism: sampling probability is %v, want at least 2^-64 and less than 1; to take every record sample in full", q)
	}
	return Sampling{kind: samplingPoisson, probability: q, threshold: threshold}, nil
}

// FixedSize takes a batch of this many out of a public number of records, every batch with equal
// probability. It is proved under replace-one only and costs far more than Poisson sampling of the
// same expected size: prefer that.
func FixedSize(records, batch int) (Sampling, error) {
	s := Sampling{kind: samplingFixedSize, records: records, batch: batch}
	_, err := s.Price(Gaussian{1})
	return s, err
}

// Partitioned splits the records into this many parts, each record's part drawn uniformly and
// independently of everything else. DrawParts draws it.
func Partitioned(parts int) (Sampling, error) {
	s := Sampling{kind: samplingPartition, parts: parts}
	_, err := s.Price(Gaussian{1})
	return s, err
}

// String returns "full", "poisson(q)", "fixed-size(n, m)", "partition(k)", "truncated-poisson(q, n, m)" or
// "cyclic(k, q)".
func (s Sampling) String() string {
	switch s.kind {
	case samplingFull:
		return "full"
	case samplingPoisson:
		return call("poisson", s.probability)
	case samplingFixedSize:
		return call("fixed-size", s.records, s.batch)
	case samplingPartition:
		return call("partition", s.parts)
	case samplingTruncated:
		return call("truncated-poisson", s.probability, s.records, s.batch)
	case samplingCyclic:
		return call("cyclic", s.parts, s.probability)
	case samplingSeries:
		return "series"
	}
	return "invalid-sampling"
}

// Price returns the event of one release of e from one sample; of a partition, the event of
// the releases of e from all its parts.
func (s Sampling) Price(e Event) (Event, error) {
	var priced Event
	switch s.kind {
	case samplingFull:
		priced = e
	case samplingPoisson:
		if jl, projected := e.(JLClipping); projected && jl.Probability == 1 {
			jl.Probability = s.probability
			priced = jl
			break
		}
		priced = PoissonSampled{s.probability, e}
	case samplingFixedSize:
		priced = WithoutReplacement{s.records, s.batch, e}
	case samplingPartition:
		priced = Partition{s.parts, e}
	case samplingTruncated:
		priced = TruncatedPoisson{s.probability, s.records, s.batch, e}
	case samplingCyclic:
		priced = s.priceCyclic(e)
	case samplingSeries:
		return nil, fmt.Errorf("mechanism: the sample was drawn by a series, want its sums made for the series' noise and released by the series")
	default:
		return nil, s.invalid()
	}
	return priced, CheckEvent(priced)
}

func (s Sampling) invalid() error {
	return fmt.Errorf("mechanism: sampling is %v, want one made by this package's functions", s)
}

// Draw draws a sample out of this many records, from a stream of its own. The number of
// records and which were drawn stay inside the Sample.
func (s Sampling) Draw(records int) (Sample, error) {
	if records < 0 {
		return Sample{}, errNegative
	}
	d := &drawn{sampling: s, records: records}
	switch s.kind {
	case samplingFull:
	case samplingPoisson:
		d.take(sample.NewStream().Poisson(nil, records, s.threshold))
	case samplingFixedSize:
		if records != s.records {
			return Sample{}, fmt.Errorf("mechanism: the number of records is not the declared one, want %d for %v", s.records, s)
		}
		d.take(sample.NewStream().Subset(records, s.batch))
	case samplingTruncated:
		if err := s.drawTruncated(d); err != nil {
			return Sample{}, err
		}
	case samplingPartition, samplingCyclic:
		return Sample{}, fmt.Errorf("mechanism: sampling is %v, want its parts by DrawParts or Rotate", s)
	default:
		return Sample{}, s.invalid()
	}
	return Sample{d}, nil
}

var errNegative = fmt.Errorf("mechanism: number of records is negative, want 0 or more")

// DrawParts draws the parts of a partition of this many records, from a stream of its own. Rounds of
// releases go through the parts in order, the first part of each round paying for all of them.
func (s Sampling) DrawParts(records int) ([]Sample, error) {
	if records < 0 {
		return nil, errNegative
	}
	if s.kind != samplingPartition {
		return nil, fmt.Errorf("mechanism: sampling is %v, want a partition", s)
	}
	samples, turn := make([]Sample, s.parts), &rounds{}
	for k, indices := range divide(records, s.parts) {
		samples[k] = Sample{&drawn{sampling: s, records: records, part: k, round: turn}}
		samples[k].drawn.take(indices)
	}
	return samples, nil
}

// Sample is one draw of records. Two samples are the same only if they come from
// the same call of Draw. The zero value holds no records and is refused by NewSum.
type Sample struct{ drawn *drawn }

type drawn struct {
	sampling Sampling
	records  int
	indices  []int    // ascending; nil for a full sample
	member   []uint64 // one bit a record; nil for a full sample
	released atomic.Bool
	part     int     // of a partition
	round    *rounds // shared by the parts of one partition
	whole    *drawn  // of a sample of groups, what was divided into them
}

// take makes these indices, ascending, the sample.
func (d *drawn) take(indices []int) {
	d.indices = indices
	d.member = make([]uint64, (d.records+63)/64)
	for _, i := range indices {
		d.member[i/64] |= 1 << (i % 64)
	}
}

// Indices returns which records are in the sample, ascending; it is private, and for gradient
// code only. The caller may modify it.
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

// has reports whether a record is in the sample.
func (s Sample) has(i int) bool {
	return i >= 0 && i < s.drawn.records && (s.drawn.member == nil || s.drawn.member[i/64]>>(i%64)&1 == 1)
}
