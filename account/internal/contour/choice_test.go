package contour

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
)

// TestChoiceMixesMoments holds that the moment of a public choice is the mixture of the moments, and
// that a choice of one is that pair.
func TestChoiceMixesMoments(t *testing.T) {
	a, b := pair.Sampled(pair.Normal, 1.2, 0.1), pair.Sampled(pair.Laplace, 2, 0.3)
	moment := func(p pair.Pair, order float64) float64 {
		i, err := New([]Term{{p, 1}})
		if err != nil {
			t.Fatal(err)
		}
		return i.LogMoment(order)
	}
	mixed := pair.Choice{{Weight: 0.25, Pair: a}, {Weight: 0.75, Pair: b}, {Weight: 0, Pair: a}}
	for _, order := range []float64{0.5, 3, 20} {
		got, want := moment(mixed, order), math.Log(0.25*math.Exp(moment(a, order))+0.75*math.Exp(moment(b, order)))
		if math.Abs(got/want-1) > 1e-11 {
			t.Errorf("order %v: got %v, want %v", order, got, want)
		}
		if one := moment(pair.Choice{{Weight: 1, Pair: b}}, order); math.Abs(one/moment(b, order)-1) > 1e-12 {
			t.Errorf("order %v: a choice of one is %v, the pair %v", order, one, moment(b, order))
		}
	}
	for name, p := range map[string]pair.Pair{
		"weights sum to less": pair.Choice{{Weight: 0.5, Pair: a}},
		"negative weight":     pair.Choice{{Weight: -1, Pair: a}, {Weight: 2, Pair: b}},
		"no range":            pair.BoundedRange{},
	} {
		if _, err := New([]Term{{p, 1}}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// TestBoundedRange compares moments with their closed form e^(-ε/2)·sinh((t+½)ε)/((t+½)·(1-e^-ε)), and the
// profile of one release with (1-e^((a-ε)/2))²/(1-e^-ε).
func TestBoundedRange(t *testing.T) {
	for _, epsilon := range []float64{0.01, 0.5, 4} {
		i, err := New([]Term{{pair.BoundedRange{Epsilon: epsilon}, 1}})
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range []float64{0.5, 2, 30} {
			want := -epsilon/2 + math.Log(math.Sinh((order+0.5)*epsilon)/((order+0.5)*-math.Expm1(-epsilon)))
			if got := i.LogMoment(order); math.Abs(got-want) > 1e-12+1e-11*math.Abs(want) {
				t.Errorf("ε %v order %v: got %v, want %v", epsilon, order, got, want)
			}
		}
	}
	many, err := New([]Term{{pair.BoundedRange{Epsilon: 0.1}, 400}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := many.Epsilon(1e-6); err != nil || !(got > 3) || got > 7.5 {
		t.Errorf("400 releases of 0.1: got %v, %v, want between 3 and 7.5", got, err)
	}
}
