//go:build long

package reproduce

import "testing"

// TestBook runs the whole chapter. The means of its private runs must lie where twenty runs of an earlier time did,
// within six of their deviations (false alarm below 1e-8).
func TestBook(t *testing.T) {
	l := needs(t, "adult-book")
	l.Repeats = 10
	for _, c := range check(t, book(), l).Comparisons {
		if c.Published == "0.7795223352498895 (77.95 %)" || c.Published == "0.7797434763379035 (77.97 %)" {
			// One run has a deviation of at most 0.4 points, the mean of ten 0.13.
			if c.Value < 0.7805-0.008 || c.Value > 0.7805+0.008 {
				t.Errorf("%s: got %v, want 0.7805 within 0.008", c.Quantity, c.Value)
			}
		}
	}
}
