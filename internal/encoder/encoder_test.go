package encoder

import (
	"math"
	"testing"

	"github.com/ditherml/dither/data"
)

func schema() *data.Schema {
	return &data.Schema{
		Name: "toy", Row: "one person", MaxRecords: 10,
		Columns: []data.Column{
			{Name: "age", Kind: data.Numeric, Lower: 10, Upper: 30, OutOfRange: data.Clamp, Missing: data.Indicator},
			{Name: "pay", Kind: data.Numeric, Lower: 0, Upper: math.E - 1, Transform: data.TransformLog1p, OutOfRange: data.Clamp, Missing: data.Zero, Fill: math.Sqrt(math.E) - 1},
			{Name: "hours", Kind: data.Numeric, Lower: 0, Upper: 99, Bins: []float64{20, 40}, OutOfRange: data.Clamp, Missing: data.Indicator},
			{Name: "job", Kind: data.Categorical, Levels: []string{"a", "b"}, Unknown: data.Other, Missing: data.Indicator},
			{Name: "note", Kind: data.Ignored},
			{Name: "site", Kind: data.Categorical, Levels: []string{"x"}, Unknown: data.Zero, Missing: data.Zero},
		},
		Target: data.Target{Column: "y", Levels: []string{"no", "yes"}},
	}
}

var nan = float32(math.NaN())

func TestEncode(t *testing.T) {
	e, err := New(schema())
	if err != nil {
		t.Fatal(err)
	}
	// age, age missing, pay, hours ×3, hours missing, a, b, other, missing, x
	for _, c := range []struct {
		name   string
		values []float32
		want   []float64
	}{
		{"plain", []float32{20, 0, 10, 0, 0}, []float64{0.5, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}},
		{"edges", []float32{30, float32(math.E - 1), 20, 1, 1}, []float64{1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0}},
		{"last bin, other", []float32{10, 0, 40, 2, 0}, []float64{0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1}},
		{"missing", []float32{nan, nan, nan, nan, nan}, []float64{0, 1, 0.5, 0, 0, 0, 1, 0, 0, 0, 1, 0}},
		{"outside every bound", []float32{99, -5, 1e9, 77, -3}, []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}},
	} {
		got := make([]float64, e.Dim())
		for j := range got {
			got[j] = 7 // Encode must overwrite
		}
		e.Encode(got, c.values)
		for j := range c.want {
			if math.Abs(got[j]-c.want[j]) > 1e-6 {
				t.Errorf("%s: feature %v is %v, want %v", c.name, e.Names()[j], got[j], c.want[j])
			}
		}
	}
	if got := e.Names()[3].String(); got != "hours = under 20" {
		t.Errorf("name: got %q", got)
	}
}

func TestNewRefusesNothing(t *testing.T) {
	if _, err := New(&data.Schema{Columns: []data.Column{{Name: "a", Kind: data.Ignored}}}); err == nil {
		t.Error("a schema without features: got no error")
	}
}
