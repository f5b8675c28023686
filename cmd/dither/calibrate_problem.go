package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// problem is a number to be found: the event of each value, and whether its cost falls as
// the value grows.
type problem struct {
	found      string
	target     privacy.Guarantee
	accountant account.Accountant
	// plan is the event of a value, nil where there is none.
	plan    func(value float64) mechanism.Event
	falling bool
	// whole says that values are counts.
	whole bool
	// low and high bound a value with which the cost grows.
	low, high float64
	// advice says what else to change when the target is out of reach.
	advice string
}

// problem reads what is looked for.
func (k *calibrateCommand) problem(target privacy.Guarantee) (problem, error) {
	p := problem{found: k.find, target: target}
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
		p.accountant, err = account.Named(k.accountant)
	}
	return p, err
}

// stepProblem looks for a number of steps of gradient descent.
func (k *calibrateCommand) stepProblem(p problem) (problem, error) {
	given := k.steps
	switch k.find {
	case findNoise:
		p.plan = func(v float64) mechanism.Event { s := given; s.noiseMultiplier = v; return s.event() }
		p.falling, p.advice = true, "take fewer steps, a smaller sampling probability, or a larger epsilon or delta"
	case findSteps:
		p.plan = func(v float64) mechanism.Event { s := given; s.steps = int(v); return s.event() }
		p.whole, p.low, p.high, p.advice = true, 1, mostSteps, "take more noise, a smaller sampling probability, or a larger epsilon or delta"
	case findProbability:
		p.plan = func(v float64) mechanism.Event { s := given; s.samplingProbability = v; return s.event() }
		p.low, p.high, p.advice = 1e-9, 1, "take more noise, fewer steps, or a larger epsilon or delta"
	default:
		return p, fmt.Errorf("--find is %q, want %s, %s or %s", k.find, findNoise, findSteps, findProbability)
	}
	if k.changed(k.find) {
		return p, fmt.Errorf("--%s is given, but it is what is looked for; leave it out, or name another number with --find", k.find)
	}
	if k.find != findNoise && !k.changed(findNoise) {
		return p, fmt.Errorf("--%s is missing, want it beside --find %s", findNoise, k.find)
	}
	p.accountant = account.For(p.plan(0.5))
	if k.find == findSteps {
		p.accountant = account.For(given.event())
	}
	return p, given.check(k.find)
}

// placeholder is X as a word of its own.
var placeholder = regexp.MustCompile(`\bX\b`)

// eventProblem looks for X in an event expression.
func (k *calibrateCommand) eventProblem(p problem) (problem, error) {
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
	if err = mechanism.CheckNeighboring(trial, p.target.Neighboring()); err != nil {
		return p, err
	}
	if whole && k.falling {
		return p, fmt.Errorf("--event %q has a count for X, want --falling=false: the cost grows with it", k.event)
	}
	p.found, p.falling, p.whole, p.accountant = "X", k.falling, whole, account.For(trial)
	p.low, p.high, p.advice = k.low, k.high, "change another number of the event, or the target"
	p.plan = func(v float64) mechanism.Event {
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

// solve finds the value, rounds it to the private side and prices it.
func (p problem) solve() (calibrated, error) {
	value, err := p.search()
	if errors.Is(err, account.ErrUnreachable) {
		return calibrated{}, p.unreachable(err)
	}
	if err != nil {
		return calibrated{}, err
	}
	out := calibrated{Found: p.found, Target: number(p.target.Epsilon()), Delta: p.target.Delta(), Neighboring: p.target.Neighboring(), Accountant: p.accountant.Name()}
	value, v, err := p.settle(value)
	if err != nil {
		return calibrated{}, err
	}
	e := p.plan(value)
	out.Value, out.Event, out.Side = number(value), e.String(), p.side(value)
	out.AtLimit = !p.falling && value >= p.high
	out.interval(v)
	out.Next = fmt.Sprintf("dither account %q --delta %s", out.Event, plainly(out.Delta))
	if out.Neighboring != privacy.AddOrRemoveOne {
		out.Next += " --neighboring " + out.Neighboring.String()
	}
	return out, nil
}

// search calls the library.
func (p problem) search() (float64, error) {
	switch {
	case p.whole:
		count, err := account.CalibrateCount(p.accountant, p.target, int(min(p.high, mostSteps)), func(count int) mechanism.Event { return p.plan(float64(count)) })
		if err == nil && float64(count) < p.low {
			err = account.ErrUnreachable
		}
		return float64(count), err
	case p.falling:
		return account.Calibrate(p.accountant, p.target, p.plan)
	}
	return account.CalibrateLargest(p.accountant, p.target, p.low, p.high, p.plan)
}

// settle rounds a value to six digits, or more where the target would be missed, and prices
// it.
func (p problem) settle(value float64) (float64, account.Interval, error) {
	for digits := 6; digits <= 16; digits += 5 {
		short := display.Parse(rounded(value, digits, p.falling))
		if p.whole || digits > 15 || short < p.low && !p.falling {
			short = value
		}
		v, err := p.accountant.Epsilon(p.plan(short), p.target.Delta(), p.target.Neighboring())
		if err != nil {
			return 0, v, err
		}
		if v.Upper <= p.target.Epsilon() {
			return short, v, nil
		}
	}
	return 0, account.Interval{}, fmt.Errorf("no value that was found meets epsilon %v with a proof; %s", p.target.Epsilon(), p.advice)
}

// side says where the value stands.
func (p problem) side(value float64) string {
	switch {
	case p.falling:
		return "rounded up: less would not do"
	case value >= p.high && p.found == findProbability:
		return "full batch: no sampling is needed"
	case value >= p.high:
		return "as far as was looked; the target would allow more"
	case p.whole:
		return "one more would cost too much"
	}
	return "rounded down: more would cost too much"
}

// unreachable says that no value meets the target.
func (p problem) unreachable(err error) error {
	reached := fmt.Sprintf("no %s up to %g", p.found, mostNoise)
	switch {
	case p.whole:
		reached = fmt.Sprintf("not even %g for %s", max(1, math.Ceil(p.low)), p.found)
	case !p.falling:
		reached = fmt.Sprintf("no %s down to %g", p.found, p.low)
	}
	why := "" // the library names the target being out of reach first, then what failed there
	if _, rest, ok := strings.Cut(err.Error(), "\n"); ok {
		why = "; " + strings.TrimPrefix(rest, "account: ")
	}
	return fmt.Errorf("%s meets epsilon %v at delta %v under %v%s; %s", reached, p.target.Epsilon(), p.target.Delta(), p.target.Neighboring(), why, p.advice)
}
