package shadow

import (
	"math"
	"slices"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
)

// Energy returns an estimate of the mean square of whitened rows, from the whitening alone. It is 0 if that is not
// known. The argument noise is the standard deviation of the noise in a number of the diagonal of the released
// covariance.
func Energy(w *feature.Whitening, noise float64) (sum float64) {
	factors := slices.Clone(w.Scales)
	switch {
	case w.Matrix != nil:
		d := int(math.Sqrt(float64(len(w.Matrix))))
		e, err := dense.NewEigen(kernel.NewMatrix(slices.Clone(w.Matrix), d, d))
		if err != nil {
			return 0
		}
		factors, _ = e.Ascending()
	case factors == nil:
		return 0
	}
	slices.Sort(factors)
	for _, m := range shownMoments(factors, noise) {
		sum += m
	}
	return sum
}
