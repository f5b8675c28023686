package erm

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
)

// maxLinearSide is the largest side of the matrix of products. In larger matrices noise hides the
// sums, and there are more than 2^24 numbers.
const maxLinearSide = 1 << 12

// rowNorms are public bounds on the norms of a mapped row.
type rowNorms struct{ l1, l2 float64 }

// boundsOf returns the bounds for rows under a map without normalization. In each categorical
// column one indicator is 1. A number is at most 1/2 from its center.
func boundsOf(m *feature.Map, s *data.Schema) rowNorms {
	slack := 1 + 0x1p-20 // the margin of largestRow
	if m.Norm != feature.NormNone || m.Transforms() || hasText(s) {
		bound := largestRow(m)
		return rowNorms{bound * math.Sqrt(float64(m.Dim())), bound}
	}
	l1, square, at := m.Intercept, m.Intercept*m.Intercept, 0
	center := m.Center
	if center == nil {
		center = make([]float64, m.Pipeline.Dim())
	}
	for _, c := range s.Features() {
		one, two := columnNorms(c, center[at:at+featuresOf(c)])
		l1, square, at = l1+one, square+two, at+featuresOf(c)
	}
	return rowNorms{l1 * slack, math.Sqrt(square) * slack}
}

func hasText(s *data.Schema) bool {
	for _, c := range s.Features() {
		if c.Kind == data.Text {
			return true
		}
	}
	return false
}

// isNumber reports whether a column becomes one number instead of indicators.
func isNumber(c data.Column) bool {
	return c.Ordered || c.Kind == data.Numeric && len(c.Bins) == 0
}

// featuresOf returns the number of features that encoder.Encoder makes from a column.
func featuresOf(c data.Column) int {
	n := 1
	switch {
	case c.Ordered:
	case c.Kind == data.Categorical:
		n = len(c.Levels)
		if c.Unknown == data.Other {
			n++
		}
	case len(c.Bins) > 0:
		n = len(c.Bins) + 1
	}
	if c.Missing == data.Indicator {
		n++
	}
	return n
}

// columnNorms returns bounds on the sum of magnitudes and the sum of squares of a column's features
// minus their center. The bounds hold at each corner of the possible values, so they hold for all
// values. A number is from 0 to 1, and it is 0 if its indicator of missing cells is 1. At most one
// indicator is 1.
func columnNorms(c data.Column, center []float64) (l1, square float64) {
	corners := [][]int{nil}
	for k := range center {
		corners = append(corners, []int{k})
	}
	for _, ones := range corners {
		one, two := 0.0, 0.0
		for k, m := range center {
			v := -m
			if slices.Contains(ones, k) {
				v++
			}
			one, two = one+math.Abs(v), two+v*v
		}
		l1, square = max(l1, one), max(square, two)
	}
	return l1, square
}

// publicCenter returns the center of the features: the middle of the range for numbers, and 0 for
// indicators. The center follows from the schema and halves the norm of numbers. Other centers of
// indicators would lower the norm a little and leave accuracy the same.
func publicCenter(s *data.Schema, dim int) []float64 {
	center, at := make([]float64, dim), 0
	for _, c := range s.Features() {
		if isNumber(c) {
			center[at] = 0.5
		}
		at += featuresOf(c)
	}
	return center
}

// linearMap returns the map of rows for linear regression. If the request has no normalization,
// rows keep their scale, so linear relations between columns stay linear. Rows are moved by a
// public center.
func linearMap(r Request, s *Setup) *feature.Map {
	if r.Normalization != "" || !s.Schema.Target.Regression() || hasText(s.Schema) {
		return s.Features
	}
	m := *s.Features
	m.Norm, m.Radius = feature.NormNone, 0
	if !m.Transforms() {
		m.Center = publicCenter(s.Schema, m.Pipeline.Dim())
	}
	return &m
}

// checkSide refuses matrices that are too large.
func checkSide(features, targets int) error {
	if features+targets > maxLinearSide {
		return fmt.Errorf("erm: there are %d features and %d targets, want at most %d in all for sums of products; use dp-gd", features, targets, maxLinearSide)
	}
	return nil
}

// checkMap returns an error unless a model has the map that the plan was made for. The rows of the
// map must have the plan's bound. The map may have a learned center only if the plan pays for it.
func (p Plan) checkMap(m *feature.Map, s *data.Schema) error {
	bound := largestRow(m)
	var center []float64
	if p.Linear != nil && p.Linear.Declared || p.Newton != nil && p.Newton.Declared {
		center = publicCenter(s, m.Pipeline.Dim())
	}
	if p.Linear != nil || p.Newton != nil {
		bound = boundsOf(m, s).l2
	}
	switch shortened := p.Linear != nil && p.RowBound < bound; {
	case p.RowBound != bound && !shortened:
		return fmt.Errorf("the bound of rows is %v in the plan and %v in the model, want one value", p.RowBound, bound)
	case m.Whitening != nil || !slices.Equal(m.Center, center) && !(p.Center != nil && len(m.Center) == p.Center.Numbers):
		return fmt.Errorf("the model rests on a learned center or covariance, want one that the plan pays for")
	}
	return nil
}
