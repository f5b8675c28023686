package noise

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ditherml/dither/internal/special"
)

// checkRepeats looks at groups of numbers for magnitudes that a group holds twice: numbers that
// were given out again, whatever their sign. Each magnitude has at most this mass, given any other
// numbers.
func checkRepeats(test string, numbers []int64, mass float64) Finding {
	group := max(1, min(1<<16, len(numbers), int(math.Sqrt(0.2/mass))))
	magnitudes, ranks := make([]int64, group), []int(nil)
	for at := 0; at+group <= len(numbers); at += group {
		for i, v := range numbers[at : at+group] {
			magnitudes[i] = max(v, -v)
		}
		slices.Sort(magnitudes)
		ranks = append(ranks, group-len(slices.Compact(magnitudes)))
	}
	return checkRanks(test, ranks, group, mass)
}

// maxRank is how large a rank is told from larger ones.
const maxRank = 6

// checkRanks judges groups of numbers by the rank of the graph that joins equal ones, in whatever
// sense: how many numbers must be left out until no two are equal.
//
// Let q bound the probability that two numbers are equal, given either of them. A group of n
// numbers has rank r or more only if some r pairs without a circle are all equal. Pair after pair,
// one of the two is a number that no pair before has; so all are equal with probability at most
// q^r. There are at most (n²/2)^r/r! choices of r pairs. Hence a rank of r has probability at most
// (q·n²/2)^r/r!.
func checkRanks(test string, ranks []int, group int, q float64) Finding {
	expected, groups := float64(group)*float64(group)/2*q, len(ranks)
	f := Finding{Test: test, Numbers: groups * group, Seen: fmt.Sprintf("none in %d groups of %d numbers", groups, group)}
	p := 1.0
	for rank := 1; rank <= maxRank; rank++ {
		p *= expected / float64(rank)
		with := 0
		for _, found := range ranks {
			if found >= rank {
				with++
			}
		}
		if logP := logUnion(logTail(groups, p, with), maxRank); with > 0 && (rank == 1 || logP < f.LogP) {
			f.LogP = min(f.LogP, logP)
			f.Seen = fmt.Sprintf("%d or more in %d of %d groups of %d numbers; chance gives at most %.2g such groups", rank, with, groups, group, p*float64(groups))
		}
	}
	f.Detects = "two in " + oneIn(groups, expected*expected/2, float64(group))
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

// round returns a number of at least 1 with two digits that are not 0, in words that everyone reads.
func round(v float64) string {
	unit := math.Pow(10, max(0, math.Floor(math.Log10(v))-1))
	return strconv.FormatFloat(unit*math.Round(v/unit), 'f', 0, 64)
}

// oneIn says how often a fault must occur to be found with confidence, where groups without it
// alarm with probability p each.
func oneIn(groups int, p, size float64) string {
	for k := 1; k <= groups; k++ {
		if logTail(groups, p, k) < -scaleNats {
			// With a mean of k + 4·√k + 8 such groups, fewer than k come with probability below 1e-4.
			if mean := float64(k) + 4*math.Sqrt(float64(k)) + 8; mean < float64(groups) {
				return fmt.Sprintf("one of %s numbers", round(float64(groups)*size/mean))
			}
			break
		}
	}
	return "nearly all groups"
}
