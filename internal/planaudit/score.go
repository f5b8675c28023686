package planaudit

import (
	"math"

	"github.com/ditherml/dither/internal/option"
)

// sampling says in which steps a record takes part.
type sampling struct {
	kind string
	// share is the probability that a record is in a step's sample, given that the step is its turn.
	share float64
	// parts is the number of parts that take turns, 0 for none.
	parts int
}

// score returns the log likelihood ratio of a canary that takes part as the sampling says. The
// argument has the ratio of each step if the canary surely takes part in it. No bound depends on
// the ratio: a wrong one would only be a weaker attack.
func (s sampling) score(steps []float64) float64 {
	switch s.kind {
	case option.SamplingPartition, option.SamplingCyclic:
		return s.turns(steps)
	case option.SamplingShuffle:
		sum := 0.0
		for first := 0; first < len(steps); first += s.parts {
			sum += s.turns(steps[first:min(first+s.parts, len(steps))])
		}
		return sum
	}
	return s.sampled(steps)
}

// sampled returns the ratio of a canary that each step has with the same probability.
func (s sampling) sampled(steps []float64) float64 {
	sum := 0.0
	for _, ratio := range steps {
		sum += mixture(s.share, ratio)
	}
	return sum
}

// mixture returns log(1 - q + q·exp(ratio)).
func mixture(q, ratio float64) float64 {
	const far = 30
	switch {
	case q == 1:
		return ratio
	case ratio > far:
		return ratio + math.Log(q+(1-q)*math.Exp(-ratio))
	}
	return math.Log1p(q * math.Expm1(ratio))
}

// turns returns the ratio of a canary in one of the parts that take turns. It does not know which.
func (s sampling) turns(steps []float64) float64 {
	of := make([]float64, s.parts)
	for t, ratio := range steps {
		of[t%s.parts] += mixture(s.share, ratio)
	}
	return meanOfExp(of)
}

// meanOfExp returns the logarithm of the mean of the exponentials.
func meanOfExp(values []float64) float64 {
	largest, sum := math.Inf(-1), 0.0
	for _, v := range values {
		largest = max(largest, v)
	}
	for _, v := range values {
		sum += math.Exp(v - largest)
	}
	return largest + math.Log(sum/float64(len(values)))
}

// ratio returns the log likelihood ratio of a step in which a canary moves a release by a vector,
// in units of the noise's deviation: dot is the product of release and vector, square the vector's
// squared length.
func ratio(dot, square float64) float64 { return dot - square/2 }
