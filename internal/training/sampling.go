package training

import (
	"fmt"

	"github.com/ditherml/dither/train/neural"
)

// SamplingOf returns a sampling with its kind, which follows from its numbers unless it is named; the zero value is the
// default.
func SamplingOf(s neural.Sampling, noise neural.CorrelatedKind) (neural.Sampling, error) {
	if s.Kind != "" {
		return s, nil
	}
	type numbers struct{ probability, batch, parts bool }
	kinds := map[numbers]neural.SamplingKind{{}: "", {probability: true}: neural.SamplingPoisson, {batch: true}: neural.SamplingFixedSize, {parts: true}: neural.SamplingPartition,
		{probability: true, batch: true}: neural.SamplingTruncated, {probability: true, parts: true}: neural.SamplingCyclic}
	kind, known := kinds[numbers{s.Probability != 0, s.BatchSize != 0, s.Parts != 0}]
	if !known {
		return s, fmt.Errorf("--sampling-probability is %v, --batch-size %d and --parts %d, want one of them, or the first with one of the others", s.Probability, s.BatchSize, s.Parts)
	}
	if s.Kind = kind; kind == neural.SamplingPartition && noise == neural.CorrelatedTree {
		s.Kind = neural.SamplingShuffle
	}
	return s, nil
}
