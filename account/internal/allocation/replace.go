package allocation

import (
	"math"
	"slices"

	"github.com/ditherml/dither/account/internal/pair"
)

// Replace returns a pair that dominates the replacement of one record by another. The pair is its
// own reverse. The given pairs must dominate the removal of the first record and the addition of
// the second record.
//
//  1. For distributions M, N and K and any a, b > 0, M - a·K = (M - b·N) + b·(N - (a/b)·K).
//     Hence H_a(M ‖ K) ≤ H_b(M ‖ N) + b·H_a/b(N ‖ K). Here N is the distribution without the
//     record.
//  2. So at each a ≥ 1 the least value over some b is an upper bound.
//  3. The largest divergence over all neighbors is convex in a, falls, and is its own mirror
//     image, H_a = 1-a + a·H_1/a. So it lies below every chord between such bounds, also
//     across a = 1.
//  4. Beyond the last a it is at most the last bound.
//
// The profile of the returned atoms is the lower hull of the chords.
func Replace(s Pairs) pair.Atoms {
	remove, add := newProfile(s.Remove), newProfile(s.Add)
	var odds []float64 // the ratios b at which the profile is split
	for _, a := range remove.ratio {
		if a > 1 {
			odds = append(odds, a)
		}
	}
	at, bound := []float64{1}, []float64{}
	for i, b := range odds { // places where the two halves are about alike
		if i > 0 {
			at = append(at, odds[i-1]*b)
		}
		at = append(at, b*b)
	}
	for _, a := range at {
		least := min(remove.at(a)+a*add.at(1), remove.at(1)+add.at(a))
		for _, b := range odds {
			if b >= a {
				break
			}
			least = min(least, remove.at(b)+b*add.at(a/b))
		}
		bound = append(bound, min(1, least*(1+1e-9)))
	}
	return hull(at, bound)
}

// profile is H_a of atoms: sums over the atoms with a ratio P/Q above each ratio.
type profile struct{ ratio, p, q []float64 }

func newProfile(a pair.Atoms) profile {
	sorted := slices.Clone(a)
	ratio := func(v pair.Atom) float64 {
		if v.Q == 0 {
			return math.Inf(1)
		}
		return v.P / v.Q
	}
	slices.SortFunc(sorted, func(v, w pair.Atom) int {
		switch x, y := ratio(v), ratio(w); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	n := len(sorted)
	r := profile{make([]float64, n), make([]float64, n+1), make([]float64, n+1)}
	for i := n - 1; i >= 0; i-- {
		r.ratio[i] = ratio(sorted[i])
		r.p[i], r.q[i] = r.p[i+1]+sorted[i].P, r.q[i+1]+sorted[i].Q
	}
	for n > 0 && math.IsInf(r.ratio[n-1], 1) {
		n--
	}
	r.ratio = r.ratio[:n]
	return r
}

// at returns H_a.
func (r profile) at(a float64) float64 {
	i, found := slices.BinarySearch(r.ratio, a)
	if found {
		i++
	}
	return max(0, r.p[i]-a*r.q[i])
}

// hull returns the atoms whose profile is the lower hull of bounds at rising a from 1 on, and of
// their mirror image.
func hull(at, bound []float64) pair.Atoms {
	x, y := []float64{}, []float64{}
	slope := func(i, j int) float64 { return (y[j] - y[i]) / (x[j] - x[i]) }
	for k, a := range at {
		if n := len(x); n > 0 && a <= x[n-1] {
			continue
		}
		x, y = append(x, a), append(y, bound[k])
		for n := len(x); n > 2 && slope(n-2, n-1) <= slope(n-3, n-2); n = len(x) {
			x, y = append(x[:n-2], x[n-1]), append(y[:n-2], y[n-1])
		}
	}
	// The slope of the chord to the mirror image of a node.
	across := func(i int) float64 {
		if a := x[i]; a > 1 {
			return (y[i]*(1-1/a) - (1 - 1/a)) / (a - 1/a)
		}
		return (y[i] - 1) / 2
	}
	first := 0
	for first+1 < len(x) && across(first) > slope(first, first+1) {
		first++
	}
	atoms, before := pair.Atoms{}, across(first)
	for i := first; i < len(x); i++ {
		after := 0.0
		if i+1 < len(x) {
			after = slope(i, i+1)
		}
		if q := after - before; q > 0 {
			atoms = append(atoms, pair.Atom{P: x[i] * q, Q: q}, pair.Atom{P: q, Q: x[i] * q})
		}
		before = after
	}
	if rest := y[len(y)-1]; rest > 0 {
		atoms = append(atoms, pair.Atom{P: rest}, pair.Atom{Q: rest})
	}
	settle(atoms, Upper)
	return atoms
}
