package training

import (
	"math"
	"slices"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/shadow"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// leastLength is the least mean square of centered rows, as a share of that of rows before they are centered.
const leastLength = 0.1

// An integrand of deviations is 1 below nearIn and 0 beyond farIn. inverseSteps is the number of steps between.
const nearIn, farIn, inverseSteps = 1e-4, 6, 200

// preparation has the standard deviations of the noise in the numbers of released means and of the diagonal of a
// released covariance.
type preparation struct{ center, covariance float64 }

// preparationOf returns the noise of what a run released before the descent.
func preparationOf(p train.Plan, result *train.Result) (out preparation) {
	for _, s := range p.Preparation {
		switch noise := s.NoiseMultiplier * s.Bound / result.Divisor; s.Kind {
		case option.MeanStatistic:
			out.center = noise
		case option.CovarianceStatistic:
			out.covariance = noise
		}
	}
	return out
}

// measure sets the unit of the shapes. Values are in log-odds for two levels, and in the unit of a numeric target. Others
// are in the unit of a score. A row is scaled before it has a score. So values are multiplied by the mean scale of rows,
// if released numbers tell it.
func (s *shaper) measure(m *model.Model, noise preparation, splits []*split) {
	scale := s.meanScale(noise, splits)
	if s.factor = scale; !(scale > 0) || math.IsInf(scale, 1) {
		s.factor, s.unscaled = 1, true
		return
	}
	t, loss := s.schema.Target, m.Linear().Loss.Name()
	switch {
	case t.Regression() && slices.Contains([]string{model.Squared.Name(), model.Huber(0).Name(), "quantile"}, loss):
		s.factor *= (t.Upper - t.Lower) / 2
		s.unit = t.Column
	case len(t.Levels) == 2 && loss == model.Logistic.Name():
		s.unit = "the log-odds of " + t.Levels[1]
	}
}

// meanScale returns an estimate of the mean scale of the features of a row, up to the whitening. It is 0 if released
// numbers do not tell it.
//
// Let x be the features, c the center, P the whitening and a the constant. A row is P(x/|x| - c), scaled to norm 1 and then
// by 1/√(1+a²). The means of 1/|x|, of |x/|x| - c|² and of |Px|² follow from released means. Cells have no center, so the
// first scaling does not matter.
func (s *shaper) meanScale(noise preparation, splits []*split) float64 {
	f, norm := s.features, 0.0
	length := s.cellLength()
	switch {
	case f.Norm == feature.NormNone:
		return 1
	case f.Norm == feature.NormClip && length > 0 && f.Center == nil && f.Whitening == nil:
		return min(1, f.Radius/length)
	case f.Norm != feature.NormUnit:
		return 0
	case s.cells && length == 0: // cells share features
		return 0
	case s.cells && f.Whitening != nil && f.Whitening.Scales != nil && f.Center == nil:
		norm = s.scaledLength(splits)
	case s.cells && f.Whitening == nil && f.Center == nil:
		norm = length
	case s.cells || f.Center == nil:
		return 0
	default:
		norm = s.plainLength(noise)
	}
	if !(norm > 0) {
		return 0
	}
	return 1 / (norm * math.Hypot(1, f.Intercept))
}

// cellLength returns the norm of a row of cells, which has one cell of each grid. It is 0 for other rows, and for pairs
// whose cells share features.
func (s *shaper) cellLength() float64 {
	square, last := 0.0, 0
	for _, n := range s.names {
		if n.Cell.Columns[0] == "" {
			return 0
		}
		if n.Cell.Grid > last {
			last, square = n.Cell.Grid, square+n.Cell.Value*n.Cell.Value
		}
	}
	return math.Sqrt(square)
}

// scaledLength returns the length whose inverse is the mean inverse norm of a row of cells after their scales. It is 0
// without released frequencies. Columns and pairs are taken to be independent.
//
// The square S of the norm is a sum over columns and pairs, and E S^-½ = 2/√π · ∫ E exp(-u²·S) du for u from 0 on. The
// integrand is a product of means over the states of a column or the cells of a pair.
func (s *shaper) scaledLength(splits []*split) float64 {
	if s.frequencies == nil {
		return 0
	}
	type states struct{ parts, squares []float64 }
	var all []states
	least, mean := 0.0, 0.0
	add := func(features []int, places []place, shares []float64, rows []sparse) {
		own, smallest, sum := states{parts: weights(places, shares)}, math.Inf(1), 0.0
		for i, r := range rows {
			square := 0.0
			for k, at := range r.at {
				length := r.x[k] * s.features.Whitening.Scales[features[at]]
				square += length * length
			}
			if own.squares = append(own.squares, square); own.parts[i] > 0 {
				smallest = min(smallest, square)
			}
			sum += own.parts[i] * square
		}
		least, mean, all = least+smallest, mean+sum, append(all, own)
	}
	for column := range s.columns {
		own := s.own(column)
		add(own.features, own.places, own.shares, own.rows)
	}
	for _, p := range splits {
		add(p.features, p.places, p.shares, p.rows)
	}
	if !(least > 0) {
		return math.Sqrt(mean)
	}
	// The integral is over the logarithm of u. Below its start the integrand is about 1.
	from, to := nearIn/math.Sqrt(mean), farIn/math.Sqrt(least)
	step, sum := math.Log(to/from)/inverseSteps, from
	for k := range inverseSteps {
		u := from * math.Exp(step*(float64(k)+0.5))
		product := u * step
		for _, own := range all {
			part := 0.0
			for i, p := range own.parts {
				if p > 0 {
					part += p * math.Exp(-u*u*own.squares[i])
				}
			}
			product *= part
		}
		sum += product
	}
	return math.Sqrt(math.Pi) / (2 * sum)
}

// plainLength returns the norm of a centered and whitened row, divided by that before the row was first scaled.
func (s *shaper) plainLength(noise preparation) float64 {
	center := s.features.Center
	square := 1 - sumOf(center, center) + 2*float64(len(center))*noise.center*noise.center
	length := math.Sqrt(max(leastLength, square)) / encoder.MeanScale(s.names, center)
	if w := s.unshrunk.Whitening; w != nil {
		length *= math.Sqrt(shadow.Energy(w, noise.covariance))
	}
	return length
}
