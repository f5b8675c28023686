package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
)

// shareOf returns the part of the budget, as a fraction of μ², that a statistic takes.
func shareOf(k string) float64 {
	switch k {
	case option.CovarianceStatistic:
		return 0.16
	case option.ChannelStatistic, option.PlaceStatistic:
		return 0.0225
	case option.VarianceStatistic, option.CalibrationStatistic, option.NumberCalibrationStatistic:
		return 0.02
	}
	return 0.01
}

// prepare decides which statistics are learned. Function calibrate sets their noise.
func (r Request) prepare(s *Setup) error {
	m := s.Features
	bound := m.Norm != feature.NormNone
	if r.PrivateRadius && (m.Norm != feature.NormClip || r.Radius > 0) {
		return fmt.Errorf("train: a private radius is asked for with row normalization %s and radius %v, want clip and none declared", m.Norm, r.Radius)
	}
	if r.Radius > 0 && m.Norm != feature.NormClip {
		return fmt.Errorf("train: the radius %v of rows is given with row normalization %s, want clip, or no radius", r.Radius, m.Norm)
	}
	learn := func(kind string, ofRow float64, numbers int) {
		s.Plan.Preparation = append(s.Plan.Preparation, PreparationStep{Kind: kind, Bound: ofRow * r.Person.scale(), Numbers: numbers})
	}
	s.Plan.Preparation = learned(s.Schema)
	if r.Calibrate && !s.Plan.NonPrivate {
		if err := r.checkCalibration(s.Model, m); err != nil {
			return err
		}
		s.Plan.Calibration = &PreparationStep{Kind: calibrationKind(s.Model), Bound: calibrationBound(s.Model) * r.Person.scale(), Numbers: calibrationNumbers(s.Model)}
	}
	if s.Plan.Records == 0 {
		learn(option.CountStatistic, 1, 1)
	}
	if r.Balance {
		learn(option.LabelsStatistic, 1, len(s.Schema.Target.Levels))
	}
	if r.PrivateRadius {
		learn(option.RadiusStatistic, 1, radiusBins)
	}
	radius := m.PreparedBound()
	structure, err := r.structure(m.Pipeline)
	if err != nil {
		return err
	}
	whitens := r.Whiten == Yes || r.Whiten == Auto && bound && r.whitens(s, structure)
	scaled := whitens && structure == option.StructureFrequencies
	if scaled && m.Norm != feature.NormUnit {
		return fmt.Errorf("train: whitening by frequencies is asked for with row normalization %s, want unit", m.Norm)
	}
	if r.Center == Yes || r.Center == Auto && bound && !hasTexts(m.Pipeline) && !scaled {
		learn(option.MeanStatistic, radius, m.Pipeline.Dim())
	}
	switch {
	case scaled:
		learn(option.FrequencyStatistic, radius, m.Pipeline.Dim())
	case whitens:
		for _, kind := range kindsOf(structure) {
			numbers := PreparationStep{Kind: kind}.products(m.Pipeline).Numbers(m.Pipeline.Dim())
			learn(kind, radius*radius, numbers)
		}
	}
	if whitens && r.Intercept == 0 {
		m.Intercept = option.WhitenedIntercept
	}
	if !r.PerStep {
		s.wantStates()
	}
	return nil
}

// structure returns the requested structure, or the one that suits the number of features.
func (r Request) structure(c *feature.Pipeline) (string, error) {
	channels, _ := c.Shape()
	switch {
	case r.Structure == option.StructureKronecker && channels == 0:
		return "", fmt.Errorf("train: whitening is asked for by channels and places, want transforms that say which features are which, scattering for one; or another structure")
	case slices.Contains(option.Structures(), r.Structure):
		return r.Structure, nil
	case r.Structure != "":
		return "", fmt.Errorf("train: structure is %q, want one of %v", r.Structure, option.Structures())
	case cells(c):
		return option.StructureFrequencies, nil
	case c.Dim() <= maxWhitening:
		return option.StructureFull, nil
	case channels > 0:
		return option.StructureKronecker, nil
	}
	return option.StructureDiagonal, nil
}

// kindsOf lists the statistics of a structure.
func kindsOf(s string) []string {
	switch s {
	case option.StructureKronecker:
		return []string{option.ChannelStatistic, option.PlaceStatistic}
	case option.StructureDiagonal:
		return []string{option.VarianceStatistic}
	}
	return []string{option.CovarianceStatistic}
}

// whitens reports whether Auto whitens. Auto whitens if there is a plain number among the features,
// the structure is not "diagonal", and the noise in each covariance is small.
func (r Request) whitens(s *Setup, structure string) bool {
	if structure == option.StructureFrequencies {
		return !r.PerStep && s.Features.Norm == feature.NormUnit
	}
	plain := false
	for _, c := range s.Schema.Features() {
		plain = plain || c.Ordered || c.Kind == data.Numeric && c.Slots() == 0
	}
	if !plain || structure == option.StructureDiagonal || r.PerStep {
		return false
	}
	records := s.Plan.Records
	if records == 0 {
		records = s.Plan.MaxRecords
	}
	target, err := privacy.NewGuarantee(r.Epsilon, r.Delta, r.Neighboring, privacy.Unit{})
	if err != nil {
		return false
	}
	mu := account.MuOf(target)
	for _, kind := range kindsOf(structure) {
		c := s.Features.Pipeline
		side := PreparationStep{Kind: kind}.products(c).Side(c.Dim())
		multiplier := r.Neighboring.Movement() / (math.Sqrt(shareOf(kind)) * mu)
		if math.Sqrt(2*float64(side))*multiplier*r.Person.scale()/float64(records) > whiteningNoise {
			return false
		}
	}
	return true
}
