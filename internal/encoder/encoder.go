// Package encoder turns the values of a schema's feature columns into numbers, for whole rows and
// for sparse records.
package encoder

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	"github.com/ditherml/dither/data"
)

// Encoder turns the values of a schema's feature columns into numbers in [0, 1], or [-1, 1] where a
// column is text. It is immutable.
//
//   - A numeric column becomes one number scaled by its bounds (after its transform), or one
//     indicator for each bin.
//   - A categorical column becomes one indicator for each level. If its levels are ordered, it becomes
//     one number, the position of the level scaled by the last position.
//   - A place for a level or a bin that is to be learned, or was not found, has a feature that is
//     0.
//   - Where declared, numeric and categorical columns have one more indicator for "missing".
//   - A text column becomes its buckets, or the tokens at its positions.
type Encoder struct {
	columns []column
	dim     int
	names   []Name
	// starts are where the values of each column begin in a row, and the end; nil where each has
	// one.
	starts []uint32
	values int
	tokens int
}

// Name is the meaning of a feature.
type Name struct {
	// Column is the name of the schema's column, Level the level, bin, bucket, "other" or
	// "missing", or empty for a plain number.
	Column, Level string
	// Aside tells a missing cell or an unknown level from a declared level that has the same name. Only
	// features of a single column have it.
	Aside bool
	// Unused tells a place that no learned level or bin takes from a level that has the same name. Only
	// features of a single column have it.
	Unused bool
	// Cell is the feature's place among the cells of interactions. It is zero for other features.
	Cell Cell
}

// Cell is the place of a feature in a grid of cells. A row has at most one cell of each grid. A grid
// covers a column, or two columns, at one resolution. A number has grids of several resolutions.
type Cell struct {
	// Grid counts from 1. It is 0 for the missing cell of a number, which takes the place of a cell in
	// each grid of its column.
	Grid int
	// Columns are the names of the columns. The second one is empty in a grid of one column.
	Columns [2]string
	// States are the states of the columns, counted from 0.
	States [2]int
	// Aside names a state that is a missing cell or an unknown level. It is empty for other states.
	Aside [2]string
	// Value is the value of the feature in a row with the cell.
	Value float64
}

// String returns "column" or "column = level".
func (n Name) String() string {
	if n.Level == "" {
		return n.Column
	}
	return n.Column + " = " + n.Level
}

// column is the encoding of one column: its features start at first.
type column struct {
	first      int
	indicators int // 0: one scaled number
	buckets    int // of a text column, else 0
	tokens     bool
	bins       []float64
	log        bool
	low, scale float64
	fill       float64 // scaled value of a missing number
	missing    int     // index of the missing indicator, or -1
}

// New returns the encoder of a validated schema.
func New(s *data.Schema) (*Encoder, error) {
	e := &Encoder{}
	var err error
	if e.tokens, err = checkTokens(s.Features()); err != nil {
		return nil, err
	}
	for _, c := range s.Features() {
		switch c.Kind {
		case data.Numeric:
			e.numeric(c)
		case data.Categorical:
			e.categorical(c)
		case data.Text:
			e.text(c)
		default:
			return nil, fmt.Errorf("feature: column %q has no kind, want numeric, categorical or text", c.Name)
		}
	}
	if e.dim == 0 {
		return nil, fmt.Errorf("feature: the schema has no feature columns, want at least one that is not ignored")
	}
	return e, nil
}

func (e *Encoder) add(column, level string) int {
	e.names = append(e.names, Name{Column: column, Level: level})
	e.dim++
	return e.dim - 1
}

func (e *Encoder) numeric(c data.Column) {
	out := column{first: e.dim, missing: -1, log: c.Transform == data.TransformLog1p}
	switch {
	case c.Slots() > 0:
		out.indicators, out.bins = len(c.Bins)+1, append([]float64{}, c.Bins...)
		for i := range out.indicators {
			e.add(c.Name, binName(c, i))
		}
		e.unused(c, out.indicators)
	default:
		out.low = out.transform(c.Lower)
		out.scale = 1 / (out.transform(c.Upper) - out.low)
		out.fill = out.number(c.Fill)
		e.add(c.Name, "")
	}
	e.finish(out, c)
}

func (e *Encoder) categorical(c data.Column) {
	if c.Ordered { // the position of a level is a number
		e.numeric(c)
		return
	}
	out := column{first: e.dim, missing: -1, indicators: len(c.Levels)}
	for _, level := range c.Levels {
		e.add(c.Name, level)
	}
	if c.Unknown == data.Other {
		out.indicators++
		e.names[e.add(c.Name, "other")].Aside = true
	}
	e.unused(c, len(c.Levels))
	e.finish(out, c)
}

// unused adds the places of a column that none of this many levels or bins takes: features that are
// 0 in every row.
func (e *Encoder) unused(c data.Column, taken int) {
	for i := taken; i < c.Slots(); i++ {
		e.names[e.add(c.Name, "unused "+strconv.Itoa(i-taken+1))].Unused = true
	}
}

func (e *Encoder) finish(out column, c data.Column) {
	if c.Missing == data.Indicator {
		out.missing = e.add(c.Name, "missing")
		e.names[out.missing].Aside = true
	}
	e.columns = append(e.columns, out)
	e.values++
	if e.starts != nil {
		e.starts = append(e.starts, uint32(e.values))
	}
}

// binName prints bin i as "under a", "a to b" or "b and over".
func binName(c data.Column, i int) string {
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch {
	case len(c.Bins) == 0:
		return "any"
	case i == 0:
		return "under " + text(c.Bins[0])
	case i == len(c.Bins):
		return text(c.Bins[i-1]) + " and over"
	}
	return text(c.Bins[i-1]) + " to " + text(c.Bins[i])
}

func (c *column) transform(v float64) float64 {
	if c.log {
		return math.Log1p(v)
	}
	return v
}

// number scales v into [0, 1].
func (c *column) number(v float64) float64 {
	return max(0, min(1, (c.transform(v)-c.low)*c.scale))
}

// Scaling returns how feature column i becomes one number: a number v becomes (T(v) - low)·scale, limited to
// [0, 1], where T is log(1 + v) if log is set, else the identity. If the column becomes indicators or buckets, ok is
// false.
func (e *Encoder) Scaling(i int) (low, scale float64, log, ok bool) {
	c := &e.columns[i]
	return c.low, c.scale, c.log, c.indicators == 0 && c.buckets == 0
}

// Dim returns the number of features.
func (e *Encoder) Dim() int { return e.dim }

// Columns returns the number of feature columns.
func (e *Encoder) Columns() int { return len(e.columns) }

// OneNumber reports whether a row is a single number, and no level, bin or text.
func (e *Encoder) OneNumber() bool {
	return len(e.columns) == 1 && e.columns[0].indicators == 0 && e.columns[0].buckets == 0
}

// Values returns the number of values that Encode needs, which is the length of Dataset.Row.
func (e *Encoder) Values() int { return e.values }

// Names returns the meaning of each feature. The caller must not modify it.
func (e *Encoder) Names() []Name { return e.names }

// Encode writes the features of one row to dst, of length Dim. values are a row of Dataset.Row: NaN
// is missing, a level is its index.
func (e *Encoder) Encode(dst []float64, values []float32) {
	clear(dst[:e.dim])
	if e.starts != nil {
		e.encodeTexts(dst, values)
		return
	}
	for i := range e.columns {
		e.columns[i].encode(dst, float64(values[i]))
	}
}

func (c *column) encode(dst []float64, v float64) {
	if at, x := c.entry(v); at >= 0 {
		dst[at] = x
	}
}

// entry returns the one feature of the column that is not 0, or -1 where all are.
func (c *column) entry(v float64) (at int, x float64) {
	switch {
	case v != v: // missing
		switch {
		case c.missing >= 0:
			return c.missing, 1
		case c.indicators == 0 && c.fill != 0:
			return c.first, c.fill
		}
	case c.indicators == 0:
		if x = c.number(v); x != 0 {
			return c.first, x
		}
	case c.bins != nil:
		// The first cut point above v; a value on a cut point is in the bin above.
		return c.first + sort.Search(len(c.bins), func(i int) bool { return v < c.bins[i] }), 1
	case v >= 0 && int(v) < c.indicators:
		return c.first + int(v), 1
	}
	return -1, 0
}

// Entries appends the features of one row that are not 0, in ascending order, to index and x and
// returns them. There is at most one for each value. values are those that Encode takes.
func (e *Encoder) Entries(values []float32, index []uint32, x []float64) ([]uint32, []float64) {
	if e.starts != nil {
		return e.textEntries(values, index, x)
	}
	for i := range e.columns {
		if at, v := e.columns[i].entry(float64(values[i])); at >= 0 {
			index, x = append(index, uint32(at)), append(x, v)
		}
	}
	return index, x
}

// Indicators reports whether every feature is 0 or 1.
func (e *Encoder) Indicators() bool {
	for i := range e.columns {
		if e.columns[i].indicators == 0 {
			return false
		}
	}
	return true
}
