package feature

import (
	"math"
	"slices"
	"testing"
)

func straighten(t *testing.T, shape string, x []float64) []float64 {
	t.Helper()
	d, err := newDeskew([]byte(`{"shape":`+shape+`}`), len(x))
	if err != nil {
		t.Fatal(err)
	}
	out := slices.Repeat([]float64{9}, d.Out()) // Apply must overwrite
	d.Apply(out, x, d.NewScratch())
	return out
}

// TestDeskewExactly takes images whose shear and shift can be followed by hand.
func TestDeskewExactly(t *testing.T) {
	for _, c := range []struct {
		name, shape string
		x, want     []float64
	}{
		{"a diagonal", "[3,3]", []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, []float64{0, 1, 0, 0, 1, 0, 0, 1, 0}},
		{"the other diagonal", "[3,3]", []float64{0, 0, 1, 0, 1, 0, 1, 0, 0}, []float64{0, 1, 0, 0, 1, 0, 0, 1, 0}},
		{"half a column a row", "[3,4]", []float64{0, 1, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 1, 0}, []float64{0, 0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0.5, 0.5, 0}},
		{"a number below zero", "[3,3]", []float64{1, 0, 0, 0, 1, 0, -5, 0, 1}, []float64{0, 1, 0, 0, 1, 0, 0, 1, 0}},
		{"upright", "[3,3]", []float64{0, 1, 0, 0, 1, 0, 0, 1, 0}, []float64{0, 1, 0, 0, 1, 0, 0, 1, 0}},
		{"one row", "[3,3]", []float64{0, 0, 0, 0.5, 0.1, 1, 0, 0, 0}, []float64{0, 0, 0, 0.375, 0.38125, 0.6875, 0, 0, 0}},
		{"a point in a corner", "[3,3]", []float64{0, 0, 0, 0, 0, 0, 0.5, 0, 0}, []float64{0, 0, 0, 0, 0.5, 0, 0, 0, 0}},
		{"between rows", "[4,1]", []float64{0, 0, 1, 0}, []float64{0, 0.5, 0.5, 0}},
		{"no mass", "[3,3]", make([]float64, 9), make([]float64, 9)},
		{"no mass above zero", "[1,3]", []float64{-1, 0, -2}, []float64{-1, 0, -2}},
	} {
		got := straighten(t, c.shape, c.x)
		for j := range c.want {
			if !(math.Abs(got[j]-c.want[j]) <= 1e-12) {
				t.Errorf("%s: got %v, want %v", c.name, got, c.want)
				break
			}
		}
	}
}

// TestDeskewMoments draws slanted blobs and measures mass and moments before and after: the mixed moment
// is gone, the centroid is in the middle and the mass stays. Interpolation makes small errors, which the
// bounds allow.
func TestDeskewMoments(t *testing.T) {
	const n = 28
	for _, slant := range []float64{-0.8, -0.3, 0.25, 0.7} {
		x := make([]float64, n*n)
		for i := range x {
			y, z := float64(i/n)-13, float64(i%n)-14
			x[i] = math.Exp(-(y*y/18 + math.Pow(z-slant*y, 2)/4))
		}
		out := straighten(t, "[28,28]", x)
		massBefore, _, _, mixedBefore := moments(x, n)
		mass, y, z, mixed := moments(out, n)
		if math.Abs(mass/massBefore-1) > 1e-3 || math.Hypot(y-13.5, z-13.5) > 1e-2 {
			t.Errorf("slant %v: mass %v became %v, and the centroid is %v, %v, want 13.5, 13.5", slant, massBefore, mass, y, z)
		}
		if math.Abs(mixedBefore) < 1 || math.Abs(mixed) > 0.02 {
			t.Errorf("slant %v: mixed moment %v became %v, want more than 1 in magnitude before and 0 after", slant, mixedBefore, mixed)
		}
		if low, high := slices.Min(out), slices.Max(out); low < 0 || high > 1 {
			t.Errorf("slant %v: numbers between %v and %v, want them between 0 and 1", slant, low, high)
		}
	}
}

func moments(x []float64, n int) (mass, y, z, mixed float64) {
	for i, v := range x {
		mass, y, z = mass+v, y+v*float64(i/n), z+v*float64(i%n)
	}
	y, z = y/mass, z/mass
	for i, v := range x {
		mixed += v * (float64(i/n) - y) * (float64(i%n) - z) / mass
	}
	return mass, y, z, mixed
}

// TestDeskewFarAway shears a flat, wide image by more columns than there are: what is beyond is zero.
func TestDeskewFarAway(t *testing.T) {
	x := make([]float64, 3*40)
	x[0], x[40+20], x[2*40+39] = 1, 1, 1
	got := straighten(t, "[3,40]", x)
	sum := 0.0
	for _, v := range got {
		sum += v
	}
	if math.Abs(sum-3) > 1e-12 || got[20] == 0 || got[2*40+19]+got[2*40+20] == 0 {
		t.Errorf("got %v, want the three points above each other", got)
	}
	x = make([]float64, 7*40)
	x[2*40] = 1e-6 // nearly all mass lies in one row
	for i := range 40 {
		x[3*40+i] = 1
	}
	for _, v := range straighten(t, "[7,40]", x) {
		if !(v >= 0 && v <= 1) {
			t.Errorf("got %v, want numbers between 0 and 1", v)
		}
	}
}
