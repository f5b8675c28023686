package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// maxCuts bounds the cut points of one column, so that their quantiles are integer thousandths
// apart.
const maxCuts = 63

// ofColumn reports whether a statistic describes a single column and is learned before rows are
// encoded.
func ofColumn(k string) bool { return isChosen(k) || k == option.LevelsStatistic }

// isChosen reports whether a statistic is a choice of quantiles.
func isChosen(k string) bool { return k == option.BoundsStatistic || k == option.BinsStatistic }

// checkLearned refuses a request for private bounds or levels that no proved, implemented method
// learns.
func (r Request) checkLearned(s *data.Schema) error {
	if learned := s.Learned(); len(learned) > 0 {
		return fmt.Errorf("train: column %q has what another training learned, want it declared, or private again; write numeric: or levels: without learned, and count the cost of that training too", learned[0].Name)
	}
	private := s.Private()
	if len(private) == 0 {
		return nil
	}
	levels := slices.ContainsFunc(private, func(c data.Column) bool { return c.Kind == data.Categorical })
	switch {
	case math.IsInf(r.Epsilon, 1):
		return fmt.Errorf("train: column %q is to be learned privately in a plan without privacy, want it declared; ask dither query for bounds or categories first", private[0].Name)
	case r.PerStep:
		return fmt.Errorf("train: column %q is to be learned and the budget is stated for each release, want one budget for the whole run", private[0].Name)
	case levels && r.Neighboring != privacy.AddOrRemoveOne:
		return fmt.Errorf("train: levels are to be learned under %v, want %v; the threshold is proved under that alone", r.Neighboring, privacy.AddOrRemoveOne)
	case s.HasText():
		return fmt.Errorf("train: column %q is to be learned beside a column of texts, want one of them; declare bounds and levels, or leave the texts out", private[0].Name)
	}
	return r.checkRoles(private)
}

// checkRoles refuses a private column that holds the person, the weight or the group of a row.
func (r Request) checkRoles(private []data.Column) error {
	roles := map[string]string{}
	if r.Person != nil {
		roles[r.Person.Column] = "persons"
	}
	if r.SampleWeights != nil {
		roles[r.SampleWeights.Column] = "weights"
	}
	if r.Holdout != nil {
		roles[r.Holdout.GroupColumn] = "groups"
	}
	for _, c := range private {
		if role, taken := roles[c.Name]; taken {
			return fmt.Errorf("train: column %q has private levels and is the column of %s, want its levels declared, or another column", c.Name, role)
		}
	}
	return nil
}

// learned lists the statistics of the private columns. Function calibrate sets their noise.
func learned(s *data.Schema) []PreparationStep {
	var out []PreparationStep
	for _, c := range s.Private() {
		statistic := PreparationStep{Kind: option.LevelsStatistic, Column: c.Name, Bound: 1, Numbers: c.MaxLevels}
		switch {
		case c.MaxBins > 0:
			statistic = PreparationStep{Kind: option.BinsStatistic, Column: c.Name, Lower: c.Lower, Upper: c.Upper, Bound: 1, Numbers: c.MaxBins - 1}
		case c.Kind == data.Numeric:
			statistic = PreparationStep{Kind: option.BoundsStatistic, Column: c.Name, Lower: c.Lower, Upper: c.Upper, Bound: 1, Numbers: 2}
		}
		out = append(out, statistic)
	}
	return out
}

// choice returns the mechanism that chooses each bound or cut point. One choice has μ of about ε/2.
// It has bounded range ε and so is ε²/8-zero-concentrated, as a Gaussian release of μ = ε/2 is
// (Cesar & Rogers, "Bounding, Concentrating, and Truncating: Unifying Privacy Loss Composition for
// Data Analytics", ALT 2021, https://arxiv.org/abs/2004.07223). The price is computed from the
// choice itself; this rule sets only the choice's share of the budget.
func (statistic PreparationStep) choice() mechanism.Exponential {
	return mechanism.Exponential{Epsilon: 1 / statistic.NoiseMultiplier}
}

// partitionTerms returns the terms by which levels are found.
func (statistic PreparationStep) partitionTerms() release.PartitionTerms {
	return release.PartitionTerms{Noise: mechanism.Gaussian{NoiseMultiplier: statistic.NoiseMultiplier}, Delta: statistic.ThresholdDelta}
}

// event returns the cost of the release of a statistic.
func (statistic PreparationStep) event(p Plan) mechanism.Event {
	switch statistic.Kind {
	case option.BoundsStatistic, option.BinsStatistic:
		return mechanism.Repeat{Event: statistic.choice(), Count: statistic.Numbers}
	case option.LevelsStatistic:
		return statistic.partitionTerms().Events()
	case option.CalibrationStatistic, option.NumberCalibrationStatistic:
		return mechanism.Repeat{Event: p.noise(statistic.NoiseMultiplier), Count: statistic.rounds()}
	}
	return p.noise(statistic.NoiseMultiplier)
}

// draws returns the number of rounded normal numbers that a statistic takes. The number of texts is
// private, so the bound on it counts.
func (statistic PreparationStep) draws(p Plan) int {
	switch statistic.Kind {
	case option.BoundsStatistic, option.BinsStatistic:
		return 0
	case option.LevelsStatistic:
		return p.MaxRecords
	case option.CalibrationStatistic, option.NumberCalibrationStatistic:
		return statistic.rounds() * statistic.Numbers
	}
	return statistic.Numbers
}

// setNoise sets the noise of a statistic for a budget of μ and delta. The number of releases of its
// kind is alike.
func (statistic *PreparationStep) setNoise(mu, delta float64, alike int) {
	count := float64(alike)
	switch statistic.Kind {
	case option.BoundsStatistic: // choices of μ = ε/2
		statistic.NoiseMultiplier = 1 / (2 * mu * math.Sqrt(option.BoundsShare/count))
	case option.BinsStatistic:
		statistic.NoiseMultiplier = 1 / (2 * mu * math.Sqrt(option.BinsShare/count))
	case option.LevelsStatistic:
		statistic.NoiseMultiplier = 1 / (mu * math.Sqrt(option.LevelsShare/count))
		statistic.ThresholdDelta = delta * option.ThresholdShare / count
	case option.CalibrationStatistic, option.NumberCalibrationStatistic:
		statistic.NoiseMultiplier = math.Sqrt(float64(statistic.rounds())) / (math.Sqrt(shareOf(statistic.Kind)) * mu)
	default:
		statistic.NoiseMultiplier = 1 / (math.Sqrt(shareOf(statistic.Kind)) * mu)
		if statistic.wanted > 0 {
			least := 1 / (math.Sqrt(mostStateShare) * mu)
			statistic.NoiseMultiplier = min(statistic.NoiseMultiplier, max(statistic.wanted, least))
		}
	}
	statistic.wanted = 0 // it is no part of the plan
}

// alike counts the releases of a kind; for quantiles it counts the quantiles.
func (p Plan) alike(kind string) int {
	n := 0
	for _, statistic := range p.Preparation {
		switch {
		case statistic.Kind == kind && isChosen(kind):
			n += statistic.Numbers
		case statistic.Kind == kind:
			n++
		}
	}
	return n
}

// learns reports whether the plan has statistics of single columns.
func (p Plan) learns() bool {
	return slices.ContainsFunc(p.Preparation, func(s PreparationStep) bool { return ofColumn(s.Kind) })
}

// validateLearned refuses statistics of columns that make no sense or have no proof.
func (p Plan) validateLearned() error {
	seen, rest := map[string]bool{}, false
	for _, s := range p.Preparation {
		if !ofColumn(s.Kind) {
			rest = true
			if s.Column != "" || s.Lower != 0 || s.Upper != 0 || s.ThresholdDelta != 0 {
				return fmt.Errorf("train: statistic %q has a column, range or threshold, want none", s.Kind)
			}
			continue
		}
		bounds := isChosen(s.Kind)
		switch {
		case p.NonPrivate:
			return fmt.Errorf("train: statistic %q is in a plan without privacy, want none", s.Kind)
		case rest:
			return fmt.Errorf("train: statistic %q of column %q comes after statistics of rows, want it before them; rows are encoded by what it learns", s.Kind, s.Column)
		case s.Column == "" || seen[s.Column]:
			return fmt.Errorf("train: statistic %q is of column %q, want a column of its own", s.Kind, s.Column)
		case s.Bound != 1 || s.Kind == option.BoundsStatistic && s.Numbers != 2 || s.Kind == option.BinsStatistic && s.Numbers > maxCuts || !positive(s.NoiseMultiplier):
			return fmt.Errorf("train: statistic %q of column %q has bound %v, %d numbers and noise multiplier %v, want bound 1, two bounds or at most %d cut points, and a positive finite multiplier", s.Kind, s.Column, s.Bound, s.Numbers, s.NoiseMultiplier, maxCuts)
		case bounds && (!(s.Lower < s.Upper) || math.Abs(s.Lower) > math.MaxFloat32 || math.Abs(s.Upper) > math.MaxFloat32 || len(candidates(s.Lower, s.Upper)) < 2):
			return fmt.Errorf("train: range of column %q is [%v, %v], want finite numbers in order, apart in single precision", s.Column, s.Lower, s.Upper)
		case bounds && s.ThresholdDelta != 0 || !bounds && (s.Lower != 0 || s.Upper != 0):
			return fmt.Errorf("train: statistic %q of column %q has numbers of the other kind, want a range for bounds and a threshold for levels", s.Kind, s.Column)
		case !bounds && !(s.ThresholdDelta > 0 && s.ThresholdDelta < p.Delta):
			return fmt.Errorf("train: delta of the threshold of column %q is %v, want more than 0 and less than delta %v", s.Column, s.ThresholdDelta, p.Delta)
		}
		seen[s.Column] = true
	}
	return mechanism.CheckNeighboring(p.Event(), p.Neighboring)
}
