package evaluate

import "math"

// term is a part of Σ ψ(row)·ψ(other) over the pairs of different rows of one person, where ψ
// depends on θ. It is weight(θ) times a sum over pairs, which has the noise of this many sums.
type term struct {
	weight     quad
	sum, noisy float64
}

// ratio is a/w and the variance of a - θ·w at each θ, as far as it is known.
type ratio struct {
	a, w float64
	// noise is the part of the noise, at least least. rows is the part of the sampling of rows, if
	// each row were drawn by itself.
	noise, least, rows quad
	// most is above rows for all possible rows, up to the noise on a and w.
	most quad
	// quartic is Σ cᵢ⁴·Var(Xᵢ) for the noise Σ cᵢ·Xᵢ on a - θ·w.
	quartic quart
	// rowDoubt is the variance of the noise on rows. doubt, once folded, is that on rows and pairs.
	rowDoubt, doubt quart
	// shared is the covariance of the noise on a - θ·w and on rows.
	shared cubic
	// pairs are nil where none were released for this ratio. Folded, their sum is together.
	pairs    []term
	together quad
	// counted reports that a and w are sums of ones over rows. Their noise has the variances part
	// on a and rest on w - a.
	counted    bool
	part, rest float64
	// sides, for an area, are the parts of rows that are sums of squares over this many records
	// each; for others they are empty.
	sides [2]struct {
		rows    quad
		records float64
	}
	// positive reports that a is a sum of numbers that are not negative and often small, such as
	// magnitudes and squares.
	positive bool
}

// folded returns a ratio with its pairs added up.
func (s spread) folded(r ratio) *ratio {
	r.doubt = r.rowDoubt
	for _, t := range r.pairs {
		r.together.add(t.weight, t.sum)
		r.doubt.square(t.weight, t.noisy*s.pair)
	}
	return &r
}

// excess returns (c·a-d·w)² less its limit at the stated confidence. It is not above 0 for the θ =
// d/c of the set.
func (s spread) excess(r *ratio, c, d float64) float64 {
	v := s.variances(r, c, d)
	t, fourth := c*r.a-d*r.w, r.quartic.on(c, d)
	if !(v.apart > 0) {
		return t * t
	}
	v = v.apartFrom(t, r.shared.on(c, d))
	variance := max(v.floor(), v.guess)
	z := s.quantile(variance, fourth) + v.widened(variance) + r.skewed(c, variance-v.noise, variance) + r.fewer(c, d, variance)
	square := z * z * variance
	if v.doubt > 0 {
		q := s.quantile(v.most, fourth)
		square = min(square, capSlack*q*q*v.most)
	}
	reach := math.Sqrt(square) * (1 + s.wider)
	reach += s.lattice(r, c, d) / 2
	return t*t - reach*reach
}

// skewed returns the factor by which the quantile grows for a mean of numbers that are not negative
// and whose large values are rare. S is the sampling variance of their sum A, out of a variance V.
//
//  1. Let γ²/n be the squared skewness of the sum of n numbers. A Student's t at ±z misses more
//     often by 2φ(z)·z·γ²/n·((z⁴+2z²-3)/18 - (z²-3)/8). So does a mean that is tested at its own
//     variance. The excess kurtosis is taken as 3γ²/2 (Hall, "The Bootstrap and Edgeworth
//     Expansion", Springer 1992, section 2.6).
//  2. As in a gamma distribution of numbers or of the sums of persons, γ²/n is taken as 4·S/A². It
//     is multiplied by (S/V)³ for the rest of V.
func (r *ratio) skewed(c, sampling, variance float64) float64 {
	if !r.positive || !(sampling > 0) {
		return 0
	}
	const q2 = normalQuantile * normalQuantile
	const factor = normalQuantile * 4 * ((q2*q2+2*q2-3)/18 - (q2-3)/8)
	share := sampling / variance
	return factor * min(mostSkewed, sampling/(c*c*r.a*r.a)) * share * share * share
}

// mostSkewed is the largest S/A² that skewed takes.
const mostSkewed = 0.05

// rate returns part/(part+rest) of noisy counts. Their noise has the variances partNoise and
// restNoise.
func rate(part, rest, partNoise, restNoise float64, pairs []term) ratio {
	whole := part + rest
	r := ratio{a: part, w: whole, counted: true, part: partNoise, rest: restNoise, noise: quad{partNoise, -2 * partNoise, partNoise + restNoise}, rows: quad{0, whole, -whole}, pairs: pairs}
	r.quartic.square(quad{1, -2, 1}, partNoise)
	r.quartic.square(quad{0, 0, 1}, restNoise)
	return r
}

// shares returns the estimate of a ratio between 0 and 1.
func (s spread) shares(r ratio) Estimate {
	if s.pair > 0 && r.pairs == nil {
		return without(r.value(), 0, 1)
	}
	return s.estimate(r, 1)
}

// value returns a/w, NaN where w is not above 0.
func (r ratio) value() float64 {
	if !(r.w > 0) {
		return math.NaN()
	}
	return r.a / r.w
}

// without returns an estimate without an interval.
func without(value, least, most float64) Estimate {
	return Estimate{Value: Measure(max(least, min(most, value))), Low: noMeasure(), High: noMeasure()}
}

// The weights of pairs for a share θ. ψ is 1-θ for a row of the part and -θ for a row of the rest.
var (
	ofParts = quad{1, -2, 1}
	ofBoth  = quad{0, -1, 1}
	ofRests = quad{0, 0, 1}
)

// pairTerms returns the terms of a share. For two levels they are the terms of all pairs of kinds,
// and for more levels the three at one place.
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

// prevalenceTerms returns the terms of the share of a level among more than two. Let s be the
// number of pairs with both rows of the level, d with the first alone, and n of all. Then the sum
// is s·(1-θ)² - 2d·θ(1-θ) + (n-s-2d)·θ².
func (c counts) prevalenceTerms(level int) []term {
	at := truePairs(level, len(c.plan.Levels))
	return []term{
		{quad{1, -2, 0}, c.pairs[at] + c.pairs[at+1] + c.pairs[at+2], 3},
		{quad{0, -2, 0}, c.pairs[unequalPairs(level, len(c.plan.Levels))], 1},
		{ofRests, c.pairs[0] + c.pairs[1] + c.pairs[2], 3},
	}
}

// fewer returns the factor by which the quantile grows because squares of few records say little
// about a variance. It is that of Student's with the degrees of freedom of a sum of two variances,
// each of its records less 1 (Satterthwaite 1946; Fisher's expansion, as in widened).
func (r *ratio) fewer(c, d, variance float64) float64 {
	share := 0.0
	for _, of := range r.sides {
		part := of.rows.on(c, d) / variance
		share += 2 * part * part / max(1, of.records-1)
	}
	const q = normalQuantile
	return q * (q*q + 1) * share / 8
}
