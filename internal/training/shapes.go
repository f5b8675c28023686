package training

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/moment"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/model"
)

const (
	// mostShapedColumns is the largest number of columns of a model with shapes.
	mostShapedColumns = 200
	// plainPoints and cellPoints are the numbers of places at which a number is shown: on a line, and
	// in equal cells.
	plainPoints, cellPoints = 9, 32
	// pairPoints is the number of places of a number in a pair. Finer cells of a place are averaged at
	// insidePoints points of each number.
	pairPoints, insidePoints = 4, 4
)

// shaper computes what columns do to the scores of a linear model.
type shaper struct {
	features *feature.Map
	schema   *data.Schema
	columns  []data.Column
	weights  [][]float64 // of each score, effective
	before   [][]float64 // the weights before those with little evidence were moved
	unshrunk *feature.Map
	bars     bars // of the weights
	cells    bool // numbers lie in cells of equal width, or of equal width on the half-logarithmic scale
	// halfLogarithmic are the names of the columns with the latter.
	halfLogarithmic []string
	scratch         *feature.PipelineScratch
	byColumn        map[string][]int
	names           []encoder.Name
	// entries appends the features of a row that are not 0. It is nil for rows that are not mostly 0.
	entries func(values []float32, index []uint32, x []float64) ([]uint32, []float64)
}

// place is a state of a column or of a pair, as values of a row. In a pair, inside has the values of rows
// whose mean the place stands for. Cells that are finer than these rows are sampled.
type place struct {
	name     string
	values   []float32
	inside   [][]float32
	from, to float64 // of a number
	number   bool
	// first and last are the integers in the place of a column of integers.
	first, last float64
	integers    bool
	aside       bool // whether it is a missing cell or an unknown level
}

// shapes returns what each column and each pair of columns does to each score, with half the length of
// the intervals. It is nil for a network and for maps whose features are of many columns.
func shapes(m *model.Model, intervals bars) []report.Shape {
	f := m.Features()
	specs := f.Specs()
	cells := len(specs) == 1 && specs[0].Name == "interactions"
	if m.Network() != nil || len(specs) > 0 && !cells || m.Schema().HasText() || len(m.Schema().Features()) > mostShapedColumns {
		return nil
	}
	s := shaper{features: f, schema: m.Schema(), columns: m.Schema().Features(), weights: effective(m),
		before: effective(intervals.before(m)), unshrunk: intervals.before(m).Features(), bars: intervals,
		cells: cells, scratch: f.Pipeline.NewScratch(), byColumn: map[string][]int{}}
	if cells {
		s.halfLogarithmic = halfLogarithmicOf(specs[0])
		s.entries, _ = f.Pipeline.Entries()
	}
	s.names = f.Names()
	for j, n := range s.names {
		s.byColumn[n.Column] = append(s.byColumn[n.Column], j)
	}
	var out []report.Shape
	for i, c := range s.columns {
		own := s.shape(c.Name, s.places(i, false))
		for k := range own {
			own[k].Unit = unitOf(&c)
			for j := 0; j <= cellPoints && slices.Contains(s.halfLogarithmic, c.Name); j++ {
				own[k].Knots = append(own[k].Knots, encoder.HalfLogarithmic(c.Lower, c.Upper, float64(j)/cellPoints))
			}
		}
		out = append(out, own...)
	}
	for i, a := range s.columns {
		for j, b := range s.columns {
			if name := a.Name + " × " + b.Name; i != j && s.byColumn[name] != nil {
				out = append(out, s.shape(name, s.pairs(i, j))...)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b report.Shape) int { return cmp.Compare(b.Evidence(), a.Evidence()) })
	return out
}

// halfLogarithmicOf returns the columns whose bins are half-logarithmic by the transform interactions.
func halfLogarithmicOf(spec feature.Spec) []string {
	var parameters struct {
		HalfLogarithmic []string `json:"half-logarithmic"`
	}
	if json.Unmarshal(spec.Parameters, &parameters) != nil {
		return nil // a pipeline's specification has a list
	}
	return parameters.HalfLogarithmic
}

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

// places lists the states of a column. In a pair a number has fewer.
func (s *shaper) places(column int, pair bool) (out []place) {
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
		n := plainPoints - 1
		switch {
		case pair:
			n = pairPoints
		case s.cells:
			n = cellPoints
		default:
			number(c.Lower, c.Lower)
		}
		of := func(share float64) float64 { return c.Lower + (c.Upper-c.Lower)*share }
		if !pair && slices.Contains(s.halfLogarithmic, c.Name) {
			of = func(share float64) float64 { return encoder.HalfLogarithmic(c.Lower, c.Upper, share) }
		}
		for k := range n {
			from, to := of(float64(k)/float64(n)), of(float64(k+1)/float64(n))
			if !s.cells && !pair { // a line
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

// pairs lists the states of a pair of columns.
func (s *shaper) pairs(a, b int) (out []place) {
	inside := s.inside(s.columns[a].Name + " × " + s.columns[b].Name)
	for _, p := range s.places(a, true) {
		for _, q := range s.places(b, true) {
			own := place{name: p.name + ", " + q.name, aside: p.aside || q.aside}
			for _, x := range p.points(a, inside) {
				for _, y := range q.points(b, inside) {
					values := s.empty()
					values[a], values[b] = x, y
					own.inside = append(own.inside, values)
				}
			}
			out = append(out, own)
		}
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

// inside returns the number of points of a number in a place of a pair: one, unless there are finer cells than places.
func (s *shaper) inside(pair string) int {
	for _, j := range s.byColumn[pair] {
		if cell := s.names[j].Cell; max(cell.States[0], cell.States[1]) > pairPoints {
			return insidePoints
		}
	}
	return 1
}

// add adds a share of the features of a row, which have places in sum.
func (s *shaper) add(sum []float64, features []int, at map[uint32]int, values []float32, share float64, whole []float64) {
	if s.entries == nil {
		s.features.FeaturesOf(whole, 1, s.scratch, func(int) []float32 { return values })
		for k, j := range features {
			sum[k] += whole[j] * share
		}
		return
	}
	index, x := s.entries(values, nil, nil)
	for k, j := range index {
		if own, is := at[j]; is {
			sum[own] += x[k] * share
		}
	}
}

// shape returns the shapes of a column or a pair, one for each score. Values are relative to the mean
// over the declared states.
func (s *shaper) shape(name string, places []place) []report.Shape {
	features := s.byColumn[name]
	if len(features) == 0 || len(places) == 0 {
		return nil
	}
	rows, mean, declared := make([][]float64, len(places)), make([]float64, len(features)), 0.0
	whole, at := make([]float64, s.features.Pipeline.Dim()), make(map[uint32]int, len(features))
	for k, j := range features {
		at[uint32(j)] = k
	}
	for i, p := range places {
		rows[i] = make([]float64, len(features))
		if p.inside == nil {
			p.inside = [][]float32{p.values}
		}
		for _, values := range p.inside {
			s.add(rows[i], features, at, values, 1/float64(len(p.inside)), whole)
		}
		if !p.aside {
			declared++
			for k, v := range rows[i] {
				mean[k] += v
			}
		}
	}
	var out []report.Shape
	for score, weights := range s.weights {
		shape := report.Shape{Name: name}
		if len(s.weights) > 1 {
			shape.Score = s.schema.Target.Levels[score]
		}
		for i, p := range places {
			moved, value, before := make([]float64, len(features)), 0.0, 0.0
			for k, j := range features {
				moved[k] = rows[i][k] - mean[k]/max(1, declared)
				value += moved[k] * weights[j]
				before += moved[k] * s.before[score][j]
			}
			half := math.Hypot(s.bars.half*s.length(features, moved), s.bars.relative*before)
			if s.bars.spread != nil {
				half = s.bars.spread.Half(score, features, moved, before)
			}
			half += math.Abs(value - before)
			switch {
			case !p.number:
				shape.States = append(shape.States, report.Coefficient{Feature: p.name, Score: shape.Score, Value: value, Half: half})
			default:
				shape.Points = append(shape.Points, figure.Point{X: p.from, Y: value, Low: value - half, High: value + half})
				if p.to > p.from {
					shape.Points = append(shape.Points, figure.Point{X: p.to, Y: value, Low: value - half, High: value + half})
				}
			}
		}
		out = append(out, shape)
	}
	return out
}

// length returns the norm of these features in the rows of training.
func (s *shaper) length(features []int, x []float64) float64 {
	w, sum := s.unshrunk.Whitening, 0.0
	switch {
	case w == nil:
		for _, v := range x {
			sum += v * v
		}
	case w.Scales != nil:
		for k, j := range features {
			sum += x[k] * x[k] * w.Scales[j] * w.Scales[j]
		}
	case w.Matrix != nil:
		d := s.features.Pipeline.Dim()
		y := make([]float64, d)
		for k, j := range features {
			if x[k] != 0 {
				for i, v := range w.Matrix[j*d : (j+1)*d] {
					y[i] += x[k] * v
				}
			}
		}
		for _, v := range y {
			sum += v * v
		}
	}
	return math.Sqrt(sum)
}
