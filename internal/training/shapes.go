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
	// plainPoints and cellPoints are the numbers of places at which a number is shown: on a line, and
	// in equal cells.
	plainPoints, cellPoints = 9, 32
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
	byColumn        map[string][]int
	names           []encoder.Name
	numbers         map[string]bool // columns that bins divide
	// frequencies are the released means of features as far as they stand out of the noise, or nil.
	frequencies []float64
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
// the intervals. Those with the largest effects over the records come first. Among those without an effect, the ones
// whose mean squares are farthest above noise come first. The frequencies are the released means of features, nil if there are none. The result is nil for a network
// and for maps whose features are of many columns.
func shapes(m *model.Model, intervals bars, frequencies []float64) []report.Shape {
	f := m.Features()
	specs := f.Specs()
	cells := len(specs) == 1 && specs[0].Name == "interactions"
	if m.Network() != nil || len(specs) > 0 && !cells || m.Schema().HasText() || len(m.Schema().Features()) > mostShapedColumns {
		return nil
	}
	s := shaper{features: f, schema: m.Schema(), columns: m.Schema().Features(), weights: effective(m),
		before: effective(intervals.before(m)), unshrunk: intervals.before(m).Features(), bars: intervals,
		cells: cells, scratch: f.Pipeline.NewScratch(), byColumn: map[string][]int{}, numbers: map[string]bool{}}
	for _, c := range s.columns {
		s.numbers[c.Name] = c.Ordered || c.Kind == data.Numeric && c.Slots() == 0
	}
	if cells {
		s.halfLogarithmic = halfLogarithmicOf(specs[0])
		s.entries, _ = f.Pipeline.Entries()
	}
	if s.names = f.Names(); len(frequencies) == len(s.names) {
		s.frequencies = frequencies
	}
	for j, n := range s.names {
		s.byColumn[n.Column] = append(s.byColumn[n.Column], j)
	}
	var all []ranked
	for i := range s.columns {
		c := &s.columns[i]
		for _, own := range s.shape(c.Name, s.places(i, 0), cellPoints) {
			own.Unit, own.Knots = unitOf(c), s.knots(c)
			all = append(all, own)
		}
	}
	for _, p := range s.pairs() {
		places, sides := s.placesOf(p)
		for _, own := range s.shape(p.name, places, p.bins) {
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

// ranked is a shape with the distance of its mean square above what noise alone would give, in standard deviations.
type ranked struct {
	report.Shape
	above float64
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
		inside := p.inside
		if inside == nil {
			inside = [][]float32{p.values}
		}
		for _, values := range inside {
			s.add(sum, features, at, values, 1/float64(len(inside)), whole)
		}
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

// shape returns the shapes of a column or a pair, one for each score. Values are relative to the mean
// over the records, as far as released frequencies say where these are, and else over the declared states. Numbers
// have about this many bins.
func (s *shaper) shape(name string, places []place, bins int) []ranked {
	features := s.byColumn[name]
	if len(features) == 0 || len(places) == 0 {
		return nil
	}
	rows := s.rows(features, places)
	shares := s.shares(features, rows, bins)
	parts, mean, moved := weights(places, shares), make([]float64, len(features)), make([]float64, len(features))
	for i, r := range rows {
		for k, at := range r.at {
			mean[at] += parts[i] * r.x[k]
		}
	}
	var out []ranked
	for score := range s.weights {
		shape := report.Shape{Name: name}
		if len(s.weights) > 1 {
			shape.Score = s.schema.Target.Levels[score]
		}
		var effect effect
		for i, p := range places {
			for k, v := range mean {
				moved[k] = -v
			}
			for k, at := range rows[i].at {
				moved[at] += rows[i].x[k]
			}
			value, half := s.value(score, features, moved)
			effect.add(parts[i], value, half)
			switch {
			case !p.number:
				shape.States = append(shape.States, report.Coefficient{Feature: p.name, Score: shape.Score, Value: value, Half: half})
				if shares != nil {
					shape.Shares = append(shape.Shares, shares[i])
				}
			default:
				shape.Points = append(shape.Points, figure.Point{X: p.from, Y: value, Low: value - half, High: value + half})
				if p.to > p.from {
					shape.Points = append(shape.Points, figure.Point{X: p.to, Y: value, Low: value - half, High: value + half})
				}
			}
		}
		shape.Effect = effect.size()
		out = append(out, ranked{shape, effect.above()})
	}
	return out
}

// value returns what features add to a score, with half the length of the interval.
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
	return value, half
}

// effect is the mean square of a shape over records. The interval of a value gives its noise: half its length is
// normalReach standard deviations. All numbers in it are released or public: frequencies, weights, and the plan's
// noise.
type effect struct {
	square float64 // mean square of the values
	noise  float64 // its mean if the values are noise alone
	spread float64 // its variance if they are independent noise alone
}

// add adds a value that a part of the records has.
func (e *effect) add(part, value, half float64) {
	noise := part * half * half / (normalReach * normalReach)
	e.square += part * value * value
	e.noise += noise
	e.spread += 2 * noise * noise
}

// reach is the number of standard deviations of a mean square of noise that are taken off.
const reach = 3

// size returns the root of the mean square, less what noise alone would give: its mean and three standard
// deviations. It is 0 if nothing remains. So a value that is large by the luck of its noise counts little, if
// few records have it or its interval is long. Without intervals nothing is taken off.
func (e *effect) size() float64 {
	return math.Sqrt(max(0, e.square-e.noise-reach*math.Sqrt(e.spread)))
}

// above returns the distance of the mean square above that of noise alone, in standard deviations of the latter. It
// is 0 without intervals.
func (e *effect) above() float64 {
	if !(e.spread > 0) {
		return 0
	}
	return (e.square - e.noise) / math.Sqrt(e.spread)
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
