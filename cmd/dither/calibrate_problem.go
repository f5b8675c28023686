package main

import (
	"fmt"
	"math"
	"regexp"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// problem reads what is looked for.
func (k *calibrateCommand) problem(target privacy.Guarantee) (explain.Problem, error) {
	p := explain.Problem{Found: k.find, Target: target}
	var err error
	switch bounded := k.changed("falling") || k.changed("low") || k.changed("high"); {
	case k.changed("event"):
		p, err = k.eventProblem(p)
	case bounded:
		err = fmt.Errorf("--falling, --low and --high go with --event")
	default:
		p, err = k.stepProblem(p)
	}
	if err != nil {
		return p, err
	}
	if k.accountant != "" {
		p.Accountant, err = account.Named(k.accountant)
	}
	return p, err
}

// stepProblem looks for a number of steps of gradient descent.
func (k *calibrateCommand) stepProblem(p explain.Problem) (explain.Problem, error) {
	given := k.steps
	switch k.find {
	case findNoise:
		p.Plan = func(v float64) mechanism.Event { s := given; s.noiseMultiplier = v; return s.event() }
		p.Falling, p.Advice = true, "take fewer steps, a smaller sampling probability, or a larger epsilon or delta"
	case findSteps:
		p.Plan = func(v float64) mechanism.Event { s := given; s.steps = int(v); return s.event() }
		p.Whole, p.Low, p.High, p.Advice = true, 1, mostSteps, "take more noise, a smaller sampling probability, or a larger epsilon or delta"
	case findProbability:
		p.Plan = func(v float64) mechanism.Event { s := given; s.samplingProbability = v; return s.event() }
		p.Low, p.High, p.Advice = 1e-9, 1, "take more noise, fewer steps, or a larger epsilon or delta"
	default:
		return p, fmt.Errorf("--find is %q, want %s, %s or %s", k.find, findNoise, findSteps, findProbability)
	}
	if k.changed(k.find) {
		return p, fmt.Errorf("--%s is given, but it is what is looked for; leave it out, or name another number with --find", k.find)
	}
	if k.find != findNoise && !k.changed(findNoise) {
		return p, fmt.Errorf("--%s is missing, want it beside --find %s", findNoise, k.find)
	}
	p.Accountant = account.For(p.Plan(0.5))
	if k.find == findSteps {
		p.Accountant = account.For(given.event())
	}
	return p, given.check(k.find)
}

// placeholder is X as a word of its own.
var placeholder = regexp.MustCompile(`\bX\b`)

// eventProblem looks for X in an event expression.
func (k *calibrateCommand) eventProblem(p explain.Problem) (explain.Problem, error) {
	switch {
	case k.changed("find") || k.steps.any(k.changed):
		return p, fmt.Errorf("--event is given together with --find, --noise-multiplier, --sampling-probability or --steps, want one or the other")
	case !placeholder.MatchString(k.event):
		return p, fmt.Errorf(`--event is %q, want an event with X in place of the number that is looked for, such as "repeat(1000, gaussian(X))"`, k.event)
	case k.falling && (k.changed("low") || k.changed("high")):
		return p, fmt.Errorf("--low and --high go with --falling=false")
	case !(k.low > 0 && k.low <= k.high) || math.IsInf(k.high, 1):
		return p, fmt.Errorf("--low is %v and --high is %v, want positive finite numbers in order", k.low, k.high)
	}
	with := func(value string) (mechanism.Event, error) {
		return mechanism.ParseEvent(placeholder.ReplaceAllLiteralString(k.event, value))
	}
	trial, whole, err := k.tryEvent(with)
	if err != nil {
		return p, err
	}
	if err = mechanism.CheckNeighboring(trial, p.Target.Neighboring()); err != nil {
		return p, err
	}
	if whole && k.falling {
		return p, fmt.Errorf("--event %q has a count for X, want --falling=false: the cost grows with it", k.event)
	}
	p.Found, p.Falling, p.Whole, p.Accountant = "X", k.falling, whole, account.For(trial)
	p.Low, p.High, p.Advice = k.low, k.high, "change another number of the event, or the target"
	p.Plan = func(v float64) mechanism.Event {
		text := plainly(v)
		if whole {
			text = fmt.Sprintf("%.0f", v)
		}
		e, wrong := with(text)
		if wrong != nil {
			return nil
		}
		return e
	}
	return p, nil
}

// tryEvent returns the event with some number for X, and whether only whole numbers may
// stand there.
func (k *calibrateCommand) tryEvent(with func(string) (mechanism.Event, error)) (e mechanism.Event, whole bool, err error) {
	for _, value := range []float64{1.5, 0.5, 1e-3, k.low, k.high} {
		if value == math.Floor(value) {
			continue
		}
		if e, err = with(plainly(value)); err == nil {
			return e, false, nil
		}
	}
	for _, value := range []string{"2", "1000"} {
		if trial, failure := with(value); failure == nil {
			return trial, true, nil
		}
	}
	return nil, false, fmt.Errorf("--event with a number for X: %w", err)
}
