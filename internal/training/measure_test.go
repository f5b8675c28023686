package training

import (
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

func TestExtrapolate(t *testing.T) {
	read := func(t timing) float64 { return t.read }
	for _, c := range []struct {
		small, large, records, want float64
	}{
		{1, 2, 400, 4}, {1, 2, 200, 2}, {2, 2, 1000, 2}, {3, 2, 1000, 2}, {1, 2, 100, 1},
	} {
		got := extrapolate([2]timing{{rows: 100, read: c.small}, {rows: 200, read: c.large}}, c.records, read)
		if got != c.want {
			t.Errorf("from %v and %v to %v records: got %v, want %v", c.small, c.large, c.records, got, c.want)
		}
	}
}

// The estimate stays within a factor of three of what 60000 images with scattering and ten levels were measured to
// take (docs/accuracy.md: 78 seconds of processor time with encoding, 6 of it for the test part), and transforms count.
func TestEstimateOfImages(t *testing.T) {
	s, err := data.ParseSchema("images.yaml", []byte("dither-schema: 1\nrow: one image\nrecords: 60000\nmax-records: 60000\n"+
		"target: {column: label, levels: [a, b, c, d, e, f, g, h, i, j]}\ncolumns:\n  \"pixel[0:784]\": {numeric: [0, 255], missing: zero, out-of-range: clamp}\n"))
	if err == nil {
		s, err = s.Expand()
	}
	if err != nil {
		t.Fatal(err)
	}
	processorTime := func(transforms ...string) float64 {
		r := train.Request{Epsilon: 1, Delta: 1e-5, Neighboring: privacy.AddOrRemoveOne}
		for _, text := range transforms {
			spec, err := feature.ParseSpec(text)
			if err != nil {
				t.Fatal(err)
			}
			r.Transforms = append(r.Transforms, spec)
		}
		setup, err := train.NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		parallel, serial, _ := costs(setup)
		return parallel + serial
	}
	raw := processorTime()
	if scattered := processorTime("scattering:shape=28x28", "groupnorm:groups=27"); scattered < 72.0/3 || scattered > 72*3 || scattered < 4*raw {
		t.Errorf("%.3g seconds with scattering and %.3g without, want about 72 and less", scattered, raw)
	}
}
