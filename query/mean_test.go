package query

import (
	"math"
	"strings"
	"testing"
)

// An answer outside of its own interval would be no answer: noise may leave nothing of a count, or less.
func TestMeanLiesInItsInterval(t *testing.T) {
	l := law{kind: laplaceLaw, scale: 3}
	for _, sums := range [][2]float64{{30, 50}, {-3, -4}, {-40, 30}, {30, -40}, {-30, -1}, {0, 0}, {2, -1}, {-1, 2}} {
		a := meanOf(l, sums[0], sums[1], 0.95)
		if !(a.Lower <= a.Value && a.Value <= a.Upper) || a.Lower < 0 || a.Upper > 1 {
			t.Errorf("sums %v: the answer is %v with the interval %v to %v", sums, a.Value, a.Lower, a.Upper)
		}
		if sums[0]+sums[1] <= 0 && !math.IsInf(a.Deviation, 1) {
			t.Errorf("sums %v: the deviation is %v, want none", sums, a.Deviation)
		}
	}
}

// What is refused at delta 0 is told what would do, and not what the statistic has anyway.
func TestDeltaZeroSaysWhatWouldDo(t *testing.T) {
	for p, want := range map[*Plan]string{
		{Statistic: categoriesStatistic, Noise: noiseLaplace}: "a threshold hides",
		{Statistic: correlationStatistic}:                     "its noise is gaussian",
		{Statistic: meanStatistic, Noise: noiseGaussian}:      "want laplace noise or a delta",
	} {
		if got := p.needsDelta().Error(); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", p.Statistic, got, want)
		}
	}
}
