package evaluate

import "math"

const (
	// rivalTimes and rivalSquares say how much of a rival a level is that lags so many standard deviations: min(1,
	// rivalTimes·exp(-lag²/rivalSquares)). With them the coverage is 94.8 to 96.5 % for up to ten independent normal counts,
	// and no less than 94 % for a hundred, at all distances of the first from the others.
	rivalTimes, rivalSquares = 8, 4
)

// majority is the share of the level that has most records in the release. The chosen one of m levels with about as
// many records is likely to have been raised by what raised it above the others, and then it misses on that side alone,
// so often as one of m does: its lower end is that of a one-sided error of (1-Confidence)/m. One or two levels miss in
// all as often as one.
func (c counts) majority() Estimate {
	level, rivals := c.rivals()
	of := c.prevalence(level)
	if rivals <= 2 {
		return of
	}
	c.wider = math.Sqrt2*math.Erfinv(1-2*(1-Confidence)/rivals)/normalQuantile - 1
	wide := c.prevalence(level)
	if len(wide.Gap) == 0 && len(of.Gap) == 0 {
		wide.High = of.High
	}
	return wide
}

// rivals returns the level with most records in the release, and how many levels, with itself, may have as many.
func (c counts) rivals() (level int, rivals float64) {
	rows, noise := make([]float64, len(c.plan.Levels)), 0.0
	for k := range rows {
		rows[k], noise = c.sum(func(p place) bool { return p.truth == k })
		if rows[k] > rows[level] {
			level = k
		}
	}
	noise *= c.noise // on each level, of as many cells as each other
	agree := c.agreement(level)
	for _, v := range rows {
		lag := rows[level] - v
		variance := (max(0, rows[level])+max(0, v))*agree + 2*noise
		rivals += min(1, rivalTimes*math.Exp(-lag*lag/(variance*rivalSquares)))
	}
	return level, rivals
}

// agreement is by how much the variance of the share of a level is larger since rows of one person agree, at least 1.
func (c counts) agreement(level int) float64 {
	r := c.prevalenceRatio(level)
	if len(r.pairs) == 0 {
		return 1
	}
	v := c.variances(c.folded(r), 1, max(0, min(1, r.value())))
	rows := v.apart - v.noise
	if !(rows > 0) {
		return 1
	}
	return max(1, min(float64(c.most), (v.guess-v.noise)/rows))
}
