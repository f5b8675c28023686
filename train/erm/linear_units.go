package erm

import (
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/train"
)

// intervalLevel is the level of the intervals in a result of Fit.
const intervalLevel = 0.95

// inference returns the inference of linear regression from the released moments. It returns nil
// for other methods and for rows without a constant feature.
func (f *fitting) inference(weights []float64) *train.Inference {
	if f.moments == nil || !f.Schema.Target.Regression() || f.Features.Norm != feature.NormNone || f.Features.Intercept == 0 {
		return nil
	}
	out := &train.Inference{Level: intervalLevel, Records: f.moments.records(), Determination: f.moments.Determination(0, weights)}
	if v := out.Determination; v-v != 0 {
		out.Determination = 0
	}
	if err := f.estimate(out, len(weights)-1); err != nil {
		out.Estimates, out.Refusal = nil, strings.TrimPrefix(err.Error(), "erm: ")
	}
	return out
}

// reasonEmpty is the reason why an empty feature has no estimate.
const reasonEmpty = "what was released about it is noise: no record has it, or too few"

// estimate fills in the coefficients of regression on the features that are not empty. It also
// names the empty features. The constant is the last feature.
func (f *fitting) estimate(out *train.Inference, constant int) error {
	empty, names := map[int]bool{}, f.Features.Names()
	for _, j := range f.moments.Empty() {
		empty[j] = true
		out.Omitted = append(out.Omitted, train.Omission{Name: names[j].String(), Reason: reasonEmpty})
	}
	kept := identified(f.Schema, empty)
	if len(kept) == 0 {
		return fmt.Errorf("erm: what was released about every feature is noise, of norm %.4g; raise epsilon, or use more records or tighter bounds", f.moments.noiseNorm())
	}
	moments, err := f.moments.Keep(append(kept, constant))
	if err != nil {
		return err
	}
	inferred, err := moments.Infer(0)
	if err == nil {
		out.Estimates = inferred.inUnits(f.Setup, kept)
		return nil
	}
	doubtful, failed := moments.Doubtful()
	if failed != nil || len(doubtful) == 0 {
		return err
	}
	const most = 4
	var words []string
	for _, j := range doubtful[:min(most, len(doubtful))] {
		words = append(words, names[kept[j]].String())
	}
	if more := len(doubtful) - most; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return fmt.Errorf("%w; the noise hides what sets these apart from the other features: %s; raise epsilon, tighten their bounds or leave them out", err, strings.Join(words, ", "))
}

// identified returns the features that are not empty, except one indicator of each column that has
// only indicators. The indicators of such a column add up to the constant, so not all of their
// coefficients are determined. The omitted indicator is the first that is not empty. Its level is
// part of the intercept, and the coefficients of the other levels are differences from it.
func identified(s *data.Schema, empty map[int]bool) []int {
	var kept []int
	at := 0
	for _, c := range s.Features() {
		compared := isNumber(c)
		for k := range featuresOf(c) {
			if empty[at+k] {
				continue
			}
			if compared {
				kept = append(kept, at+k)
			}
			compared = true
		}
		at += featuresOf(c)
	}
	return kept
}

// inUnits returns the intercept and the coefficients of the kept features, in the units of the
// target and the columns.
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

// columnsOfFeatures returns the numeric column of each feature, or nil for an indicator.
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

// scaleOf returns the value of a number at which its feature is 0. It also returns the width of the
// range over which the feature rises to 1. Both are on the scale of the column's transform.
func scaleOf(c data.Column) (low, width float64) {
	if c.Transform == data.TransformLog1p {
		low = math.Log1p(c.Lower)
		return low, math.Log1p(c.Upper) - low
	}
	return c.Lower, c.Upper - c.Lower
}
