package noise

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/special"
)

// checkRepeats counts the groups of numbers that hold one magnitude twice: a number that was given
// out again, whatever its sign. The groups are disjoint, so they are independent. In a group of g
// numbers the probability is at most g²/2·mass: given one of a pair, the other has one magnitude
// with probability at most mass.
func checkRepeats(test string, numbers []int64, mass float64) Finding {
	group := min(1<<16, len(numbers), int(math.Sqrt(0.2/mass)))
	groups, with, first := 0, 0, int64(0)
	magnitudes := make([]int64, group)
	for at := 0; group > 1 && at+group <= len(numbers); at += group {
		for i, v := range numbers[at : at+group] {
			magnitudes[i] = max(v, -v)
		}
		slices.Sort(magnitudes)
		for i, v := range magnitudes[1:] {
			if v == magnitudes[i] {
				with, first = with+1, v
				break
			}
		}
		groups++
	}
	f := Finding{Test: test, Numbers: groups * group, Seen: fmt.Sprintf("%d of %d groups of %d numbers hold one twice", with, groups, group)}
	if with > 0 {
		f.Seen += fmt.Sprintf(", for example %d", first)
	}
	f.LogP = logTail(groups, float64(group)*float64(group)/2*mass, with)
	f.Detects = fmt.Sprintf("a repetition in %s", oneIn(groups, float64(group)*float64(group)/2*mass, float64(group)))
	return f
}

// checkDifferences is checkRepeats of the differences of neighbors: runs of numbers that were given
// out again with something added. Given all but the last of the numbers of two differences, the
// last must have one of two values.
func checkDifferences(numbers []int64, mass float64) Finding {
	differences := make([]int64, max(0, len(numbers)-1))
	for i := range differences {
		differences[i] = numbers[i+1] - numbers[i]
	}
	// A difference that two groups share makes them depend on each other: the last of each group
	// has the first of the next. A bound given the past holds still: groups come in order.
	return checkRepeats("repeated differences", differences, mass)
}

// logTail returns the logarithm of the probability of at least k of n events, each of probability
// at most p given those before. The number of them is then at most a binomial one in the order of
// tails.
func logTail(n int, p float64, k int) float64 {
	switch {
	case k <= 0 || p >= 1:
		return 0
	case k > n:
		return math.Inf(-1)
	}
	if tail := special.BinomialTail(n, p, k); tail > 1e-280 {
		return min(0, math.Log(tail))
	}
	return -float64(n) * divergence(float64(k)/float64(n), p)
}

// oneIn says how often a fault must occur to be found with confidence, where groups without it
// alarm with probability p each.
func oneIn(groups int, p, size float64) string {
	for k := 1; k <= groups; k++ {
		if logTail(groups, p, k) < -scaleNats {
			// With a mean of k + 4·√k + 8 such groups, fewer than k come with probability below 1e-4.
			if mean := float64(k) + 4*math.Sqrt(float64(k)) + 8; mean < float64(groups) {
				return fmt.Sprintf("one of %.2g numbers", float64(groups)*size/mean)
			}
			break
		}
	}
	return "nearly all groups"
}
