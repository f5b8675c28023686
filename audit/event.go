package audit

import (
	"cmp"
	"math"
	"slices"
)

// mostBins is the largest number of intervals of scores that make up events.
const mostBins = 64

// event is a set of scores: some of the intervals between edges. Interval i holds the scores from edge i-1
// on and below edge i.
type event struct {
	edges []float64
	in    []bool
}

// count returns the number of sorted scores in the event.
func (e event) count(sorted []float64) int {
	n := 0
	for i, counted := range binned(sorted, e.edges) {
		if e.in[i] {
			n += counted
		}
	}
	return n
}

// binned returns the number of sorted scores in each interval between edges.
func binned(sorted, edges []float64) []int {
	out := make([]int, len(edges)+1)
	last := 0
	for i, edge := range edges {
		next := below(sorted, edge)
		out[i], last = next-last, next
	}
	out[len(edges)] = len(sorted) - last
	return out
}

// chooseEvents returns two events for a bound at delta. The first is likely for included canaries and
// unlikely for left-out ones, the second the other way round. They are unions of the intervals with the
// largest ratio of counts, as many of these as give the largest bound.
func chooseEvents(s Scores, delta, alarm float64) [2]event {
	pooled := slices.Concat(s.Included, s.LeftOut)
	slices.Sort(pooled)
	var edges []float64
	bins := min(mostBins, 1+int(math.Sqrt(float64(len(pooled)))))
	for i := 1; i < bins; i++ {
		edges = append(edges, pooled[i*len(pooled)/bins])
	}
	edges = slices.Compact(edges)
	likely, unlikely := binned(s.Included, edges), binned(s.LeftOut, edges)
	return [2]event{
		{edges, chooseBins(likely, unlikely, delta, alarm)},
		{edges, chooseBins(unlikely, likely, delta, alarm)},
	}
}

// chooseBins returns the intervals of one event.
func chooseBins(likely, unlikely []int, delta, alarm float64) []bool {
	order := make([]int, len(likely))
	for i := range order {
		order[i] = i
	}
	ratio := func(i int) float64 { return (float64(likely[i]) + 0.5) / (float64(unlikely[i]) + 0.5) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ratio(b), ratio(a)) })
	n, m := total(likely), total(unlikely)
	best, size, hits, misses := -1.0, 1, 0, 0
	for i, bin := range order {
		hits, misses = hits+likely[bin], misses+unlikely[bin]
		if found := eventEpsilon(hits, n, misses, m, delta, alarm); found > best {
			best, size = found, i+1
		}
	}
	in := make([]bool, len(likely))
	for _, bin := range order[:size] {
		in[bin] = true
	}
	return in
}

// total returns a sum.
func total(counts []int) int {
	sum := 0
	for _, v := range counts {
		sum += v
	}
	return sum
}

// eventEpsilon returns the ε that an event refutes: hits of n canaries of the kind that it is likely for,
// and misses of m of the other.
func eventEpsilon(hits, n, misses, m int, delta, alarm float64) float64 {
	if n == 0 || m == 0 {
		return 0
	}
	kept := upperLimit(n, n-hits, alarm/2).rest - delta
	if kept <= 0 {
		return 0
	}
	return max(0, math.Log(kept/upperLimit(m, misses, alarm/2).rate)-1e-12)
}
