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

// ownStates are the states of a column alone: levels, or the finest cells of a number.
type ownStates struct {
	features []int
	places   []place
	rows     []sparse
	shares   []float64 // of the records, or nil
}

// own returns the states of a column alone.
func (s *shaper) own(column int) *ownStates {
	if s.owns[column] == nil {
		out := &ownStates{features: s.byColumn[[2]string{s.columns[column].Name}]}
		finest := s.finestOf(column)
		out.places = s.places(column, finest, false)
		out.rows = s.rows(out.features, out.places)
		out.shares = s.shares(out.features, out.rows, finest)
		s.owns[column] = out
	}
	return s.owns[column]
}

// finestOf returns the number of places of a number alone: as many as it has cells, alone or in a pair. Cells of both do
// not meet on a scale that is not even, so there are mostCells then.
func (s *shaper) finestOf(column int) int {
	c := &s.columns[column]
	few := c.Integer && c.Upper-c.Lower < mostSteps
	switch {
	case !s.cells && few:
		return int(math.Floor(c.Upper)-math.Ceil(c.Lower)) + 1
	case !s.cells:
		return linePoints
	case slices.Contains(s.halfLogarithmic, c.Name):
		return mostCells
	}
	return max(1, s.bins[c.Name])
}

// line returns the places of a number that acts in proportion, at points of its line and of its missing cells. It is nil
// for other columns, and for integers that have a step each.
func (s *shaper) line(column int) []place {
	c := s.columns[column]
	if s.cells || c.Kind == data.Categorical || c.Slots() > 0 || c.Integer && c.Upper-c.Lower < mostSteps {
		return nil
	}
	out := s.places(column, plainPoints-1, false)
	for k := range plainPoints {
		at := s.share(&c, float64(k)/(plainPoints-1), false)
		p := place{name: fmt.Sprintf("%.4g", at), from: at, to: at, number: true, values: s.empty()}
		if p.values[column] = float32(at); k < plainPoints-1 {
			out[k] = p
		} else {
			out = slices.Insert(out, k, p)
		}
	}
	return out
}

// places lists the states of a column. A number has at most this many. Pairs are on an even scale.
func (s *shaper) places(column, bins int, pair bool) (out []place) {
	c := s.columns[column]
	add := func(p place, v float64) {
		p.values = s.empty()
		p.values[column] = float32(v)
		out = append(out, p)
	}
	number := func(from, to float64, cell int) {
		at, first, last := (from+to)/2, 1.0, 0.0
		if c.Integer { // a cell without an integer holds no record
			first, last = integersIn(from, to, c.Upper)
			if first > last {
				return
			}
			at = min(max(math.Round(at), first), last)
		}
		add(place{name: between(from, to), from: from, to: to, number: true, integers: c.Integer, first: first, last: last, cell: cell}, at)
	}
	aside := func(name string, v float64) { add(place{name: asideName(c.Levels, name), aside: true}, v) }
	switch {
	case c.Kind == data.Categorical:
		for k, level := range c.Levels {
			add(place{name: level}, float64(k))
		}
		if c.Unknown == data.Other {
			aside("other", float64(len(c.Levels)))
		}
	case c.Slots() > 0:
		edges := slices.Concat([]float64{c.Lower}, c.Bins, []float64{c.Upper})
		for k := range len(edges) - 1 {
			number(edges[k], edges[k+1], k)
		}
	case !s.cells && c.Integer && c.Upper-c.Lower < mostSteps:
		for k := range bins {
			n := math.Ceil(c.Lower) + float64(k)
			number(n-0.5, n+0.5, k)
		}
	default:
		for k := range bins {
			number(s.share(&c, float64(k)/float64(bins), pair), s.share(&c, float64(k+1)/float64(bins), pair), k)
		}
	}
	if c.Missing == data.Indicator {
		aside("missing", math.NaN())
	}
	return out
}

// asideName names missing cells and unknown levels. A declared level may have the same name.
func asideName(levels []string, name string) string {
	switch {
	case !slices.Contains(levels, name):
		return name
	case name == "missing":
		return "missing (no value)"
	}
	return name + " (an unknown level)"
}

// between names the numbers between two ends, with as many digits as tell these apart.
func between(from, to float64) string {
	digits := 4
	for ; digits < 17 && to > from && strconv.FormatFloat(from, 'g', digits, 64) == strconv.FormatFloat(to, 'g', digits, 64); digits++ {
	}
	return fmt.Sprintf("%.*g to %.*g", digits, from, digits, to)
}

// run is places of a number that follow each other.
type run struct {
	from, to  int // of places
	low, high int // of cells
	share     float64
}

// steps returns the places at which the states of a column are drawn, and that of each state. A number has a step for
// each of its cells if there are few. Else it has fewSteps of equal length. If the shares of the records are known, the
// steps with the most records are halved, until none has many or there are mostSteps. So the steps of a number with a
// long tail are short where the records are.
func (s *shaper) steps(own *ownStates) (steps []place, of []int) {
	numbers := 0
	for numbers < len(own.places) && own.places[numbers].number {
		numbers++
	}
	for _, r := range own.runs(numbers) {
		first, last := own.places[r.from], own.places[r.to-1]
		step := first
		if step.to, step.last = last.to, last.last; step.integers {
			step.from, step.to = step.first-0.5, step.last+0.5
		}
		step.name = between(step.from, step.to)
		for range r.to - r.from {
			of = append(of, len(steps))
		}
		steps = append(steps, step)
	}
	for _, p := range own.places[numbers:] {
		of, steps = append(of, len(steps)), append(steps, p)
	}
	return steps, of
}

// runs returns the places of each step of a number, which are the first ones.
func (own *ownStates) runs(numbers int) (out []run) {
	cut := func(low, high int) (r run, some bool) {
		cell := func(p place, cell int) int { return cmp.Compare(p.cell, cell) }
		r.low, r.high = low, high
		r.from, _ = slices.BinarySearchFunc(own.places[:numbers], low, cell)
		r.to, _ = slices.BinarySearchFunc(own.places[:numbers], high, cell)
		for i := r.from; own.shares != nil && i < r.to; i++ {
			r.share += own.shares[i]
		}
		return r, r.to > r.from
	}
	if numbers == 0 {
		return nil
	}
	cells, all := own.places[numbers-1].cell+1, 0.0
	whole := 1
	for whole < cells {
		whole *= 2
	}
	first := fewSteps
	if numbers <= mostSteps {
		first = whole
	}
	for k := range first {
		if r, some := cut(k*whole/first, (k+1)*whole/first); some {
			out, all = append(out, r), all+r.share
		}
	}
	for {
		most := -1
		for i, r := range out {
			if r.to-r.from > 1 && r.share > all/mostSteps && (most < 0 || r.share > out[most].share) {
				most = i
			}
		}
		if most < 0 || len(out) >= mostSteps {
			return out
		}
		r := out[most]
		middle := (r.low + r.high) / 2
		var halves []run
		for _, ends := range [][2]int{{r.low, middle}, {middle, r.high}} {
			if half, some := cut(ends[0], ends[1]); some {
				halves = append(halves, half)
			}
		}
		out = slices.Replace(out, most, most+1, halves...)
	}
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

// knots returns numbers of a column at equal distances on the axis of its steps. They are nil for an even axis. If a step
// would be too narrow to see on the scale of the column, all steps are equally wide. An uneven axis ends at the bounds of
// the column, and so do its steps.
func (s *shaper) knots(column int, steps []place) (out []float64) {
	c := &s.columns[column]
	even := c.Transform != data.TransformLog1p && !slices.Contains(s.halfLogarithmic, c.Name)
	for j := 0; j <= fewSteps && !even; j++ {
		out = append(out, s.share(c, float64(j)/fewSteps, false))
	}
	numbers := slices.IndexFunc(steps, func(p place) bool { return !p.number })
	if numbers < 0 {
		numbers = len(steps)
	}
	if numbers == 0 {
		return nil
	}
	first, last := &steps[0], &steps[numbers-1]
	narrow := func(p place) bool { return p.to > p.from && p.to-p.from < (last.to-first.from)/leastStep }
	labelled := c.Lower >= 0 && c.Upper >= leastUneven
	if !even || labelled && slices.ContainsFunc(steps[:numbers], narrow) {
		first.from, last.to = max(first.from, c.Lower), min(last.to, c.Upper)
		if even {
			out = []float64{first.from}
			for _, p := range steps[:numbers] {
				out = append(out, p.to)
			}
		}
	}
	return out
}

// integersIn returns the first and the last integer of a place. The place holds its upper end if this is the upper
// end of the column. The first is larger than the last if there is none. Ends are rounded.
func integersIn(from, to, upper float64) (first, last float64) {
	near := max(1e-9*(to-from), 1e-15*max(math.Abs(from), math.Abs(to)))
	if to >= upper-near {
		return math.Ceil(from-near) + 0, math.Floor(upper)
	}
	return math.Ceil(from-near) + 0, math.Ceil(to-near) - 1 // without -0
}
