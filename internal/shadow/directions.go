package shadow

import (
	"math"
	"slices"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
)

const (
	// most bounds the directions, because their number is cubed.
	most = 1000
	// strengths is the number of groups of directions by their moments. The largest moment of a group is half of
	// that of the group before.
	strengths = 3
	// strongest is the assumed moment of rows that are not whitened in their strongest direction. The made
	// rows take the geometric mean of it and the mean moment.
	strongest = 0.4
	// weakShare is the assumed moment of hidden directions, as a share of the least moment that is shown.
	weakShare = 0.25
)

// Directions are the directions of a whitening.
type Directions struct {
	// Moments are the second moments of prepared rows. They are 0 where the noise hides them.
	Moments []float64
	// Hidden states which moments the noise hides, or were not released.
	Hidden []bool
	// Vectors has one direction in each row.
	Vectors dense.Matrix
	// Constant is the constant in rows.
	Constant float64
	factors  []float64 // what the whitening multiplies a row with
	assumed  bool      // rows are not whitened
}

// directionsOf returns the directions of a map, or false if they are not known. The argument noise is the
// standard deviation of the noise in a number of the diagonal of the released covariance.
func directionsOf(f *feature.Map, noise float64) (Directions, bool) {
	d := f.Pipeline.Dim()
	out := Directions{Constant: f.Intercept / math.Hypot(1, f.Intercept)}
	switch {
	case f.Norm != feature.NormUnit || d > most:
		return Directions{}, false
	case f.Whitening == nil && f.Center != nil && len(f.Pipeline.Specs()) == 0:
		return out.assume(d), true
	case f.Whitening == nil || f.Whitening.Matrix == nil:
		return Directions{}, false
	}
	e, err := dense.NewEigen(kernel.NewMatrix(slices.Clone(f.Whitening.Matrix), d, d))
	if err != nil {
		return Directions{}, false
	}
	out.factors, out.Vectors = e.Ascending()
	sum := 0.0
	for _, m := range shownMoments(out.factors, noise) {
		out.Moments, out.Hidden, sum = append(out.Moments, m), append(out.Hidden, m == 0), sum+m
	}
	for i := range out.Moments {
		out.Moments[i] *= (1 - out.Constant*out.Constant) / sum
	}
	return out, sum > 0
}

// assume fills in the directions of rows that are not whitened.
func (d Directions) assume(dim int) Directions {
	d.Vectors, d.assumed = identity(dim), true
	for range dim {
		d.factors, d.Hidden = append(d.factors, 1), append(d.Hidden, true)
		d.Moments = append(d.Moments, (1-d.Constant*d.Constant)*math.Sqrt(strongest/float64(dim)))
	}
	return d
}

// shownMoments returns the moments of whitened rows, up to a factor, for the ascending factors of a
// whitening.
//
// A direction of released moment v has the factor (v+γ)^-½, and the weakest has a v near 0. Noise alone makes
// moments up to an edge. Let v' be a moment without noise. Above the edge the released moment v is v' + edge²/4v'
// on average, and the true moment in the released direction is v' - edge²/4v' (F. Benaych-Georges and R. Nadakuditi,
// "The eigenvalues and eigenvectors of finite, low rank perturbations of large random matrices", Advances in
// Mathematics 2011).
func shownMoments(factors []float64, noise float64) []float64 {
	last, out := factors[len(factors)-1], make([]float64, len(factors))
	edge := noise * math.Sqrt(2*float64(len(factors)))
	for i, p := range factors {
		if v := 1/(p*p) - 1/(last*last); v > edge {
			own := (v + math.Sqrt(v*v-edge*edge)) / 2
			out[i] = (own - edge*edge/(4*own)) * p * p
		}
	}
	return out
}

// weakest returns the moment that hidden directions are taken to have.
func (d Directions) weakest() float64 {
	least := slices.Max(d.Moments)
	for _, m := range d.Moments {
		if m > 0 {
			least = min(least, m)
		}
	}
	return weakShare * least
}

// strength returns the group of a direction of this moment.
func (d Directions) strength(moment float64) (group int) {
	for limit := slices.Max(d.Moments) / 2; group < strengths-1 && moment <= limit; limit /= 2 {
		group++
	}
	return group
}
