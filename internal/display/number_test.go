package display

import (
	"math"
	"testing"
)

// TestRounded holds directed rounding to the exact value of the decimal fraction.
func TestRounded(t *testing.T) {
	for _, c := range []struct {
		v        float64
		digits   int
		down, up string
	}{
		{1.7529931, 5, "1.7529", "1.753"}, {1, 4, "1", "1"}, {0.5, 1, "0.5", "0.5"}, {9.99999, 3, "9.99", "10"},
		{1234567, 3, "1230000", "1240000"}, {1.23456e-7, 3, "1.23e-07", "1.24e-07"}, {0, 5, "0", "0"},
		{math.Inf(1), 5, "infinity", "infinity"}, {2.5e-320, 3, "2.5e-320", "2.5e-320"}, {1, 3, "1", "1"}, {1.5e300, 1, "1e+300", "2e+300"},
	} {
		if down, up := Rounded(c.v, c.digits, false), Rounded(c.v, c.digits, true); down != c.down || up != c.up {
			t.Errorf("%v to %d digits: got %s and %s, want %s and %s", c.v, c.digits, down, up, c.down, c.up)
		}
	}
	for _, c := range []struct {
		v    [3]float64
		want string
	}{
		{[3]float64{4.886554116134933, 4.886554118, 4.886554118228503}, "4.88655 4.88655 4.88656"},
		{[3]float64{1.7528904, 1.75298, 1.7529931}, "1.75289 1.75298 1.75300"},
		{[3]float64{0.4999999999, 0.5, 0.5000000001}, "0.499999 0.500000 0.500001"},
		{[3]float64{0, 2, 2}, "0 2 2"},
		{[3]float64{0, math.Inf(1), math.Inf(1)}, "0 infinity infinity"},
		{[3]float64{9.99e-7, 1e-6, 1.000001e-6}, "9.99e-07 1e-06 1.00001e-06"},
	} {
		if from, middle, to := Interval(c.v[0], c.v[1], c.v[2]); from+" "+middle+" "+to != c.want {
			t.Errorf("%v: got %s, %s, %s, want %s", c.v, from, middle, to, c.want)
		}
	}
}
