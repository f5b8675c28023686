package spot

import (
	"math"
	"testing"
)

// TestSameIsOfBits compares numbers that are equal with another sign, and those that are none.
func TestSameIsOfBits(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		a, b []float64
		same bool
	}{
		{nil, nil, true}, {[]float64{1, nan}, []float64{1, -nan}, true}, {[]float64{0}, []float64{math.Copysign(0, -1)}, false},
		{[]float64{1}, []float64{1, 2}, false}, {[]float64{nan}, []float64{1}, false}, {[]float64{1}, []float64{math.Nextafter(1, 2)}, false},
	} {
		if Same(c.a, c.b) != c.same {
			t.Errorf("%v and %v: same is %v", c.a, c.b, !c.same)
		}
	}
}
