package train

import (
	"cmp"
	"math"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
)

// These constants are what is taken to hold of a missing cell or an unknown level before its frequency is released.
const (
	// occurring is the probability that records have the state, and mostOccurring the largest share of records that
	// have it. Up to it, all shares are alike.
	occurring, mostOccurring = 1. / 3, 0.5
	// stateDeviation is the standard deviation that the noise in a frequency should have at most, and mostStateShare the
	// largest share of the budget for it.
	stateDeviation, mostStateShare = 0.03, 0.08
	// farthest is the distance from 0, in standard deviations of the noise, beyond which a frequency says nothing more.
	farthest = 8
	// doubt is a probability that counts as 0.
	doubt = 0.01
)

// occurs returns the probability that records have a state, given its released mean in rows. The mean has normal noise of
// this standard deviation. The scale is the mean value of the state in the rows that have it.
//
// Let z be the mean and r the largest mean without noise, both in units of the noise. Let φ be the density and Φ the
// distribution function of a standard normal number. If no record has the state, z has the density φ(z). Else it has
// (Φ(z) - Φ(z-r))/r. The result follows by Bayes' theorem. It rises with the mean. Below 0.01
// it counts as 0, and above 0.99 as 1.
func occurs(mean, noise, scale float64) float64 {
	z, r := max(-farthest, min(farthest, mean/noise)), mostOccurring*scale/noise
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

// stateNoise returns the standard deviation that the noise in sums of rows should have. With it, frequencies of missing
// cells and unknown levels are told from 0. The result is 0 if rows have no such states, or none that are treated by their
// frequencies. It depends on public numbers alone.
func (s *Setup) stateNoise() float64 {
	m := s.Features
	if m.Norm == feature.NormNone || hasTexts(m.Pipeline) || m.Transforms() && (!cells(m.Pipeline) || s.Plan.Person != nil) {
		return 0
	}
	names, columns, value := m.Names(), 0.0, 0.0
	for j, n := range names {
		if j == 0 || n.Column != names[j-1].Column {
			columns++
		}
		switch {
		case n.Aside:
			value = 1
		case n.Cell.Columns[1] == "" && n.Cell.Aside[0] != "":
			value = max(value, n.Cell.Value)
		}
	}
	scale := 1 / math.Sqrt(max(1, columns))
	if m.Transforms() {
		scale = cellScale(names)
	}
	return stateDeviation * scale * value * float64(cmp.Or(s.Plan.Records, s.Plan.MaxRecords))
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
