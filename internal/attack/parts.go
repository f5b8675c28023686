package attack

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/attack/noise"
	"github.com/ditherml/dither/internal/auditing"
)

// parts says in words what was tried, and what would have been found.
func parts(released, canaries, models []auditing.Section) []auditing.Part {
	return []auditing.Part{
		{Group: "noise", Tried: "Reads the noise of every kind of release, and samples and choices. Looks for a wrong distribution, correlation at any distance, and numbers or random words used twice.", Finds: noiseFinds(released[0].Power)},
		{Group: "canaries", Tried: "Trains by every method, sampling, clipping rule and unit. Among the records are canaries: made-up records, each included by the toss of a coin. Guesses from all that is released which canaries were included.", Finds: finds(canaries)},
		{Group: "models", Tried: "Trains in the same way, and guesses from the final models alone.", Finds: finds(models)},
		{Group: "kernels", Tried: "Computes the same sums with the instructions of every processor level.", Finds: "Finds any difference of two levels, or from the reference."},
	}
}

// noiseFinds names two of the tests of Gaussian noise.
func noiseFinds(power string) string {
	var found []string
	for test := range strings.SplitSeq(strings.TrimPrefix(power, noise.Found), "; ") {
		name, what, _ := strings.Cut(test, ": ")
		switch {
		case name == "scale":
			found = append(found, what)
		case strings.HasSuffix(name, "layers, at like distances"):
			found = append(found, "one random word for "+what)
		}
	}
	return "Finds, for example, in Gaussian noise: " + strings.Join(found, "; ") + "."
}

// finds says from which true ε on claims near 4 would have been refuted.
func finds(sections []auditing.Section) string {
	const claimed = 4
	var found []float64
	attacks := 0
	for _, s := range sections {
		if s.Claimed == nil || math.Abs(*s.Claimed-claimed) > 0.01 {
			continue
		}
		if attacks++; s.Detectable != nil {
			found = append(found, *s.Detectable)
		}
	}
	if len(found) == 0 {
		return "With so few canaries these attacks find nothing."
	}
	slices.Sort(found)
	text := fmt.Sprintf("Where epsilon 4 is claimed, the sharpest attack would find a true epsilon of %v or more", up(found[0]))
	if half := attacks / 2; half < len(found) {
		text += fmt.Sprintf(", and half of the attacks would find one of %v or more", up(found[half]))
	}
	if weak := attacks - len(found); weak > 0 {
		text += fmt.Sprintf(". Of these %d attacks %d had too few canaries to find anything", attacks, weak)
	}
	return text + "."
}

// up returns a value rounded up to two decimals.
func up(v float64) float64 { return math.Ceil(100*v-1e-9) / 100 }
