package evaluate

import "math"

const (
	// mostDoubt bounds the noise up to which the sampling part of a variance is used unchanged. It
	// is a share of the variance if each row were drawn by itself. Between mostDoubt and allDoubt
	// the sampling part is raised, from a quarter of that variance to all of it.
	mostDoubt, allDoubt = 0.5, 1
	// mostWidened is the share up to which widened follows its formula.
	mostWidened = 0.55
	// capSlack is the factor by which the largest possible variance is raised. A variance that is
	// known with noise and cut there is too small on average. It was fitted with widened.
	capSlack = 1.05
)

// variances are the parts of the variance of a - θ·w at one θ.
type variances struct {
	noise  float64 // of the noise, known
	apart  float64 // with the sampling of rows by themselves
	guess  float64 // with the released sums over pairs
	most   float64 // the largest possible
	doubt  float64 // deviation of the noise on guess
	paired float64 // the part of it that is on sums over pairs
}

// variances returns the variances of c·a - d·w, which is c times a - θ·w with θ = d/c.
func (s spread) variances(r *ratio, c, d float64) variances {
	v := variances{noise: max(r.noise.on(c, d), r.least.on(c, d))}
	own := r.rows.on(c, d)
	rows, doubt := max(0, own), r.rowDoubt.on(c, d)
	sampling, most := own+r.together.on(c, d), rows
	if doubt > 0 {
		most = max(0, min(r.most.on(c, d), rows+2*math.Sqrt(doubt)))
	}
	whole := r.doubt.on(c, d)
	v.apart, v.guess, v.doubt, v.paired = v.noise+rows, v.noise+sampling, math.Sqrt(whole), math.Sqrt(max(0, whole-doubt))
	v.most = max(v.apart, v.noise+float64(s.most)*most)
	return v
}

// apartFrom returns the variances without the part of the sampling that is shared with t, the
// tested number. At the true θ the mean of t is 0. So the rest has the same mean, but no noise in
// common with t.
func (v variances) apartFrom(t, shared float64) variances {
	if v.doubt > 0 && v.apart > 0 {
		v.guess -= shared / v.apart * t
		v.doubt = math.Sqrt(max(0, v.doubt*v.doubt-shared*shared/v.apart))
	}
	return v
}

// floor returns the least value that the variance is taken for.
func (v variances) floor() float64 {
	if !(v.doubt > 0) {
		return v.noise
	}
	taken := 0.25 + 0.75*max(0, min(1, (v.doubt/v.apart-mostDoubt)/(allDoubt-mostDoubt)))
	return max(v.noise, taken*v.apart)
}

// widened returns the factor by which the quantile grows where the variance is known with noise.
//
//  1. Let s be the deviation of that noise over the variance. The first term is that of Student's
//     quantile with 2/s² degrees of freedom (Fisher's expansion; Satterthwaite, "An approximate
//     distribution of estimates of variance components", Biometrics Bulletin 1946).
//  2. For sums over pairs there is the next order too. It is fitted for shares of 0.1 to 0.5 and 2,
//     3, 5 and 20 rows of a person under normal noise. Other terms need none, since their s is
//     itself largest where the variance is taken too small.
//  3. The effect of the floor at the noise alone is subtracted. A normal variable of mean m and
//     deviation 1 that is cut at 0 has the mean m + φ(m) - m·Φ(-m). So the variance is too large
//     by that share of doubt on average, and its root by half.
//  4. Beyond mostWidened the factor grows in proportion to the share, and covers more.
func (v variances) widened(variance float64) float64 {
	if !(v.doubt > 0) {
		return 0
	}
	const q = normalQuantile
	of := max(v.apart, variance)
	share, paired := min(v.doubt/of, mostWidened), min(v.paired/of, mostWidened)
	x := (variance - v.noise) / v.doubt
	lifted := math.Exp(-x*x/2)/math.Sqrt(2*math.Pi) - x*math.Erfc(x/math.Sqrt2)/2
	w := q*(q*q+1)*share*share/8 + paired*paired*paired*paired - q*math.Sqrt(max(0, share*share-paired*paired))*lifted/2
	return max(0, w) + max(0, v.doubt/of-mostWidened)
}
