// Package experiment defines experiments of the literature, and the results of their runs next to
// the published figures.
package experiment

import (
	"encoding/json"
	"math"
)

// Golden is the required value of a deterministic figure: the published value, or one from an
// independent computation.
type Golden struct {
	Value float64 `json:"value"`
	// Tolerance is the largest allowed distance from Value, 0 for none.
	Tolerance float64 `json:"tolerance"`
}

// Agrees reports whether a figure equals its golden value. A figure without a golden value agrees.
func (c Comparison) Agrees() bool {
	return c.Golden == nil || math.Abs(c.Value-c.Golden.Value) <= c.Golden.Tolerance
}

// MarshalJSON writes a value that is no finite number as null. Ours has it in words.
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

// Result is the result of a reproduction, or the reason why it was not run.
type Result struct {
	Reproduction
	Outcome
	// Missing names the missing folders of data sets. If there are any, nothing was run.
	Missing []string
	// Seconds is the duration of the run.
	Seconds float64
}

// Disagreements returns the comparisons whose figure differs from its golden value.
func (r Result) Disagreements() []Comparison {
	var wrong []Comparison
	for _, c := range r.Comparisons {
		if !c.Agrees() {
			wrong = append(wrong, c)
		}
	}
	return wrong
}
