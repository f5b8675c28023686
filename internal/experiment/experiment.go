// Package experiment says what an experiment of the literature is, and what a run of it found next to the published figures.
package experiment

import (
	"encoding/json"
	"math"
)

// Golden is what a deterministic figure must be: the published one, or one of an independent computation.
type Golden struct {
	Value float64 `json:"value"`
	// Tolerance is the largest allowed distance from Value, 0 for none.
	Tolerance float64 `json:"tolerance"`
}

// Agrees reports whether a figure is its golden value. A figure without a golden value agrees.
func (c Comparison) Agrees() bool {
	return c.Golden == nil || math.Abs(c.Value-c.Golden.Value) <= c.Golden.Tolerance
}

// MarshalJSON writes a value that is no finite number as null; Ours tells it in words.
func (c Comparison) MarshalJSON() ([]byte, error) {
	type plain Comparison
	if !math.IsNaN(c.Value) && !math.IsInf(c.Value, 0) {
		return json.Marshal(plain(c))
	}
	return json.Marshal(struct {
		plain
		Value *float64 `json:"value"`
	}{plain: plain(c)})
}

// Result is a reproduction that was run, or the reason why it was not.
type Result struct {
	Reproduction
	Outcome
	// Missing names the folders of data sets that are not there; then nothing was run.
	Missing []string
	// Seconds is how long it took.
	Seconds float64
}

// Disagreements returns the comparisons whose figure is not its golden value.
func (r Result) Disagreements() []Comparison {
	var wrong []Comparison
	for _, c := range r.Comparisons {
		if !c.Agrees() {
			wrong = append(wrong, c)
		}
	}
	return wrong
}
