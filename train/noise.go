package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/mechanism"
)

// maxScheduled bounds the number of steps in a noise schedule. Each such step is an event of its
// own.
const maxScheduled = 1 << 16

// noise returns the noise of a multiplier under the plan.
func (p Plan) noise(multiplier float64) mechanism.Noise {
	if p.NonPrivate {
		return mechanism.NonPrivate{}
	}
	return mechanism.Gaussian{NoiseMultiplier: multiplier}
}

// noiseOf returns the noise of a gradient step, counted from 0.
func (p Plan) noiseOf(step int) mechanism.Noise {
	if len(p.NoiseMultipliers) > 0 {
		return p.noise(p.NoiseMultipliers[step])
	}
	return p.noise(p.NoiseMultiplier)
}

// scheduled returns the event of all gradient steps in order, each with its own noise. The noise is
// scaled so that together they cost as steps of this constant multiplier.
func (p Plan) scheduled(multiplier float64) mechanism.Event {
	steps := make(mechanism.Sequence, len(p.NoiseMultipliers))
	for t, z := range p.NoiseMultipliers {
		if multiplier != p.NoiseMultiplier {
			z *= multiplier / p.NoiseMultiplier
		}
		steps[t] = p.noise(z)
	}
	return steps
}

// effectiveMultiplier returns the constant multiplier of equally many steps with the same cost.
// 1/z² is the mean of 1/z_t², because μ² of Gaussian releases adds up.
func effectiveMultiplier(multipliers []float64) float64 {
	sum := 0.0
	for _, z := range multipliers {
		sum += 1 / z / z
	}
	return math.Sqrt(float64(len(multipliers)) / sum)
}

// contractingSchedule returns the multipliers that leave the least noise in the last iterate of a
// contracting recursion. Every step of the recursion keeps the share c of a displacement. The
// multipliers have effective multiplier 1.
//
// Step t of T, from 0, counts by a_t = c^(T-1-t) at the end, where the noise has variance Σ
// (a_t·z_t)². By the inequality of Cauchy and Schwarz, at fixed μ² = Σ 1/z_t² that is at least (Σ
// a_t)²/μ². Equality holds for z_t² ∝ 1/a_t.
func contractingSchedule(c float64, steps int) []float64 {
	out, sum := make([]float64, steps), 0.0
	for t := range out {
		sum += math.Pow(c, float64(t))
	}
	for t := range out {
		out[t] = math.Sqrt(sum / float64(steps) / math.Pow(c, float64(steps-1-t)))
	}
	return out
}

// minContraction is the least share of a displacement in the first step that may be left at the
// end. The noise of the first step is at most 1/√minContraction times the noise of the last.
const minContraction = 1e-12

// scheduleNoise puts the shape of the noise schedule into a plan that is not calibrated yet.
func (r Request) scheduleNoise(p *Plan) error {
	switch c := r.NoiseContraction; {
	case c == 0 || p.NonPrivate:
		return nil
	case !(c > 0 && c < 1):
		return fmt.Errorf("train: noise contraction is %v, want more than 0 and less than 1, or 0 for the same noise in every step", c)
	case p.Sampling != samplingFull || r.PerStep:
		return fmt.Errorf("train: a noise contraction is given with samples or a budget of each step, want all records in every step and a budget of the whole run")
	case p.Steps > maxScheduled || math.Pow(c, float64(p.Steps-1)) < minContraction:
		return fmt.Errorf("train: noise contraction is %v over %d steps, want at most %d steps, over which at least %v of a displacement is left", c, p.Steps, maxScheduled, minContraction)
	}
	p.NoiseMultipliers, p.NoiseMultiplier = contractingSchedule(r.NoiseContraction, p.Steps), 1
	return nil
}

// setNoise fills in the calibrated multiplier of the gradient steps.
func (p *Plan) setNoise(multiplier float64) {
	for t := range p.NoiseMultipliers {
		p.NoiseMultipliers[t] *= multiplier
	}
	p.NoiseMultiplier = multiplier
}

// validateNoise refuses a schedule that the plan does not imply.
func (p Plan) validateNoise() error {
	if p.NonPrivate && (p.NoiseMultiplier != 0 || slices.ContainsFunc(p.Preparation, func(s PreparationStep) bool { return s.NoiseMultiplier != 0 })) {
		return fmt.Errorf("train: there is a noise multiplier in a plan without privacy, want none")
	}
	if len(p.NoiseMultipliers) == 0 {
		return nil
	}
	if len(p.NoiseMultipliers) != p.Steps || p.Steps > maxScheduled || p.Sampling != samplingFull || p.NonPrivate {
		return fmt.Errorf("train: noise multipliers are %d for %d steps with sampling %s, want one for each of at most %d private steps on all records", len(p.NoiseMultipliers), p.Steps, p.Sampling, maxScheduled)
	}
	for t, z := range p.NoiseMultipliers {
		if !positive(z) {
			return fmt.Errorf("train: noise multiplier of step %d is %v, want a positive finite number", t, z)
		}
	}
	if z := effectiveMultiplier(p.NoiseMultipliers); !(math.Abs(z-p.NoiseMultiplier) <= 1e-9*z) {
		return fmt.Errorf("train: noise multiplier is %v, want %v, to which those of the steps amount", p.NoiseMultiplier, z)
	}
	return nil
}
