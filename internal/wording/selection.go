package wording

import (
	"fmt"

	"github.com/ditherml/dither/sweep"
)

// NoRuns returns the probability that a choice has no winner, as the end of a sentence. It is ""
// for a choice that always has one.
func NoRuns(p sweep.Selection) string {
	if none := p.NoRuns(); none > 0 {
		return fmt.Sprintf("; with probability %.1g there is no run and no model", none)
	}
	return ""
}
