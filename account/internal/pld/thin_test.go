package pld

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
)

// TestThinnedPictures holds the cumulants of a choice of many pairs, and how many losses its picture has.
func TestThinnedPictures(t *testing.T) {
	var choice pair.Choice
	for i := range 64 {
		choice = append(choice, pair.Weighted{Weight: 1.0 / 64, Pair: pair.Sampled(pair.Normal, 1+float64(i)/32, 0.02)})
	}
	whole := roughTerm{count: 1, fineness: 10}
	if err := whole.picture(choice, 1, 1e-12, everywhere); err != nil {
		t.Fatal(err)
	}
	thin := whole
	thin.thin()
	if len(thin.loss) > 2500 || len(thin.loss) < 200 || len(whole.loss) < 8000 {
		t.Errorf("%d of %d losses are left, want 200 to 2500 of more than 8000", len(thin.loss), len(whole.loss))
	}
	for _, tilt := range []float64{0, 0.5, 3, 12} {
		a, b := whole.at(tilt), thin.at(tilt)
		if off := math.Abs(a.value - b.value); !(off <= 1e-3*math.Abs(a.value)+1e-9) || !(math.Abs(a.variance-b.variance) <= 5e-3*a.variance) {
			t.Errorf("tilt %v: got %v of the thinned picture, want about %v", tilt, b, a)
		}
	}
	s, err := newSketch([]Term{{choice, 1}}, 1e-12)
	if err != nil || len(s.terms[0].loss) != len(thin.loss) {
		t.Errorf("a sketch keeps %d losses of such a choice (%v), want %d", len(s.terms[0].loss), err, len(thin.loss))
	}
}
