package export

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/decimal"
	"github.com/ditherml/dither/internal/moment"
	"github.com/ditherml/dither/model"
)

// outline is a model as its writers see it: what cells mean, and which features follow from them. Each cell
// has a state, such as a level, a bin or "missing". The features of a row are a sum over groups: a
// group has a table with the features of each state of one column, or of two columns together. The
// tables come from the model's own feature map, which is applied to a row for each state.
type outline struct {
	model   *model.Model
	mapped  *spared
	target  data.Target
	loss    model.LossSpec
	columns []column
	groups  []group
	// dim is the number of features of mapped, without the intercept.
	dim int
}

// Special states of cells.
const (
	dropped = -1 // the row has no prediction
	clamped = -2 // a number out of range moves to the nearest bound
)

// column describes how a cell becomes a state.
type column struct {
	// name is the name of the column in the schema. source is the name of the column in the table.
	name, source string
	number       bool
	// date, if not nil, makes the number or the state of a date.
	date *moment.Feature
	// marks are the texts of a missing cell, ascending. markNumbers are the numbers among them.
	marks       []string
	markNumbers []float64
	// markMoments are the dates and moments among the marks of a date, in microseconds since 1970-01-01.
	markMoments []int64
	// levels are the texts of levels, and of their states. The names of the levels come first, in the
	// order of the states.
	levels []string
	of     []int
	// bools are the texts of false and true in a column of booleans.
	bools [2]string
	// unknown, missing and outside are the states of undeclared levels, missing cells and numbers out of range.
	unknown, missing, outside int
	// lower and upper are the declared bounds. Numbers are rounded to float32 and then limited to
	// least and most, the extreme such numbers within the bounds.
	lower, upper, least, most float64
	// The state of a number is the number of cuts at or below it. If scaled, it is 0, and the features
	// of state 0 are multiplied by (T(v) - low)·scale, limited to [0, 1]. T(v) is log(1 + v) if log is set, else v.
	cuts        []float64
	scaled, log bool
	low, scale  float64
	// values are numbers as a data.Dataset has them, one for each state.
	values []float32
}

// states returns the number of states.
func (c *column) states() int { return len(c.values) }

// group is the table of features of one column, or of a pair of columns.
type group struct {
	// a and b are the columns. b is -1 for one column. again says that a group before has the same pair.
	a, b  int
	again bool
	// classA and classB map states of a pair to classes, with -1 for none. classes is the number of classes of b.
	classA, classB []int
	classes        int
	// first and count are the range of the features.
	first, count int
	// entries has the features other than 0, for each state, or for classA·classes + classB.
	entries [][]entry
}

// entry is a feature and its value.
type entry struct {
	index int
	value float64
}

// newLinearOutline returns the outline of a linear model.
func newLinearOutline(m *model.Model) (*outline, error) {
	if m.Network() != nil {
		return nil, fmt.Errorf("the model is a network, want a linear model; export --to onnx or safetensors, or use dither predict")
	}
	return newOutline(m)
}

// newOutline returns the outline of a model. It refuses models that only dither predict can apply.
func newOutline(m *model.Model) (*outline, error) {
	if err := supported(m); err != nil {
		return nil, err
	}
	loss, err := model.SpecOf(m.Loss())
	if err != nil {
		return nil, err
	}
	o := &outline{model: m, target: m.Schema().Target, loss: loss, mapped: newSpared(m.Features())}
	o.dim = o.mapped.dim
	p := newProber(o.mapped)
	marks := sortedMarks(m.Schema())
	for i, c := range m.Schema().Features() {
		o.columns = append(o.columns, newColumn(c, marks, m.Schema().Marks()))
		p.base = append(p.base, o.columns[i].values[0])
	}
	if err = o.fill(p); err != nil {
		return nil, err
	}
	return o, o.check(p)
}

// supported returns an error about parts of a model that have no tables.
func supported(m *model.Model) error {
	for _, c := range m.Schema().Features() {
		if c.Kind == data.Text {
			return fmt.Errorf("column %q is text, and its words cannot be exported with the model, want columns of numbers and levels; export --to safetensors, or use dither predict", c.Name)
		}
	}
	for i, s := range m.Features().Specs() {
		if s.Name != "interactions" || i > 0 {
			return fmt.Errorf("the model has the transform %s, want none or interactions alone; export --to safetensors, or use dither predict", s.Name)
		}
	}
	if w := m.Features().Whitening; w != nil && w.Channels != nil {
		return fmt.Errorf("the model whitens channels and places, want a whitening of single features; export --to safetensors, or use dither predict")
	}
	return nil
}

// sortedMarks returns the texts of a missing cell, ascending.
func sortedMarks(s *data.Schema) []string {
	var marks []string
	for mark := range s.Marks() {
		marks = append(marks, mark)
	}
	slices.Sort(marks)
	return marks
}

// newColumn describes the states of a column, without its cuts. A number has state 0 and perhaps a missing one.
func newColumn(c data.Column, marks []string, set data.MissingSet) column {
	out := column{name: c.Name, source: c.Name, number: c.Kind == data.Numeric, marks: marks, levels: slices.Clone(c.Levels), unknown: dropped, missing: dropped, outside: dropped}
	for _, mark := range marks {
		if v, ok := decimal.Parse(mark); ok && v-v == 0 {
			out.markNumbers = append(out.markNumbers, v)
		}
	}
	if c.Date != nil {
		out.source, out.date, out.markNumbers = c.Date.Column, c.Date, nil
		for _, mark := range marks {
			if micros, ok := moment.Micros(mark); ok && !slices.Contains(out.markMoments, micros) {
				out.markMoments = append(out.markMoments, micros)
			}
		}
	}
	for i := range c.Levels {
		out.values, out.of = append(out.values, float32(i)), append(out.of, i)
	}
	for i, texts := range c.Grouped {
		for _, other := range texts {
			out.levels, out.of = append(out.levels, other), append(out.of, i)
		}
	}
	if out.bools = columnar.BoolTexts(out.levels); out.number {
		out.bools = [2]string{"0", "1"}
	}
	plain := c
	plain.Date = nil // bounds are numbers also of distances
	if out.number {
		least, _ := plain.Number(c.Lower)
		most, _ := plain.Number(c.Upper)
		out.lower, out.upper, out.least, out.most = c.Lower, c.Upper, float64(least), float64(most)
		out.values = []float32{least}
	}
	unseen := unseenText(out.levels, set)
	v, ok := c.Cell(unseen, set)
	if !out.number && ok && v == v { // an additional level, or no level
		out.unknown, out.values = len(out.values), append(out.values, v)
	}
	if w, may := c.Cell("", set); may {
		out.missing, out.values = len(out.values), append(out.values, w)
	}
	if !out.number && ok && v != v {
		out.unknown = out.missing
	}
	beyond, ok := plain.Number(math.Nextafter(c.Upper, math.Inf(1)))
	switch {
	case c.Date != nil && c.OutOfRange == data.Clamp:
		out.outside = clamped
	case c.Date != nil && c.OutOfRange == data.AsMissing:
		out.outside = out.missing
	case out.number && ok && beyond == beyond:
		out.outside = clamped
	case out.number && ok:
		out.outside = out.missing
	}
	return out
}

// unseenText returns a text that is neither a level nor a mark of a missing cell.
func unseenText(levels []string, marks data.MissingSet) string {
	text := "unseen"
	for {
		if _, is := marks[text]; !is && !slices.Contains(levels, text) {
			return text
		}
		text += "_"
	}
}

// fill makes the groups of columns and pairs, and cuts the ranges of numbers.
func (o *outline) fill(p *prober) error {
	names, next := p.pipeline.Names(), 0
	place := func(next int) int { // of a feature, or of the end
		if next < len(names) {
			return o.mapped.at[next]
		}
		return o.dim
	}
	for i := range o.columns {
		c := &o.columns[i]
		g := group{a: i, b: -1, first: place(next)}
		for next < len(names) && names[next].Column == c.name {
			next++
		}
		g.count = place(next) - g.first
		o.groups = append(o.groups, g)
	}
	for i := range o.columns { // a state with features, so that pairs with the column have features too
		g := o.groups[i]
		for _, v := range o.columns[i].values {
			if len(p.entries(g, i, v, -1, 0)) > 0 {
				p.base[i] = v
				break
			}
		}
	}
	for i := range o.columns {
		if err := o.fillColumn(p, i); err != nil {
			return err
		}
	}
	for next < len(names) {
		g := group{first: next}
		for next < len(names) && names[next].Column == names[g.first].Column {
			next++
		}
		g.count = next - g.first
		var err error
		if g.a, g.b, err = o.paired(names[g.first].Column); err != nil {
			return err
		}
		g.again = slices.ContainsFunc(o.groups, func(h group) bool { return h.b >= 0 && h.a == g.a && h.b == g.b })
		o.groups = append(o.groups, o.fillPair(p, g))
	}
	return nil
}

// fillColumn makes the table of a column.
func (o *outline) fillColumn(p *prober, i int) error {
	c, g := &o.columns[i], &o.groups[i]
	if c.number {
		if low, scale, log, ok := p.pipeline.Encoder().Scaling(i); ok && !p.pipeline.Transforms() {
			c.scaled, c.low, c.scale, c.log = true, low, scale, log
		} else {
			c.cuts = p.cuts(i, float32(c.least), float32(c.most))
			values := []float32{c.values[0]}
			for _, cut := range c.cuts {
				values = append(values, float32(cut))
			}
			if c.missing >= 0 {
				c.missing = len(values)
				values = append(values, c.values[1])
			}
			if c.outside >= 0 {
				c.outside = c.missing
			}
			c.values = values
		}
	}
	for s, v := range c.values {
		if c.scaled && s == 0 {
			g.entries = append(g.entries, []entry{{g.first, 1}})
			continue
		}
		g.entries = append(g.entries, p.entries(*g, i, v, -1, 0))
	}
	return nil
}

// paired returns the columns of a pair by the name of its features.
func (o *outline) paired(name string) (a, b int, err error) {
	found := 0
	for i := range o.columns {
		for j := i + 1; j < len(o.columns); j++ {
			if o.columns[i].name+" × "+o.columns[j].name == name {
				a, b = i, j
				found++
			}
		}
	}
	if found != 1 {
		return 0, 0, fmt.Errorf("the features %q are not of one pair of columns, as pairs that are hashed into buckets are not; train with --interactions bins or fewer pairs, or use dither predict", name)
	}
	return a, b, nil
}

// fillPair makes the table of a pair of columns. States with the same features form a class.
func (o *outline) fillPair(p *prober, g group) group {
	a, b := &o.columns[g.a], &o.columns[g.b]
	of := func(s, t int) []entry { return p.entries(g, g.a, a.values[s], g.b, b.values[t]) }
	s0, t0 := slices.Index(a.values, p.base[g.a]), slices.Index(b.values, p.base[g.b])
	s0, t0 = max(s0, a.missing*b2i(s0 < 0)), max(t0, b.missing*b2i(t0 < 0)) // a base may be NaN, which has no index
	var first, second []int
	g.classA, first = classes(a.states(), func(s int) []entry { return of(s, t0) })
	g.classB, second = classes(b.states(), func(t int) []entry { return of(s0, t) })
	g.classes = len(second)
	for _, s := range first {
		for _, t := range second {
			g.entries = append(g.entries, of(s, t))
		}
	}
	return g
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// classes groups states by their features, and returns the first state of each class. States
// without features have class -1.
func classes(states int, of func(s int) []entry) (class, first []int) {
	var known [][]entry
	for s := range states {
		own := of(s)
		k := slices.IndexFunc(known, func(e []entry) bool { return slices.Equal(e, own) })
		if len(own) > 0 && k < 0 {
			k, known, first = len(known), append(known, own), append(first, s)
		}
		class = append(class, k)
	}
	return class, first
}

// state returns the state of a cell and the factor of its features.
func (c *column) state(text string) (state int, x float64) {
	text = strings.TrimSpace(text)
	if slices.Contains(c.marks, text) {
		return c.missing, 1
	}
	if c.date != nil {
		at, days, done := c.dateState(text)
		if done {
			return at, 1
		}
		return c.numberState(days)
	}
	if !c.number {
		if k := slices.Index(c.levels, text); k >= 0 {
			return c.of[k], 1
		}
		return c.unknown, 1
	}
	v, ok := decimal.Parse(text)
	if !ok || v-v != 0 || slices.Contains(c.markNumbers, v) {
		return c.missing, 1
	}
	return c.numberState(v)
}

// numberState returns the state of a number and the factor of its features.
func (c *column) numberState(v float64) (state int, x float64) {
	if v < c.lower || v > c.upper {
		if c.outside != clamped {
			return c.outside, 1
		}
	}
	v = max(c.least, min(c.most, float64(float32(v))))
	if !c.scaled {
		n, _ := slices.BinarySearchFunc(c.cuts, v, func(cut, at float64) int {
			if cut <= at {
				return -1
			}
			return 1
		})
		return n, 1
	}
	if c.log {
		v = math.Log1p(v)
	}
	return 0, max(0, min(1, (v-c.low)*c.scale))
}

// features returns the features of a row of texts, or nil if the row has no prediction.
func (o *outline) features(cells []string) []float64 {
	states, factors := make([]int, len(cells)), make([]float64, len(cells))
	for i := range o.columns {
		if states[i], factors[i] = o.columns[i].state(cells[i]); states[i] < 0 {
			return nil
		}
	}
	x := make([]float64, o.dim)
	for i := range o.groups {
		g := &o.groups[i]
		at, factor := states[g.a], factors[g.a]
		if g.b >= 0 {
			j, k := g.classA[states[g.a]], g.classB[states[g.b]]
			if j < 0 || k < 0 {
				continue
			}
			at, factor = j*g.classes+k, 1
		}
		for _, e := range g.entries[at] {
			x[e.index] += factor * e.value
		}
	}
	return x
}

// normalized reports whether rows are scaled.
func (o *outline) normalized() bool { return o.mapped.Norm != feature.NormNone }

// weights returns the weights of a score without the intercept, and that of the intercept.
func (o *outline) weights(k int) (w []float64, intercept float64) {
	dim, own := o.model.Linear().Dim, len(o.mapped.at)
	w = o.model.Weights()[k*dim : (k+1)*dim]
	if dim > own {
		intercept = w[own]
	}
	return o.mapped.spread(w[:own]), intercept
}
