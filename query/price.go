package query

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// maxWholeBound bounds sums in integers.
const maxWholeBound = 1 << 15

// sensitivity returns the largest change of an answer in integers by one record.
func (p Plan) sensitivity() (int64, error) {
	rows := p.Person.rows()
	if p.Statistic != sumStatistic || p.Noise != noiseDiscrete {
		return int64(rows), nil
	}
	if len(p.Lower) != 1 {
		return 0, fmt.Errorf("query: sum has %d bounds, want one pair", len(p.Lower))
	}
	bound := max(-p.Lower[0], p.Upper[0]) * float64(rows)
	if !(bound >= 1 && bound <= maxWholeBound) || bound != math.Trunc(bound) {
		return 0, fmt.Errorf("query: the larger bound of the sum over one record is %v, want an integer from 1 to %d for discrete noise; take gaussian or laplace", bound, maxWholeBound)
	}
	return int64(bound), nil
}

// Event returns the event of the plan's release. If the event has several parts, they are paid in
// order.
func (p Plan) Event() mechanism.Event {
	switch p.Statistic {
	case quantilesStatistic, boundsStatistic:
		return mechanism.Repeat{Event: p.choice(), Count: len(p.Quantiles)}
	case radiusStatistic, aggregateStatistic:
		return p.choice()
	case categoriesStatistic:
		return p.partitionTerms().Events()
	}
	return p.noise()
}

func (p Plan) choice() mechanism.PermuteAndFlip {
	return mechanism.PermuteAndFlip{Epsilon: 1 / p.NoiseMultiplier}
}

func (p Plan) partitionTerms() release.PartitionTerms {
	return release.PartitionTerms{Noise: p.noise(), Delta: p.ThresholdDelta, RowsPerRecord: p.Person.rows()}
}

// Threshold returns the noisy count beyond which a category is released, 0 for other statistics.
func (p Plan) threshold() float64 {
	if p.Statistic != categoriesStatistic {
		return 0
	}
	limit, err := release.PartitionThreshold(p.partitionTerms(), p.MaxRecords)
	if err != nil {
		return 0
	}
	return limit
}

// noise returns the noise on sums. Exact discrete samplers take scales on a grid, so the next
// larger scale is used.
func (p Plan) noise() mechanism.Noise {
	s, err := p.sensitivity()
	if err != nil {
		s = 1 // Validate refuses it
	}
	scale, err := release.RoundScale(p.NoiseMultiplier * float64(s))
	if err != nil {
		scale = p.NoiseMultiplier * float64(s) // the release refuses it
	}
	switch {
	case p.Noise == noiseGaussian:
		return mechanism.Gaussian{NoiseMultiplier: p.NoiseMultiplier}
	case p.Noise == noiseDiscrete:
		return mechanism.DiscreteGaussian{StandardDeviation: scale, Sensitivity: s}
	case p.Statistic == countStatistic && p.Cells == 1:
		return mechanism.DiscreteLaplace{Scale: scale, Sensitivity: s}
	}
	return mechanism.KNorm{NoiseMultiplier: p.NoiseMultiplier}
}

// noiseDraws returns the number of rounded normal numbers that the plan draws, for the slack of
// their distribution. The other samplers are exact. The number of categories is private, so its
// bound counts.
func (p Plan) noiseDraws() int {
	switch {
	case p.Noise != noiseGaussian:
		return 0
	case p.Statistic == categoriesStatistic:
		return p.MaxRecords
	case p.Statistic == covarianceStatistic || p.Statistic == correlationStatistic:
		return (1 + len(p.Expressions)) * (1 + len(p.Expressions))
	}
	return p.Cells * forms[p.Statistic].width
}

// pureEpsilon returns the epsilon of the plan at delta 0, in float64 arithmetic, or +Inf where
// there is none.
func (p Plan) pureEpsilon() float64 {
	if p.Statistic == categoriesStatistic || p.Noise == noiseGaussian || p.Noise == noiseDiscrete {
		return math.Inf(1)
	}
	scale := p.NoiseMultiplier
	if d, ok := p.noise().(mechanism.DiscreteLaplace); ok && p.Noise == noiseLaplace {
		scale = d.Scale / float64(d.Sensitivity)
	}
	return float64(max(1, p.choices())) * p.Neighboring.Movement() / scale
}

// rankError returns a bound on the error of the rank of a chosen point at the plan's confidence. It
// is in rows, or in blocks for an aggregate. It is 0 for an answer that is no choice.
func (p Plan) rankError() float64 {
	epsilon, quantiles, rows := 1/p.NoiseMultiplier, p.Quantiles, p.Person.rows()
	switch {
	case p.choices() == 0:
		return 0
	case p.Statistic == aggregateStatistic:
		quantiles, rows = []float64{1}, 1 // an entry that is replaced moves a rank by 1
	case p.Statistic == radiusStatistic:
		quantiles = []float64{0.5}
	}
	most := 0.0
	for _, q := range quantiles {
		most = max(most, pick.RankError(epsilon, p.Points, rows, q, p.Confidence))
	}
	return most
}
