package special

import "math"

// NormalQuantile returns the x with Φ(x) = p for 0 < p < 1, and ±Inf at the ends. The relative
// error is below 1e-14, and below 1e-15 absolutely near p = ½ (Wichura, "Algorithm AS 241: The
// Percentage Points of the Normal Distribution", Applied Statistics 1988).
func NormalQuantile(p float64) float64 {
	switch q := p - 0.5; {
	case p <= 0:
		return math.Inf(-1)
	case p >= 1:
		return math.Inf(1)
	case math.Abs(q) <= 0.425:
		r := 0.180625 - q*q
		return q * ratio(&quantileMiddle, r)
	case q > 0:
		return -lowQuantile(1 - p)
	}
	return lowQuantile(p)
}

// lowQuantile is NormalQuantile for p below 0.075.
func lowQuantile(p float64) float64 {
	r := math.Sqrt(-math.Log(p))
	if r <= 5 {
		return -ratio(&quantileTail, r-1.6)
	}
	return -ratio(&quantileFar, r-5)
}

// rational holds the coefficients of two polynomials, the highest power first.
type rational struct{ above, below [8]float64 }

// ratio is the quotient of the two polynomials at x.
func ratio(c *rational, x float64) float64 {
	above, below := 0.0, 0.0
	for i := range c.above {
		above = above*x + c.above[i]
		below = below*x + c.below[i]
	}
	return above / below
}

// These are the coefficients of Wichura's PPND16. A test compares the quantiles with exact ones.
var (
	quantileMiddle = rational{
		[8]float64{2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
			1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080},
		[8]float64{5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
			5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1},
	}
	quantileTail = rational{
		[8]float64{7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258,
			3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734},
		[8]float64{1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
			6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187, 1},
	}
	quantileFar = rational{
		[8]float64{2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
			2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990, 6.65790464350110377720},
		[8]float64{2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
			1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1},
	}
)
