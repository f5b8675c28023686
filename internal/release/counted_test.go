package release

import (
	"github.com/ditherml/dither/mechanism"
	"math"
	"math/rand/v2"
	"testing"
)

// TestObjectiveDistanceIsOfTwoMinimizers computes r of the doc of Solve: each of two neighbors' minimizers is
// off by up to r, so that they are apart by up to 2r.
func TestObjectiveDistanceIsOfTwoMinimizers(t *testing.T) {
	for _, c := range []struct {
		problem Problem
		event   mechanism.ObjectivePerturbation
		dim     int
	}{
		{Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, Ridge: 1, MaxRecords: 1_000_000_000}, mechanism.ObjectivePerturbation{NoiseMultiplier: 0.5, Smoothness: 0.26}, 10},
		{Problem{Loss: LogisticLoss(), Columns: 1, Radius: 2, Ridge: 2, MaxRecords: 100_000_000}, mechanism.ObjectivePerturbation{NoiseMultiplier: 0.1, Smoothness: 0.6}, 1},
		{Problem{Loss: OneVsRestLoss(), Columns: 4, Radius: 1, Ridge: 10, MaxRecords: 1_000_000_000}, mechanism.ObjectivePerturbation{NoiseMultiplier: 1, Smoothness: 0.03}, 100},
	} {
		p, e := c.problem, c.event
		deviation, weights := e.NoiseMultiplier*p.Radius, float64(p.Columns*c.dim)
		// Half a step of the grid of b, and what float64 rounds off a number of at most 16 deviations.
		rounding := math.Sqrt(weights) * deviation * (0x1p-47 + 16*0x1p-52)
		r := (p.Tolerance(c.dim, 16*deviation*math.Sqrt(weights)) + rounding) / p.Ridge
		if least := 0x1p-32 * p.reach(reachOf(e, p, c.dim)); 2*r <= least*1.5 {
			t.Fatalf("%+v: 2r is %v and the least distance %v: the case does not test it", p, 2*r, least)
		}
		if got := ObjectiveDistance(e, p, c.dim); !(got >= 2*r && got <= 2*r*(1+1e-9)) {
			t.Errorf("%+v: the distance is %v, want %v, which is 2r", p, got, 2*r)
		}
	}
}

// TestNewtonRoundingIsCounted wants the error of solving in the sensitivity, once for each of two neighbors, by
// the bound of Higham (theorem 10.4), written out here: in systems whose records weigh much less than the
// ridge it is the larger part.
func TestNewtonRoundingIsCounted(t *testing.T) {
	for _, d := range []int{1, 2, 50, 1000} {
		s := NewtonStep{Gradient: make([]float64, d), Ridge: 1, Curvature: 1e-9, MaxRecords: 1 << 32}
		s.Gradient[0], s.Gradient[d-1] = 3, -4
		norm := 0.0
		for _, v := range s.Gradient {
			norm = math.Hypot(norm, v)
		}
		n := float64(d)
		wrong := (float64(s.MaxRecords)*s.Curvature + s.Ridge) * (n*(3*n+1) + 4) * 0x1p-53
		exact := s.Curvature / (s.Ridge * (s.Ridge + s.Curvature))
		want := norm * (exact + 2*wrong/(s.Ridge*(s.Ridge-wrong)))
		if got := s.Sensitivity(); !(got >= want*(1-1e-12) && got <= want*(1+1e-5)) {
			t.Errorf("%d numbers: the sensitivity is %v, want %v", d, got, want)
		}
		if d == 1000 && !(2*wrong > 0.05*exact) {
			t.Errorf("rounding is %v beside %v: the case does not test it", 2*wrong, exact)
		}
	}
}

// TestGridPointCountsRounding moves weights by the sensitivity in random directions: rounded to the grid they
// lie at most one bound apart, and the worst of them nearly that.
func TestGridPointCountsRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	sample, err := Draw(Full(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, norm := range []Norm{L2(), LInfinity(), L1()} {
		const dim = 3
		g := grid{noise: mechanism.Gaussian{NoiseMultiplier: 1}, norm: norm, bound: 1 << 10, maxRecords: 4}
		p, failed := newGridPoint(sample, g, dim, 1)
		if failed != nil {
			t.Fatal(failed)
		}
		most := 0.0
		for range 20_000 {
			w, v, length := make([]float64, dim), make([]float64, dim), 0.0
			move := make([]float64, dim)
			for j := range w {
				w[j], move[j] = r.NormFloat64(), r.NormFloat64()
				if norm.kind == normLInfinity {
					length = max(length, math.Abs(move[j]))
				} else {
					length = math.Hypot(length, move[j])
				}
			}
			for j := range v {
				v[j] = w[j] + move[j]/length
			}
			a, b := p.seal(w).state.values, p.seal(v).state.values
			apart := make([]float64, dim)
			for j := range apart {
				apart[j] = float64(a[j] - b[j])
			}
			most = max(most, norm.float(apart)/float64(g.bound))
		}
		if !(most <= 1 && most > 0.95) {
			t.Errorf("%v: points at the sensitivity lie %v bounds apart on the grid, want 0.95 to 1", norm, most)
		}
	}
}
