package report

import (
	"fmt"
	"math"
	"testing"

	"github.com/ditherml/dither/internal/figure"
)

// labels are the labels of marks; each must read as its value.
func labels(t *testing.T, ticks []tick) string {
	t.Helper()
	var out []string
	for _, at := range ticks {
		if at.Label == "" {
			continue
		}
		if parse(at.Label) != at.Value {
			t.Errorf("got label %q at %v", at.Label, at.Value)
		}
		out = append(out, at.Label)
	}
	return fmt.Sprint(out)
}

func TestScaleTicks(t *testing.T) {
	for _, c := range []struct {
		s    scale
		want string
	}{
		{scale{Low: 0, High: 1.47}, "[0 0.2 0.4 0.6 0.8 1 1.2 1.4]"},
		{scale{Low: 38, High: 99}, "[40 50 60 70 80 90]"},
		{scale{Low: 0.0008, High: 1.2, Log: true}, "[0.001 0.01 0.1 1]"},
		{scale{Low: 0.5, High: 11, Log: true}, "[0.5 1 2 5 10]"},
		{scale{Low: 0.003, High: 0.6, Log: true}, "[0.005 0.01 0.02 0.05 0.1 0.2 0.5]"},
		{scale{Low: 0.15, High: 95, Log: true}, "[0.2 0.5 1 2 5 10 20 50]"},
		{scale{Low: 3, High: 4, Log: true}, "[3 3.2 3.4 3.6 3.8 4]"},
		{scale{Low: 1e-9, High: 1e9, Log: true}, "[1e-9 1e-6 0.001 1 1000 1000000 1e9]"},
		{scale{Low: 0, High: 1e6, Knots: []float64{0, 32, 1000, 28000, 170000, 560000, 1e6}}, "[0 100 10000 100000 500000 1000000]"},
		{scale{Low: 0, High: 1e6, Room: 40, Knots: []float64{0, 32, 1000, 28000, 170000, 560000, 1e6}}, "[0 100 1000 100000 1000000]"},
		{scale{Low: -3, High: 400, Knots: []float64{-3, 0, 3, 400}}, "[-3 1 100]"},
		{scale{Low: 20, High: 30000, Knots: []float64{20, 90, 4000, 30000}}, "[20 50 1000 10000 20000]"},
		{scale{Low: 0, High: 1000, Room: 20}, "[0 400 800]"},
		{newScale([]float64{1e-300, 1e300}, nil, true), "[1e-204 1e-102 1 1e102 1e204]"},
		{scale{Low: 0, High: math.Inf(1), Log: true}, "[]"},
	} {
		if got := labels(t, c.s.Ticks(c.s.Low, c.s.High)); got != c.want {
			t.Errorf("from %v to %v, logarithmic %v: got %s, want %s", c.s.Low, c.s.High, c.s.Log, got, c.want)
		}
	}
}

// TestScaleHolds wants every value inside the axis, the axis at 0 where values come near it, and a wild
// interval cut where it would flatten the curve.
func TestScaleHolds(t *testing.T) {
	for _, c := range []struct {
		name           string
		values, around []float64
		log            bool
		low, high      float64 // where given, else NaN
	}{
		{"accuracy", []float64{80, 90}, []float64{78, 91}, false, 78 - 0.65, 91 + 0.65},
		{"near zero", []float64{1, 9}, nil, false, 0, 9.4},
		{"negative", []float64{-3, -1}, nil, false, -3.1, -0.9},
		{"alone", []float64{4}, nil, false, 2, 6},
		{"zero alone", []float64{0}, nil, false, -1, 1},
		{"nothing", nil, nil, false, 0, 1.05},
		{"wild", []float64{1, 2}, []float64{-1e300, 1e300}, false, 0, 3 + 0.15},
		{"decades", []float64{0.01, 100}, nil, true, math.Pow(10, -2.2), math.Pow(10, 2.2)},
		{"alone on a logarithmic axis", []float64{10}, nil, true, math.Sqrt(10), 10 * math.Sqrt(10)},
	} {
		s := newScale(c.values, c.around, c.log)
		if math.Abs(s.Low-c.low) > 1e-9*(1+math.Abs(c.low)) || math.Abs(s.High-c.high) > 1e-9*(1+math.Abs(c.high)) {
			t.Errorf("%s: got %v to %v, want %v to %v", c.name, s.Low, s.High, c.low, c.high)
		}
		for _, v := range c.values {
			if at := s.place(v); at < 0.04 || at > 0.96 {
				t.Errorf("%s: got %v at %v of the axis, want it inside", c.name, v, at)
			}
		}
	}
}

// TestPlacement puts the texts of many marks into a panel with a curve: none leaves it, and no two cover
// each other.
func TestPlacement(t *testing.T) {
	p := newDrawnPanel(accuracyFigure().Panels[0])
	places := newPlacement(p, 300, 200)
	for i := range 6 {
		x, y := 10+55*float64(i), 100+8*float64(i)
		b := places.put(x, y, 60, 12)
		if b.left < 0 || b.left+b.width > 300 || b.low < 0 || b.low+b.high > 200 {
			t.Errorf("got text %d at %+v, want it inside", i, b)
		}
		for k, other := range places.taken[:i] {
			if b.left < other.left+other.width && other.left < b.left+b.width && b.low < other.low+other.high && other.low < b.low+b.high {
				t.Errorf("got text %d at %+v over text %d at %+v", i, b, k, other)
			}
		}
	}
}

// TestKnots wants knots at equal distances, evenness between two of them, and the ends of the axis for what is beyond.
func TestKnots(t *testing.T) {
	s := scale{Low: 1, High: 100, Knots: []float64{1, 2, 100}}
	whole := s.place(100) - s.place(1)
	for v, want := range map[float64]float64{1: 0, 1.5: 0.25, 2: 0.5, 51: 0.75, 100: 1, 0: 0, 1000: 1} {
		if got := (s.place(v) - s.place(1)) / whole; math.Abs(got-want) > 1e-12 {
			t.Errorf("%v is at %v of the axis, want %v", v, got, want)
		}
	}
	if low, high := s.place(1), s.place(100); low < 0 || high > 1 || low >= high {
		t.Errorf("the ends are at %v and %v", low, high)
	}
}

// TestEqualKnots wants an even axis where two knots are equal, which no distance could tell apart.
func TestEqualKnots(t *testing.T) {
	for _, knots := range [][]float64{{1, 1, 100}, {1, 2, 100}} {
		p := figure.Panel{X: figure.Axis{Knots: knots}, Series: []figure.Series{{Points: []figure.Point{{X: 1, Y: 1, Low: 1, High: 1}, {X: 100, Y: 2, Low: 2, High: 2}}}}}
		x := newDrawnPanel(p).X
		if place := x.place(1); (x.Knots != nil) != (knots[0] < knots[1]) || math.IsNaN(place) {
			t.Errorf("knots %v: got an axis with knots %v, and 1 is at %v", knots, x.Knots, place)
		}
	}
}
