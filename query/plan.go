package query

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/related"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/mechanism"
)

// Statistic is the name of a statistic, such as "mean".
type Statistic string

// The statistics.
const (
	countStatistic       Statistic = "count"
	sumStatistic         Statistic = "sum"
	meanStatistic        Statistic = "mean"
	varianceStatistic    Statistic = "variance"
	histogramStatistic   Statistic = "histogram"
	quantilesStatistic   Statistic = "quantiles"
	boundsStatistic      Statistic = "bounds"
	covarianceStatistic  Statistic = "covariance"
	correlationStatistic Statistic = "correlation"
	categoriesStatistic  Statistic = "categories"
	radiusStatistic      Statistic = "radius"
	aggregateStatistic   Statistic = "aggregate"
)

// Statistics returns the names of all statistics, in the order of the documentation.
func Statistics() []Statistic {
	return []Statistic{countStatistic, sumStatistic, meanStatistic, varianceStatistic, histogramStatistic, quantilesStatistic, boundsStatistic,
		covarianceStatistic, correlationStatistic, categoriesStatistic, radiusStatistic, aggregateStatistic}
}

// unknownStatistic returns the error of an unknown statistic, with a hint for other names of
// quantiles.
func unknownStatistic(s Statistic) error {
	names := make([]string, len(Statistics()))
	for i, known := range Statistics() {
		names[i] = string(known)
	}
	hint := ""
	switch s {
	case "median", "quantile", "percentile", "min", "max":
		hint = "; a median is a quantile, and private bounds take the place of the least and the largest value"
	}
	return fmt.Errorf("query: statistic is %q, want one of %s%s", s, strings.Join(names, ", "), hint)
}

// The noises of a plan.
const (
	// noiseGaussian is mechanism.Gaussian.
	noiseGaussian = "gaussian"
	// noiseLaplace is mechanism.DiscreteLaplace for one count, otherwise mechanism.KNorm in the L1
	// norm: Laplace noise on an integer grid, exactly.
	noiseLaplace = "laplace"
	// noiseDiscrete is mechanism.DiscreteGaussian, on integers.
	noiseDiscrete = "discrete"
	// noiseChoice is mechanism.PermuteAndFlip, for answers chosen on a grid.
	noiseChoice = "permute-and-flip"
)

// Plan is one question with all public numbers that determine its cost. No number of the plan comes
// from the records.
type Plan struct {
	// Statistic is the name of the statistic, such as "mean".
	Statistic Statistic `json:"statistic"`
	// Expressions are the columns, or expressions of columns, that the statistic is about.
	Expressions []string `json:"expressions,omitempty"`
	// Where is a condition such as "age >= 30". Only rows that meet the condition are used. ""
	// means all rows.
	Where string `json:"where,omitempty"`
	// By is a categorical column. There is one answer for each of its levels. "" means one answer
	// for all rows.
	By string `json:"by,omitempty"`
	// Lower has the declared lower bound of each expression.
	Lower []float64 `json:"lower,omitempty"`
	// Upper has the declared upper bound of each expression.
	Upper []float64 `json:"upper,omitempty"`
	// Cells is the number of cells for which the statistic is released, at least 1. A cell is a
	// level of By or a bin of a histogram.
	Cells int `json:"cells"`
	// Edges are the limits of the bins of a histogram, ascending.
	Edges []float64 `json:"edges,omitempty"`
	// Quantiles are the quantiles to release, each between 0 and 1.
	Quantiles []float64 `json:"quantiles,omitempty"`
	// Points is the number of equally spaced numbers from which an answer is selected. It is 0 if
	// no answer is selected.
	Points int `json:"points,omitempty"`
	// Of is the name of the statistic that sample-and-aggregate computes for each block.
	Of string `json:"of,omitempty"`
	// Blocks is the number of blocks of sample-and-aggregate.
	Blocks int `json:"blocks,omitempty"`
	// Noise is the name of the noise: "gaussian", "laplace", "discrete" or, for a private
	// selection, "permute-and-flip".
	Noise string `json:"noise"`
	// NoiseMultiplier is the size of the noise, in units of the bound on one record's contribution.
	// For Gaussian noise it is the standard deviation. For Laplace noise it is the scale, which is
	// not the standard deviation. For a private selection it is 1/ε.
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// ThresholdDelta is the largest probability that a category with a single record is released.
	// It is part of the plan's delta.
	ThresholdDelta float64 `json:"threshold-delta,omitempty"`
	// Confidence is the confidence of each interval, a probability.
	Confidence float64 `json:"confidence"`
	// Subject states whom the answer protects. Its field Records is 0, because a question does not
	// need the number of records.
	certificate.Subject
	// Person states that all rows of a person form one record. If it is nil, a record is a row.
	Person *Person `json:"person,omitempty"`
	// Related has the related rows of a record in words, one text for each related table of the
	// schema. It is nil if a record is a row alone.
	Related []string `json:"related,omitempty"`
}

// plainPlan is a plan without methods.
type plainPlan Plan

// MarshalJSON returns the plan as JSON. The fields of Subject are at the top level of the JSON
// object.
func (p Plan) MarshalJSON() ([]byte, error) {
	return strict.Ordered(plainPlan(p), "neighboring", "delta", "unit", "person", "rows-per-person", "records", "max-records")
}

// filled returns the plan with defaults for unset fields:
//
//   - confidence 0.95
//   - the median
//   - bounds that leave 0.025 of the rows on either side
//   - half of delta for the threshold of categories
//   - the mean of each of 40 blocks
func (p Plan) filled() Plan {
	if p.Confidence == 0 {
		p.Confidence = 0.95
	}
	switch {
	case p.Statistic == quantilesStatistic && len(p.Quantiles) == 0:
		p.Quantiles = []float64{0.5}
	case p.Statistic == boundsStatistic && len(p.Quantiles) == 0:
		p.Quantiles = []float64{0.025, 0.975}
	case p.Statistic == categoriesStatistic && p.ThresholdDelta == 0:
		p.ThresholdDelta = p.Delta / 2
	case p.Statistic == aggregateStatistic && p.Of == "":
		p.Of = "mean"
	}
	if p.Statistic == aggregateStatistic && p.Blocks == 0 {
		p.Blocks = 40
	}
	return p
}

// form is the set of fields that a statistic takes.
type form struct {
	// least and most bound the number of expressions; by reports that groups make sense.
	least, most int
	by          bool
	// width is the count of numbers released for each cell, 0 for another rule.
	width int
}

var forms = map[Statistic]form{
	countStatistic:       {0, 0, true, 1},
	sumStatistic:         {1, 1, true, 1},
	meanStatistic:        {1, 1, true, 2},
	varianceStatistic:    {1, 1, true, 3},
	histogramStatistic:   {1, 1, false, 1},
	quantilesStatistic:   {1, 1, false, 0},
	boundsStatistic:      {1, 1, false, 0},
	covarianceStatistic:  {2, maxMomentColumns, false, 0},
	correlationStatistic: {2, maxMomentColumns, false, 0},
	categoriesStatistic:  {1, 1, false, 0},
	radiusStatistic:      {1, maxMomentColumns, false, 0},
	aggregateStatistic:   {1, 2, false, 0},
}

// ranked reports whether the statistic is chosen on a grid by ranks of rows.
func (p Plan) ranked() bool { return p.choices() > 0 && p.Statistic != aggregateStatistic }

// choices returns the number of points that the plan chooses, 0 for a plan without choice.
func (p Plan) choices() int {
	switch p.Statistic {
	case quantilesStatistic, boundsStatistic:
		return max(1, len(p.Quantiles))
	case radiusStatistic, aggregateStatistic:
		return 1
	}
	return 0
}

// needsDelta returns an error that says why the plan has no epsilon at delta 0.
func (p Plan) needsDelta() error {
	switch p.Statistic {
	case categoriesStatistic:
		return fmt.Errorf("query: delta is 0 for %s, want more; a threshold hides a category of one record except with a part of delta", p.Statistic)
	case covarianceStatistic, correlationStatistic:
		return fmt.Errorf("query: delta is 0 for %s, want more; its noise is gaussian, which has no epsilon at delta 0", p.Statistic)
	}
	return fmt.Errorf("query: delta is 0 for %s with %s noise, which has no epsilon there, want laplace noise or a delta of more than 0", p.Statistic, p.Noise)
}

// Validate returns an error if a field of the plan is invalid.
func (p Plan) Validate() error {
	if err := related.Check("query", p.Related); err != nil {
		return err
	}
	f, known := forms[p.Statistic]
	switch {
	case !known:
		return unknownStatistic(p.Statistic)
	case len(p.Expressions) < f.least || len(p.Expressions) > f.most:
		return fmt.Errorf("query: %s has %d expressions, want %s", p.Statistic, len(p.Expressions), f.wants())
	case p.By != "" && !f.by:
		return fmt.Errorf("query: %s is asked for by %q, want groups with count, sum, mean or variance", p.Statistic, p.By)
	case len(p.Lower) != len(p.Upper):
		return fmt.Errorf("query: %d lower and %d upper bounds, want as many", len(p.Lower), len(p.Upper))
	case p.Cells < 1 || p.Cells > maxNumbers:
		return fmt.Errorf("query: number of cells is %d, want 1 to 2^20", p.Cells)
	case !(p.Delta >= 0 && p.Delta < 1):
		return fmt.Errorf("query: delta is %v, want at least 0 and less than 1; 1e-6 is a common choice", p.Delta)
	case p.Delta == 0 && math.IsInf(p.pureEpsilon(), 1):
		return p.needsDelta()
	case p.MaxRecords < 1:
		return fmt.Errorf("query: max records is %d, want the declared bound on the number of records", p.MaxRecords)
	case p.Records != 0:
		return fmt.Errorf("query: records is %d, want 0: the number of records is not declared for a question", p.Records)
	case p.RowsPerPerson < 0:
		return fmt.Errorf("query: rows per person is %d, want 0 (not declared) or more", p.RowsPerPerson)
	}
	if err := checkLevel(p.Confidence); err != nil {
		return err
	}
	if err := p.checkPerson(); err != nil {
		return err
	}
	if err := p.checkNoise(); err != nil {
		return err
	}
	if err := p.checkChoice(); err != nil {
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
		return "none; a condition goes to Plan.Where"
	case f.most == 1:
		return "one"
	}
	return fmt.Sprintf("%d or more", f.least)
}

// noises returns the noises that the statistic can have, the default first.
func (p Plan) noises() []string {
	switch p.Statistic {
	case quantilesStatistic, boundsStatistic, radiusStatistic, aggregateStatistic:
		return []string{noiseChoice}
	case covarianceStatistic, correlationStatistic:
		return []string{noiseGaussian}
	case countStatistic, sumStatistic:
		if p.Cells == 1 {
			return []string{noiseLaplace, noiseGaussian, noiseDiscrete}
		}
	}
	return []string{noiseLaplace, noiseGaussian}
}

func (p Plan) checkNoise() error {
	if allowed := p.noises(); !slices.Contains(allowed, p.Noise) {
		return fmt.Errorf("query: noise of %s with %d cells is %q, want one of %v", p.Statistic, p.Cells, p.Noise, allowed)
	}
	if !(p.NoiseMultiplier > 0) || math.IsInf(p.NoiseMultiplier, 1) {
		return fmt.Errorf("query: noise multiplier is %v, want a positive finite number", p.NoiseMultiplier)
	}
	if p.Statistic == categoriesStatistic && !(p.ThresholdDelta > 0 && p.ThresholdDelta < p.Delta) {
		return fmt.Errorf("query: delta of the threshold is %v, want more than 0 and less than delta %v", p.ThresholdDelta, p.Delta)
	}
	s, err := p.sensitivity()
	if _, discrete := p.noise().(mechanism.DiscreteLaplace); err == nil && (discrete || p.Noise == noiseDiscrete) {
		_, err = release.RoundScale(p.NoiseMultiplier * float64(s))
	}
	return err
}

// checkChoice checks the fields of choices on a grid.
func (p Plan) checkChoice() error {
	if p.choices() == 0 {
		return nil
	}
	if p.Points < 2 || p.Points > maxNumbers {
		return fmt.Errorf("query: grid has %d points, want 2 to 2^20", p.Points)
	}
	switch p.Statistic {
	case aggregateStatistic:
		return p.checkAggregate()
	case radiusStatistic:
		return nil
	}
	if len(p.Quantiles) == 0 || p.Statistic == boundsStatistic && len(p.Quantiles) != 2 {
		return fmt.Errorf("query: %s has %d quantiles, want at least one, two for bounds", p.Statistic, len(p.Quantiles))
	}
	for _, q := range p.Quantiles {
		if thousandths := q * 1000; !(q > 0 && q < 1) || math.Abs(thousandths-math.Round(thousandths)) > 1e-9 {
			return fmt.Errorf("query: quantile is %v, want a multiple of 0.001 between 0 and 1", q)
		}
	}
	return nil
}
