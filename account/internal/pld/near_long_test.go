//go:build long

package pld

import "testing"

// TestRareLargeLossesAreClose holds both bounds where a release has hardly any loss but, with probability 1e-6, a large
// one: a million of them. The contour integral gives 0.94868.
func TestRareLargeLossesAreClose(t *testing.T) {
	b, err := Epsilon([]Term{{sampled(0.5, 1e-6), 1e6}}, 1e-10, Options{})
	if err != nil || !(b.Upper > 0.94867 && b.Upper < 0.94868*(1+5e-4)) || !(b.Lower < 0.94869 && b.Lower > 0.94868*(1-7e-3)) {
		t.Errorf("got %v (%v), want 0.94868 at most 5e-4 below the upper bound and 7e-3 above the lower one", b, err)
	}
}
