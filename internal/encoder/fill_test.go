package encoder

import (
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
)

// TestFill moves states to the means of their columns. A column of levels keeps its length, which a row lacks then.
func TestFill(t *testing.T) {
	e, err := New(schema())
	if err != nil {
		t.Fatal(err)
	}
	// age, age missing, pay, hours ×3, hours missing, a, b, other, missing, x
	means := []float64{0.25, 0, 0.75, 0.5, 0.4, 0.1, 0, 0.25, 0.7, 0, 0.05, 1}
	kept := []float64{1, 0.25, 1, 1, 1, 1, 0, 1, 1, 0, 0.5, 1}
	stretch := []float64{9, 9, 9, 2, 2, 2, 2, 3, 3, 3, 3, 9}
	bins, levels := 1-0.25-0.16-0.01, 1-0.0625-0.49-0.0025
	for _, c := range []struct {
		name    string
		x, want []float64
		spare   float64
	}{
		{"declared states alone", []float64{0.5, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1}, []float64{0.5, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1}, 0},
		{"a missing number with a share", []float64{0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1}, []float64{0.75 * 0.25, 0.25, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1}, 0},
		{"a missing bin", []float64{0.5, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1}, []float64{0.5, 0, 1, 0.5, 0.4, 0.1, 0, 0, 1, 0, 0, 1}, bins},
		{"an unknown level", []float64{0.5, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1}, []float64{0.5, 0, 1, 1, 0, 0, 0, 0.25, 0.7, 0, 0.05, 1}, levels},
		{"a missing level with a share", []float64{0.5, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1}, []float64{0.5, 0, 1, 1, 0, 0, 0, 0.125, 0.35, 0, 0.525, 1}, 1 - 0.015625 - 0.1225 - 0.275625},
		{"several", []float64{0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0}, []float64{0.75 * 0.25, 0.25, 1, 0.5, 0.4, 0.1, 0, 0.25, 0.7, 0, 0.05, 0}, bins + levels},
	} {
		got := slices.Clone(c.x)
		spare, stretched := Fill(got, e.Names(), kept, means, stretch)
		for j := range got {
			if math.Abs(got[j]-c.want[j]) > 1e-12 {
				t.Errorf("%s: feature %v is %v, want %v", c.name, e.Names()[j], got[j], c.want[j])
			}
		}
		if c.spare == bins || c.spare == levels || c.name == "several" {
			want := 3 * levels
			if c.name == "several" {
				want += 2 * bins
			} else if c.spare == bins {
				want = 2 * bins
			}
			if math.Abs(stretched-want) > 1e-12 {
				t.Errorf("%s: stretched, the row lacks %v, want %v", c.name, stretched, want)
			}
		}
		if math.Abs(spare-c.spare) > 1e-12 {
			t.Errorf("%s: the row lacks %v, want %v", c.name, spare, c.spare)
		}
	}
}

// TestMeanScale tells the scale of rows by the means of their features.
func TestMeanScale(t *testing.T) {
	e, err := New(schema())
	if err != nil {
		t.Fatal(err)
	}
	// The sums of the columns hours and job are 0.39 and 0.38, of four features each. The column site does not count.
	center := []float64{0.1, 0.02, 0.3, 0.2, 0.16, 0.04, -0.01, 0.1, 0.28, -0.02, 0.02, 0.19}
	if got := MeanScale(e.Names(), center); math.Abs(got-0.385) > 1e-12 {
		t.Errorf("got %v, want 0.385", got)
	}
	s := &data.Schema{MaxRecords: 10, Target: data.Target{Column: "y", Upper: 1}}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"} {
		s.Columns = append(s.Columns, data.Column{Name: name, Kind: data.Numeric, Upper: 1, OutOfRange: data.Clamp, Missing: data.Indicator})
	}
	if e, err = New(s); err != nil {
		t.Fatal(err)
	}
	if got := MeanScale(e.Names(), make([]float64, 24)); math.Abs(got-0.5) > 1e-12 { // √(3/12), which no column tells
		t.Errorf("got %v, want 0.5", got)
	}
}
