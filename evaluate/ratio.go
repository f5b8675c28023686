package evaluate

import "math"

// quad is a polynomial of degree 2 in θ, the lowest power first.
type quad [3]float64

func (q quad) at(x float64) float64 { return q[0] + x*(q[1]+x*q[2]) }

func (q *quad) add(o quad, times float64) {
	for k := range q {
		q[k] += times * o[k]
	}
}

// term is a part of Σ ψ(row)·ψ(other) over the pairs of different rows of one person, ψ depending on θ: weight(θ)
// times a sum over pairs, on which there is the noise of so many.
type term struct {
	weight     quad
	sum, noisy float64
}

// ratio is a/w and what is known of the variance of a - θ·w at each θ.
type ratio struct {
	a, w float64
	// noise is what noise adds, rows what the sampling of rows would, if each were drawn by itself.
	noise, rows quad
	// quartic is Σ cᵢ⁴·Var(Xᵢ) for the noise Σ cᵢ·Xᵢ on a - θ·w at θ = a/w.
	quartic float64
	// doubt is the variance of the noise on rows at θ = a/w.
	doubt float64
	// pairs are nil where none were released for this ratio.
	pairs []term
}

const (
	// mostDoubt is how large the noise on sums over pairs may be for an interval, as a share of the variance
	// without pairs, and mostOwnDoubt that on the sampling part for rows by themselves.
	mostDoubt, mostOwnDoubt = 0.5, 1
	// mostWidened is the largest share that widens an interval.
	mostWidened = 0.55
	// leastWhole is how many standard deviations of its noise the denominator of a ratio must have for an interval.
	leastWhole = 3
)

// widened is by how much the quantile grows where the variance is known with this share of noise, which is cut at
// mostWidened, since the share is itself known with noise: the first term
// is that of Student's quantile with 2/share² degrees of freedom (Fisher's expansion; Satterthwaite, "An approximate
// distribution of estimates of variance components", Biometrics Bulletin 1946), the second was fitted: with it
// the coverage is 94.6 to 95.5 % for shares up to 1/2, under normal and Laplace noise on the variance.
func widened(share float64) float64 {
	const q = normalQuantile
	share = min(share, mostWidened)
	s2 := share * share
	return q*(q*q+1)*s2/8 + s2*s2
}

// sampling is the sampling part of a variance, and the variance of the noise on it; false where it is not known
// well enough.
func (s spread) sampling(r ratio, theta float64) (q quad, doubt float64, known bool) {
	q = r.rows
	if s.pair > 0 && r.pairs == nil {
		return q, r.doubt, false
	}
	for _, t := range r.pairs {
		q.add(t.weight, t.sum)
		w := t.weight.at(theta)
		doubt += w * w * t.noisy * s.pair
	}
	apart := max(0, r.rows.at(theta)) + r.noise.at(theta)
	return q, doubt + r.doubt, math.Sqrt(doubt) <= mostDoubt*apart && math.Sqrt(r.doubt) <= mostOwnDoubt*apart
}

// interval is the interval of a ratio, cut to a range.
func (s spread) interval(r ratio, least, most float64) Estimate {
	if !(r.w > 0) {
		return unknown()
	}
	theta := r.a / r.w
	sampling, doubt, known := s.sampling(r, theta)
	if !known || !(r.w > leastWhole*math.Sqrt(r.noise[2])) {
		return without(theta, least, most)
	}
	noise := r.noise.at(theta)
	floor := max(0, r.rows.at(theta)) + noise // the variance if each row were drawn by itself
	if missing := floor/4 - sampling.at(theta) - noise; doubt > 0 && missing > 0 {
		sampling[0] += missing
	}
	variance := max(floor, sampling.at(theta)+noise)
	z := s.quantile(variance, r.quartic)
	if variance > 0 {
		z += widened(math.Sqrt(doubt) / variance)
	}
	z2 := z * z
	low, high, bounded := below(
		r.w*r.w-z2*(r.noise[2]+sampling[2]),
		-2*r.a*r.w-z2*(r.noise[1]+sampling[1]),
		r.a*r.a-z2*(r.noise[0]+sampling[0]))
	if !bounded {
		return without(theta, least, most)
	}
	return interval(theta, low, high, least, most)
}

// rate is part/(part+rest) of noisy counts. The noise on them has the variances partNoise and restNoise.
func (s spread) rate(part, rest, partNoise, restNoise float64, pairs []term) Estimate {
	whole := part + rest
	if !(whole > 0) {
		return unknown()
	}
	a, b := part/whole, rest/whole
	return s.interval(ratio{a: part, w: whole, noise: quad{partNoise, -2 * partNoise, partNoise + restNoise}, rows: quad{0, whole, -whole},
		quartic: partNoise*b*b*b*b + restNoise*a*a*a*a, pairs: pairs}, 0, 1)
}

// without is an estimate without an interval.
func without(value, least, most float64) Estimate {
	return Estimate{Measure(max(least, min(most, value))), Undefined(), Undefined()}
}

// The weights of pairs for a share θ, ψ being 1-θ for a row of the part and -θ for one of the rest.
var (
	ofParts = quad{1, -2, 1}
	ofBoth  = quad{0, -1, 1}
	ofRests = quad{0, 0, 1}
)

// pairTerms are the terms of a share. Of two levels they are those of all pairs of kinds, of more the three at one
// place.
func (c counts) pairTerms(at int, part, rest func(place) bool) []term {
	if c.pairs == nil {
		return nil
	}
	if len(c.plan.Levels) > 2 {
		return []term{{ofParts, c.pairs[at], 1}, {ofBoth, c.pairs[at+1], 1}, {ofRests, c.pairs[at+2], 1}}
	}
	var out []term
	cell := 0
	for x := range labelKinds {
		for y := x; y < labelKinds; y++ {
			p, q := place{truth: x / 2, guess: x % 2}, place{truth: y / 2, guess: y % 2}
			switch {
			case part(p) && part(q):
				out = append(out, term{ofParts, c.pairs[cell], 1})
			case rest(p) && rest(q):
				out = append(out, term{ofRests, c.pairs[cell], 1})
			case part(p) && rest(q) || rest(p) && part(q):
				out = append(out, term{ofBoth, c.pairs[cell], 1})
			}
			cell++
		}
	}
	return out
}

// prevalenceTerms are those of the share of a level among more than two. With s pairs of rows that are both of the
// level, d of which the first alone is, and n of all, the sum is s·(1-θ)² - 2d·θ(1-θ) + (n-s-2d)·θ².
func (c counts) prevalenceTerms(level int) []term {
	at := truePairs(level, len(c.plan.Levels))
	return []term{
		{quad{1, -2, 0}, c.pairs[at] + c.pairs[at+1] + c.pairs[at+2], 3},
		{quad{0, -2, 0}, c.pairs[unequalPairs(level, len(c.plan.Levels))], 1},
		{ofRests, c.pairs[0] + c.pairs[1] + c.pairs[2], 3},
	}
}
