package pld

import (
	"math"
	"testing"
)

// normalCall is E(e^Y-c)⁺ for Y normal with mean -s²/2 and variance s².
func normalCall(c, s float64) float64 {
	d := math.Log(c) / s
	return 0.5*math.Erfc((d-s/2)/math.Sqrt2) - c*0.5*math.Erfc((d+s/2)/math.Sqrt2)
}

// The law that stands for a split dominates every split: on a grid of widths, of places
// in the cell and of c, E(R-c)⁺ is at most that of the normal law.
func TestNormalLawDominatesEverySplit(t *testing.T) {
	for _, h := range []float64{1e-3, 0.1, 0.5, 1} {
		s := h * math.Sqrt(2*math.Pi) / 4
		for place := 0.01; place < 1; place += 0.01 {
			up, down := math.Exp(h*place), math.Exp(h*(place-1))
			share := (1 - down) / (up - down)
			for x := -1.0; x <= 1; x += 0.02 {
				c := math.Exp(x * h)
				split := share*math.Max(0, up-c) + (1-share)*math.Max(0, down-c)
				if normal := normalCall(c, s); split > normal+1e-15 {
					t.Fatalf("h %g place %g c %g: %g of the split is more than %g", h, place, c, split, normal)
				}
			}
		}
		if math.Erf(s/math.Sqrt(8)) < math.Tanh(h/4) {
			t.Errorf("h %g: erf %v is less than tanh %v", h, math.Erf(s/math.Sqrt(8)), math.Tanh(h/4))
		}
	}
}

// The weights of chords, with the tails, reproduce the means of 1 and of e^Y.
func TestHatsReproduceMeans(t *testing.T) {
	for _, s := range []float64{1e-4, 0.01, 0.3} {
		one, mean := 0.0, 0.0
		const n, reach = 40, 9.0
		for i := range n {
			a, b := s*reach*(2*float64(i)/n-1), s*reach*(2*float64(i+1)/n-1)
			atA, atB := hats(a, b, s)
			one += atA + atB
			mean += atA*math.Exp(a) + atB*math.Exp(b)
		}
		if math.Abs(one-1) > 1e-10 || math.Abs(mean-1) > 1e-10 {
			t.Errorf("s %g: means %v and %v, want 1 and 1", s, one, mean)
		}
	}
}
