package contour

import (
	"errors"
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// withoutReplacement is the pair of a sample of fixed size under replace-one: losses above 0
// from the removal of a Poisson-sampled record, losses below 0 from its addition.
func withoutReplacement(z, q float64) pair.Glued {
	remove := pair.Sampled(pair.Normal, z, q)
	return pair.Glued{Above: remove, Below: remove.Swap()}
}

// gluedBeforeGaussian returns δ of a glued release and a Gaussian of noise multiplier g, as
// the expectation over the loss of the first of the closed profile of the second, by the
// midpoint rule on both sides of the loss 0.
func gluedBeforeGaussian(z, q, g, epsilon float64) float64 {
	const cells, width = 4000, 1.0 / 200
	sum, mass := 0.0, 0.0
	for k := range cells {
		// The loss of the removal is 0 at x = 1/2 and rises in x.
		d := (float64(k) + 0.5) * width * z
		up, down := 0.5+d, 0.5+d // losses above 0 of removal, below 0 of addition
		loss := math.Log1p(q * math.Expm1((2*up-1)/(2*z*z)))
		weight := special.NormalDensity(up/z) * math.Exp(loss) * width
		sum += weight * gaussianDelta(1/g, epsilon-loss)
		mass += weight
		loss = -math.Log1p(q * math.Expm1((2*down-1)/(2*z*z)))
		weight = special.NormalDensity(down/z) * width
		sum += weight * gaussianDelta(1/g, epsilon-loss)
		mass += weight
	}
	return sum + (1-mass)*gaussianDelta(1/g, epsilon)
}

func TestGluedBeforeAGaussian(t *testing.T) {
	for _, c := range []struct{ z, q, g float64 }{{1, 0.1, 1}, {2, 0.5, 3}, {0.7, 0.02, 2}} {
		i, err := New([]Term{{withoutReplacement(c.z, c.q), 1}, {pair.Shift(pair.Normal, c.g), 1}})
		if err != nil {
			t.Fatal(err)
		}
		for _, epsilon := range []float64{0.05, 0.7, 2} {
			want := gluedBeforeGaussian(c.z, c.q, c.g, epsilon)
			if got := delta(t, i, epsilon); !near(got, want, 1e-5) {
				t.Errorf("%+v, ε = %v: got δ = %v, want %v", c, epsilon, got, want)
			}
		}
	}
}

// TestGluedIsDearerThanItsHalves checks the order of the profiles for many releases: the
// glued pair dominates the pair that its positive losses are from.
func TestGluedIsDearerThanItsHalves(t *testing.T) {
	glued, err := compose(t, withoutReplacement(1, 0.01), 1000).Epsilon(1e-5)
	if err != nil {
		t.Fatal(err)
	}
	half, err := compose(t, pair.Sampled(pair.Normal, 1, 0.01), 1000).Epsilon(1e-5)
	if err != nil {
		t.Fatal(err)
	}
	if glued <= half || glued > 2*half {
		t.Errorf("got ε = %v glued and %v not, want the first larger", glued, half)
	}
}

func TestGluedIsItsPairWhenBothHalvesAreOne(t *testing.T) {
	for _, m := range []pair.Pair{pair.Shift(pair.Normal, 2), pair.Shift(pair.Laplace, 1)} {
		glued, plain := compose(t, pair.Glued{Above: m, Below: m}, 80), compose(t, m, 80)
		got, err := glued.Epsilon(1e-6)
		want, err2 := plain.Epsilon(1e-6)
		if err = errors.Join(err, err2); err != nil || !near(got, want, 1e-9) {
			t.Errorf("%+v: got ε = %v, %v, want %v", m, got, err, want)
		}
	}
}

// TestGluedOfUnlikeKinds glues Gaussian losses above 0 to two atoms that leave the same
// probability, and compares with the profile of the Gaussian above 0.
func TestGluedOfUnlikeKinds(t *testing.T) {
	const z = 1.0
	distance := gaussianDelta(1/z, 0)
	// P - Q is -distance on the losses below 0, as randomized response has it.
	pure := math.Log((1 + distance) / (1 - distance))
	for _, g := range []pair.Glued{
		{Above: pair.Shift(pair.Normal, z), Below: response(pure)},
		{Above: response(pure), Below: pair.Shift(pair.Normal, z)},
	} {
		i, err := New([]Term{{g, 1}, {pair.Shift(pair.Normal, 2), 1}})
		if err != nil {
			t.Fatal(err)
		}
		there := delta(t, i, -40)
		if got := delta(t, i, 0.5); there < 1-1e-12 || got <= gaussianDelta(0.5, 0.5) {
			t.Errorf("%+v: got δ(-40) = %v and δ(1/2) = %v", g, there, got)
		}
	}
}

func TestHalvesThatDoNotFitAreRefused(t *testing.T) {
	_, err := New([]Term{{pair.Glued{Above: pair.Shift(pair.Normal, 2), Below: pair.Shift(pair.Normal, 1)}, 5}})
	if err == nil || errors.Is(err, ErrUnsuited) {
		t.Errorf("unlike halves: got error %v, want one that says so", err)
	}
	inner := withoutReplacement(1, 0.1)
	if _, err = New([]Term{{pair.Glued{Above: inner, Below: inner}, 5}}); !errors.Is(err, ErrUnsuited) {
		t.Errorf("glued halves: got error %v, want ErrUnsuited", err)
	}
}
