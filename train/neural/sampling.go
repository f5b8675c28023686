package neural

import (
	"fmt"
	"slices"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Sampling states how the records of a step are selected. It determines both the samples that are
// drawn and the event that is priced.
type Sampling struct {
	// Kind is the kind of sampling:
	//
	//   - "full" uses every record in every step
	//   - "poisson" uses each record independently, with the probability in the field Probability
	//   - "truncated-poisson" keeps at most BatchSize records of a Poisson sample
	//   - "fixed-size" uses random batches of BatchSize records, under replace-one only
	//   - "partition" divides the records into parts once, and each step uses the next part
	//   - "shuffle" does the same as "partition", but divides the records anew when every part was
	//     used
	//   - "cyclic" uses a Poisson sample of the next part in each step
	Kind string `json:"kind"`
	// Probability is the probability that a record is in the Poisson sample of a step. For "cyclic"
	// it applies to the records of the current part. For kinds without Poisson samples it is 0.
	Probability float64 `json:"probability,omitempty"`
	// BatchSize is the size of a batch for "fixed-size", or the largest size of a sample for
	// "truncated-poisson". For other kinds it is 0.
	BatchSize int `json:"batch-size,omitempty"`
	// Parts is the number of parts into which the records are divided, for "partition", "shuffle"
	// and "cyclic". For other kinds it is 0.
	Parts int `json:"parts,omitempty"`
}

// sampler returns the sampling that draws and prices the steps of a plan.
func (p Plan) sampler() (release.Sampling, error) {
	switch s := p.Sampling; s.Kind {
	case option.SamplingFull:
		return release.Full(), nil
	case option.SamplingPoisson:
		return release.Poisson(s.Probability)
	case option.SamplingTruncated:
		return release.PoissonUpTo(s.Probability, s.BatchSize, p.MaxRecords)
	case option.SamplingFixedSize:
		return release.FixedSize(p.Records, s.BatchSize)
	case option.SamplingPartition, option.SamplingShuffle:
		return release.Partitioned(s.Parts)
	case option.SamplingCyclic:
		return release.Cyclic(s.Parts, s.Probability)
	}
	return release.Sampling{}, fmt.Errorf("neural: sampling is %q, want one of %v", p.Sampling.Kind, option.Samplings())
}

// inRounds reports whether steps go round parts of the records.
func (s Sampling) inRounds() bool {
	return s.Kind == option.SamplingPartition || s.Kind == option.SamplingShuffle || s.Kind == option.SamplingCyclic
}

func (p Plan) validateSampling() error {
	s := p.Sampling
	if !slices.Contains(option.Samplings(), s.Kind) {
		return fmt.Errorf("neural: sampling is %q, want one of %v", s.Kind, option.Samplings())
	}
	truncated := s.Kind == option.SamplingTruncated
	probability, size := truncated || s.Kind == option.SamplingPoisson || s.Kind == option.SamplingCyclic, truncated || s.Kind == option.SamplingFixedSize
	if (s.Probability != 0) != probability || (s.BatchSize != 0) != size || (s.Parts != 0) != s.inRounds() {
		return fmt.Errorf("neural: sampling is %s with probability %v, batch size %d and %d parts, want the numbers that it needs and no others", s.Kind, s.Probability, s.BatchSize, s.Parts)
	}
	if s.Kind == option.SamplingFixedSize && (p.Records == 0 || p.Neighboring != privacy.ReplaceOne) {
		return fmt.Errorf("neural: batches of fixed size are asked for under %v with %d declared records, want %v and the number of records declared; or poisson, which costs less", p.Neighboring, p.Records, privacy.ReplaceOne)
	}
	_, err := p.sampler()
	return err
}

// Share returns the expected share of the records in one step. For the sampling "truncated-poisson"
// it is an upper bound on that share.
func (p Plan) Share() float64 {
	switch s := p.Sampling; s.Kind {
	case option.SamplingPoisson:
		return s.Probability
	case option.SamplingTruncated:
		return min(s.Probability, float64(s.BatchSize)/p.records())
	case option.SamplingFixedSize:
		return float64(s.BatchSize) / float64(p.Records)
	case option.SamplingPartition, option.SamplingShuffle:
		return 1 / float64(s.Parts)
	case option.SamplingCyclic:
		return s.Probability / float64(s.Parts)
	}
	return 1
}

// slots returns the number of places that the steps draw from, given this number of records.
// Batches of fixed size are drawn from the declared number of records. That number includes the
// records that the schema drops, which add nothing. A rank has places for its own records alone.
func (p Plan) slots(records int, several bool) (int, error) {
	if p.Sampling.Kind != option.SamplingFixedSize {
		return records, nil
	}
	if records > p.Records {
		return 0, fmt.Errorf("neural: there are more rows than the declared %d records, want the number that is true", p.Records)
	}
	if several {
		return records, nil
	}
	return p.Records, nil
}

// samples draws the records of each step, one step after the other.
type samples struct {
	kind     string
	sampling release.Sampling
	payer    mechanism.Payer // of the releases
	slots    int
	parts    []release.Sample  // of the round
	rotation *release.Rotation // of cyclic samples
	next     int
}

// newSamples returns the draws from this number of places, for releases with this payer.
func (p Plan) newSamples(payer mechanism.Payer, slots int) (*samples, error) {
	sampling, err := p.sampler()
	return &samples{kind: p.Sampling.Kind, sampling: sampling, payer: payer, slots: slots}, err
}

func (s *samples) draw() (release.Sample, error) {
	if s.kind == option.SamplingCyclic {
		return s.rotate()
	}
	if !(Sampling{Kind: s.kind}).inRounds() {
		return release.DrawFor(s.payer, s.sampling, s.slots)
	}
	if s.next == len(s.parts) {
		if s.next = 0; s.parts == nil || s.kind == option.SamplingShuffle {
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
