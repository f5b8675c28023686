package dither

import (
	"errors"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/calibration"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Price returns the guarantee that an event gives for one record, at a delta and under a relation.
// The event is text such as "repeat(60, gaussian(30))"; docs/account.md lists the events. The
// epsilon is a proven upper bound in nats. It comes from the accountant that account.ForDelta
// chooses.
func Price(event string, delta float64, n privacy.Neighboring) (privacy.Guarantee, error) {
	e, err := mechanism.ParseEvent(event)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	epsilon, err := account.ForDelta(e, delta).Epsilon(e, delta, n)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	return privacy.NewGuarantee(epsilon.Upper, delta, n, privacy.Unit{Row: "one record"})
}

// Calibrate returns the smallest noise multiplier that keeps a training within epsilon, in nats, at
// delta. The function plan returns the event of the training at a noise multiplier. The result is
// as precise as the result of account.Calibrate. The cost includes the small difference between the
// executed noise, which is rounded, and the noise that the event describes.
func Calibrate(plan func(noiseMultiplier float64) mechanism.Event, epsilon, delta float64, n privacy.Neighboring) (float64, error) {
	if plan == nil {
		return 0, errors.New("dither: plan is nil, want a function from a noise multiplier to an event")
	}
	target, err := privacy.NewGuarantee(epsilon, delta, n, privacy.Unit{Row: "one record"})
	if err != nil {
		return 0, err
	}
	return calibration.LeastNoise(account.For(plan(1)), target, plan)
}
