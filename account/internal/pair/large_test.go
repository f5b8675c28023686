package pair

import (
	"math"
	"testing"
)

// TestProfileOfHugeLosses holds δ(ε) where e^ε overflows: losses of little noise are in the thousands, and δ is nearly
// the sampling probability up to there.
func TestProfileOfHugeLosses(t *testing.T) {
	const q = 0.1
	for name, c := range map[string]struct {
		pair        Pair
		below, from float64 // δ is q up to below, and next to nothing from from on
	}{
		"normal":         {Sampled(Normal, 0.006, q), 12000, 16000},
		"laplace":        {Sampled(Laplace, 1e-4, q), 9900, 1e4},
		"three shifts":   {Mixture{Normal, 0.006, []Component{{1 - q, 0}, {q / 2, 1}, {q / 2, 1.1}}, []Component{{1, 0}}}, 12000, 21000},
		"replaced":       {SampledReplace(Normal, 0.006, q), 12000, 60000},
		"glued":          {Glued{Sampled(Normal, 0.006, q), Sampled(Normal, 0.006, q).Swap()}, 12000, 16000},
		"choice":         {Choice{{0.5, Sampled(Normal, 0.006, q)}, {0.5, Sampled(Laplace, 1e-4, q)}}, 9900, 16000},
		"atoms":          {Atoms{{P: q, Q: 5e-324}, {P: 1 - q, Q: 1}}, 720, 745},
		"swapped shifts": {Sampled(Normal, 0.006, q).Swap(), math.Inf(-1), 0.2},
	} {
		last := 1.0
		for _, epsilon := range []float64{0.2, 100, 600, 601, 700, 709, 710, 720, 740, 745, 1000, 5000, 9900, 1e4, 12000, 16000, 21000, 60000, 1e9} {
			delta, bound, err := Profile(c.pair, epsilon)
			if err != nil || delta != delta || !(bound >= 0) || delta-bound > last {
				t.Errorf("%s at %v: δ is %v within %v (%v), want no more than %v", name, epsilon, delta, bound, err, last)
			}
			if epsilon <= c.below && !(math.Abs(delta-q) <= bound+1e-9 && bound < 1e-7) || epsilon >= c.from && delta > 1e-6 {
				t.Errorf("%s at %v: δ is %v within %v, want %v up to %v and nothing from %v on", name, epsilon, delta, bound, q, c.below, c.from)
			}
			last = delta + bound
		}
	}
}
