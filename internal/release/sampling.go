package release

import (
	"fmt"

	"github.com/ditherml/dither/mechanism"
)

// Sampling is the rule by which records are selected for one release. It also determines how the
// selection changes the cost. Samples are drawn as the event of Price states, so the samples and
// the cost cannot disagree. The zero value is invalid.
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

// Full returns the sampling that selects every record. It does not reduce the cost.
func Full() Sampling { return Sampling{kind: samplingFull} }

// Poisson returns the sampling that selects each record independently with probability
// ⌊q·2^64⌋/2^64, which is at most q. A sample may be empty, and its size is private. It is an error
// if q is below 2^-64 or not below 1.
func Poisson(q float64) (Sampling, error) {
	if !(q >= 0x1p-64 && q < 1) {
		return Sampling{}, fmt.Errorf("release: sampling probability is %v, want at least 2^-64 and less than 1; to take every record sample in full", q)
	}
	return Sampling{kind: samplingPoisson, probability: q}, nil
}

// PoissonUpTo returns the sampling that draws a Poisson sample with probability q, and keeps at
// most maxBatch records of it. If the Poisson sample is larger, a uniformly random choice of
// maxBatch records is kept. The argument records is the maximum number of records in the data set.
// PoissonUpTo costs more than Poisson, unless maxBatch is about five standard deviations above the
// mean size.
func PoissonUpTo(q float64, maxBatch, records int) (Sampling, error) {
	s, err := Poisson(q)
	if err != nil {
		return Sampling{}, err
	}
	s.kind, s.batch, s.records = samplingTruncated, maxBatch, records
	_, err = s.Price(mechanism.Gaussian{NoiseMultiplier: 1})
	return s, err
}

// FixedSize returns the sampling that selects a batch of a public size from a public number of
// records. Every batch of this size is equally likely. The cost is proven under replace-one only,
// and is far larger than for Poisson with the same expected size.
func FixedSize(records, batch int) (Sampling, error) {
	s := Sampling{kind: samplingFixedSize, records: records, batch: batch}
	_, err := s.Price(mechanism.Gaussian{NoiseMultiplier: 1})
	return s, err
}

// Partitioned returns the sampling that divides the records into this many parts. Each record's
// part is drawn uniformly and independently of everything else. One round is one release from each
// part.
func Partitioned(parts int) (Sampling, error) {
	s := Sampling{kind: samplingPartition, parts: parts}
	_, err := s.Price(mechanism.Gaussian{NoiseMultiplier: 1})
	return s, err
}

// Cyclic returns the sampling that divides the records into this many parts, and takes each sample
// from the next part. Each record's part is drawn uniformly and independently of everything else. A
// sample contains each record of its part independently with probability q, 0 < q ≤ 1. One round is
// one release from each part, and its event is partition(parts, poisson(q, …)). Each record pays
// for the release from its own part only.
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

// String returns the sampling as text: "full", "poisson(q)", "fixed-size(n, m)", "partition(k)",
// "truncated-poisson(q, n, m)" or "cyclic(k, q)". Here q is a probability, n a number of records, m
// a size of samples, and k a number of parts.
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

// Price returns the event of one release of e from one sample. For a sampling with parts it returns
// the event of a whole round of such releases. It is an error if there is no event for a release of
// e from such a sample.
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
