package evaluate

import (
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"testing"
)

// simulateMajority draws rows of levels with as many as each other, but for the first, with so many times that.
func simulateMajority(t *testing.T, levels, rows int, noise, first float64, rounds int, tolerance float64) {
	t.Helper()
	p := testPlans()["three levels"]
	p.Levels, p.Edges, p.NoiseMultiplier = nil, []float64{0, 1}, noise
	for k := range levels {
		p.Levels = append(p.Levels, strconv.Itoa(k))
	}
	if levels == 2 {
		p.Edges, p.Threshold = []float64{0, 0.5, 1}, 0.5
	}
	whole, chosen := float64(levels-1)+first, make([]atomic.Int64, levels)
	of := simulation(1, rounds, func(random *rand.Rand, to coverages) {
		numbers := make([]float64, p.Numbers())
		for range rows {
			level := int(max(0, random.Float64()*whole-first+1))
			numbers[level*len(numbers)/levels]++
		}
		for j := range numbers {
			numbers[j] += noiseOf(random, p)
		}
		got, truth := p.classify(numbers), 1/whole
		level := most(got.Confusion)
		if chosen[level].Add(1); level == 0 {
			truth *= first
		}
		to.add("accuracy of the most frequent level", got.MajorityAccuracy, truth)
	})
	for k := range chosen {
		if chosen[k].Load() == 0 && first == 1 {
			t.Errorf("level %d is never chosen of %d", k, levels)
		}
	}
	for name, c := range of {
		c.check(t, p, name, tolerance)
	}
}

// TestMajorityCovers has three and six levels with as many records; without regard to how the level is chosen, 92.7 and 86
// % were held.
func TestMajorityCovers(t *testing.T) {
	for _, levels := range []int{3, 6} {
		simulateMajority(t, levels, 300, 0.1, 1, ordinaryRounds, ordinaryTolerance)
	}
}
