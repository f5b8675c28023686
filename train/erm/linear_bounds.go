package erm

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
)

// maxLinearSide bounds the side of the matrix of products. Beyond it, noise hides the sums, and the
// matrix has more than 2^24 numbers.
const maxLinearSide = 1 << 12

// rowNorms are public bounds on the norms of a mapped row.
type rowNorms struct{ l1, l2 float64 }

// boundsOf returns the bounds of rows under a map without normalization. In each categorical column
// one indicator is 1. A number is within 1/2 of its center.
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
func isNumber(c data.Column) bool { return c.Kind == data.Numeric && len(c.Bins) == 0 }

// featuresOf returns how many features a column becomes, in agreement with encoder.Encoder.
func featuresOf(c data.Column) int {
	n := 1
	switch {
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

// columnNorms bounds the sum of magnitudes and the sum of squares of a column's features minus
// their center. The bound holds at each corner of the possible values. A number goes from 0 to 1,
// and is 0 if its indicator of missing cells is 1. At most one indicator is 1.
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

// publicCenter returns the middle of the range of every number, and 0 for indicators. It follows
// from the schema and halves the norm of numbers. Centers of indicators lower the norm a little but
// leave accuracy the same.
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

// checkMap returns an error unless a model has the map that the plan was made for. Its rows have
// the plan's bound. Only a center that the plan pays for was learned.
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
