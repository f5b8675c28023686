package contour

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// addDelta returns δ of count releases of a sampled Gaussian in the direction in which the
// record is added, for ε near the largest loss, -count·log(1-q): by convolution of the
// masses of cells below the largest loss of one release, of which only those count that
// reach ε when all the others are largest. The error falls with the square of the width.
func addDelta(q, z float64, count, cells int, epsilon float64) float64 {
	most := -math.Log1p(-q)
	width := (float64(count)*most - epsilon) / float64(cells)
	// upTo returns the probability that the loss is above most - d.
	above := func(d float64) float64 {
		room := math.Expm1(d-most)/q + 1
		if room <= 0 {
			return 0
		}
		return special.NormalCDF(z*math.Log(room) + 0.5/z)
	}
	one := make([]float64, cells)
	for k := range one {
		one[k] = above(float64(k+1)*width) - above(float64(k)*width)
	}
	all := one
	for range count - 1 {
		next := make([]float64, cells)
		for a, x := range all {
			for b, y := range one[:cells-a] {
				next[a+b] += x * y
			}
		}
		all = next
	}
	sum := 0.0
	for k, x := range all {
		loss := float64(count)*most - (float64(k)+float64(count)/2)*width
		sum += x * math.Max(0, -math.Expm1(epsilon-loss))
	}
	return sum
}

// TestFewReleasesNearTheLargestLoss checks a case in which another program's value, got by
// a transform on a grid, is off in the sixth digit.
func TestFewReleasesNearTheLargestLoss(t *testing.T) {
	const q, z, count, epsilon = 0.01, 0.4, 10, 0.0974
	coarse, fine := addDelta(q, z, count, 1500, epsilon), addDelta(q, z, count, 3000, epsilon)
	want := fine + (fine-coarse)/3
	got := delta(t, compose(t, pair.Sampled(pair.Normal, z, q).Swap(), count), epsilon)
	if !near(got, want, 1e-5) {
		t.Errorf("got δ = %v, want %v", got, want)
	}
}
