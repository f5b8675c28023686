package query

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// maxWholeBound bounds sums in integers.
const maxWholeBound = 1 << 15

// sensitivity is by how much one record moves an answer in integers.
func (p Plan) sensitivity() (int64, error) {
	rows := p.Person.rows()
	if p.Statistic != SumStatistic || p.Noise != NoiseDiscrete {
		return int64(rows), nil
	}
	if len(p.Lower) != 1 {
		return 0, fmt.Errorf("query: sum has %d bounds, want one pair", len(p.Lower))
	}
	bound := max(-p.Lower[0], p.Upper[0]) * float64(rows)
	if !(bound >= 1 && bound <= maxWholeBound) || bound != math.Trunc(bound) {
		return 0, fmt.Errorf("query: the larger bound of the sum over one record is %v, want a whole number from 1 to %d for discrete noise; take gaussian or laplace", bound, maxWholeBound)
	}
	return int64(bound), nil
}

// Event returns what the plan releases. Its parts are paid for one after the other.
func (p Plan) Event() mechanism.Event {
	switch p.Statistic {
	case QuantilesStatistic, BoundsStatistic:
		return mechanism.Repeat{Event: p.choice(), Count: len(p.Quantiles)}
	case RadiusStatistic, AggregateStatistic:
		return p.choice()
	case CategoriesStatistic:
		return p.discovery().Events()
	}
	return p.noise()
}

func (p Plan) choice() mechanism.PermuteAndFlip {
	return mechanism.PermuteAndFlip{Epsilon: 1 / p.NoiseMultiplier}
}

func (p Plan) discovery() mechanism.DiscoveryTerms {
	return mechanism.DiscoveryTerms{Noise: p.noise(), Delta: p.ThresholdDelta, RowsPerRecord: p.Person.rows()}
}

// Threshold returns the noisy count beyond which a category is released, 0 for other statistics.
func (p Plan) threshold() float64 {
	if p.Statistic != CategoriesStatistic {
		return 0
	}
	limit, err := release.DiscoveryThreshold(p.discovery(), p.MaxRecords)
	if err != nil {
		return 0
	}
	return limit
}

// noise is the noise on sums. Exact discrete samplers take scales on a grid: the next larger one.
func (p Plan) noise() mechanism.Noise {
	s, err := p.sensitivity()
	if err != nil {
		s = 1 // Validate refuses it
	}
	scale, err := mechanism.RoundScale(p.NoiseMultiplier * float64(s))
	if err != nil {
		scale = p.NoiseMultiplier * float64(s) // the release refuses it
	}
	switch {
	case p.Noise == NoiseGaussian:
		return mechanism.Gaussian{NoiseMultiplier: p.NoiseMultiplier}
	case p.Noise == NoiseDiscrete:
		return mechanism.DiscreteGaussian{StandardDeviation: scale, Sensitivity: s}
	case p.Statistic == CountStatistic && p.Cells == 1:
		return mechanism.DiscreteLaplace{Scale: scale, Sensitivity: s}
	}
	return mechanism.KNorm{NoiseMultiplier: p.NoiseMultiplier}
}

// noiseDraws returns how many rounded normal numbers the plan draws, for the slack of their
// distribution; the other samplers are exact. The number of categories is private: of it the bound
// counts.
func (p Plan) noiseDraws() int {
	switch {
	case p.Noise != NoiseGaussian:
		return 0
	case p.Statistic == CategoriesStatistic:
		return p.MaxRecords
	case p.Statistic == CovarianceStatistic || p.Statistic == CorrelationStatistic:
		return (1 + len(p.Expressions)) * (1 + len(p.Expressions))
	}
	return p.Cells * forms[p.Statistic].width
}

// pureEpsilon returns the epsilon of the plan at delta 0, in float64 arithmetic, or +Inf where there is none.
func (p Plan) pureEpsilon() float64 {
	if p.Statistic == CategoriesStatistic || p.Noise == NoiseGaussian || p.Noise == NoiseDiscrete {
		return math.Inf(1)
	}
	scale := p.NoiseMultiplier
	if d, ok := p.noise().(mechanism.DiscreteLaplace); ok && p.Noise == NoiseLaplace {
		scale = d.Scale / float64(d.Sensitivity)
	}
	return float64(max(1, p.choices())) * p.Neighboring.Movement() / scale
}

// RankError bounds the error of the rank of a chosen point at the plan's confidence, in rows, or in
// blocks for an aggregate. It is 0 for an answer that is no choice.
func (p Plan) RankError() float64 {
	epsilon, quantiles, rows := 1/p.NoiseMultiplier, p.Quantiles, p.Person.rows()
	switch {
	case p.choices() == 0:
		return 0
	case p.Statistic == AggregateStatistic:
		quantiles, rows = []float64{1}, 1 // an entry that is replaced moves a rank by 1
	case p.Statistic == RadiusStatistic:
		quantiles = []float64{0.5}
	}
	most := 0.0
	for _, q := range quantiles {
		most = max(most, RankError(epsilon, p.Points, rows, q, p.Confidence))
	}
	return most
}
