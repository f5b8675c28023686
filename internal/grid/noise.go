package grid

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
)

// setNoise sets the noise multiplier of a plan's steps, instead of the one for an epsilon. The
// noise of everything released before them keeps its proportion. The price follows. Only plans of
// descent with noise in each step, with privacy, have such a number.
func setNoise(c *sweep.Candidate, text string) error {
	z, err := strconv.ParseFloat(text, 64)
	if err != nil || !(z > 0) || math.IsInf(z, 1) {
		return fmt.Errorf("noise multiplier is %q, want a positive finite number; --baseline runs without noise", text)
	}
	switch {
	case c.Linear != nil && !c.Linear.Plan.NonPrivate && c.Linear.Plan.LastIterate == nil:
		p := &c.Linear.Plan
		by := z / p.NoiseMultiplier
		p.NoiseMultiplier, p.NoiseMultipliers, p.Preparation = z, slices.Clone(p.NoiseMultipliers), slices.Clone(p.Preparation)
		for i := range p.NoiseMultipliers {
			p.NoiseMultipliers[i] *= by
		}
		for i := range p.Preparation {
			scale(&p.Preparation[i], by)
		}
		if p.Calibration != nil {
			changed := *p.Calibration
			scale(&changed, by)
			p.Calibration = &changed
		}
		err = c.Linear.Check(context.Background(), c.Options)
	case c.Network != nil && !c.Network.Plan.NonPrivate:
		p := &c.Network.Plan
		p.CountNoise *= z / p.NoiseMultiplier
		p.NoiseMultiplier = z
		err = c.Network.Check(context.Background(), c.NetworkOptions)
	default:
		return fmt.Errorf("a noise multiplier is given for a method that has none in each step, or whose last iterate alone is priced, want --epsilon")
	}
	if err != nil {
		return err
	}
	return c.Certify()
}

// scale multiplies the noise of a statistic.
func scale(s *train.PreparationStep, by float64) { s.NoiseMultiplier *= by }
