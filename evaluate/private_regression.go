package evaluate

import "math"

// PrivateRegression contains measures of predicted numbers, computed from a noisy release.
// Residuals larger than Plan.ResidualBound are clipped to it.
type PrivateRegression struct {
	// Records is the noisy number of rows.
	Records Estimate `json:"records"`
	// RMSE is the root of the mean squared residual, in units of the target.
	RMSE Estimate `json:"rmse"`
	// MAE is the mean magnitude of the residuals, in units of the target.
	MAE Estimate `json:"mae"`
	// R2 is 1 minus the ratio of the mean squared residual to the variance of the target.
	R2 Estimate `json:"r2"`
	// GroupColumn is the column by which Groups is split, or "".
	GroupColumn string `json:"group-column,omitempty"`
	// Groups are the measures for each declared level of GroupColumn, and at the end for all other
	// rows.
	Groups []privateRegressionGroup `json:"groups,omitempty"`
}

// privateRegressionGroup contains the measures of the rows of one group.
type privateRegressionGroup struct {
	// Level is the level of the group column, or a name for all other rows.
	Level string `json:"level"`
	// Records is the noisy number of rows of the group.
	Records Estimate `json:"records"`
	// RMSE is PrivateRegression.RMSE for the group's rows.
	RMSE Estimate `json:"rmse"`
	// MAE is PrivateRegression.MAE for the group's rows.
	MAE Estimate `json:"mae"`
	// R2 is PrivateRegression.R2 for the group's rows.
	R2 Estimate `json:"r2"`
}

func (p Plan) regress(numbers []float64) PrivateRegression {
	all, each := p.countsOf(numbers)
	whole := all.measureNumbers("")
	out := PrivateRegression{Records: whole.Records, RMSE: whole.RMSE, MAE: whole.MAE, R2: whole.R2}
	if p.GroupColumn != "" {
		out.GroupColumn = p.GroupColumn
		for g, c := range each {
			out.Groups = append(out.Groups, c.measureNumbers(p.groupName(g)))
		}
	}
	return out
}

// measureNumbers returns the measures of a target that is a number.
func (c counts) measureNumbers(name string) privateRegressionGroup {
	cut, width := c.plan.ResidualBound, c.plan.Upper-c.plan.Lower
	one, magnitude, square := polynomial{{1}}, polynomial{1: {1}}, polynomial{2: {1}}
	squares := c.mean(square)
	magnitudes := c.mean(magnitude)
	return privateRegressionGroup{Level: name, Records: c.rowCount(one),
		RMSE: squares.mapped(func(v float64) float64 { return cut * math.Sqrt(v) }),
		MAE:  magnitudes.mapped(func(v float64) float64 { return cut * v }),
		R2:   c.explained(4 * cut * cut / width / width)}
}

// rowCount returns the number of rows. Its interval allows for the noise alone.
func (c counts) rowCount(one polynomial) Estimate {
	n, noise, quartic := 0.0, 0.0, 0.0
	for j, w := range c.plan.coefficients(one) {
		n += w * c.cells[j]
		noise += w * w * c.noise
		quartic += w * w * w * w * c.noise
	}
	return around(n, c.quantile(noise, quartic)*math.Sqrt(noise), 0, float64(c.plan.MaxRecords))
}

// leastRows is a multiple of the noise of the number of rows; the number must reach it for a mean
// of the target.
const leastRows = 3

// explained returns R² = 1 - θ, where θ is the mean squared residual over the variance of the
// target. Both are in units of half of the target's range, and scale is the unit of a² in these.
// The variance is the mean of (t-μ)², with the released mean for μ. So Σ(t-μ)² is too small by
// g²/n, where g is the noise on Σ(t-μ). That is little against the noise on Σ(t-μ)² wherever n
// stands out from its own noise. Where noise hides the number of rows, the set is the whole
// possible range.
func (c counts) explained(scale float64) Estimate {
	whole := Estimate{Value: noMeasure(), Low: Measure(math.Inf(-1)), High: 1, Rate: rateAtLeast}
	rows := polynomial{{1}}
	n, sum := c.dot(rows), c.dot(polynomial{{0, 1}})
	if !(n > 0) {
		return whole
	}
	mu := sum / n
	above, under := polynomial{2: {scale}}, polynomial{{mu * mu, -2 * mu, 1}}
	r := c.ratioOf(above, under)
	r.most = quad{scale * r.a, 0, 4 * r.w}
	value := 1 - r.value()
	whole.Value = Measure(min(1, value))
	if !(n > leastRows*math.Sqrt(c.noiseOn(rows))) {
		return whole
	}
	e := c.estimate(r, math.Inf(1)).mapped(func(v float64) float64 { return 1 - v })
	e.Value = whole.Value
	return e
}

// dot returns the sum of a polynomial over the rows.
func (c counts) dot(q polynomial) float64 {
	sum := 0.0
	for j, w := range c.plan.coefficients(q) {
		sum += w * c.cells[j]
	}
	return sum
}

// noiseOn returns the variance of the noise on the sum of a polynomial.
func (c counts) noiseOn(q polynomial) float64 {
	sum := 0.0
	for _, w := range c.plan.coefficients(q) {
		sum += w * w * c.noise
	}
	return sum
}

// mean returns the mean over the rows of a polynomial that is between 0 and 1.
func (c counts) mean(q polynomial) Estimate {
	r := c.ratioOf(q, polynomial{{1}})
	r.most = quad{0, r.w, -r.w} // (x-θ)² is at most x·(1-θ)² + (1-x)·θ²
	r.positive = true
	return c.shares(r)
}

// ratioOf returns Σ above(a, t) / Σ under(a, t). A row adds ψ = above - θ·under to the tested sum.
// The sums of the squares of ψ over rows, and of its products over pairs, follow from the release.
func (c counts) ratioOf(above, under polynomial) ratio {
	r := ratio{a: c.dot(above), w: c.dot(under), pairs: c.numberTerms(above, under)}
	squares := [3]polynomial{above.times(above, 1), above.times(under, -2), under.times(under, 1)}
	a, w := c.plan.coefficients(above), c.plan.coefficients(under)
	var s [3][]float64
	for k := range s {
		s[k] = c.plan.coefficients(squares[k])
		r.rows[k] = c.dot(squares[k])
	}
	for j := range a {
		square := quad{a[j] * a[j], -2 * a[j] * w[j], w[j] * w[j]}
		r.noise.add(square, c.noise)
		r.quartic.square(square, c.noise)
		squared := quad{s[0][j], s[1][j], s[2][j]}
		r.rowDoubt.square(squared, c.noise)
		r.shared.product(a[j], w[j], squared, c.noise)
	}
	return r
}

// numberTerms returns the terms of pairs of rows of a ratio.
func (c counts) numberTerms(above, under polynomial) []term {
	if c.pairs == nil {
		return nil
	}
	a, w := bernsteinCoefficients(2, above), bernsteinCoefficients(2, under)
	var out []term
	for x := range a {
		for y := x; y < len(a); y++ {
			out = append(out, term{quad{a[x] * a[y], -a[x]*w[y] - a[y]*w[x], w[x] * w[y]}, c.pairs[len(out)], 1})
		}
	}
	return out
}

// times returns the product of two polynomials and a number, of degree at most 4 in each of a and
// t.
func (q polynomial) times(o polynomial, factor float64) polynomial {
	var out polynomial
	for i, row := range q {
		for j, v := range row {
			for k, other := range o {
				for l, w := range other {
					if v != 0 && w != 0 {
						out[i+k][j+l] += factor * v * w
					}
				}
			}
		}
	}
	return out
}
