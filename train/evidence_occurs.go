package train

import (
	"math"

	"github.com/ditherml/dither/internal/encoder"
)

// These constants are what is taken to hold of a missing cell or an unknown level before its frequency is released.
const (
	// occurring is the probability that records have the state, and mostOccurring the largest share of records that
	// have it. Up to it, all shares are alike.
	occurring, mostOccurring = 0.2, 0.5
	// farthest is the distance from 0, in standard deviations of the noise, beyond which a frequency says nothing more.
	farthest = 8
	// doubt is a probability that counts as 0.
	doubt = 0.01
	// blurred is the largest mean without noise, in standard deviations of the noise, up to which no mean says anything.
	blurred = 1e-3
)

// occurs returns the probability that records have a state, given its released mean in rows. The mean has normal noise of
// this standard deviation. The scale is the mean value of the state in the rows that have it.
//
// Let z be the mean and r the largest mean without noise, both in units of the noise. Let φ be the density and Φ the
// distribution function of a standard normal number. If no record has the state, z has the density φ(z). Else it has
// (Φ(z) - Φ(z-r))/r. The result follows by Bayes' theorem. It never falls where the mean rises. Below 0.01
// it counts as 0, and above 0.99 as 1.
//
// Beyond 8 standard deviations the mean counts as 8 of them. If r is more than 1, the result is 1 there. If r is at most
// 0.001, all means are alike, and the result is the probability before the release.
func occurs(mean, noise, scale float64) float64 {
	z, r := mean/noise, mostOccurring*scale/noise
	switch {
	case !(r > blurred):
		return occurring
	case z > farthest && r > 1:
		return 1
	}
	z = max(-farthest, min(farthest, z))
	below, above := -z, r-z // Φ(z) - Φ(z-r) is Φ(above) - Φ(below)
	if z < r/2 {
		below, above = z-r, z
	}
	some := occurring * (math.Erfc(-above/math.Sqrt2) - math.Erfc(-below/math.Sqrt2)) / (2 * r)
	none := (1 - occurring) * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	switch p := some / (some + none); {
	case p < doubt:
		return 0
	case p > 1-doubt:
		return 1
	default:
		return p
	}
}

// cellScale returns 1 divided by the norm of a row of cells before it is normalized. The row has one cell of each grid.
func cellScale(names []encoder.Name) float64 {
	square, last := 0.0, 0
	for _, n := range names {
		if n.Cell.Grid > last {
			last, square = n.Cell.Grid, square+n.Cell.Value*n.Cell.Value
		}
	}
	return 1 / math.Sqrt(max(1, square))
}
