package evaluate

import (
	"math/rand/v2"
	"testing"
)

// simulateMajority draws 300 rows of levels with as many as each other, but for the first, with so many times that.
func simulateMajority(t *testing.T, levels int, noise, first float64, rounds int, tolerance float64) {
	t.Helper()
	p := testPlans()["three levels"]
	p.Levels, p.Edges, p.NoiseMultiplier = []string{"a", "b", "c", "d", "e", "f"}[:levels], []float64{0, 1}, noise
	if levels == 2 {
		p.Edges, p.Threshold = []float64{0, 0.5, 1}, 0.5
	}
	random := rand.New(rand.NewPCG(1, 1))
	whole, c, chosen := float64(levels-1)+first, coverage{}, map[int]int{}
	for range rounds {
		numbers := make([]float64, p.Numbers())
		for range 300 {
			level := int(max(0, random.Float64()*whole-first+1))
			numbers[level*len(numbers)/levels]++
		}
		for j := range numbers {
			numbers[j] += noiseOf(random, p)
		}
		got, truth := p.classify(numbers), 1/whole
		level := most(got.Confusion)
		if chosen[level]++; level == 0 {
			truth *= first
		}
		c.add(got.MajorityAccuracy, truth)
	}
	if len(chosen) != levels {
		t.Errorf("the chosen levels are %v, want each of %d sometimes", chosen, levels)
	}
	c.check(t, p, "accuracy of the most frequent level", tolerance, false)
}

// TestMajorityCovers has three and six levels with as many records; without regard to how the level is chosen, 92.7 and 86
// % were held. The tolerance is 4.3 standard errors.
func TestMajorityCovers(t *testing.T) {
	for _, levels := range []int{3, 6} {
		simulateMajority(t, levels, 0.1, 1, 1500, 0.025)
	}
}
