package contour

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// TestFaintWeightsKeepTheirLogarithm holds the moment of a choice whose weight is subnormal, of which math.Log is wrong: at a
// large order all of it is due to that choice.
func TestFaintWeightsKeepTheirLogarithm(t *testing.T) {
	const weight, order = 1e-320, 60.0
	i, err := New([]Term{{pair.Choice{{Weight: weight, Pair: pair.Shift(pair.Normal, 1)}, {Weight: 1, Pair: pair.Atoms{{P: 1, Q: 1}}}}, 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := special.Log(weight) + order*(order+1)/2
	if got := i.LogMoment(order); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("got %v, want %v", got, want)
	}
}
