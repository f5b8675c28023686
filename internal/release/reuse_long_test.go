//go:build long

package release

import (
	"math"
	"testing"
)

// TestNoiseIsNotReusedInMany runs the attack on 3000 releases of each kind, under fresh keys. Of n guesses by chance each is
// right with probability 1/2, and as many more right than wrong as 6·√n with probability below 1e-9.
func TestNoiseIsNotReusedInMany(t *testing.T) {
	r := newReuse(t)
	for name, o := range map[string]SumOptions{"fine": {MaxRecords: 1000}, "coarse": {MaxRecords: 60000, Coarse: true}} {
		right, wrong := r.attack(t, o, 3000)
		t.Logf("%s: %d right guesses and %d wrong ones in 3000 releases", name, right, wrong)
		if float64(right-wrong) > 6*math.Sqrt(float64(right+wrong+1)) {
			t.Errorf("%s: %d right guesses and %d wrong ones, want as many", name, right, wrong)
		}
	}
}
