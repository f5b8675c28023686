package noise

import (
	"fmt"
	"math"
)

// checkDistances judges a forest of equal numbers, in whatever sense, by the distances of its
// edges: how many places lie between the two numbers of a pair. Pairs by chance have all distances
// below size; pairs of a fault often have few of them.
//
// Let q bound the probability that two numbers are equal, given either of them. A window of
// distances holds at most w·n pairs of n numbers, if w is its width. If r edges of the forest are
// in it, then some r of these pairs without a circle are all equal. So r edges or more have
// probability at most (q·w·n)^r/r!, as in checkRanks. That bound falls with r where r is above q·w·n.
func checkDistances(test string, distances []int, n, size int, q float64) Finding {
	below := make([]int, size+1) // how many distances are below each
	for _, d := range distances {
		below[d+1]++
	}
	for d := range size {
		below[d+1] += below[d]
	}
	windows := windowsOf(size)
	f := Finding{Test: test, Numbers: n, Seen: fmt.Sprintf("%d pairs at all distances below %d", len(distances), size)}
	for _, w := range windows {
		pairs, expected := below[w.to]-below[w.from], q*float64(w.to-w.from)*float64(n)
		if logP := logUnion(logForest(pairs, expected), len(windows)); logP < f.LogP {
			f.LogP = logP
			f.Seen = fmt.Sprintf("%d pairs at distances from %d to %d; chance gives at most %.2g", pairs, w.from, w.to-1, expected)
		}
	}
	f.Detects = distancesFound(q, n, min(64, size-1), len(windows))
	return f
}

// window is a range of distances, without its end.
type window struct{ from, to int }

// windowsOf returns the ranges that are looked at: of four widths, each half over the next one.
func windowsOf(size int) (all []window) {
	for width := 1; width < size && width <= 512; width *= 8 {
		for from := 1; from < size; from += max(1, width/2) {
			all = append(all, window{from, min(size, from+width)})
		}
	}
	return all
}

// logForest returns the logarithm of the largest probability of r edges, if all pairs are equal
// expected times on average.
func logForest(r int, expected float64) float64 {
	if float64(r) <= expected {
		return 0
	}
	factorial, _ := math.Lgamma(float64(r) + 1)
	return min(0, float64(r)*math.Log(expected)-factorial)
}

// distancesFound says how often a fault must occur to be found where all its distances are in one
// window of this width.
func distancesFound(q float64, n, width, windows int) string {
	expected := q * float64(width) * float64(n)
	k := 1
	for logUnion(logForest(k, expected), windows) > -scaleNats {
		k++
	}
	mean := float64(k) + 4*math.Sqrt(float64(k)) + 8 // fewer than k come with probability below 1e-4
	return fmt.Sprintf("two in one of %s numbers, if all such pairs are about equally far apart", round(float64(n)/mean))
}
