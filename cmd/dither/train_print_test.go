package main

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// A guarantee for persons names no second epsilon for the rows of one person, which are the record.
func TestPersonsHaveOneEpsilon(t *testing.T) {
	arguments := []string{"train", "--dry-run", "--max-records-per-person", "5", "--unit", "person:person"}
	for _, more := range [][]string{nil, {"--holdout", "private:0.2"}} {
		out, _ := mustInvoke(t, append(arguments, more...)...)
		for _, unwanted := range []string{"that one person can have", "beside the epsilon of one row"} {
			if strings.Contains(out, unwanted) {
				t.Errorf("%v: a plan for persons says %q:\n%s", more, unwanted, out)
			}
		}
	}
	if out, _ := mustInvoke(t, "train", "--dry-run"); !strings.Contains(out, "for all 5 rows that one person can have") {
		t.Errorf("a plan for rows says nothing of the 5 rows of a person:\n%s", out)
	}
}

// A baseline has no budget to take shares of.
func TestBaselineHasNoShares(t *testing.T) {
	for _, method := range []string{"dp-gd", "l-bfgs"} {
		if out, _ := mustInvoke(t, "train", "--dry-run", "--non-private", "--method", method); strings.Contains(out, "of the budget") || strings.Contains(out, "guarantee covers") || !strings.Contains(out, "test table was declared public") {
			t.Errorf("%s: a baseline names shares of a budget, or what only a guarantee rests on:\n%s", method, out)
		}
	}
	if out, _ := mustInvoke(t, "train", "--dry-run"); !strings.Contains(out, "% of the budget") {
		t.Errorf("a private plan names no shares:\n%s", out)
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
