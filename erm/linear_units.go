package erm

import (
	"math"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/train"
)

// intervalLevel is the level of the intervals that Fit gives.
const intervalLevel = 0.95

// inference returns what the released moments of linear regression say, or nil.
func (f *fitting) inference(weights []float64) *train.Inference {
	if f.moments == nil || !f.Schema.Target.Regression() || f.Features.Norm != feature.NormNone || f.Features.Intercept == 0 {
		return nil
	}
	out := &train.Inference{Level: intervalLevel, Records: f.moments.Records(), Determination: f.moments.Determination(0, weights)}
	if v := out.Determination; v-v != 0 {
		out.Determination = 0
	}
	kept := identified(f.Schema)
	moments, err := f.moments.Keep(append(kept, len(weights)-1))
	if err == nil {
		var inferred *Inference
		if inferred, err = moments.Infer(0); err == nil {
			out.Estimates = inferred.inUnits(f.Setup, kept)
			return out
		}
	}
	out.Refusal = strings.TrimPrefix(err.Error(), "erm: ")
	return out
}

// identified lists the features without the first indicator of each column that has only indicators: these
// add up to the constant, so that coefficients of all of them are not determined. The level that is left out
// is part of the intercept, and the others are compared with it.
func identified(s *data.Schema) []int {
	var kept []int
	at := 0
	for _, c := range s.Features() {
		for k := range featuresOf(c) {
			if k > 0 || isNumber(c) {
				kept = append(kept, at+k)
			}
		}
		at += featuresOf(c)
	}
	return kept
}

// inUnits returns the intercept and the coefficients of the kept features in the units of target and columns.
func (f *Inference) inUnits(s Setup, kept []int) []train.Estimate {
	t, names, columns := s.Schema.Target, s.Features.Names(), columnsOfFeatures(s.Schema)
	half := (t.Upper - t.Lower) / 2
	d := len(f.Weights)
	intercept := make([]float64, d)
	intercept[d-1] = half * s.Features.Intercept
	out := make([]train.Estimate, 1, d)
	for i, j := range kept {
		low, width, name := 0.0, 1.0, names[j].String()
		if c := columns[j]; c != nil {
			low, width = scaleOf(*c)
			if c.Transform == data.TransformLog1p {
				name = "log(1 + " + name + ")"
			}
		}
		center := 0.0
		if s.Features.Center != nil {
			center = s.Features.Center[j]
		}
		intercept[i] = -half * (center + low/width)
		slope := make([]float64, d)
		slope[i] = half / width
		e := f.Contrast(slope, 0, intervalLevel)
		e.Name = name
		out = append(out, e)
	}
	out[0] = f.Contrast(intercept, (t.Lower+t.Upper)/2, intervalLevel)
	out[0].Name = "intercept"
	return out
}

// columnsOfFeatures lists, for each feature, the column that it is the number of, nil for an indicator.
func columnsOfFeatures(s *data.Schema) []*data.Column {
	var out []*data.Column
	for _, c := range s.Features() {
		n := featuresOf(c)
		first := len(out)
		out = append(out, make([]*data.Column, n)...)
		if isNumber(c) {
			out[first] = &c
		}
	}
	return out
}

// scaleOf returns where the feature of a number is 0 and how wide the range is in which it goes to 1, on the
// scale of its transform.
func scaleOf(c data.Column) (low, width float64) {
	if c.Transform == data.TransformLog1p {
		low = math.Log1p(c.Lower)
		return low, math.Log1p(c.Upper) - low
	}
	return c.Lower, c.Upper - c.Lower
}
