package wording

import (
	"fmt"

	"github.com/ditherml/dither/sweep"
)

// NoRuns returns how probable it is that a choice has no winner, as the end of a sentence, "" where it always has one.
func NoRuns(p sweep.Selection) string {
	if none := p.NoRuns(); none > 0 {
		return fmt.Sprintf("; with probability %.1g there is no run and no model", none)
	}
	return ""
}
