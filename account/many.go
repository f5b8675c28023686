package account

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/mechanism"
)

// manyTerms is the number of different releases that are composed at the default width. Beyond it,
// sampled Gaussian releases are put into gathered groups.
const manyTerms, gathered = 200, 150

// group is the indices of terms that are sampled Gaussian releases of similar parameters.
type group []int

// gather puts sampled Gaussian releases into groups where there are more than manyTerms terms, and
// reports whether it did. All releases of a group count as its most expensive one or, if up is
// false, as its cheapest. A release with a larger sampling probability and less noise dominates.
func gather(all []term, up bool) ([]term, bool) {
	var others []term
	var whole group
	for i, t := range all {
		if _, _, sampled := sampledGaussian(t.event); sampled {
			whole = append(whole, i)
		} else {
			others = append(others, t)
		}
	}
	if len(whole) <= manyTerms {
		return all, false
	}
	for _, g := range divide(all, whole, gathered) {
		others = append(others, g.term(all, up))
	}
	return others, true
}

// sampledGaussian returns the parameters of a Poisson-sampled Gaussian release.
func sampledGaussian(e mechanism.Event) (probability, noise float64, ok bool) {
	s, sampled := e.(mechanism.PoissonSampled)
	if !sampled {
		return 0, 0, false
	}
	g, normal := s.Event.(mechanism.Gaussian)
	return s.Probability, g.NoiseMultiplier, normal
}

// divide halves the widest group until there are count groups.
func divide(all []term, whole group, count int) []group {
	groups := []group{whole}
	for len(groups) < count {
		widest, width, byNoise := 0, 0.0, false
		for i, g := range groups {
			q, z := g.spread(all)
			if v := math.Max(q, z); v > width {
				widest, width, byNoise = i, v, z >= q
			}
		}
		if width == 0 {
			break
		}
		g := groups[widest]
		slices.SortFunc(g, func(a, b int) int {
			aq, az, _ := sampledGaussian(all[a].event)
			bq, bz, _ := sampledGaussian(all[b].event)
			if byNoise {
				return compare(az, bz)
			}
			return compare(aq, bq)
		})
		half := len(g) / 2
		groups[widest] = g[:half]
		groups = append(groups, g[half:])
	}
	return groups
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// spread returns the logarithms of the ratios of the largest and the least parameter.
func (g group) spread(all []term) (probability, noise float64) {
	q, z := g.extremes(all)
	return math.Log(q[1] / q[0]), math.Log(z[1] / z[0])
}

// extremes returns the least and the largest sampling probability and noise multiplier.
func (g group) extremes(all []term) (q, z [2]float64) {
	q, z = [2]float64{math.Inf(1), 0}, [2]float64{math.Inf(1), 0}
	for _, i := range g {
		probability, noise, _ := sampledGaussian(all[i].event)
		q = [2]float64{min(q[0], probability), max(q[1], probability)}
		z = [2]float64{min(z[0], noise), max(z[1], noise)}
	}
	return q, z
}

// term returns the most expensive release of the group, or the cheapest, with the count of all
// together.
func (g group) term(all []term, up bool) term {
	count := 0.0
	for _, i := range g {
		count += all[i].count
	}
	q, z := g.extremes(all)
	probability, noise := q[0], z[1]
	if up {
		probability, noise = q[1], z[0]
	}
	e := mechanism.PoissonSampled{Probability: probability, Event: mechanism.Gaussian{NoiseMultiplier: noise}}
	return term{e, count}
}

// mostDifferent is the largest number of different releases for which basic and advanced
// composition search a division of δ.
const mostDifferent = 1000

// few refuses releases with more kinds than the search over shares of δ takes.
func (r releases) few(accountant string) error {
	if len(r) > mostDifferent {
		return fmt.Errorf("account: accountant %s is asked for %d different releases, want at most %d; accountant pld has closer bounds", accountant, len(r), mostDifferent)
	}
	return nil
}
