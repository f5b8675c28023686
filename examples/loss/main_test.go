package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestRents runs the program. The rents are 840 and 2640 in the mean, before one in fifty is put at 4000. The
// noise moves the predictions by standard deviations of about 36 and 27 about 890 and 2800 (200 runs), so that normal errors pass the limits with a probability below 1e-6.
func TestRents(t *testing.T) {
	var b strings.Builder
	if err := run(&b); err != nil {
		t.Fatal(err)
	}
	var small, large float64
	if _, err := fmt.Sscanf(b.String(), "40 square meters: rent %f\n160 square meters: rent %f\n", &small, &large); err != nil {
		t.Fatalf("got %q: %v", b.String(), err)
	}
	if math.Abs(small-890) > 300 || math.Abs(large-2800) > 300 {
		t.Errorf("got rents %v and %v, want about 890 and 2800", small, large)
	}
}

// TestLossIsItsDerivative compares the derivative with differences, and the bounds with what they bound.
func TestLossIsItsDerivative(t *testing.T) {
	const step = 1e-5
	l, residual := logCosh{}, make([]float64, 1)
	for score := -40.0; score <= 40; score += 0.7 {
		l.Residuals(residual, []float64{score}, 0.3)
		difference := (l.Value([]float64{score + step}, 0.3) - l.Value([]float64{score - step}, 0.3)) / (2 * step)
		if math.Abs(residual[0]-difference) > 1e-8 || math.Abs(residual[0]) > l.Lipschitz(1) {
			t.Errorf("score %v: derivative %v, by differences %v, bound %v", score, residual[0], difference, l.Lipschitz(1))
		}
	}
}
