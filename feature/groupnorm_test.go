package feature

import (
	"math"
	"testing"
)

func groupNormOf(t *testing.T, groups string, x []float64) ([]float64, transform) {
	t.Helper()
	g, err := newGroupNorm([]byte(`{"groups":`+groups+`}`), len(x))
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, g.Out())
	g.Apply(out, x, g.NewScratch())
	return out, g
}

// TestGroupNorm measures mean and variance of each group by their definitions.
func TestGroupNorm(t *testing.T) {
	x := randomImage(60, 9)
	for j := range x {
		x[j] = 5*float64(j/12) + x[j]*float64(1+j/12)
	}
	out, _ := groupNormOf(t, "5", x)
	for g := range 5 {
		before, after := variance(x[12*g:][:12]), variance(out[12*g:][:12])
		want := before / (before + 1e-5)
		sum := 0.0
		for _, v := range out[12*g:][:12] {
			sum += v
		}
		if math.Abs(sum) > 1e-11 || math.Abs(after-want) > 1e-12 {
			t.Errorf("group %d: sum %v and variance %v, want 0 and %v", g, sum, after, want)
		}
	}
}

// variance is half the mean square of the differences of all pairs.
func variance(x []float64) float64 {
	sum := 0.0
	for _, a := range x {
		for _, b := range x {
			sum += (a - b) * (a - b)
		}
	}
	return sum / float64(2*len(x)*len(x))
}

// TestGroupNormBound has the largest deviation that there is, one number unlike the others, and a group of
// equal numbers, which becomes zeros.
func TestGroupNormBound(t *testing.T) {
	x := make([]float64, 2*9)
	x[3] = 1e6
	for j := 9; j < 18; j++ {
		x[j] = 0.25
	}
	out, g := groupNormOf(t, "2", x)
	if bound := g.Bound(1); out[3] > bound*(1+1e-12) || out[3] < bound*(1-1e-6) {
		t.Errorf("the largest number is %v, want the bound %v", out[3], bound)
	}
	for j := 9; j < 18; j++ {
		if out[j] != 0 {
			t.Errorf("number %d of equal ones is %v, want 0", j, out[j])
		}
	}
}
