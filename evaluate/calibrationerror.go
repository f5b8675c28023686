package evaluate

import "math"

// calibrationError returns the mean over the rows of |frequency - probability|, where both are means
// in the rows of the calibration table. The release does not show the probabilities inside a bin. So
// they are taken at the middle of the bin in log-odds, and the interval allows for each other place
// in the bin.
//
// D_b is about row b of the table. It is the number of its rows of the second level, less the sum of
// their probabilities. The release gives D_b + E_b, with an error E_b of variance s_b². The
// errors of the rows are independent.
//
//  1. | Σ|D_b + E_b| - Σ|D_b| | ≤ Σ|E_b|, which has a mean of at most Σ s_b·√(2/π). For normal
//     errors it has the variance Σ s_b²·(1 - 2/π).
//  2. The value is Σ √max(0, (D_b + E_b)² - s_b²), divided by the number of rows.
//  3. Both ends of the interval are divided by the number of rows, as far as its noise allows.
func (c counts) calibrationError() Estimate {
	out := Estimate{Value: noMeasure(), Low: 0, High: 1, Rate: rateAtLeast}
	rows, cells := c.sum(func(place) bool { return true })
	if c.pairs != nil {
		out.Low, out.High, out.Rate = noMeasure(), noMeasure(), ""
	}
	reach := c.countReach(cells)
	if !(rows > 0) {
		return out
	}
	zero, one := c.levels()
	least, most, value, deviations, variances := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, part := range c.calibrationParts() {
		d, lowest, highest, variance := 0.0, 0.0, 0.0, 0.0
		for b := part.first; b < part.end; b++ {
			low, high := c.plan.Edges[b], c.plan.Edges[b+1]
			middle := middleOf(low, high)
			records := zero[b] + one[b]
			d += one[b] - middle*records
			lowest += one[b] - high*max(0, records)
			highest += one[b] - low*max(0, records)
			variance += c.noise*(middle*middle+(1-middle)*(1-middle)) + max(0, records)*max(middle*(1-middle), 0)
		}
		least += max(0, lowest, -highest)
		most += max(math.Abs(lowest), math.Abs(highest))
		value += math.Sqrt(max(0, d*d-variance))
		deviations += math.Sqrt(variance)
		variances += variance
	}
	z := normalQuantile
	if c.single > 0 {
		z = quantile(laplaceExcess / 2.0)
	}
	wrong := math.Sqrt(2/math.Pi)*deviations + z*math.Sqrt((1-2/math.Pi)*variances)
	out.Value = Measure(min(1, value/rows))
	if c.pairs != nil {
		return out
	}
	out.Low = Measure(max(0, least-wrong) / (rows + reach))
	if fewest := rows - reach; fewest > 0 {
		out.High = Measure(min(1, (most+wrong)/fewest))
	}
	out.Low, out.High = min(out.Low, out.Value), max(out.High, out.Value)
	return out
}

// middleOf returns the middle of two ends of a bin, in log-odds where both have some.
func middleOf(low, high float64) float64 {
	if low <= 0 || high >= 1 {
		return (low + high) / 2
	}
	return 1 / (1 + math.Exp(-(logOdds(low)+logOdds(high))/2))
}

// parts are the bins of one row of a calibration table.
type parts struct{ first, end int }

// calibrationParts returns the rows of the calibration table. Neighboring bins are joined where
// there are many. The threshold stays a boundary.
func (c counts) calibrationParts() (out []parts) {
	each := (c.plan.bins() + calibrationRows - 1) / calibrationRows
	two := len(c.plan.Levels) == 2
	for first := 0; first < c.plan.bins(); {
		end := first + 1
		for end < min(first+each, c.plan.bins()) && !(two && c.plan.Edges[end] == c.plan.Threshold) {
			end++
		}
		out = append(out, parts{first, end})
		first = end
	}
	return out
}
