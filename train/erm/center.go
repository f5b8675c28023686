package erm

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// centerPlan is the section for a noisy mean of the normalized rows. The mean is released first and
// then subtracted from every row.
type centerPlan struct {
	// NoiseMultiplier is the standard deviation of the noise on the sum of rows, divided by Bound.
	// It is 0 in a plan without privacy.
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// Bound is the largest norm of a normalized row.
	Bound float64 `json:"bound"`
	// Numbers is the number of entries of the released mean.
	Numbers int `json:"numbers"`
}

const (
	// centerShare is the share of the budget that pays for the mean, as a fraction of μ².
	centerShare = 0.01
	// mostCentered is the largest number of features that Auto centers. Centered rows are dense.
	mostCentered = 4096
)

// centering is a method whose proof also allows releases with normal noise before its own.
type centering interface {
	// centers reports whether a request allows centered rows.
	centers(r Request) bool
}

// center decides from public numbers whether rows are centered, and how much noise the mean gets.
func (r Request) center(m method, s *Setup) error {
	c, may := m.(centering)
	may = may && c.centers(r)
	bounded := s.Features.Norm != feature.NormNone
	switch {
	case r.Center == train.No:
		return nil
	case r.Center == train.Auto && !(may && bounded && s.Plan.Records > 0 && !s.Schema.HasText() && s.Features.Pipeline.Dim() <= mostCentered):
		return nil
	case !may:
		return fmt.Errorf("erm: rows are to be centered with method %s, want a method and a noise with normal releases, and delta above 0", r.Method)
	case !bounded:
		return fmt.Errorf("erm: rows are to be centered with row normalization %s, want unit or clip; a mean needs rows of bounded norm", s.Features.Norm)
	case s.Plan.Records == 0:
		return fmt.Errorf("erm: rows are to be centered and the schema declares no number of records, want it; the mean is divided by it")
	}
	s.Plan.Center = &centerPlan{Bound: s.Features.PreparedBound(), Numbers: s.Features.Pipeline.Dim()}
	if s.Plan.NonPrivate {
		return nil
	}
	target, err := privacy.NewGuarantee(r.Epsilon, r.Delta, r.Neighboring, privacy.Unit{Row: s.Plan.Unit})
	if err != nil {
		return err
	}
	s.Plan.Center.NoiseMultiplier = r.Neighboring.Movement() / (math.Sqrt(centerShare) * account.MuOf(target))
	return nil
}

// centerNoise returns the noise of the mean.
func (p Plan) centerNoise() mechanism.Noise {
	return p.noise(mechanism.Gaussian{NoiseMultiplier: p.Center.NoiseMultiplier})
}

// afterCenter returns the event of the mean followed by e, or e alone if the plan has no mean.
func (p Plan) afterCenter(e mechanism.Event) mechanism.Event {
	if p.Center == nil {
		return e
	}
	return mechanism.Sequence{p.centerNoise(), e}
}

// centerDraws returns the number of random numbers that the noise of the mean needs.
func (p Plan) centerDraws() int {
	if p.Center == nil || p.NonPrivate {
		return 0
	}
	return p.Center.Numbers
}

// validateCenter returns an error if a number of the section is out of range.
func (p Plan) validateCenter() error {
	if p.Center == nil {
		return nil
	}
	if p.Records == 0 || !positive(p.Center.Bound) || p.Center.Numbers < 1 || p.Center.Numbers > p.Dim || !p.NonPrivate && !positive(p.Center.NoiseMultiplier) {
		return fmt.Errorf("erm: the mean has bound %v, %d numbers and noise multiplier %v with %d declared records, want positive numbers, at most one for each of %d weights", p.Center.Bound, p.Center.Numbers, p.Center.NoiseMultiplier, p.Records, p.Dim)
	}
	return nil
}

// center releases the mean and centers the rows, if the plan has that section.
func (f *fitting) center() error {
	c := f.Plan.Center
	if c == nil {
		return nil
	}
	terms := pass.Settings{Payer: f.grant, Noise: f.Plan.centerNoise(), MaxRecords: f.Plan.MaxRecords}
	var err error
	f.Features, f.rows, err = train.Center(terms, f.Features, f.rows, c.Bound, float64(f.Plan.Records))
	return err
}
