package planaudit

import (
	"fmt"

	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
)

// descentWords describe the part of a plan of gradient descent that is trained again.
func descentWords(d train.Plan) string {
	noise := display.Digits(&d.NoiseMultiplier)
	if len(d.NoiseMultipliers) > 0 {
		noise += " in the mean, which falls over the steps"
	}
	return fmt.Sprintf("%s on %s; %s clipping at %s; noise multiplier %s; records are %s; %s",
		display.Count(d.Steps, "step"), samplingWords(d.Sampling, d.SamplingProbability, d.BatchSize, d.Parts), d.Clipping.Mode, display.Nearest(d.Clipping.Norm, 4), noise, unitWords(d.Person), display.Count(d.Columns, "score"))
}

// unitWords say what a record is.
func unitWords(u *train.PersonUnit) string {
	if u == nil {
		return "rows"
	}
	return fmt.Sprintf("persons of at most %d rows", u.MaxRows)
}

// networkWords are descentWords for a network.
func networkWords(p neural.Plan) string {
	noise := "independent"
	if p.Correlated != nil {
		noise = p.Correlated.Kind + " correlated"
	}
	return fmt.Sprintf("%s on %s; %s clipping in %s; %s noise of multiplier %s; records are %s; %s in %s", display.Count(p.Steps, "step"),
		samplingWords(p.Sampling.Kind, p.Sampling.Probability, p.Sampling.BatchSize, p.Sampling.Parts), p.Clipping.Rule, display.Count(len(p.Clipping.Groups), "group"),
		noise, display.Nearest(p.NoiseMultiplier, 4), unitWords(p.Person), display.Count(p.Network.Trained, "trained number"), display.Count(len(p.Network.Layers), "layer"))
}

// samplingWords say which records a step has.
func samplingWords(kind string, probability float64, batch, parts int) string {
	switch kind {
	case option.SamplingPoisson:
		return fmt.Sprintf("Poisson samples of probability %s", display.Nearest(probability, 4))
	case option.SamplingTruncated:
		return fmt.Sprintf("Poisson samples of probability %s and at most %d records", display.Nearest(probability, 4), batch)
	case option.SamplingFixedSize:
		return fmt.Sprintf("batches of %d records", batch)
	case option.SamplingPartition:
		return fmt.Sprintf("%d parts in turn", parts)
	case option.SamplingShuffle:
		return fmt.Sprintf("%d parts in turn, divided anew in every round", parts)
	case option.SamplingCyclic:
		return fmt.Sprintf("Poisson samples of probability %s of %d parts in turn", display.Nearest(probability, 4), parts)
	}
	return "all records"
}

// fact is a named value.
func fact(name, format string, values ...any) auditing.Fact {
	return auditing.Fact{Name: name, Value: fmt.Sprintf(format, values...)}
}

// percent is a share as text.
func percent(share float64) string { return display.Nearest(100*share, 3) + " %" }
