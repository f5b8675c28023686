package training

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/moment"
)

// unitOf returns the unit of a column of numbers in words, "" without one.
func unitOf(c *data.Column) string {
	if c.Date != nil && c.Kind == data.Numeric {
		return "days after " + string(moment.AppendDate(nil, float64(c.Date.Since)))
	}
	return c.Unit
}

// empty returns a row without any value.
func (s *shaper) empty() []float32 {
	out := make([]float32, s.features.Encoder().Values())
	for i := range out {
		out[i] = float32(math.NaN())
	}
	return out
}

// places lists the states of a column. In a pair a number has this many, and alone, for which bins is 0, as many as
// a figure shows.
func (s *shaper) places(column, bins int) (out []place) {
	c := s.columns[column]
	add := func(p place, v float64) {
		p.values = s.empty()
		p.values[column] = float32(v)
		out = append(out, p)
	}
	number := func(from, to float64) {
		digits, at, first, last := 4, (from+to)/2, 1.0, 0.0
		for ; digits < 17 && to > from && strconv.FormatFloat(from, 'g', digits, 64) == strconv.FormatFloat(to, 'g', digits, 64); digits++ {
		}
		if c.Integer && to > from { // a cell without an integer holds no record
			first, last = integersIn(from, to, c.Upper)
			if first > last {
				return
			}
			at = min(max(math.Round(at), first), last)
		}
		add(place{name: fmt.Sprintf("%.*g to %.*g", digits, from, digits, to), from: from, to: to, number: true,
			integers: first <= last, first: first, last: last}, at)
	}
	switch {
	case c.Kind == data.Categorical:
		for k, level := range c.Levels {
			add(place{name: level}, float64(k))
		}
		if c.Unknown == data.Other {
			add(place{name: "other", aside: true}, float64(len(c.Levels)))
		}
	case c.Slots() > 0:
		edges := slices.Concat([]float64{c.Lower}, c.Bins, []float64{c.Upper})
		for k := range len(edges) - 1 {
			number(edges[k], edges[k+1])
		}
	default:
		n := cmp.Or(bins, plainPoints-1)
		switch {
		case bins > 0:
		case s.cells:
			n = cellPoints
		default:
			number(c.Lower, c.Lower)
		}
		for k := range n {
			from, to := s.share(&c, float64(k)/float64(n), bins > 0), s.share(&c, float64(k+1)/float64(n), bins > 0)
			if !s.cells && bins == 0 { // a line
				from = to
			}
			number(from, to)
		}
	}
	if c.Missing == data.Indicator {
		add(place{name: "missing", aside: true}, math.NaN())
	}
	return out
}

// share returns the number of a column at a share of its scale. Cells are equally wide on this scale.
func (s *shaper) share(c *data.Column, share float64, pair bool) float64 {
	switch {
	case share <= 0 || share >= 1:
		return c.Lower + (c.Upper-c.Lower)*min(1, max(0, share))
	case c.Transform == data.TransformLog1p:
		low, high := math.Log1p(c.Lower), math.Log1p(c.Upper)
		return math.Expm1(low + (high-low)*share)
	case !pair && slices.Contains(s.halfLogarithmic, c.Name):
		return encoder.HalfLogarithmic(c.Lower, c.Upper, share)
	}
	return c.Lower + (c.Upper-c.Lower)*share
}

// knots returns numbers of a column at equal distances on its scale. They are nil for an even scale.
func (s *shaper) knots(c *data.Column) (out []float64) {
	even := c.Transform != data.TransformLog1p && !slices.Contains(s.halfLogarithmic, c.Name)
	for j := 0; j <= cellPoints && !even; j++ {
		out = append(out, s.share(c, float64(j)/cellPoints, false))
	}
	return out
}

// integersIn returns the first and the last integer of a place. The place holds its upper end if this is the upper
// end of the column. The first is larger than the last if there is none. Ends are rounded.
func integersIn(from, to, upper float64) (first, last float64) {
	near := max(1e-9*(to-from), 1e-15*max(math.Abs(from), math.Abs(to)))
	if to >= upper-near {
		return math.Ceil(from - near), math.Floor(upper)
	}
	return math.Ceil(from - near), math.Ceil(to-near) - 1
}

// points returns values of a column in a place of it, for a number at most this many.
func (p *place) points(column, most int) (out []float32) {
	if !p.number {
		return []float32{p.values[column]}
	}
	if p.integers {
		count := p.last - p.first + 1
		n := min(count, float64(most))
		for k := range int(n) {
			out = append(out, float32(p.first+math.Floor((float64(k)+0.5)*count/n)))
		}
		return out
	}
	for k := range most {
		out = append(out, float32(p.from+(p.to-p.from)*(float64(k)+0.5)/float64(most)))
	}
	return out
}
