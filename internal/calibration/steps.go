package calibration

import (
	"fmt"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// What of steps may be looked for.
const (
	Noise       = "noise-multiplier"
	Count       = "steps"
	Probability = "sampling-probability"
)

// Numbers are the numbers of steps that may be looked for.
var Numbers = []string{Noise, Count, Probability}

// How far is looked for noise multipliers and counts of steps.
const (
	mostNoise = 1e9
	mostSteps = 1 << 24
)

// Steps are steps of gradient descent, as dither train makes them.
type Steps struct {
	NoiseMultiplier     float64
	SamplingProbability float64 // 1: full batch
	Count               int
}

// Check refuses numbers that make no sense, apart from the number that is searched, "" for none.
func (s Steps) Check(looked string) error {
	switch {
	case looked != Noise && !(s.NoiseMultiplier > 0 && s.NoiseMultiplier <= mostNoise):
		return fmt.Errorf("--noise-multiplier is %v, want more than 0 and at most %g", s.NoiseMultiplier, mostNoise)
	case looked != Probability && !(s.SamplingProbability > 0 && s.SamplingProbability <= 1):
		return fmt.Errorf("--sampling-probability is %v, want more than 0 and at most 1 (full batch)", s.SamplingProbability)
	case looked != Count && (s.Count < 1 || s.Count > mostSteps):
		return fmt.Errorf("--steps is %d, want 1 to %d", s.Count, mostSteps)
	}
	return nil
}

// text writes steps and sampling as flags.
func (s Steps) text() string {
	text := fmt.Sprintf(" --steps %d", s.Count)
	if s.SamplingProbability < 1 {
		text += " --sampling-probability " + display.Plain(s.SamplingProbability)
	}
	return text
}

// Event returns the steps as an event.
func (s Steps) Event() mechanism.Event {
	var step mechanism.Event = mechanism.Gaussian{NoiseMultiplier: s.NoiseMultiplier}
	if s.SamplingProbability < 1 {
		step = mechanism.PoissonSampled{Probability: s.SamplingProbability, Event: step}
	}
	return mechanism.Repeat{Event: step, Count: s.Count}
}

// Problem returns the search for one number of the steps. The others are given.
func (s Steps) Problem(find string, target privacy.Guarantee) (Problem, error) {
	p := Problem{Found: find, Target: target}
	switch find {
	case Noise:
		p.Plan = func(v float64) mechanism.Event { s := s; s.NoiseMultiplier = v; return s.Event() }
		p.Falling, p.Advice = true, "take fewer steps, a smaller sampling probability, or a larger epsilon or delta"
	case Count:
		p.Plan = func(v float64) mechanism.Event { s := s; s.Count = int(v); return s.Event() }
		p.Whole, p.Low, p.High, p.Advice = true, 1, mostSteps, "take more noise, a smaller sampling probability, or a larger epsilon or delta"
	case Probability:
		p.Plan = func(v float64) mechanism.Event { s := s; s.SamplingProbability = v; return s.Event() }
		p.Low, p.High, p.Advice = 1e-9, 1, "take more noise, fewer steps, or a larger epsilon or delta"
	default:
		return p, fmt.Errorf("--find is %q, want %s, %s or %s", find, Noise, Count, Probability)
	}
	p.Accountant = account.For(p.Plan(0.5))
	if find == Count {
		p.Accountant = account.For(s.Event())
	}
	return p, s.Check(find)
}
