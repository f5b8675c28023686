package neural

import (
	"fmt"
	"slices"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Sampling says which records take part in a step. What draws them also prices the step.
type Sampling struct {
	Kind SamplingKind `json:"kind"`
	// Probability is that of each record in a Poisson sample, or of each of the part whose turn it is in a cyclic
	// one.
	Probability float64 `json:"probability,omitempty"`
	// BatchSize is the size of batches of fixed size, or the largest one of a truncated sample.
	BatchSize int `json:"batch-size,omitempty"`
	// Parts is the number of parts that the steps go round.
	Parts int `json:"parts,omitempty"`
}

// SamplingKind names a way to choose the records of a step.
type SamplingKind string

const (
	// SamplingFull takes every record in every step.
	SamplingFull SamplingKind = "full"
	// SamplingPoisson takes each record with a probability, independently of everything else.
	SamplingPoisson SamplingKind = "poisson"
	// SamplingTruncated takes of a Poisson sample of more than BatchSize records this many of them,
	// each with equal probability: batches of bounded size.
	SamplingTruncated SamplingKind = "truncated-poisson"
	// SamplingFixedSize takes batches of one size. It has a proof under replace-one only and costs far more than
	// Poisson samples of the same expected size.
	SamplingFixedSize SamplingKind = "fixed-size"
	// SamplingPartition divides the records once into parts, each record by itself, and the steps go round the
	// parts. A record pays for one step of every round.
	SamplingPartition SamplingKind = "partition"
	// SamplingShuffle divides the records anew before every round. It is priced as a partition: that nothing
	// is gained by shuffling is all that is proved.
	SamplingShuffle SamplingKind = "shuffle"
	// SamplingCyclic divides the records as a partition, and takes of the part whose turn it is each record with a
	// probability, independently of everything else.
	SamplingCyclic SamplingKind = "cyclic"
)

// Samplings lists the ways to choose records.
func Samplings() []SamplingKind {
	return []SamplingKind{SamplingFull, SamplingPoisson, SamplingTruncated, SamplingFixedSize, SamplingPartition, SamplingShuffle, SamplingCyclic}
}

// sampler returns what draws and prices the steps of a plan.
func (p Plan) sampler() (mechanism.Sampling, error) {
	switch s := p.Sampling; s.Kind {
	case SamplingFull:
		return mechanism.Full(), nil
	case SamplingPoisson:
		return mechanism.Poisson(s.Probability)
	case SamplingTruncated:
		return mechanism.PoissonUpTo(s.Probability, s.BatchSize, p.MaxRecords)
	case SamplingFixedSize:
		return mechanism.FixedSize(p.Records, s.BatchSize)
	case SamplingPartition, SamplingShuffle:
		return mechanism.Partitioned(s.Parts)
	case SamplingCyclic:
		return mechanism.Cyclic(s.Parts, s.Probability)
	}
	return mechanism.Sampling{}, fmt.Errorf("neural: sampling is %q, want one of %v", p.Sampling.Kind, Samplings())
}

// inRounds reports whether steps go round parts of the records.
func (s Sampling) inRounds() bool {
	return s.Kind == SamplingPartition || s.Kind == SamplingShuffle || s.Kind == SamplingCyclic
}

func (p Plan) validateSampling() error {
	s := p.Sampling
	if !slices.Contains(Samplings(), s.Kind) {
		return fmt.Errorf("neural: sampling is %q, want one of %v", s.Kind, Samplings())
	}
	truncated := s.Kind == SamplingTruncated
	probability, size := truncated || s.Kind == SamplingPoisson || s.Kind == SamplingCyclic, truncated || s.Kind == SamplingFixedSize
	if (s.Probability != 0) != probability || (s.BatchSize != 0) != size || (s.Parts != 0) != s.inRounds() {
		return fmt.Errorf("neural: sampling is %s with probability %v, batch size %d and %d parts, want the numbers that it needs and no others", s.Kind, s.Probability, s.BatchSize, s.Parts)
	}
	if s.Kind == SamplingFixedSize && (p.Records == 0 || p.Neighboring != privacy.ReplaceOne) {
		return fmt.Errorf("neural: batches of fixed size are asked for under %v with %d declared records, want %v and the number of records declared; or poisson, which costs less", p.Neighboring, p.Records, privacy.ReplaceOne)
	}
	_, err := p.sampler()
	return err
}

// Share returns the expected share of the records that takes part in one step; of truncated samples the share
// that would, were each sample of the expected size.
func (p Plan) Share() float64 {
	switch s := p.Sampling; s.Kind {
	case SamplingPoisson:
		return s.Probability
	case SamplingTruncated:
		return min(s.Probability, float64(s.BatchSize)/p.records())
	case SamplingFixedSize:
		return float64(s.BatchSize) / float64(p.Records)
	case SamplingPartition, SamplingShuffle:
		return 1 / float64(s.Parts)
	case SamplingCyclic:
		return s.Probability / float64(s.Parts)
	}
	return 1
}

// slots is how many places the steps draw from when this many records are at hand. Batches of fixed size are out
// of the declared number, those that the schema drops being among them as records that add nothing.
func (p Plan) slots(records int) (int, error) {
	if p.Sampling.Kind != SamplingFixedSize {
		return records, nil
	}
	if records > p.Records {
		return 0, fmt.Errorf("neural: there are more rows than the declared %d records, want the number that is true", p.Records)
	}
	return p.Records, nil
}

// samples draws the records of the steps, one step after the other.
type samples struct {
	kind     SamplingKind
	sampling mechanism.Sampling
	slots    int
	parts    []release.Sample  // of the round
	rotation *release.Rotation // of cyclic samples
	next     int
}

// newSamples returns what draws from this many places.
func (p Plan) newSamples(slots int) (*samples, error) {
	sampling, err := p.sampler()
	return &samples{kind: p.Sampling.Kind, sampling: sampling, slots: slots}, err
}

func (s *samples) draw() (release.Sample, error) {
	if s.kind == SamplingCyclic {
		return s.rotate()
	}
	if !(Sampling{Kind: s.kind}).inRounds() {
		return release.Draw(s.sampling, s.slots)
	}
	if s.next == len(s.parts) {
		if s.next = 0; s.parts == nil || s.kind == SamplingShuffle {
			parts, err := release.DrawParts(s.sampling, s.slots)
			if err != nil {
				return release.Sample{}, err
			}
			s.parts = parts
		}
	}
	s.next++
	return s.parts[s.next-1], nil
}

// rotate draws from the next part.
func (s *samples) rotate() (release.Sample, error) {
	if s.rotation == nil {
		var err error
		if s.rotation, err = release.Rotate(s.sampling, s.slots); err != nil {
			return release.Sample{}, err
		}
	}
	return s.rotation.Draw()
}
