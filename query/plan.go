package query

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Statistic names what a plan asks for.
type Statistic string

// The statistics.
const (
	CountStatistic       Statistic = "count"
	SumStatistic         Statistic = "sum"
	MeanStatistic        Statistic = "mean"
	VarianceStatistic    Statistic = "variance"
	HistogramStatistic   Statistic = "histogram"
	QuantilesStatistic   Statistic = "quantiles"
	BoundsStatistic      Statistic = "bounds"
	CovarianceStatistic  Statistic = "covariance"
	CorrelationStatistic Statistic = "correlation"
	CategoriesStatistic  Statistic = "categories"
)

// Statistics returns all statistics, in the order in which they are explained.
func Statistics() []Statistic {
	return []Statistic{CountStatistic, SumStatistic, MeanStatistic, VarianceStatistic, HistogramStatistic, QuantilesStatistic, BoundsStatistic,
		CovarianceStatistic, CorrelationStatistic, CategoriesStatistic}
}

// The noises of a plan.
const (
	// NoiseGaussian is mechanism.Gaussian.
	NoiseGaussian = "gaussian"
	// NoiseLaplace is mechanism.DiscreteLaplace for one count, else mechanism.KNorm in the L1 norm: Laplace
	// noise on an integer grid, exactly.
	NoiseLaplace = "laplace"
	// NoiseDiscrete is mechanism.DiscreteGaussian, on whole numbers.
	NoiseDiscrete = "discrete"
	// NoiseChoice is mechanism.PermuteAndFlip, of quantiles.
	NoiseChoice = "permute-and-flip"
)

// Plan is one question with all public numbers that its cost follows from. It holds nothing of the records.
type Plan struct {
	Statistic   Statistic `json:"statistic"`
	Expressions []string  `json:"expressions,omitempty"`
	Where       string    `json:"where,omitempty"`
	By          string    `json:"by,omitempty"`
	// Lower and Upper are the declared bounds of each expression.
	Lower []float64 `json:"lower,omitempty"`
	Upper []float64 `json:"upper,omitempty"`
	// Cells is the number of cells of the release, at least 1.
	Cells     int       `json:"cells"`
	Edges     []float64 `json:"edges,omitempty"`
	Quantiles []float64 `json:"quantiles,omitempty"`
	// Points is the number of points of the grid of quantiles.
	Points int `json:"points,omitempty"`
	// Noise names the noise. NoiseMultiplier is its scale in bounds of one record: the standard deviation,
	// of Laplace noise the scale parameter, of a choice 1/ε.
	Noise           string  `json:"noise"`
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// ThresholdDelta is the probability with which the category of a single record may appear.
	ThresholdDelta float64             `json:"threshold-delta,omitempty"`
	Confidence     float64             `json:"confidence"`
	Neighboring    privacy.Neighboring `json:"neighboring"`
	Delta          float64             `json:"delta"`
	Unit           string              `json:"unit"`
	RowsPerPerson  int                 `json:"rows-per-person,omitempty"`
	MaxRecords     int                 `json:"max-records"`
}

// form is what a statistic takes.
type form struct {
	// expressions from least to most; by says whether --by makes sense.
	least, most int
	by          bool
	// width is the count of numbers released for each cell, 0 where it is another rule.
	width int
}

var forms = map[Statistic]form{
	CountStatistic:       {0, 0, true, 1},
	SumStatistic:         {1, 1, true, 1},
	MeanStatistic:        {1, 1, true, 2},
	VarianceStatistic:    {1, 1, true, 3},
	HistogramStatistic:   {1, 1, false, 1},
	QuantilesStatistic:   {1, 1, false, 0},
	BoundsStatistic:      {1, 1, false, 0},
	CovarianceStatistic:  {2, maxMomentColumns, false, 0},
	CorrelationStatistic: {2, maxMomentColumns, false, 0},
	CategoriesStatistic:  {1, 1, false, 0},
}

// Validate returns the first reason why the plan makes no sense.
func (p Plan) Validate() error {
	f, known := forms[p.Statistic]
	switch {
	case !known:
		return fmt.Errorf("query: statistic is %q, want one of %v", p.Statistic, Statistics())
	case len(p.Expressions) < f.least || len(p.Expressions) > f.most:
		return fmt.Errorf("query: %s has %d expressions, want %s", p.Statistic, len(p.Expressions), f.wants())
	case p.By != "" && !f.by:
		return fmt.Errorf("query: %s is asked for by %q, want groups with count, sum, mean or variance", p.Statistic, p.By)
	case len(p.Lower) != len(p.Upper):
		return fmt.Errorf("query: %d lower and %d upper bounds, want as many", len(p.Lower), len(p.Upper))
	case p.Cells < 1 || p.Cells > maxNumbers:
		return fmt.Errorf("query: number of cells is %d, want 1 to 2^20", p.Cells)
	case !(p.Delta > 0 && p.Delta < 1):
		return fmt.Errorf("query: delta is %v, want more than 0 and less than 1; 1e-6 is a common choice", p.Delta)
	case p.MaxRecords < 1:
		return fmt.Errorf("query: max records is %d, want the declared bound on the number of records", p.MaxRecords)
	case p.RowsPerPerson < 0:
		return fmt.Errorf("query: rows per person is %d, want 0 (not declared) or more", p.RowsPerPerson)
	}
	if err := checkLevel(p.Confidence); err != nil {
		return err
	}
	if err := p.checkNoise(); err != nil {
		return err
	}
	e := p.Event()
	if err := mechanism.CheckEvent(e); err != nil {
		return err
	}
	return mechanism.CheckNeighboring(e, p.Neighboring)
}

func (f form) wants() string {
	switch {
	case f.most == 0:
		return "none; a condition goes to --where"
	case f.most == 1:
		return "one"
	}
	return fmt.Sprintf("%d or more", f.least)
}

// noises returns the noises that the statistic can have, the default first.
func (p Plan) noises() []string {
	switch p.Statistic {
	case QuantilesStatistic, BoundsStatistic:
		return []string{NoiseChoice}
	case CovarianceStatistic, CorrelationStatistic:
		return []string{NoiseGaussian}
	case CountStatistic, SumStatistic:
		if p.Cells == 1 {
			return []string{NoiseLaplace, NoiseGaussian, NoiseDiscrete}
		}
	}
	return []string{NoiseLaplace, NoiseGaussian}
}

func (p Plan) checkNoise() error {
	if allowed := p.noises(); !slices.Contains(allowed, p.Noise) {
		return fmt.Errorf("query: noise of %s with %d cells is %q, want one of %v", p.Statistic, p.Cells, p.Noise, allowed)
	}
	if !(p.NoiseMultiplier > 0) || math.IsInf(p.NoiseMultiplier, 1) {
		return fmt.Errorf("query: noise multiplier is %v, want a positive finite number", p.NoiseMultiplier)
	}
	switch p.Statistic {
	case QuantilesStatistic, BoundsStatistic:
		if len(p.Quantiles) == 0 || p.Statistic == BoundsStatistic && len(p.Quantiles) != 2 {
			return fmt.Errorf("query: %s has %d quantiles, want at least one, two for bounds", p.Statistic, len(p.Quantiles))
		}
		for _, q := range p.Quantiles {
			if thousandths := q * 1000; !(q > 0 && q < 1) || math.Abs(thousandths-math.Round(thousandths)) > 1e-9 {
				return fmt.Errorf("query: quantile is %v, want a whole number of thousandths between 0 and 1", q)
			}
		}
		if p.Points < 2 || p.Points > maxNumbers {
			return fmt.Errorf("query: grid has %d points, want 2 to 2^20", p.Points)
		}
	case CategoriesStatistic:
		if !(p.ThresholdDelta > 0 && p.ThresholdDelta < p.Delta) {
			return fmt.Errorf("query: delta of the threshold is %v, want more than 0 and less than delta %v", p.ThresholdDelta, p.Delta)
		}
	}
	_, err := p.sensitivity()
	return err
}

// maxWholeBound bounds sums in whole numbers.
const maxWholeBound = 1 << 15

// sensitivity is by how much one record moves an answer in whole numbers.
func (p Plan) sensitivity() (int64, error) {
	if p.Statistic != SumStatistic || p.Noise != NoiseDiscrete {
		return 1, nil
	}
	if len(p.Lower) != 1 {
		return 0, fmt.Errorf("query: sum has %d bounds, want one pair", len(p.Lower))
	}
	bound := max(-p.Lower[0], p.Upper[0])
	if !(bound >= 1 && bound <= maxWholeBound) || bound != math.Trunc(bound) {
		return 0, fmt.Errorf("query: the larger bound of the sum is %v, want a whole number from 1 to %d for discrete noise; take gaussian or laplace", bound, maxWholeBound)
	}
	return int64(bound), nil
}

// Event returns what the plan releases. Its parts are paid for one after the other.
func (p Plan) Event() mechanism.Event {
	switch p.Statistic {
	case QuantilesStatistic, BoundsStatistic:
		return mechanism.Repeat{Event: p.choice(), Count: len(p.Quantiles)}
	case CategoriesStatistic:
		return p.discovery().Events()
	}
	return p.noise()
}

func (p Plan) choice() mechanism.PermuteAndFlip {
	return mechanism.PermuteAndFlip{Epsilon: 1 / p.NoiseMultiplier}
}

func (p Plan) discovery() mechanism.DiscoveryTerms {
	return mechanism.DiscoveryTerms{Noise: p.noise(), Delta: p.ThresholdDelta}
}

// Threshold returns the noisy count beyond which a category is released, 0 for other statistics.
func (p Plan) Threshold() float64 {
	if p.Statistic != CategoriesStatistic {
		return 0
	}
	limit, err := p.discovery().Threshold(p.MaxRecords)
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
		return mechanism.DiscreteLaplace{Scale: scale, Sensitivity: 1}
	}
	return mechanism.KNorm{NoiseMultiplier: p.NoiseMultiplier}
}

// NoiseDraws returns how many rounded normal numbers the plan draws, for the slack of their law; the other
// samplers are exact. The number of categories is private: of it the bound counts.
func (p Plan) NoiseDraws() int {
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

// PureEpsilon returns the epsilon of the plan at delta 0, in float64 arithmetic, or +Inf where there is none.
func (p Plan) PureEpsilon() float64 {
	count := 1.0
	switch {
	case p.Statistic == CategoriesStatistic || p.Noise == NoiseGaussian || p.Noise == NoiseDiscrete:
		return math.Inf(1)
	case p.Noise == NoiseChoice:
		count = float64(len(p.Quantiles))
	}
	scale := p.NoiseMultiplier
	if d, ok := p.noise().(mechanism.DiscreteLaplace); ok && p.Noise == NoiseLaplace {
		scale = d.Scale
	}
	return count * p.Neighboring.Movement() / scale
}
