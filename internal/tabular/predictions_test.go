package tabular

import (
	"math"
	"testing"
)

func TestPredictedLevel(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		p    []float64
		want int
	}{
		{[]float64{0.5}, 0}, {[]float64{math.Nextafter(0.5, 1)}, 1}, {[]float64{nan}, -1},
		{[]float64{math.Nextafter(0.5, 0), 0.5}, 0}, {[]float64{0.4, 0.6}, 1}, {[]float64{0.4, nan}, -1},
		{[]float64{0.2, 0.4, 0.4}, 1}, {[]float64{0.4, 0.4, 0.2}, 0}, {[]float64{0.1, 0.2, 0.7}, 2}, {[]float64{nan, 0.2, 0.7}, -1},
	} {
		if got := predictedLevel(c.p, 0.5); got != c.want {
			t.Errorf("predictedLevel(%v): got %d, want %d", c.p, got, c.want)
		}
	}
}
