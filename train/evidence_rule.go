package train

import (
	"cmp"
	"math"
	"slices"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/option"
)

// stateRule is how a model treats missing cells and unknown levels that the records hardly have.
type stateRule int

const (
	// keptStates have weights of noise.
	keptStates stateRule = iota
	// filledStates become the mean of their column before a row is normalized.
	filledStates
	// whitenedStates have other rows of the full whitening.
	whitenedStates
	// cellStates have other scales and weights of their cells.
	cellStates
)

// stateRule returns the rule for models on these features. It depends on public numbers alone. The map may be the one
// of the plan or the one of the model.
func (p Plan) stateRule(m *feature.Map) stateRule {
	releases := func(kind string) bool {
		return slices.ContainsFunc(p.Preparation, func(s PreparationStep) bool { return s.Kind == kind })
	}
	switch {
	case p.NonPrivate || m.Norm == feature.NormNone || m.Encoder().Signed():
		return keptStates
	case m.Transforms():
		if p.Person == nil && cells(m.Pipeline) && releases(option.FrequencyStatistic) {
			return cellStates
		}
		return keptStates
	case !releases(option.MeanStatistic):
		return keptStates
	case p.Person == nil && m.Norm == feature.NormUnit && releases(option.CovarianceStatistic):
		return whitenedStates
	case m.Pipeline.Dim() <= encoder.MostFilled:
		return filledStates
	}
	return keptStates
}

// hashed reports whether cells of pairs share features. Such a feature is of no state, so it keeps its weight.
func hashed(m *feature.Map) bool {
	return cells(m.Pipeline) && slices.ContainsFunc(m.Names(), func(n encoder.Name) bool { return n.Cell.Columns[0] == "" })
}

// servesTheDescent reports whether the weights of cells must be weights of the descent: one of all its iterates, or a
// sample of a distribution over models.
func (o Options) servesTheDescent() bool {
	return o.Output == option.OutputAllIterates || o.Temperature > 0
}

const (
	// stateDeviation and cellDeviation are the largest standard deviations that the noise in a frequency of a state should
	// have, in rows and in cells. Cells need less: their scales follow from frequencies too.
	stateDeviation, cellDeviation = 0.03, 0.01
	// mostStateShare is the largest share of the budget for such frequencies.
	mostStateShare = 0.08
)

// wantStates sets the noise that frequencies of missing cells and unknown levels should have in the statistic that tells
// them from 0. The model must treat states by this statistic.
func (s *Setup) wantStates() {
	kind := option.MeanStatistic
	switch s.Plan.stateRule(s.Features) {
	case keptStates:
		return
	case cellStates:
		kind = option.FrequencyStatistic
	}
	for i := range s.Plan.Preparation {
		if statistic := &s.Plan.Preparation[i]; statistic.Kind == kind {
			statistic.wanted = s.stateNoise() / statistic.Bound
		}
	}
}

// stateNoise returns the standard deviation that the noise in sums of rows should have, or 0 if rows have no missing
// cells or unknown levels. It depends on public numbers alone.
func (s *Setup) stateNoise() float64 {
	m := s.Features
	names, columns, value := m.Names(), 0.0, 0.0
	for j, n := range names {
		if j == 0 || n.Column != names[j-1].Column {
			columns++
		}
		switch {
		case n.Aside:
			value = 1
		case n.Cell.Columns[1] == "" && n.Cell.Aside[0] != "":
			value = max(value, n.Cell.Value)
		}
	}
	scale := stateDeviation / math.Sqrt(max(1, columns))
	switch {
	case m.Transforms():
		scale = cellDeviation * cellScale(names)
	case m.Norm == feature.NormClip:
		scale = min(stateDeviation, m.Radius*scale)
	}
	return scale * value * float64(cmp.Or(s.Plan.Records, s.Plan.MaxRecords))
}
