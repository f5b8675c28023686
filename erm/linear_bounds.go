package erm

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
)

// maxLinearSide bounds the side of the matrix of products: beyond it noise leaves nothing of the sums, and
// the matrix has more than 2^24 numbers.
const maxLinearSide = 1 << 12

// rowNorms are public bounds on the norms of a mapped row.
type rowNorms struct{ l1, l2 float64 }

// boundsOf returns the bounds of rows that a map without normalization makes of encoded columns: of each
// categorical column one indicator is 1, and a number is within 1/2 of its center.
func boundsOf(m *feature.Map, s *data.Schema) rowNorms {
	slack := 1 + 0x1p-20 // as of RowBound
	if m.Norm != feature.NormNone || m.Transforms() || hasText(s) {
		bound := RowBound(m)
		return rowNorms{bound * math.Sqrt(float64(m.Dim())), bound}
	}
	l1, square, at := m.Intercept, m.Intercept*m.Intercept, 0
	for _, c := range s.Features() {
		one, two := columnNorms(c, m.Center, at)
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

// isNumber reports whether a column becomes one number, not indicators.
func isNumber(c data.Column) bool { return c.Kind == data.Numeric && len(c.Bins) == 0 }

// featuresOf is how many features a column becomes, as feature.Encoder has them.
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

// columnNorms bounds the sum of magnitudes and of squares of a column's features, of which the first stands
// at a place of the center.
func columnNorms(c data.Column, center []float64, at int) (l1, square float64) {
	l1, square = 1, 1 // one indicator
	if !isNumber(c) {
		return l1, square
	}
	offset := 0.0
	if center != nil {
		offset = center[at]
	}
	l1 = max(math.Abs(offset), math.Abs(1-offset))
	square = l1 * l1
	if c.Missing == data.Indicator { // then the number is 0 and the indicator 1
		l1, square = max(l1, math.Abs(offset)+1), max(square, offset*offset+1)
	}
	return l1, square
}

// publicCenter is the middle of the range of every number and 0 for indicators: it follows from the schema,
// and halves the norm of numbers.
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

// linearMap returns the map of rows for linear regression: without a normalization in the request, numbers
// keep their scale, so that what is linear in the columns stays linear, and are centered on the middle of
// their declared range.
func linearMap(r Request, s *Setup) *feature.Map {
	if r.Normalization != "" || !s.Schema.Target.Regression() || s.Features.Transforms() || hasText(s.Schema) {
		return s.Features
	}
	m := *s.Features
	m.Norm, m.Radius, m.Center = feature.NormNone, 0, publicCenter(s.Schema, m.Chain.Dim())
	return &m
}

// checkSide refuses matrices that are too large.
func checkSide(features, targets int) error {
	if features+targets > maxLinearSide {
		return fmt.Errorf("erm: there are %d features and %d targets, want at most %d in all for sums of products; use dp-gd", features, targets, maxLinearSide)
	}
	return nil
}

// CheckMap returns an error unless the map of a model is the one that the plan was made for: its rows have the
// plan's bound, and nothing in it was learned.
func (p Plan) CheckMap(m *feature.Map, s *data.Schema) error {
	bound := RowBound(m)
	var center []float64
	if p.Linear != nil {
		bound = boundsOf(m, s).l2
		if p.Linear.Declared {
			center = publicCenter(s, m.Chain.Dim())
		}
	}
	switch shortened := p.Linear != nil && p.RowBound < bound; {
	case p.RowBound != bound && !shortened:
		return fmt.Errorf("the bound of rows is %v in the plan and %v in the model, want one value", p.RowBound, bound)
	case m.Whitening != nil || !slices.Equal(m.Center, center):
		return fmt.Errorf("the model rests on a learned center or covariance, want one that the plan pays for")
	}
	return nil
}
