// Package spot checks that the proposal for a record depends on that record and on released numbers
// alone. It secretly picks a few records and recomputes their proposals from a copy of the record
// alone. Lemma 23 of docs/release-parts.md says what such a check finds.
package spot

import "math"

// Same reports whether two slices hold the same numbers, bit by bit. All NaN count as equal.
func Same[T float32 | float64](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for i, v := range a {
		if w := b[i]; math.Float64bits(float64(v)) != math.Float64bits(float64(w)) && (v == v || w == w) {
			return false
		}
	}
	return true
}
