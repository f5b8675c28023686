package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/privacy"
)

// noisePattern finds noise multipliers in an event, namePattern the names of events, and
// noiseOnly the names of events whose cost falls to 0 as the noise in them grows.
var (
	noisePattern = regexp.MustCompile(`(^|[ (])(gaussian|laplace)\(([^(),]+)\)`)
	namePattern  = regexp.MustCompile(`[a-z-]+\(`)
	noiseOnly    = []string{"gaussian(", "laplace(", "repeat(", "sequence(", "poisson(", "partition(", "without-replacement(", "with-replacement(", "truncated-poisson(", "random-allocation("}
)

// noiseAlone returns the event with X for its noise multiplier, "" unless it has exactly one
// and costs nothing else.
func noiseAlone(event string) string {
	other := slices.ContainsFunc(namePattern.FindAllString(event, -1), func(name string) bool { return !slices.Contains(noiseOnly, name) })
	if other || len(noisePattern.FindAllString(event, -1)) != 1 {
		return ""
	}
	return noisePattern.ReplaceAllString(event, "${1}${2}(X)")
}

// nextStep is a command that finds the noise for a stricter guarantee: half the epsilon, or
// the usual delta. "" where the event has no one noise multiplier.
func (a *accountCommand) nextStep(q explain.Question, c explain.Claim) string {
	epsilon, delta := display.Parse(rounded(float64(c.Epsilon)/2, 2, false)), q.Delta
	switch {
	case q.ForDelta:
		epsilon, delta = q.Epsilon, defaultDelta
	case math.IsInf(float64(c.Epsilon), 1):
		epsilon = 1
	}
	event := noiseAlone(q.Event.String())
	if delta == 0 && strings.Contains(event, "gaussian(") {
		delta = defaultDelta // there is no epsilon at 0
	}
	if event == "" || epsilon == 0 || q.ForDelta && c.Delta <= delta {
		return ""
	}
	command := fmt.Sprintf("dither calibrate --epsilon %s --delta %s", plainly(epsilon), plainly(delta))
	if q.Neighboring != privacy.AddOrRemoveOne {
		command += " --neighboring " + q.Neighboring.String()
	}
	if a.steps.any(a.changed) {
		return command + a.steps.text()
	}
	return command + ` --event "` + event + `"`
}
