package encoder

import (
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
)

// TestFill moves states to the means of their columns. Rows have the scale 0.4, and half of the rows have no site.
func TestFill(t *testing.T) {
	s := schema()
	e, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	// age, age missing, pay, hours ×3, hours missing, a, b, other, missing, x
	center := []float64{0.1, 0.02, 0.3, 0.2, 0.16, 0.04, -0.01, 0.1, 0.28, -0.02, 0.02, 0.19}
	kept := []float64{1, 0.25, 1, 1, 1, 1, 0, 1, 1, 0, 0.5, 1}
	for _, c := range []struct {
		name    string
		x, want []float64
	}{
		{"declared states alone", []float64{0.5, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1}, []float64{0.5, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1}},
		{"a missing number with a share", []float64{0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1}, []float64{0.75 * 0.1 / 0.385, 0.25, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1}},
		{"a missing bin", []float64{0.5, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1}, []float64{0.5, 0, 1, 0.5, 0.4, 0.1, 0, 0, 1, 0, 0, 1}},
		{"an unknown level", []float64{0.5, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1}, []float64{0.5, 0, 1, 1, 0, 0, 0, 10. / 39, 28. / 39, 0, 1. / 39, 1}},
		{"a missing level with a share", []float64{0.5, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1}, []float64{0.5, 0, 1, 1, 0, 0, 0, 5. / 39, 14. / 39, 0, 0.5 + .5/39, 1}},
		{"several", []float64{0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0}, []float64{0.75 * 0.1 / 0.385, 0.25, 1, 0.5, 0.4, 0.1, 0, 10. / 39, 28. / 39, 0, 1. / 39, 0}},
	} {
		// The sums of the columns hours and job are 0.39 and 0.38, of four features each. The column site does not count.
		got := slices.Clone(c.x)
		Fill(got, e.Names(), center, kept)
		for j := range got {
			if math.Abs(got[j]-c.want[j]) > 1e-12 {
				t.Errorf("%s: feature %v is %v, want %v", c.name, e.Names()[j], got[j], c.want[j])
			}
		}
	}
}

// TestFillAlone fills rows of numbers, whose scale no column tells, and a column that no row shows.
func TestFillAlone(t *testing.T) {
	s := &data.Schema{MaxRecords: 10, Target: data.Target{Column: "y", Upper: 1}}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"} {
		s.Columns = append(s.Columns, data.Column{Name: name, Kind: data.Numeric, Upper: 1, OutOfRange: data.Clamp, Missing: data.Indicator})
	}
	e, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	center, kept, x := make([]float64, 24), slices.Repeat([]float64{1, 0}, 12), make([]float64, 24)
	center[0], center[2], center[4] = 0.3, 0.6, -0.1 // of rows with the scale √(3/12)
	x[1], x[3], x[5], x[6] = 1, 1, 1, 1
	Fill(x, e.Names(), center, kept)
	if want := []float64{0.6, 0, 1, 0, 0, 0, 1}; !slices.EqualFunc(x[:7], want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("got %v, want %v", x[:7], want)
	}
	levels := &data.Schema{MaxRecords: 10, Target: s.Target, Columns: []data.Column{{Name: "a", Kind: data.Categorical, Levels: []string{"p", "q"}, Unknown: data.Other, Missing: data.Zero}}}
	if e, err = New(levels); err != nil {
		t.Fatal(err)
	}
	x = []float64{0, 0, 1}
	if Fill(x, e.Names(), []float64{-0.1, 0, 0}, []float64{1, 1, 0}); !slices.Equal(x, []float64{0, 0, 0}) {
		t.Errorf("got %v, want a row without a state: none has a frequency", x)
	}
}
