package release

import (
	"fmt"

	"github.com/ditherml/dither/mechanism"
)

// Sampling is the rule by which records take part in one release, and how the rule changes the
// cost. Samples are drawn as the event of Price says, so the two cannot disagree. The zero value is
// invalid.
type Sampling struct {
	kind        samplingKind
	probability float64
	// records and batch are sizes, fixed or largest, and parts the number of parts of a partition.
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
)

// Full returns the sampling that takes every record: nothing is drawn and nothing is amplified.
func Full() Sampling { return Sampling{kind: samplingFull} }

// Poisson returns the sampling that takes each record independently with probability ⌊q·2^64⌋/2^64,
// at most q. Samples may be empty, and their sizes are private. A q outside 0 < q < 1 or below
// 2^-64 is an error.
func Poisson(q float64) (Sampling, error) {
	if !(q >= 0x1p-64 && q < 1) {
		return Sampling{}, fmt.Errorf("release: sampling probability is %v, want at least 2^-64 and less than 1; to take every record sample in full", q)
	}
	return Sampling{kind: samplingPoisson, probability: q}, nil
}

// PoissonUpTo returns the sampling that takes a Poisson sample with probability q. If more than
// maxBatch records are drawn, it keeps a uniformly random maxBatch of them. So the size of batches
// can be fixed in advance. There may be at most this many records. It costs more than Poisson
// unless maxBatch is about five standard deviations above the mean.
func PoissonUpTo(q float64, maxBatch, records int) (Sampling, error) {
	s, err := Poisson(q)
	if err != nil {
		return Sampling{}, err
	}
	s.kind, s.batch, s.records = samplingTruncated, maxBatch, records
	_, err = s.Price(mechanism.Gaussian{NoiseMultiplier: 1})
	return s, err
}

// FixedSize returns the sampling that takes a batch of a public size from a public number of
// records. Every batch is equally likely. It is proved under replace-one only and costs far more
// than Poisson sampling of the same expected size: prefer Poisson.
func FixedSize(records, batch int) (Sampling, error) {
	s := Sampling{kind: samplingFixedSize, records: records, batch: batch}
	_, err := s.Price(mechanism.Gaussian{NoiseMultiplier: 1})
	return s, err
}

// Partitioned returns the sampling that splits the records into this many parts. Each record's part
// is drawn uniformly and independently of everything else. One release from each part makes one
// round.
func Partitioned(parts int) (Sampling, error) {
	s := Sampling{kind: samplingPartition, parts: parts}
	_, err := s.Price(mechanism.Gaussian{NoiseMultiplier: 1})
	return s, err
}

// Cyclic returns the sampling that divides the records into this many parts, as Partitioned does,
// and takes turns: each sample is drawn from the next part. It takes each record of the part with
// probability q, 0 < q ≤ 1, independently and anew each time. A round of releases, one from each
// part, is the event partition(parts, poisson(q, …)). A record is in one part, drawn independently
// of all others, and pays for that part alone.
func Cyclic(parts int, q float64) (Sampling, error) {
	s := Sampling{kind: samplingCyclic, parts: parts, probability: 1}
	if q != 1 {
		if _, err := Poisson(q); err != nil {
			return Sampling{}, err
		}
		s.probability = q
	}
	_, err := s.Price(mechanism.Gaussian{NoiseMultiplier: 1})
	return s, err
}

// String returns "full", "poisson(q)", "fixed-size(n, m)", "partition(k)", "truncated-poisson(q, n,
// m)" or "cyclic(k, q)".
func (s Sampling) String() string {
	switch s.kind {
	case samplingFull:
		return "full"
	case samplingPoisson:
		return fmt.Sprintf("poisson(%v)", s.probability)
	case samplingFixedSize:
		return fmt.Sprintf("fixed-size(%d, %d)", s.records, s.batch)
	case samplingPartition:
		return fmt.Sprintf("partition(%d)", s.parts)
	case samplingTruncated:
		return fmt.Sprintf("truncated-poisson(%v, %d, %d)", s.probability, s.records, s.batch)
	case samplingCyclic:
		return fmt.Sprintf("cyclic(%d, %v)", s.parts, s.probability)
	}
	return "invalid-sampling"
}

// Price returns the event of one release of e from one sample. For a partition it is the event of
// the releases of e from all parts. An e that this sampling has no event for is an error.
func (s Sampling) Price(e mechanism.Event) (mechanism.Event, error) {
	var priced mechanism.Event
	switch s.kind {
	case samplingFull:
		priced = e
	case samplingPoisson:
		if jl, projected := e.(mechanism.JLClipping); projected && jl.Probability == 1 {
			jl.Probability = s.probability
			priced = jl
			break
		}
		priced = mechanism.PoissonSampled{Probability: s.probability, Event: e}
	case samplingFixedSize:
		priced = mechanism.WithoutReplacement{Records: s.records, Batch: s.batch, Event: e}
	case samplingPartition:
		priced = mechanism.Partition{Parts: s.parts, Event: e}
	case samplingTruncated:
		priced = mechanism.TruncatedPoisson{Probability: s.probability, Records: s.records, MaxBatch: s.batch, Event: e}
	case samplingCyclic:
		priced = s.priceCyclic(e)
	default:
		return nil, fmt.Errorf("release: sampling is %v, want one made by this package's functions", s)
	}
	return priced, mechanism.CheckEvent(priced)
}

// priceCyclic returns the event of a round of releases.
func (s Sampling) priceCyclic(e mechanism.Event) mechanism.Event {
	if s.probability == 1 {
		return mechanism.Partition{Parts: s.parts, Event: e}
	}
	return mechanism.Partition{Parts: s.parts, Event: mechanism.PoissonSampled{Probability: s.probability, Event: e}}
}
