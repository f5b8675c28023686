package query

import (
	"math"

	"github.com/ditherml/dither/internal/pass"
)

// leastCount is a multiple of the noise of a count. The noisy count must reach it for an interval
// of first order. Below it the interval is the whole range.
const leastCount = 20

// clearCount is the multiple of the noise from which an interval over the whole possible range is
// rare in all draws.
const clearCount = leastCount + 4

// variancesOf returns the variance of the numbers in each cell, in one release. It is the sum of
// squared distances from the mean, divided by the number of records.
//
// Let u in [0, 1] be a number's place between its bounds. A row adds ((1-u)², 2u(1-u), u²) to three
// sums. These numbers are not negative and add up to 1: the L1 norm is 1 and the L2 norm at most 1.
// So one row moves the release by at most 1 in either norm, as in a count. The number of records,
// the sum of u and the sum of u² are linear in the three sums.
//
// The interval is of first order in the noise (delta method). Where the noisy count is less than 20
// times its noise, the interval is the whole possible range. Value is moved into the possible
// range, from 0 to a quarter of the squared range.
func variancesOf(t pass.Settings, c tableCells, v rowNumbers, level float64) ([]Answer, error) {
	return tables[varianceStatistic].ask(t, c, v, level)
}

// thirds writes the contribution of a row to the sums of a variance.
func (v rowNumbers) thirds(dst []float64, row int) {
	if x, ok := v.at(row); ok {
		u := (x - v.Lower) / (v.Upper - v.Lower)
		dst[0], dst[1], dst[2] = (1-u)*(1-u), 2*u*(1-u), u*u
	}
}

// varianceOf returns the variance of places in [0, 1] from the three sums.
func varianceOf(l law, p []float64, level float64) Answer {
	const most = 0.25
	n := p[0] + p[1] + p[2]
	if !(n > leastCount*l.deviation()*math.Sqrt(3)) || n <= 0 {
		return Answer{Value: most / 2, Deviation: math.Inf(1), Upper: most, Count: n, AtLeast: true}
	}
	m, q := (p[1]/2+p[2])/n, p[2]/n
	// The derivatives of q - m² by the three sums, times n.
	common := 2*m*m - q
	weights := []float64{common / n, (common - m) / n, (common + 1 - 2*m) / n}
	h := l.halfWidth(level, weights...)
	value := q - m*m
	return Answer{
		Value: min(max(value, 0), most), Deviation: l.deviation() * length(weights),
		Lower: min(max(value-h, 0), most), Upper: min(max(value+h, 0), most), Count: n,
		AtLeast: !(n > clearCount*l.deviation()*math.Sqrt(3)),
	}
}
