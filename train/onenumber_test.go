package train

import (
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
)

// A row of one number that is scaled to norm 1 is a constant, whatever the number; it keeps its length instead.
func TestOneNumberKeepsItsLength(t *testing.T) {
	height := data.Column{Name: "height", Kind: data.Numeric, Lower: 0, Upper: 2, OutOfRange: data.Clamp, Missing: data.Indicator}
	binned := height
	binned.Bins = []float64{1}
	weight := data.Column{Name: "weight", Kind: data.Numeric, Lower: 0, Upper: 100, OutOfRange: data.Clamp, Missing: data.Zero}
	for name, c := range map[string]struct {
		columns []data.Column
		asked   feature.Normalization
		want    feature.Normalization
	}{
		"one number":         {[]data.Column{height}, "", feature.NormClip},
		"one number, unit":   {[]data.Column{height}, feature.NormUnit, feature.NormUnit},
		"one number in bins": {[]data.Column{binned}, "", feature.NormUnit},
		"two numbers":        {[]data.Column{height, weight}, "", feature.NormUnit},
	} {
		s := toySchema(t)
		s.Columns = c.columns
		m, _, err := Request{Normalization: c.asked}.Encoding(s)
		if err != nil {
			t.Fatal(err)
		}
		if m.Norm != c.want || (m.Norm == feature.NormClip && m.Radius != 1) {
			t.Errorf("%s: rows are normalized by %q with radius %v, want %q", name, m.Norm, m.Radius, c.want)
		}
	}
}
