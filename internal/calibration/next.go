package calibration

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// noisePattern finds noise multipliers in an event, and namePattern the names of events. noiseOnly
// finds the names of events whose cost falls to 0 as the noise in them grows.
var (
	noisePattern = regexp.MustCompile(`(^|[ (])(gaussian|laplace)\(([^(),]+)\)`)
	namePattern  = regexp.MustCompile(`[a-z-]+\(`)
	noiseOnly    = []string{"gaussian(", "laplace(", "repeat(", "sequence(", "poisson(", "partition(", "without-replacement(", "with-replacement(", "truncated-poisson(", "random-allocation("}
)

// noiseAlone returns the event with X for its noise multiplier. It returns "" unless the event has
// exactly one multiplier and no other cost.
func noiseAlone(event string) string {
	other := slices.ContainsFunc(namePattern.FindAllString(event, -1), func(name string) bool { return !slices.Contains(noiseOnly, name) })
	if other || len(noisePattern.FindAllString(event, -1)) != 1 {
		return ""
	}
	return noisePattern.ReplaceAllString(event, "${1}${2}(X)")
}

// DefaultDelta is the delta at which commands price events that name none.
const DefaultDelta = 1e-6

// Next returns a command that finds the noise of an event for a guarantee stricter than its epsilon
// and delta. The target is half of epsilon, or the usual delta where delta was asked for. It
// returns "" where the event does not have exactly one noise multiplier. steps are the steps in the
// flags, nil for none.
func Next(e mechanism.Event, n privacy.Neighboring, epsilon, delta float64, forDelta bool, steps *Steps) string {
	cost := delta
	switch {
	case forDelta:
		delta = DefaultDelta
	case math.IsInf(epsilon, 1):
		epsilon = 1
	default:
		epsilon = display.Parse(display.Rounded(epsilon/2, 2, false))
	}
	event := noiseAlone(e.String())
	if delta == 0 && strings.Contains(event, "gaussian(") {
		delta = DefaultDelta // there is no epsilon at 0
	}
	if event == "" || epsilon == 0 || forDelta && cost <= delta {
		return ""
	}
	command := fmt.Sprintf("dither calibrate --epsilon %s --delta %s", display.Plain(epsilon), display.Plain(delta))
	if n != privacy.AddOrRemoveOne {
		command += " --neighboring " + n.String()
	}
	if steps != nil {
		return command + steps.text()
	}
	return command + ` --event "` + event + `"`
}
