package calibration

import (
	"fmt"
	"math"
	"regexp"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// placeholder is X as a word of its own.
var placeholder = regexp.MustCompile(`\bX\b`)

// Of returns the search for X in an event in text. The cost falls as X grows if falling is true.
// Otherwise it grows with X between low and high.
func Of(event string, falling bool, low, high float64, target privacy.Guarantee) (Problem, error) {
	switch {
	case !placeholder.MatchString(event):
		return Problem{}, fmt.Errorf(`--event is %q, want an event with X in place of the number that is looked for, such as "repeat(1000, gaussian(X))"`, event)
	case !(low > 0 && low <= high) || math.IsInf(high, 1):
		return Problem{}, fmt.Errorf("--low is %v and --high is %v, want positive finite numbers in order", low, high)
	}
	with := func(value string) (mechanism.Event, error) {
		return mechanism.ParseEvent(placeholder.ReplaceAllLiteralString(event, value))
	}
	trial, whole, err := tryEvent(with, low, high)
	if err != nil {
		return Problem{}, err
	}
	if err = mechanism.CheckNeighboring(trial, target.Neighboring()); err != nil {
		return Problem{}, err
	}
	if whole && falling {
		return Problem{}, fmt.Errorf("--event %q has a count for X, want --falling=false: the cost grows with it", event)
	}
	p := Problem{Found: "X", Target: target, Falling: falling, Whole: whole, Accountant: account.For(trial), Low: low, High: high, Advice: "change another number of the event, or the target"}
	p.Plan = func(v float64) mechanism.Event {
		text := display.Plain(v)
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

// tryEvent returns the event with some number for X, and whether only integers may stand there.
func tryEvent(with func(string) (mechanism.Event, error), low, high float64) (e mechanism.Event, whole bool, err error) {
	for _, value := range []float64{1.5, 0.5, 1e-3, low, high} {
		if value == math.Floor(value) {
			continue
		}
		if e, err = with(display.Plain(value)); err == nil {
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
