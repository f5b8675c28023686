package train

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// These are the values of Plan.Sampling.
const (
	// samplingFull takes every record.
	samplingFull = "full"
	// samplingPoisson takes each record with SamplingProbability, independently.
	samplingPoisson = "poisson"
	// samplingFixedSize takes a uniformly random batch of BatchSize records.
	samplingFixedSize = "fixed-size"
	// samplingPartition divides the records once into Parts parts and takes the next part.
	samplingPartition = "partition"
)

// validateSampling returns an error if the numbers of the sampling do not fit together.
func (p Plan) validateSampling() error {
	set := map[string]bool{samplingPoisson: p.SamplingProbability != 0, samplingFixedSize: p.BatchSize != 0, samplingPartition: p.Parts != 0}
	if _, known := set[p.Sampling]; !known && p.Sampling != samplingFull {
		return fmt.Errorf("train: sampling is %q, want %s, %s, %s or %s", p.Sampling, samplingFull, samplingPoisson, samplingFixedSize, samplingPartition)
	}
	for name, given := range set {
		if given != (name == p.Sampling) {
			return fmt.Errorf("train: sampling is %s with probability %v, batch size %d and %d parts, want the one number that it needs", p.Sampling, p.SamplingProbability, p.BatchSize, p.Parts)
		}
	}
	if p.Sampling == samplingFixedSize && (p.Records == 0 || p.Neighboring != privacy.ReplaceOne) {
		return fmt.Errorf("train: batches of fixed size are asked for under %v with %d declared records, want %v and the number of records declared", p.Neighboring, p.Records, privacy.ReplaceOne)
	}
	_, err := p.sampler()
	return err
}

// sampler returns the sampling that draws the records of each step.
func (p Plan) sampler() (release.Sampling, error) {
	switch p.Sampling {
	case samplingPoisson:
		return release.Poisson(p.SamplingProbability)
	case samplingFixedSize:
		return release.FixedSize(p.Records, p.BatchSize)
	case samplingPartition:
		return release.Partitioned(p.Parts)
	}
	return release.Full(), nil
}

// steps returns the event of all gradient steps with this multiplier.
func (p Plan) steps(multiplier float64) mechanism.Event {
	if p.LastIterate != nil {
		return p.lastIterate(multiplier)
	}
	if len(p.NoiseMultipliers) > 0 {
		return p.scheduled(multiplier)
	}
	count := p.Steps
	if p.Sampling == samplingPartition { // each record is in one step of every round
		count = (p.Steps + p.Parts - 1) / p.Parts
	}
	return mechanism.Repeat{Event: p.step(multiplier), Count: count}
}

// step returns the event of one gradient step with this multiplier; of a partition, of one round.
func (p Plan) step(multiplier float64) mechanism.Event {
	noise := p.noise(multiplier)
	switch p.Sampling {
	case samplingPoisson:
		return mechanism.PoissonSampled{Probability: p.SamplingProbability, Event: noise}
	case samplingFixedSize:
		return mechanism.WithoutReplacement{Records: p.Records, Batch: p.BatchSize, Event: noise}
	case samplingPartition:
		return mechanism.Partition{Parts: p.Parts, Event: noise}
	}
	return noise
}

// Share returns the expected share of the records that one step uses. It is 1 if each step uses all
// records.
func (p Plan) Share() float64 {
	switch p.Sampling {
	case samplingPoisson:
		return p.SamplingProbability
	case samplingFixedSize:
		return float64(p.BatchSize) / float64(p.Records)
	case samplingPartition:
		return 1 / float64(p.Parts)
	}
	return 1
}

// slots returns the number of places that the steps draw from, given this many records. Batches of
// fixed size are drawn from the declared number of records. That number includes the records that
// the schema drops, which contribute nothing. A rank has places for its own records alone.
func (s Setup) slots(records int) (int, error) {
	if s.Plan.Sampling != samplingFixedSize {
		return records, nil
	}
	if records > s.Plan.Records {
		return 0, fmt.Errorf("train: there are more rows than the declared %d records, want the number that is true", s.Plan.Records)
	}
	if s.several {
		return records, nil
	}
	return s.Plan.Records, nil
}

// share returns the context of a run on encoded rows. They have no places for dropped records. So batches of
// fixed size are drawn as by several processes, from the declared number of places. A place without a row
// contributes nothing.
func (s *Setup) share(ctx context.Context) (_ context.Context, err error) {
	if s.Plan.Sampling == samplingFixedSize && together.From(ctx) == nil {
		ctx, err = together.Alone(ctx)
	}
	s.several = together.From(ctx) != nil
	return ctx, err
}

// samples draws the records of each step, one step after the other.
type samples struct {
	sampling release.Sampling
	parts    []release.Sample // the parts of a partition, drawn once
	records  int
	payer    mechanism.Payer // of samples that all ranks draw together, or nil
	full     bool            // there is nothing to draw
	next     int
	ahead    chan draw // the sample of the next step
}

// draw is a sample, or the reason why there is none.
type draw struct {
	sample release.Sample
	err    error
}

func (s Setup) newSamples(payer mechanism.Payer, records int) (*samples, error) {
	sampling, err := s.Plan.sampler()
	if err != nil {
		return nil, err
	}
	drawn := &samples{sampling: sampling, records: records, full: s.Plan.Sampling == samplingFull}
	switch {
	case s.Plan.Sampling == samplingPartition:
		drawn.parts, err = release.DrawParts(sampling, records)
	case s.Plan.Sampling == samplingFixedSize && s.several:
		drawn.payer = payer
	}
	return drawn, err
}

// draw returns the sample of a step. The sample of the next step, which depends on no released
// number, is drawn meanwhile. Ranks draw a sample together between two releases.
func (s *samples) draw() (release.Sample, error) {
	if s.parts != nil {
		part := s.parts[s.next%len(s.parts)]
		s.next++
		return part, nil
	}
	if s.full || s.payer != nil {
		return release.DrawFor(s.payer, s.sampling, s.records)
	}
	now := s.ahead
	if now == nil {
		now = s.begin()
	}
	next := <-now
	s.ahead = s.begin()
	return next.sample, next.err
}

// begin draws a sample while other work goes on.
func (s *samples) begin() chan draw {
	drawn := make(chan draw, 1) // if nobody receives it, the goroutine still ends
	parallel.Begin(func() {
		sample, err := release.Draw(s.sampling, s.records)
		drawn <- draw{sample, err}
	})
	return drawn
}

// sampling returns the plan's name for the records of a step.
func (r Request) sampling() string {
	switch {
	case r.SamplingProbability != 0:
		return samplingPoisson
	case r.BatchSize != 0:
		return samplingFixedSize
	case r.Parts != 0:
		return samplingPartition
	}
	return samplingFull
}

// checkSampling refuses a request for more than one kind of sampling, or for a kind without a
// proof.
func (r Request) checkSampling(records, maxRecords int) error {
	asked := 0
	for _, given := range []bool{r.SamplingProbability != 0, r.BatchSize != 0, r.Parts != 0} {
		if given {
			asked++
		}
	}
	if asked > 1 {
		return fmt.Errorf("train: sampling probability is %v, batch size %d and parts %d, want one of them at most", r.SamplingProbability, r.BatchSize, r.Parts)
	}
	if q := r.SamplingProbability; q != 0 && !(q > 1e-9 && q < 1) {
		return fmt.Errorf("train: sampling probability is %v, want more than 1e-9 and less than 1; leave it out to use all records in every step", q)
	}
	if r.Parts < 0 || r.Parts > 1<<20 {
		return fmt.Errorf("train: parts is %d, want 1 to 2^20", r.Parts)
	}
	if r.BatchSize == 0 {
		return nil
	}
	if r.BatchSize < 0 || r.BatchSize > max(records, maxRecords) {
		return fmt.Errorf("train: batch size is %d, want 1 to the number of records", r.BatchSize)
	}
	if r.Neighboring != privacy.ReplaceOne {
		if records == 0 {
			records = maxRecords
		}
		return r.fixedSizeRefused(records)
	}
	if records == 0 || r.BatchSize > records {
		return fmt.Errorf("train: batch size is %d with %d declared records, want 1 to the number of records, declared in the schema", r.BatchSize, records)
	}
	return nil
}

// fixedSizeRefused compares the cost of batches of fixed size with the cost of Poisson samples of
// the same expected size.
func (r Request) fixedSizeRefused(records int) error {
	q := float64(r.BatchSize) / float64(records)
	refused := fmt.Errorf("train: batch size is %d, a fixed size, under %v, want sampling probability %.6g, which has the same expected size; fixed sizes have a proof under %v only", r.BatchSize, r.Neighboring, q, privacy.ReplaceOne)
	if math.IsInf(r.Epsilon, 1) || r.BatchSize == records {
		return refused
	}
	poisson := Plan{Subject: certificate.Subject{Neighboring: privacy.AddOrRemoveOne}, Sampling: samplingPoisson, SamplingProbability: q, Steps: r.steps(records)}
	fixed := Plan{Subject: certificate.Subject{Neighboring: privacy.ReplaceOne, Records: records}, Sampling: samplingFixedSize, BatchSize: r.BatchSize, Steps: poisson.Steps}
	target, err := privacy.NewGuarantee(r.Epsilon, r.Delta, privacy.AddOrRemoveOne, privacy.Unit{})
	if err != nil {
		return refused
	}
	z, err := account.Calibrate(account.For(poisson.step(1)), target, poisson.steps)
	if err != nil {
		return refused
	}
	cost, err := account.For(fixed.step(z)).Epsilon(fixed.steps(z), r.Delta, privacy.ReplaceOne)
	if err != nil {
		return refused
	}
	return fmt.Errorf("%w: with the noise at which %d Poisson samples cost epsilon %.3g under %v, as many batches of fixed size cost %.3g under %v", refused, poisson.Steps, r.Epsilon, privacy.AddOrRemoveOne, cost.Upper, privacy.ReplaceOne)
}
