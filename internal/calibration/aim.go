package calibration

import (
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// mostDraws bounds the draws of noise of a calibrated event, which does not say how many numbers it
// releases. The slack of this many draws takes less than 1 % of any delta above 1e-30, at epsilon
// below 20.
const mostDraws = 1 << 40

// LeastNoise returns the least noise multiplier, to the precision of package account, at which the
// event of plan meets the target. The distribution that the samplers draw meets the target too, by
// its slack over mostDraws draws.
func LeastNoise(a account.Accountant, target privacy.Guarantee, plan func(noiseMultiplier float64) mechanism.Event) (float64, error) {
	aimed, err := aim(a, target, plan(1))
	if err != nil {
		return 0, err
	}
	return account.Calibrate(a, aimed, plan)
}

// aim returns the guarantee to search under the accounted distribution. Where delta is too small
// for the slack, only events with a finite cost at delta 0 are searched. Such events have no
// rounded Gaussian noise, and so no slack.
func aim(a account.Accountant, target privacy.Guarantee, trial mechanism.Event) (privacy.Guarantee, error) {
	if target.Delta() == 0 {
		return target, nil
	}
	aimed, err := certificate.Aim(target, mostDraws)
	if err == nil || trial == nil {
		return aimed, err
	}
	if pure, refused := a.Epsilon(trial, 0, target.Neighboring()); refused == nil && !math.IsInf(pure.Upper, 1) {
		return target, nil
	}
	return aimed, err
}
