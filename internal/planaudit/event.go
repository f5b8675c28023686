package planaudit

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/train"
)

// mostMade is the number of records of a plan whose event has none. No price depends on it.
const mostMade = 1 << 20

// planOf returns a plan of gradient descent whose price is an event: a Gaussian release on all
// records, on samples or on parts, or a number of them.
func planOf(e mechanism.Event, t Terms) (train.Plan, error) {
	count := 1
	if r, ok := e.(mechanism.Repeat); ok {
		e, count = r.Event, r.Count
	}
	p := train.Plan{Subject: certificate.Subject{Neighboring: t.Neighboring, Unit: "one record", Delta: t.Delta, Records: mostMade, MaxRecords: mostMade}, Sampling: option.SamplingFull, Steps: count,
		Clipping: train.Clipping{Mode: option.ClipGradient, Norm: 1, Bound: 1}, Dim: 1, Columns: 1}
	inner := e
	switch s := e.(type) {
	case mechanism.PoissonSampled:
		p.Sampling, p.SamplingProbability, inner = option.SamplingPoisson, s.Probability, s.Event
	case mechanism.WithoutReplacement:
		p.Sampling, p.BatchSize, p.Records, p.MaxRecords, inner = option.SamplingFixedSize, s.Batch, s.Records, s.Records, s.Event
	case mechanism.Partition:
		if s.Parts < 1 || count > math.MaxInt32/s.Parts {
			return p, fmt.Errorf("the event has %d rounds of %d parts, want fewer", count, s.Parts)
		}
		p.Sampling, p.Parts, p.Steps, inner = option.SamplingPartition, s.Parts, count*s.Parts, s.Event
	}
	noise, ok := inner.(mechanism.Gaussian)
	if !ok {
		return p, fmt.Errorf("the event %v is not that of steps of gradient descent, want gaussian(z), on poisson(q, ), without-replacement(n, b, ) or partition(k, ), perhaps repeated; give a plan or a model folder for other trainings", e)
	}
	if p.NoiseMultiplier = noise.NoiseMultiplier; t.Delta == 0 {
		return p, fmt.Errorf("--delta is 0, want more; normal noise has no guarantee at delta 0, and 1e-5 is a common choice")
	}
	return p, mechanism.CheckNeighboring(p.Event(), t.Neighboring)
}
