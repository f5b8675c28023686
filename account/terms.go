package account

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// term is a simple event and its count. Simple events are the events of the table in simplify:
// other events are made of them, or amount to them.
type term struct {
	event mechanism.Event
	count float64
}

// maxCount is the largest count; up to it every count is an exact float64.
const maxCount = 1 << 53

// terms returns a valid event as simple ones, equal ones together, in the order of their first
// appearance. It is the one place where counts are applied.
func terms(e mechanism.Event, n privacy.Neighboring) ([]term, error) {
	if err := check(e, n); err != nil {
		return nil, err
	}
	c := collector{relation: n, place: map[string]int{}}
	err := c.collect(e, 1)
	return c.terms, err
}

type collector struct {
	relation privacy.Neighboring
	terms    []term
	place    map[string]int
}

func (c *collector) collect(e mechanism.Event, count float64) error {
	switch e := e.(type) {
	case mechanism.Repeat:
		if e.Count == 0 {
			return nil
		}
		return c.collect(e.Event, count*float64(e.Count))
	case mechanism.Sequence:
		for _, part := range e {
			if err := c.collect(part, count); err != nil {
				return err
			}
		}
		return nil
	case mechanism.Partition:
		return c.collect(e.Event, count)
	case mechanism.Parallel:
		return fmt.Errorf("account: %v stands inside of another event, want it alone, in a sequence or repeated", e)
	case mechanism.BandedMatrix:
		return c.banded(e, count)
	}
	return c.add(simplify(e, c.relation), count)
}

// banded adds a banded matrix mechanism. Each record takes part in one step of every Bands, and the
// largest column norm counts in the noise multiplier.
func (c *collector) banded(e mechanism.BandedMatrix, count float64) error {
	rounds := math.Ceil(float64(e.Steps) / float64(e.Bands))
	if rounds == 0 {
		return nil
	}
	var step mechanism.Event = mechanism.Gaussian{NoiseMultiplier: e.NoiseMultiplier}
	if e.Probability < 1 {
		step = mechanism.PoissonSampled{Probability: e.Probability, Event: step}
	}
	return c.add(step, count*rounds)
}

func (c *collector) add(e mechanism.Event, count float64) error {
	if e == nil {
		return nil
	}
	name := e.String()
	at, known := c.place[name]
	if !known {
		at = len(c.terms)
		c.place[name] = at
		c.terms = append(c.terms, term{event: e})
	}
	if c.terms[at].count += count; c.terms[at].count > maxCount {
		return fmt.Errorf("account: %v happens %g times, want at most 2^53", e, c.terms[at].count)
	}
	return nil
}

// simplify returns the simple event that an event amounts to, nil for one that costs nothing.
func simplify(e mechanism.Event, n privacy.Neighboring) mechanism.Event {
	switch e := e.(type) {
	case mechanism.AdaptiveClipping:
		return gaussianOf(joined(e))
	case mechanism.PermuteAndFlip:
		if e.Epsilon == 0 {
			return nil
		}
		return mechanism.Laplace{NoiseMultiplier: 1 / e.Epsilon}
	case mechanism.Exponential:
		if e.Epsilon == 0 {
			return nil
		}
	case mechanism.KNorm:
		return mechanism.AssumedDP{Epsilon: n.Movement() / e.NoiseMultiplier, Neighboring: n}
	case mechanism.AssumedDP:
		if e.Epsilon == 0 && e.Delta == 0 {
			return nil
		}
	case mechanism.LastIterate:
		return gaussianOf(lastIterate(e))
	case mechanism.LastIterateConvex:
		return gaussianOf(lastIterateConvex(e, n))
	case mechanism.TreeAggregation:
		if e.Steps == 0 {
			return nil
		}
		height := float64(bits.Len(uint(e.Steps))) // the logarithm of one more than the steps, rounded up
		return gaussianOf(notFaint(height / e.NoiseMultiplier / e.NoiseMultiplier))
	}
	return simplifySampled(e)
}

// simplifySampled returns the one Gaussian that the releases from one sample amount to, on that
// sample.
func simplifySampled(e mechanism.Event) mechanism.Event {
	switch e := e.(type) {
	case mechanism.PoissonSampled:
		if inner, ok := onSample(e.Event); ok {
			return together(inner, func(inner mechanism.Event) mechanism.Event {
				return mechanism.PoissonSampled{Probability: e.Probability, Event: inner}
			})
		}
	case mechanism.WithoutReplacement:
		if inner, ok := onSample(e.Event); ok {
			return together(inner, func(inner mechanism.Event) mechanism.Event {
				if e.Batch == e.Records {
					return inner
				}
				return mechanism.WithoutReplacement{Records: e.Records, Batch: e.Batch, Event: inner}
			})
		}
	case mechanism.RandomAllocation:
		inner, _ := onSample(e.Event)
		return together(inner, func(inner mechanism.Event) mechanism.Event { return allocated(e.Steps, inner) })
	case mechanism.WithReplacement:
		inner, _ := onSample(e.Event)
		return together(inner, func(inner mechanism.Event) mechanism.Event {
			return mechanism.WithReplacement{Records: e.Records, Batch: e.Batch, Event: inner}
		})
	case mechanism.TruncatedPoisson:
		if inner, ok := onSample(e.Event); ok {
			return together(inner, func(inner mechanism.Event) mechanism.Event {
				return mechanism.TruncatedPoisson{Probability: e.Probability, Records: e.Records, MaxBatch: e.MaxBatch, Event: inner}
			})
		}
	}
	return e
}

func together(inner mechanism.Event, sampled func(mechanism.Event) mechanism.Event) mechanism.Event {
	if inner == nil {
		return nil
	}
	return sampled(inner)
}

// onSample returns the one Gaussian that releases from one sample amount to, nil when there are
// none. It returns false when they are not Gaussian.
func onSample(e mechanism.Event) (mechanism.Event, bool) {
	switch e.(type) {
	case mechanism.Laplace, mechanism.DiscreteGaussian, mechanism.DiscreteLaplace, mechanism.NonPrivate:
		return nil, false
	case mechanism.Gaussian:
		return e, true
	}
	return gaussianOf(joined(e)), true
}

// joined returns the sum of 1/NoiseMultiplier² over Gaussian releases: together they are one
// release of that sum.
func joined(e mechanism.Event) float64 {
	switch e := e.(type) {
	case mechanism.Gaussian:
		return muSquareOf(e, 1)
	case mechanism.AdaptiveClipping:
		return notFaint(1/e.NoiseMultiplier/e.NoiseMultiplier) + notFaint(1/(2*e.CountNoise)/(2*e.CountNoise))
	case mechanism.Repeat:
		if e.Count == 0 {
			return 0
		}
		return float64(e.Count) * joined(e.Event)
	case mechanism.Sequence:
		sum := 0.0
		for _, part := range e {
			sum += joined(part)
		}
		return sum
	}
	return math.Inf(1)
}

// gaussianOf returns the Gaussian release with this 1/NoiseMultiplier². Rounding may make the noise
// smaller by one or two units in the last place, never larger.
func gaussianOf(square float64) mechanism.Event {
	switch {
	case square == 0:
		return nil
	case math.IsInf(square, 1):
		return mechanism.NonPrivate{}
	}
	return mechanism.Gaussian{NoiseMultiplier: 1 / math.Sqrt(square) * (1 - 1e-15)}
}

// lastIterate returns 1/NoiseMultiplier² of the Gaussian that the last iterate amounts to:
// (1-c^T)/(1+c^T) · (1+c)/(1-c) over the square of the multiplier (Bok, Su & Altschuler 2024,
// theorem 4.1). The first quotient is tanh(-T·log(c)/2), which loses no digits where c is close to
// 1.
func lastIterate(e mechanism.LastIterate) float64 {
	if e.Steps == 0 {
		return 0
	}
	factor := math.Tanh(-float64(e.Steps)*math.Log1p(e.Contraction-1)/2) * (1 + e.Contraction) / (1 - e.Contraction)
	return notFaint(min(float64(e.Steps), factor*(1+1e-13)) / e.NoiseMultiplier / e.NoiseMultiplier)
}

// lastIterateConvex returns the value of lastIterate for convex objectives on a bounded set. Let k
// be the diameter over the distance that neighbors move a step. With at least k steps it is 3k +
// ⌈k⌉ (theorem 4.3). It is never more than the composition of the steps.
func lastIterateConvex(e mechanism.LastIterateConvex, n privacy.Neighboring) float64 {
	if e.Steps == 0 {
		return 0
	}
	steps, k := float64(e.Steps), e.Reach/n.Movement()
	if steps >= k {
		steps = min(steps, (3*k+math.Ceil(k))*(1+1e-13))
	}
	return notFaint(steps / e.NoiseMultiplier / e.NoiseMultiplier)
}
