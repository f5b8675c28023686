package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
)

// Model is a trained model that can predict. It consists of a schema, a feature map, and the
// weights of a linear model or a network. It is immutable except for Provenance, and safe for
// concurrent use. Each goroutine needs its own Row or Scratch.
type Model struct {
	// Provenance describes where the model comes from.
	Provenance Provenance

	schema   *data.Schema
	features *feature.Map
	linear   Linear
	weights  []float64
	trained  *trained         // nil if the model is linear
	wide     *wide            // nil if all features are read
	columns  map[string][]int // by the name of a table's column
	declared []data.Column
	starts   []int // the place in a row at which each declared column's values begin
	marks    data.MissingSet

	threshold float64 // 0 means defaultThreshold
}

// ErrNotFinite is the error if weights are not finite, as after a training that diverged. Returned
// errors wrap it.
var ErrNotFinite = errors.New("want finite numbers")

// New returns a linear model. It keeps its arguments and returns an error if they do not fit
// together. The error wraps ErrNotFinite if a weight is not finite.
func New(s *data.Schema, features *feature.Map, loss Loss, weights []float64) (*Model, error) {
	linear, err := NewLinear(loss, len(s.Target.Levels), features.Dim())
	if err != nil {
		return nil, err
	}
	if len(weights) != linear.Weights() {
		return nil, fmt.Errorf("model: %d weights, want %d", len(weights), linear.Weights())
	}
	for _, w := range weights {
		if w-w != 0 {
			return nil, fmt.Errorf("model: a weight is %v, %w", w, ErrNotFinite)
		}
	}
	m := newModel(s, features, linear)
	m.weights, m.wide = weights, newWide(features, linear, weights)
	return m, nil
}

// newModel returns a model without weights.
func newModel(s *data.Schema, features *feature.Map, linear Linear) *Model {
	m := &Model{schema: s, features: features, linear: linear, columns: map[string][]int{}, declared: s.Features(), marks: s.Marks()}
	start := 0
	for j := range m.declared {
		name := sourceOf(&m.declared[j])
		m.columns[name] = append(m.columns[name], j)
		m.starts = append(m.starts, start)
		start += m.declared[j].Width()
	}
	return m
}

// sourceOf returns the name of the column of a table that holds the cells of a declared column.
func sourceOf(c *data.Column) string {
	if c.Date != nil {
		return c.Date.Column
	}
	return c.Name
}

// Schema returns the schema of the records on which the model was trained.
func (m *Model) Schema() *data.Schema { return m.schema }

// Features returns the map that turns a row into the input vector of the model.
func (m *Model) Features() *feature.Map { return m.features }

// Linear returns the form of the model. For a network, Dim is the number of its inputs and Columns
// the number of its outputs.
func (m *Model) Linear() Linear { return m.linear }

// Loss returns the loss with which the model was trained.
func (m *Model) Loss() Loss { return m.linear.Loss }

// Weights returns the weight vectors of a linear model, one after the other, or nil for a network.
// The caller must not modify the slice.
func (m *Model) Weights() []float64 { return m.weights }

// Outputs returns the length of a prediction. For regression a prediction is one number. For two
// classes it is the probability of the second level. For more classes it has one probability for
// each level.
func (m *Model) Outputs() int { return m.linear.Columns }

// Scratch is the working memory of Model.Predict. Each goroutine needs its own.
type Scratch struct {
	features *feature.Scratch // nil, and x too, if entries are used
	x        []float64
	values   [1][]float32
	row      func(int) []float32
	index    []uint32
	entries  []float64
	network  *networkScratch // nil for a linear model
}

// NewScratch returns working memory for Predict in one goroutine.
func (m *Model) NewScratch() *Scratch {
	if m.wide != nil {
		return &Scratch{}
	}
	if m.trained != nil && m.trained.sparse != nil {
		return &Scratch{network: m.trained.newScratch(1)}
	}
	s := &Scratch{features: m.features.NewScratch(1), x: make([]float64, m.features.Dim())}
	s.row = func(int) []float32 { return s.values[0] }
	if m.trained != nil {
		s.network = m.trained.newScratch(1)
	}
	return s
}

// Predict writes the prediction for one row to dst, of length Outputs. The argument values has the
// form of data.Dataset.Row under the model's schema. Predict allocates memory only during the first
// calls with a new scratch. Equal values always give equal bits.
func (m *Model) Predict(dst []float64, values []float32, s *Scratch) {
	if m.wide != nil {
		s.index, s.entries = m.features.Encoder().Entries(values, s.index[:0], s.entries[:0])
		m.predictEntries(dst, s)
		return
	}
	if m.trained != nil && m.trained.sparse != nil {
		m.predictNetworkEntries(dst, values, s)
		return
	}
	s.values[0] = values
	m.features.Apply(s.x, 1, s.features, s.row)
	if m.trained != nil {
		m.trained.scores(dst, s.x, s.network)
	} else {
		m.linear.Scores(dst, s.x, m.weights)
	}
	m.finish(dst)
}

// PredictFeatures writes the predictions for several rows to dst, of length rows·Outputs. The
// argument x contains the features of the rows after all transforms, one row after the other.
// PredictFeatures overwrites x. The scratch must be from Features().NewScratch for at least this
// number of rows.
func (m *Model) PredictFeatures(dst, x []float64, rows int, s *feature.Scratch) {
	dim := m.features.Dim()
	mapped := make([]float64, rows*dim)
	if m.trained == nil {
		m.scoreMapped(dst, mapped, x, rows, s)
		return
	}
	m.features.ApplyFeatures(mapped, x, rows, s)
	if rows > 0 {
		m.trained.scores(dst, mapped, m.trained.newScratch(min(rows, m.trained.rowsTogether())))
	}
	k := m.Outputs()
	for r := range rows {
		m.finish(dst[r*k : (r+1)*k])
	}
}

// finish turns scores into a prediction.
func (m *Model) finish(dst []float64) {
	m.linear.Loss.Predict(dst)
	if t := m.schema.Target; t.Regression() {
		dst[0] = encoder.UnscaleTarget(t, dst[0])
	}
}

// Row is one row whose cells are set by column name before a prediction. SetText, SetNumber or
// SetMissing must set each column. Otherwise the method Predict returns no prediction. A Row is for
// one goroutine. After Reset it can be used for another row.
type Row struct {
	model   *Model
	values  []float32
	set     []bool // for each declared column
	unset   int    // the number of columns not yet set
	texts   []bool // for each declared column, whether it is text and has a cell
	dropped bool
	out     []float64
	scratch *Scratch
}

// NewRow returns a row in which no column is set.
func (m *Model) NewRow() *Row {
	r := &Row{model: m, values: make([]float32, m.features.Encoder().Values()), set: make([]bool, len(m.declared)), texts: make([]bool, len(m.declared)), out: make([]float64, m.Outputs()), scratch: m.NewScratch()}
	r.Reset()
	return r
}

// Reset makes all columns unset, so that the Row can be used for another row.
func (r *Row) Reset() {
	r.dropped, r.unset = false, len(r.set)
	clear(r.set)
	for j := range r.set {
		r.empty(j)
	}
}

// empty makes a cell missing.
func (r *Row) empty(j int) {
	start := r.model.starts[j]
	r.texts[j] = false
	if c := &r.model.declared[j]; c.Kind == data.Text {
		clear(r.values[start : start+c.Width()])
	} else {
		r.values[start] = float32(math.NaN())
	}
}

// column finds the features of a column to be set: one, or several for a column of dates.
func (r *Row) column(name string) ([]int, error) {
	own, ok := r.model.columns[name]
	if !ok {
		return nil, fmt.Errorf("model: column %q is not in the model's schema", name)
	}
	for _, j := range own {
		if !r.set[j] {
			r.set[j] = true
			r.unset--
		}
	}
	return own, nil
}

// SetMissing marks the cells of the named columns as missing. Without arguments it marks all
// columns that are not set. An unknown column is an error.
func (r *Row) SetMissing(columns ...string) error {
	if len(columns) == 0 {
		for j := range r.set {
			r.set[j] = true
		}
		r.unset = 0
	}
	for _, name := range columns {
		own, err := r.column(name)
		if err != nil {
			return err
		}
		for _, j := range own {
			r.empty(j)
		}
	}
	return nil
}

// Unset returns the names of the columns that are not set, in the order of the schema. It returns
// nil if all columns are set.
func (r *Row) Unset() []string {
	var names []string
	for j, set := range r.set {
		if name := sourceOf(&r.model.declared[j]); !set && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// SetText sets a cell to the value of a text: a number, a level or, in a text column, words. The
// text is read as in a file. A bad cell is treated as the schema declares. An unknown column is an
// error.
func (r *Row) SetText(column, text string) error {
	own, err := r.column(column)
	for _, j := range own {
		if r.model.declared[j].Kind == data.Text {
			r.setText(j, text)
			continue
		}
		v, ok := r.model.declared[j].Cell(text, r.model.marks)
		r.values[r.model.starts[j]], r.dropped = v, r.dropped || !ok
	}
	return err
}

// setText sets the cell of a text column.
func (r *Row) setText(j int, text string) {
	c, start := &r.model.declared[j], r.model.starts[j]
	buckets, values, missing, ok := c.TextCell(text, r.model.marks)
	own := r.values[start : start+c.Width()]
	clear(own)
	for k, b := range buckets {
		own[b] = values[k]
	}
	r.texts[j], r.dropped = !missing, r.dropped || !ok
}

// SetNumber sets a cell to a number. In a text column it sets the number's decimal text. An unknown
// column is an error, and so is a column of dates, whose cells are texts.
func (r *Row) SetNumber(column string, v float64) error {
	own, err := r.column(column)
	if err != nil {
		return err
	}
	j := own[0]
	if r.model.declared[j].Date != nil {
		return fmt.Errorf("model: column %q has dates, want a text such as 2024-02-29; call SetText", column)
	}
	if r.model.declared[j].Kind == data.Text {
		text := ""
		if math.Abs(v) < 1<<53 { // as in every file
			text = strconv.FormatFloat(v, 'f', -1, 64)
		}
		r.setText(j, text)
		return nil
	}
	f, ok := r.model.declared[j].Number(v)
	r.values[r.model.starts[j]], r.dropped = f, r.dropped || !ok
	return nil
}

// Predict returns the prediction for the row. The result ok is false if a column is not set, or if
// the schema drops such a row. The method Unset lists the columns that are not set. The next call
// of Predict overwrites the returned slice.
func (r *Row) Predict() (prediction []float64, ok bool) {
	if r.unset > 0 || r.dropped || r.lacks() {
		return nil, false
	}
	r.model.Predict(r.out, r.values, r.scratch)
	return r.out, true
}

// lacks reports whether a missing cell drops the row.
func (r *Row) lacks() bool {
	for j, start := range r.model.starts {
		c, v := &r.model.declared[j], r.values[start]
		if c.Missing == data.Drop && (v != v || c.Kind == data.Text && !r.texts[j]) {
			return true
		}
	}
	return false
}
