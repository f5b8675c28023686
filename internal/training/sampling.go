package training

import (
	"fmt"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/train/neural"
)

// SamplingOf returns a sampling with its kind. The kind follows from the numbers unless it is
// named. The zero value is the default.
func SamplingOf(s neural.Sampling, noise string) (neural.Sampling, error) {
	if s.Kind != "" {
		return s, nil
	}
	type numbers struct{ probability, batch, parts bool }
	kinds := map[numbers]string{{}: "", {probability: true}: option.SamplingPoisson, {batch: true}: option.SamplingFixedSize, {parts: true}: option.SamplingPartition,
		{probability: true, batch: true}: option.SamplingTruncated, {probability: true, parts: true}: option.SamplingCyclic}
	kind, known := kinds[numbers{s.Probability != 0, s.BatchSize != 0, s.Parts != 0}]
	if !known {
		return s, fmt.Errorf("--sampling-probability is %v, --batch-size %d and --parts %d, want one of them, or the first with one of the others", s.Probability, s.BatchSize, s.Parts)
	}
	if s.Kind = kind; kind == option.SamplingPartition && noise == option.CorrelatedTree {
		s.Kind = option.SamplingShuffle
	}
	return s, nil
}
