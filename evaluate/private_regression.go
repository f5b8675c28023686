package evaluate

import "math"

// PrivateRegression is how well predictions foretell a number. Residuals are cut at the plan's
// ResidualBound.
type PrivateRegression struct {
	Records Estimate `json:"records"`
	// RMSE is the root of the mean squared residual, MAE the mean of the magnitudes.
	RMSE Estimate `json:"rmse"`
	MAE  Estimate `json:"mae"`
	// R2 is 1 - mean squared residual / variance of the target.
	R2          Estimate                 `json:"r2"`
	GroupColumn string                   `json:"group-column,omitempty"`
	Groups      []PrivateRegressionGroup `json:"groups,omitempty"`
}

// PrivateRegressionGroup holds the measures of one group.
type PrivateRegressionGroup struct {
	Level   string   `json:"level"`
	Records Estimate `json:"records"`
	RMSE    Estimate `json:"rmse"`
	MAE     Estimate `json:"mae"`
	R2      Estimate `json:"r2"`
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

// measureNumbers are the measures of a target that is a number.
func (c counts) measureNumbers(name string) PrivateRegressionGroup {
	cut, width := c.plan.ResidualBound, c.plan.Upper-c.plan.Lower
	one, magnitude, square := polynomial{{1}}, polynomial{1: {1}}, polynomial{2: {1}}
	squares := c.mean(square, one, 0, 1)
	magnitudes := c.mean(magnitude, one, 0, 1)
	root := func(v Measure) Measure { return Measure(cut * math.Sqrt(float64(v))) }
	return PrivateRegressionGroup{Level: name, Records: c.rowCount(one),
		RMSE: Estimate{root(squares.Value), root(squares.Low), root(squares.High)},
		MAE:  Estimate{Measure(cut) * magnitudes.Value, Measure(cut) * magnitudes.Low, Measure(cut) * magnitudes.High},
		R2:   c.explained(4 * cut * cut / width / width)}
}

// mostMean is how large the square of the noise on the mean of the target may be, as a share of the target's
// variance, for an interval of R².
const mostMean = 0.02

// rowCount is the number of rows; its interval allows for the noise alone.
func (c counts) rowCount(one polynomial) Estimate {
	n, noise, quartic := 0.0, 0.0, 0.0
	for j, w := range c.plan.coefficients(one) {
		n += w * c.cells[j]
		noise += w * w * c.noise
		quartic += w * w * w * w * c.noise
	}
	return around(n, c.quantile(noise, quartic)*math.Sqrt(noise), 0, float64(c.plan.MaxRecords))
}

// explained is R² = 1 - θ, where θ is the mean squared residual over the variance of the target, both in units of half
// of the target's range; scale is the unit of a², in these. The variance is the mean of (t-μ)², where a
// noisy μ, the released mean, makes an error of second order. There is no interval where that is too large.
func (c counts) explained(scale float64) Estimate {
	n, sum := c.dot(polynomial{{1}}), c.dot(polynomial{{0, 1}})
	if !(n > 0) {
		return unknown()
	}
	mu := sum / n
	unexplained := c.mean(polynomial{2: {scale}}, polynomial{{mu * mu, -2 * mu, 1}}, math.Inf(-1), math.Inf(1))
	if !unexplained.Value.Defined() {
		return unknown()
	}
	if noise := c.noiseOn(polynomial{{-mu, 1}}); !(noise <= mostMean*n*c.dot(polynomial{{mu * mu, -2 * mu, 1}})) {
		return without(1-float64(unexplained.Value), math.Inf(-1), 1)
	}
	upside := func(v Measure) Measure { return min(1, 1-v) }
	return Estimate{upside(unexplained.Value), upside(unexplained.High), upside(unexplained.Low)}
}

// dot is the sum of a polynomial over the rows.
func (c counts) dot(q polynomial) float64 {
	sum := 0.0
	for j, w := range c.plan.coefficients(q) {
		sum += w * c.cells[j]
	}
	return sum
}

// noiseOn is the variance of the noise on the sum of a polynomial.
func (c counts) noiseOn(q polynomial) float64 {
	sum := 0.0
	for _, w := range c.plan.coefficients(q) {
		sum += w * w * c.noise
	}
	return sum
}

// mean is Σ above(a, t) / Σ under(a, t), cut to a range.
func (c counts) mean(above, under polynomial, least, most float64) Estimate {
	return c.interval(c.ratioOf(above, under), least, most)
}

// ratioOf is Σ above(a, t) / Σ under(a, t). A row adds ψ = above - θ·under to what is tested, and the sums of the
// squares of ψ over rows and of its products over pairs follow from the release.
func (c counts) ratioOf(above, under polynomial) ratio {
	r := ratio{a: c.dot(above), w: c.dot(under), pairs: c.numberTerms(above, under)}
	theta := r.a / r.w
	squares := [3]polynomial{above.times(above, 1), above.times(under, -2), under.times(under, 1)}
	a, w := c.plan.coefficients(above), c.plan.coefficients(under)
	var s [3][]float64
	for k := range s {
		s[k] = c.plan.coefficients(squares[k])
		r.rows[k] = c.dot(squares[k])
	}
	for j := range a {
		r.noise.add(quad{a[j] * a[j], -2 * a[j] * w[j], w[j] * w[j]}, c.noise)
		r.quartic += math.Pow(a[j]-theta*w[j], 4) * c.noise
		doubt := quad{s[0][j], s[1][j], s[2][j]}.at(theta)
		r.doubt += doubt * doubt * c.noise
	}
	return r
}

// numberTerms are the terms of pairs of rows of a ratio.
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

// times is the product of two polynomials and a number, of degree 4 at most in each of a and t.
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
