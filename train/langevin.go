package train

import (
	"fmt"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
)

// temperatureRate returns the learning rate at which the noise of privacy is the noise of Langevin
// dynamics. A step w ← w - η·(gradient + noise of standard deviation ν) equals the
// unadjusted Langevin algorithm's step w ← w - η·gradient + √(2η·τ)·N(0, I), for η = 2τ/ν². Source:
// Roberts & Tweedie, "Exponential convergence of Langevin distributions and their discrete
// approximations", Bernoulli 1996, https://doi.org/10.2307/3318418. The iterates approach a
// distribution close to the density ∝ exp(-F(w)/τ), F being the mean loss with its ridge. The
// distance from that density is no part of the guarantee, which comes from the releases. Here ν is
// multiplier·bound/records.
func (s Setup) temperatureRate(o Options) (float64, error) {
	p, reason := s.Plan, ""
	switch {
	case p.NonPrivate || p.Sampling != samplingFull || len(p.NoiseMultipliers) > 0 || p.LastIterate != nil || p.Person != nil:
		reason = "a plan without noise, with samples, with noise that changes over the steps, with its last iterate alone priced or of persons, want the same noise in every step on all rows"
	case p.Records == 0 || s.Features.Norm == feature.NormNone || p.ClassWeights != nil || p.SampleWeights != nil || p.alike(option.LabelsStatistic)+p.alike(option.RadiusStatistic) > 0:
		reason = "an undeclared number of records, rows of no declared norm or weights, want records declared, rows of norm 1 or clipped to a declared radius, and no weights"
	case o.LearningRate != 0 || o.Momentum != 0 || o.L1 != 0 || o.WarmUp != 0 || o.Optimizer != "" && o.Optimizer != option.OptimizerMomentum || o.Schedule != "" && o.Schedule != option.ScheduleConstant:
		reason = "a learning rate, momentum, schedule, warm-up, l1 or another optimizer, want none; the temperature sets the learning rate"
	}
	if reason != "" {
		return 0, fmt.Errorf("train: a temperature is given with %s", reason)
	}
	records := float64(p.Records) * p.trained()
	noise := p.NoiseMultiplier * p.Clipping.Bound / records
	rate, bound := 2*o.Temperature/noise/noise, s.Features.RowBound()
	if most := 2 / (s.Model.Loss.Smoothness()*bound*bound*float64(p.MaxRecords)/records + o.Ridge); !(rate < most) {
		return 0, fmt.Errorf("train: temperature is %v, at which the learning rate would be %.4g and might diverge, want a temperature below %.4g, or more noise by a smaller epsilon", o.Temperature, rate, most*noise*noise/2)
	}
	return rate, nil
}

// checkTemperature refuses a temperature for which no learning rate exists.
func (s Setup) checkTemperature(o Options) error {
	if o.Temperature == 0 {
		return nil
	}
	_, err := s.temperatureRate(o)
	return err
}
