package training

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/model"
)

const (
	// mostShapedColumns is the largest number of columns of a model with shapes.
	mostShapedColumns = 200
	// plainPoints is the number of places at which a line is drawn, and linePoints that of the places of its mean.
	plainPoints, linePoints = 9, 128
	// fewSteps is the number of steps of equal length of a number with more cells than mostSteps. Those with
	// many records are then divided, until there are mostSteps.
	fewSteps, mostSteps = 32, 64
	// Steps are equally wide if one is narrower than the axis divided by leastStep. The column then has numbers from
	// 0 on, up to leastUneven at least, which such an axis can label.
	leastStep, leastUneven = 128, 10
	// mostCells is the largest number of cells of a number.
	mostCells = 1024
	// rounding is more than the rounding of a value that is 0.
	rounding = 1e-12
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
	byColumn        map[[2]string][]int // features of a column, or of a pair of columns
	owns            map[int]*ownStates
	bins            map[string]int // of a column of numbers in its finest grid, alone or in a pair
	names           []encoder.Name
	number          float64         // of shapes
	numbers         map[string]bool // columns that bins divide
	learned         bool            // whether a weight is not 0
	// factor is what values are multiplied by, and unit names their unit. If unscaled is true, the factor is not known.
	factor   float64
	unit     string
	unscaled bool
	// frequencies are the released means of features as far as they stand out of the noise, or nil.
	frequencies []float64
	// entries appends the features of a row that are not 0. It is nil for rows that are not mostly 0.
	entries func(values []float32, index []uint32, x []float64) ([]uint32, []float64)
}

// place is a state of a column or of a pair, as values of a row.
type place struct {
	name     string
	values   []float32
	from, to float64 // of a number
	number   bool
	// first and last are the integers in the place of a column of integers.
	first, last float64
	integers    bool
	cell        int  // of a number, counted from 0
	aside       bool // whether it is a missing cell or an unknown level
}

// shapes returns what each column and each pair of columns does to each score, with half the length of
// the intervals. Those with the largest effects over the records come first. Among those without an effect,
// those come first that are nearest to one. The frequencies are the released means of features, nil if
// there are none, and noise is that of other released means. The result is nil for a network and for maps whose features
// are of many columns.
func shapes(m *model.Model, intervals bars, frequencies []float64, noise preparation) []report.Shape {
	f := m.Features()
	specs := f.Specs()
	cells := len(specs) == 1 && specs[0].Name == "interactions"
	if m.Network() != nil || len(specs) > 0 && !cells || m.Schema().HasText() || len(m.Schema().Features()) > mostShapedColumns {
		return nil
	}
	s := shaper{features: f, schema: m.Schema(), columns: m.Schema().Features(), weights: effective(m),
		before: effective(intervals.before(m)), unshrunk: intervals.before(m).Features(), bars: intervals,
		cells: cells, scratch: f.Pipeline.NewScratch(), byColumn: map[[2]string][]int{}, owns: map[int]*ownStates{}, bins: map[string]int{}, numbers: map[string]bool{}}
	for _, c := range s.columns {
		s.numbers[c.Name] = c.Ordered || c.Kind == data.Numeric && c.Slots() == 0
	}
	for _, weights := range s.weights {
		s.learned = s.learned || slices.ContainsFunc(weights, func(w float64) bool { return w != 0 })
	}
	if cells {
		s.halfLogarithmic = halfLogarithmicOf(specs[0])
		s.entries, _ = f.Pipeline.Entries()
	}
	if s.names = f.Names(); len(frequencies) == len(s.names) {
		s.frequencies = frequencies
	}
	for j, n := range s.names {
		key := [2]string{n.Column}
		switch {
		case n.Cell.Columns[1] != "":
			key = n.Cell.Columns
		case cells && n.Cell.Columns[0] == "": // a bucket of pairs
			continue
		}
		s.byColumn[key] = append(s.byColumn[key], j)
		finest := s.finest([]int{j})
		for _, column := range n.Cell.Columns {
			s.bins[column] = max(s.bins[column], finest)
		}
	}
	return s.ordered(m, noise)
}

// ordered returns all shapes in order.
func (s *shaper) ordered(m *model.Model, noise preparation) []report.Shape {
	var all []ranked
	var splits []*split
	for _, p := range s.pairs() {
		splits = append(splits, newSplit(s, p))
	}
	s.measure(m, noise, splits)
	s.number = float64((len(s.columns) + len(splits)) * len(s.weights))
	for i := range s.columns {
		c := &s.columns[i]
		for _, own := range s.column(i, splits) {
			own.Name = quoted(c.Name)
			own.Unit = unitOf(c)
			all = append(all, own)
		}
	}
	for _, p := range splits {
		sides, features, states := s.sidesOf(p), p.features, p.states()
		if sides.Point {
			features, states.row = s.whole(p)
		}
		for _, own := range s.shape(p.name, features, states, states.merged(p.drawn, p.larger, len(features))) {
			own.Pair = sides
			all = append(all, own)
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.Effect, a.Effect), cmp.Compare(b.above, a.above))
	})
	var out []report.Shape
	for _, r := range all {
		out = append(out, r.Shape)
	}
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

// add adds the features of a row, which have places in sum.
func (s *shaper) add(sum []float64, features []int, at map[uint32]int, values []float32, whole []float64) {
	if s.entries == nil {
		s.features.FeaturesOf(whole, 1, s.scratch, func(int) []float32 { return values })
		for k, j := range features {
			sum[k] += whole[j]
		}
		return
	}
	index, x := s.entries(values, nil, nil)
	for k, j := range index {
		if own, is := at[j]; is {
			sum[own] += x[k]
		}
	}
}

// sparse are the numbers of a row that are not 0, by their positions among the features of a shape.
type sparse struct {
	at []int
	x  []float64
}

// rows returns the features of places.
func (s *shaper) rows(features []int, places []place) []sparse {
	whole, at := make([]float64, s.features.Pipeline.Dim()), make(map[uint32]int, len(features))
	for k, j := range features {
		at[uint32(j)] = k
	}
	out, sum := make([]sparse, len(places)), make([]float64, len(features))
	for i, p := range places {
		clear(sum)
		s.add(sum, features, at, p.values, whole)
		for k, v := range sum {
			if v != 0 {
				out[i].at, out[i].x = append(out[i].at, k), append(out[i].x, v)
			}
		}
	}
	return out
}

// weights returns the weights of places in means: the shares of records as far as they are known, and else the same for
// each declared state.
func weights(places []place, shares []float64) []float64 {
	if shares != nil {
		return shares
	}
	out, declared := make([]float64, len(places)), 0.0
	for _, p := range places {
		if !p.aside {
			declared++
		}
	}
	for i, p := range places {
		if !p.aside {
			out[i] = 1 / declared
		}
	}
	return out
}

// column returns the shapes of a column. The parts of its pairs that belong to the column alone are in it.
func (s *shaper) column(column int, splits []*split) []ranked {
	name, own := s.columns[column].Name, s.own(column)
	features := own.features
	var pairs []*split
	for _, p := range splits {
		if p.across == column || p.up == column {
			pairs, features = append(pairs, p), slices.Concat(features, p.features)
		}
	}
	row := func(p *place, r *sparse, x []float64) {
		r.addTo(x)
		at := len(own.features)
		for _, split := range pairs {
			for k, v := range split.of(column, p) {
				x[at+k] += v
			}
			at += len(split.features)
		}
	}
	states := drawing{places: own.places, shares: own.shares, row: func(i int, x []float64) { row(&own.places[i], &own.rows[i], x) }}
	if pairs == nil {
		states.rows = own.rows
	}
	if lines := s.line(column); lines != nil {
		rows := s.rows(own.features, lines)
		knots := s.knots(column, lines)
		return knotted(knots, s.shape(name, features, states, drawing{places: lines, row: func(i int, x []float64) { row(&lines[i], &rows[i], x) }}))
	}
	steps, of := s.steps(own)
	knots := s.knots(column, steps)
	return knotted(knots, s.shape(name, features, states, states.merged(steps, of, len(features))))
}

// knotted gives an axis to the shapes of a column.
func knotted(knots []float64, all []ranked) []ranked {
	for k := range all {
		all[k].Knots = knots
	}
	return all
}

// drawing is the states of a column or of a pair. The function row adds the features of a place to a row of zeros. The
// field rows has these features too, if most of them are 0.
type drawing struct {
	places []place
	shares []float64 // of the records, or nil
	row    func(i int, x []float64)
	rows   []sparse
}

// entries returns the number of features of all places.
func (d drawing) entries(features int) (n int) {
	if d.rows == nil {
		return len(d.places) * features
	}
	for _, r := range d.rows {
		n += len(r.at)
	}
	return n
}

// features returns the features of a place. It overwrites x, in which they stand if they are not mostly 0.
func (d drawing) features(i int, x []float64, every []int) sparse {
	if d.rows != nil {
		return d.rows[i]
	}
	clear(x)
	d.row(i, x)
	return sparse{every, x}
}

// merged returns the drawing of larger places. Each stands for the mean over its places. The mean is over the
// records, as far as shares say where these are. The argument of has the larger place of each place.
func (d drawing) merged(larger []place, of []int, features int) drawing {
	out := drawing{places: larger, shares: make([]float64, len(larger))}
	if d.shares == nil {
		out.shares = nil
	}
	members, parts := make([][]int, len(larger)), make([]float64, len(larger))
	for i, k := range of {
		if members[k] = append(members[k], i); d.shares != nil {
			parts[k] += d.shares[i]
		}
	}
	copy(out.shares, parts)
	one := make([]float64, features)
	out.row = func(k int, x []float64) {
		for _, i := range members[k] {
			part := 1 / float64(len(members[k]))
			if parts[k] > 0 {
				part = d.shares[i] / parts[k]
			}
			if part == 0 {
				continue
			}
			clear(one)
			d.row(i, one)
			for j, v := range one {
				x[j] += part * v
			}
		}
	}
	return out
}

// shape returns the shapes of a column or a pair, one for each score. Values are relative to the mean over the records, as
// far as shares say where these are, and else over the declared states. The effect follows from all states, and not from
// the places that are drawn.
func (s *shaper) shape(name string, features []int, states, drawn drawing) []ranked {
	if len(features) == 0 || len(states.places) == 0 {
		return nil
	}
	parts, mean, moved := weights(states.places, states.shares), make([]float64, len(features)), make([]float64, len(features))
	for i, part := range parts {
		if part == 0 {
			continue
		}
		clear(moved)
		states.row(i, moved)
		for k, v := range moved {
			mean[k] += part * v
		}
	}
	relative := func(d drawing) func(i int, x []float64) {
		return func(i int, x []float64) {
			clear(x)
			d.row(i, x)
			for k, v := range mean {
				x[k] -= v
			}
		}
	}
	direction := 1.0
	if s.bars.half > 0 || s.bars.spread != nil { // else there is no noise to compare with
		direction = s.direction(features, parts, mean, states)
	}
	var out []ranked
	for score := range s.weights {
		shape := report.Shape{Name: name, Weighted: states.shares != nil, Of: s.unit, Scaled: s.features.Norm != feature.NormNone && !s.unscaled, Unscaled: s.unscaled}
		if len(s.weights) > 1 {
			shape.Score = s.schema.Target.Levels[score]
		}
		size := effect{shapes: s.number, direction: direction}
		for i, part := range parts {
			if part > 0 {
				relative(states)(i, moved)
				value, half := s.value(score, features, moved)
				size.add(part, value, half)
			}
		}
		for i, p := range drawn.places {
			relative(drawn)(i, moved)
			value, half := s.value(score, features, moved)
			switch {
			case !p.number:
				shape.States = append(shape.States, report.Coefficient{Feature: p.name, Score: shape.Score, Value: value, Half: half})
				if drawn.shares != nil {
					shape.Shares = append(shape.Shares, drawn.shares[i])
				}
			default:
				shape.Points = append(shape.Points, figure.Point{X: p.from, Y: value, Low: value - half, High: value + half})
				if p.to > p.from {
					shape.Points = append(shape.Points, figure.Point{X: p.to, Y: value, Low: value - half, High: value + half})
				}
			}
		}
		shape.Effect = size.size()
		out = append(out, ranked{shape, size.above()})
	}
	return out
}

// value returns what features add to a score, in the unit of the shapes, with half the length of the interval.
func (s *shaper) value(score int, features []int, x []float64) (value, half float64) {
	before := 0.0
	for k, j := range features {
		value += x[k] * s.weights[score][j]
		before += x[k] * s.before[score][j]
	}
	half = math.Hypot(s.bars.half*s.length(features, x), s.bars.relative*before)
	if s.bars.spread != nil {
		half = s.bars.spread.Half(score, features, x, before)
	}
	if half += math.Abs(value - before); math.Abs(value) < rounding {
		value = 0
	}
	return value * s.factor, half * s.factor
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
