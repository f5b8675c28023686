package train

import (
	"math"
	"testing"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
)

// TestFloorFollowsNoise holds γ: the mean eigenvalue, or 1.75 spectral norms of noise where that is more, for
// each structure. The eigenvalues of the matrices here are their diagonals.
func TestFloorFollowsNoise(t *testing.T) {
	for _, c := range []struct{ noise, want float64 }{{0, 0.25}, {0.01, 0.25}, {0.2, 1.75 * 0.2 * math.Sqrt(8)}} {
		mean := make([]float64, 16)
		for j, v := range []float64{0.5, 0.3, 0.2, 0} {
			mean[5*j] = v
		}
		p, of, trace, err := moment{mean, c.noise}.inverseRoot()
		if err != nil {
			t.Fatal(err)
		}
		want := 0.5/(0.5+c.want) + 0.3/(0.3+c.want) + 0.2/(0.2+c.want)
		if math.Abs(p[15]-1/math.Sqrt(c.want)) > 1e-9 || math.Abs(of.directions-want) > 1e-9 || math.Abs(trace-1) > 1e-9 {
			t.Errorf("noise %v: an empty direction is stretched by %v, directions %v, trace %v, want %v, %v and 1", c.noise, p[15], of.directions, trace, 1/math.Sqrt(c.want), want)
		}
	}
	for noise, want := range map[float64]float64{0: 0.25, 0.2: 1.75 * 0.2 * math.Sqrt(2*math.Log(5))} {
		w, _ := moment{[]float64{0.5, 0.5, 0, math.Copysign(0, -1)}, noise}.diagonal()
		if math.Abs(w.Scales[2]-1/math.Sqrt(want)) > 1e-9 || w.Scales[0] >= w.Scales[2] {
			t.Errorf("noise %v: scales %v, want %v at an empty feature", noise, w.Scales, 1/math.Sqrt(want))
		}
	}
}

// TestNoiseOfMomentsIsKept holds that the floor is told the noise that the plan has, in units of the mean.
func TestNoiseOfMomentsIsKept(t *testing.T) {
	out := prepared{divisor: 50, moments: map[string]moment{}}
	out.learned(PreparationStep{Kind: option.VarianceStatistic, NoiseMultiplier: 10, Bound: 4}, []float64{100, 25})
	if got := out.moments[option.VarianceStatistic]; got.noise != 10*4/50.0 || got.mean[0] != 2 || got.mean[1] != 0.5 {
		t.Errorf("got %+v, want noise 0.8 and the sums over 50", got)
	}
}

// TestCurvatureHasUnits holds that rows longer by a factor have the curvature of its square, whitened or not.
func TestCurvatureHasUnits(t *testing.T) {
	for _, s := range []spread{{}, {directions: 30}, {directions: 1}} {
		at := func(radius float64) float64 {
			m := &feature.Map{Pipeline: toyChain(t), Norm: feature.NormClip, Radius: radius, Intercept: radius / 2, Center: []float64{1}}
			return curvature(m, s)
		}
		if got, want := at(6), 36*at(1); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%+v: curvature %v at radius 6, want %v", s, got, want)
		}
		if got, want := at(1), map[float64]float64{0: centeredCurvature * 1.25, 30: 0.25, 1: 2}[s.directions]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%+v: curvature %v of rows in a ball of radius 1, want %v", s, got, want)
		}
	}
}

func toyChain(t *testing.T) *feature.Pipeline {
	t.Helper()
	setup, err := NewPlan(ask(), toySchema(t))
	if err != nil {
		t.Fatal(err)
	}
	return setup.Features.Pipeline
}

// TestAutoWhitensByPublicNumbers holds the rule: enough records, a structure that is not the diagonal.
func TestAutoWhitensByPublicNumbers(t *testing.T) {
	s, _ := pictures(t, 1)
	for _, c := range []struct {
		records   int
		structure string
		want      bool
	}{{400, "", false}, {1000000, "", true}, {1000, option.StructureKronecker, false}, {1000000, option.StructureKronecker, true}, {1000000, option.StructureDiagonal, false}} {
		s.Records, s.MaxRecords = c.records, c.records
		setup, err := NewPlan(Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Structure: c.structure, Transforms: scatteringOf8x8(t)}, s)
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, p := range setup.Plan.Preparation {
			got = got || isWhitening(p.Kind)
		}
		if intercept := map[bool]float64{true: option.WhitenedIntercept, false: option.DefaultIntercept}[c.want]; got != c.want || setup.Features.Intercept != intercept {
			t.Errorf("%d records, structure %q: whitens %v with intercept %v, want %v and %v", c.records, c.structure, got, setup.Features.Intercept, c.want, intercept)
		}
	}
}
