package planaudit

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// mostBlocks bounds the columns of a canary. Its row has the norm √mostBlocks at most.
const mostBlocks = 64

// world is a table of canaries for linear models. Canary i has level i in each of some columns, so
// that no two canaries share a feature. Its gradient is as long as the clipping norm if that is
// possible.
type world struct {
	setup    train.Setup
	canaries int
	blocks   int
	// names are the columns of the table, and extra those that are no features.
	names, extra []string
	rows         int    // of one canary
	label, other string // the targets of a canary, and of the row that replaces it
	all          *data.Dataset
	step         []float64 // of a canary: what it adds to the numbers of its columns, in units of the bound
	instead      []float64 // what the row adds that replaces it, nil for none
}

// newWorld returns the world of the steps of a plan, without what is released before them and
// without a part that is held out.
func newWorld(ctx context.Context, p train.Plan, canaries int) (*world, error) {
	p.Preparation, p.Calibration, p.Holdout = nil, nil, nil
	if p.Records == 0 { // nothing else is then known to divide sums by; no price depends on it
		p.Records = p.MaxRecords
	}
	w := &world{canaries: canaries, rows: 1}
	target, loss, err := w.target(p)
	if err != nil {
		return nil, err
	}
	residual := make([]float64, p.Columns)
	loss.Residuals(residual, make([]float64, p.Columns), w.labelOf(target, w.label))
	w.blocks = blocksFor(p, norm(residual))
	s := &data.Schema{Name: "canaries", Row: "one canary", MaxRecords: p.MaxRecords * rowsOf(p), Records: p.Records, Target: target}
	w.columns(s, p)
	if err = s.Validate(); err != nil {
		return nil, err
	}
	features, err := mapFor(p, s)
	if err != nil {
		return nil, err
	}
	linear, err := model.NewLinear(loss, len(target.Levels), features.Dim())
	if err != nil {
		return nil, err
	}
	p.Dim = linear.Dim
	w.setup = train.Setup{Plan: p, Schema: s, Features: features, Model: linear}
	w.step = w.contribution(w.label)
	if p.Neighboring == privacy.ReplaceOne {
		w.instead = w.contribution(w.other)
	}
	return w, w.read(ctx)
}

// rowsOf returns the number of rows of a canary.
func rowsOf(p train.Plan) int {
	if p.Person != nil {
		return p.Person.MaxRows
	}
	return 1
}

// target returns a target and a loss with as many scores as the plan has columns. Of the losses it
// takes the one with the longest gradient at weights of 0. For the last iterate it is the plan's.
func (w *world) target(p train.Plan) (data.Target, model.Loss, error) {
	numeric := data.Target{Column: "label", Lower: 0, Upper: 1, Missing: data.Drop}
	w.label, w.other = "1", "0"
	if l := p.LastIterate; l != nil {
		loss, err := model.LossSpec{Name: l.Loss, Width: l.HuberWidth}.Loss()
		if err == nil && loss.Columns(0) == p.Columns {
			return numeric, loss, nil
		}
		if err != nil || loss.Columns(max(2, p.Columns)) != p.Columns {
			return numeric, nil, fmt.Errorf("the plan has loss %s with %d scores, want a loss that has as many", l.Loss, p.Columns)
		}
		return w.levels(p, max(2, p.Columns)), loss, nil
	}
	losses := []model.Loss{model.SquaredClasses, model.Softmax, model.Logistic}
	if p.Calibration != nil && p.Calibration.Kind == option.CalibrationStatistic {
		losses = losses[1:]
	} else if p.Columns == 1 && p.ClassWeights == nil {
		return numeric, model.Squared, nil
	}
	for _, levels := range []int{max(2, len(p.ClassWeights), p.Columns), 2} {
		for _, loss := range losses {
			if loss.Columns(levels) == p.Columns && (p.ClassWeights == nil || len(p.ClassWeights) == levels) {
				return w.levels(p, levels), loss, nil
			}
		}
	}
	return numeric, nil, fmt.Errorf("the plan has %d scores and %d weights of levels, want numbers that a loss has", p.Columns, len(p.ClassWeights))
}

// levels returns a target of some levels. A canary has the level of the largest weight.
func (w *world) levels(p train.Plan, n int) data.Target {
	t := data.Target{Column: "label", Missing: data.Drop}
	best := 0
	for k := range n {
		t.Levels = append(t.Levels, strconv.Itoa(k))
		if p.ClassWeights != nil && p.ClassWeights[k] > p.ClassWeights[best] {
			best = k
		}
	}
	w.label, w.other = t.Levels[best], t.Levels[(best+1)%n]
	return t
}

// labelOf returns the label of a cell of the target.
func (w *world) labelOf(t data.Target, cell string) float64 {
	v, _ := t.Cell(cell, (&data.Schema{}).Marks())
	if t.Regression() {
		return 2*float64(v) - 1 // the bounds are 0 and 1
	}
	return float64(v)
}

// unclipped is the length of a canary's gradient in clipping norms. If a training does not clip it,
// it moves sums by far more than the plan allows.
const unclipped = 4

// blocksFor returns the number of columns of a canary, whose row has the square root of it as norm.
func blocksFor(p train.Plan, residual float64) int {
	if p.LastIterate != nil {
		return 1
	}
	wanted := unclipped * p.Clipping.Norm
	if !boundsRows(p) {
		wanted /= residual * float64(rowsOf(p))
	}
	return max(1, min(mostBlocks, int(math.Ceil(wanted*wanted))))
}

// mapFor returns the map of canaries: rows as they are, or bounded where the plan bounds rows.
func mapFor(p train.Plan, s *data.Schema) (*feature.Map, error) {
	pipeline, err := feature.NewPipeline(nil, s)
	if err != nil {
		return nil, err
	}
	m := &feature.Map{Pipeline: pipeline, Norm: feature.NormNone}
	switch {
	case p.LastIterate != nil:
		m.Norm, m.Radius = feature.NormClip, p.LastIterate.RowBound
	case boundsRows(p):
		m.Norm, m.Radius = feature.NormClip, p.Clipping.Norm
	}
	return m, m.Validate()
}

// columns declares the columns of canaries, of persons and of weights.
func (w *world) columns(s *data.Schema, p train.Plan) {
	levels := make([]string, w.canaries)
	for i := range levels {
		levels[i] = "c" + strconv.Itoa(i)
	}
	for k := range w.blocks {
		name := "canary " + strconv.Itoa(k)
		s.Columns = append(s.Columns, data.Column{Name: name, Kind: data.Categorical, Levels: levels, Unknown: data.Zero, Missing: data.Zero})
		w.names = append(w.names, name)
	}
	if p.Person != nil {
		w.extra, w.rows = append(w.extra, p.Person.Column), p.Person.MaxRows
	}
	if p.SampleWeights != nil {
		w.extra = append(w.extra, p.SampleWeights.Column)
	}
	for _, name := range w.extra {
		s.Columns = append(s.Columns, data.Column{Name: name, Kind: data.Ignored})
	}
	w.names = append(append(w.names, w.extra...), s.Target.Column)
}

// contribution returns what a record of a target's cell adds to the numbers of its columns: score
// after score, the numbers of all columns of one block, in units of the bound.
func (w *world) contribution(cell string) []float64 {
	p, linear := w.setup.Plan, w.setup.Model
	residual := make([]float64, linear.Columns)
	label := w.labelOf(w.setup.Schema.Target, cell)
	linear.Loss.Residuals(residual, make([]float64, linear.Columns), label)
	length := math.Sqrt(float64(w.blocks))
	if m := w.setup.Features; m.Norm == feature.NormClip {
		length = min(length, m.Radius)
	}
	factor := float64(w.rows)
	if p.ClassWeights != nil {
		factor *= p.ClassWeights[int(label)]
	}
	long := norm(residual) * length * factor
	if long > p.Clipping.Bound {
		factor *= p.Clipping.Bound / long
	}
	out := make([]float64, linear.Columns)
	for c, r := range residual {
		out[c] = r * length / math.Sqrt(float64(w.blocks)) * factor / p.Clipping.Bound
	}
	return out
}

// read makes the rows of all canaries, of the rows that replace them, and of another record. That
// one has no feature, so it adds nothing.
func (w *world) read(ctx context.Context) error {
	other := make([]string, w.blocks)
	for range w.extra {
		other = append(other, "")
	}
	rows := [][]string{append(other, w.other)}
	for i := range w.canaries {
		for range w.rows {
			rows = append(rows, w.row(i, w.label))
		}
	}
	if w.instead != nil {
		for i := range w.canaries {
			for range w.rows {
				rows = append(rows, w.row(i, w.other))
			}
		}
	}
	var err error
	w.all, err = readRows(ctx, w.setup.Schema, w.extra, w.names, rows)
	return err
}

// draw returns a table in which each canary is with probability ½, or is replaced.
func (w *world) draw() (d *data.Dataset, included []bool) {
	included = coins(w.canaries)
	rows := []int{0}
	for i, in := range included {
		first := 1 + i*w.rows
		if !in && w.instead == nil {
			continue
		} else if !in {
			first += w.canaries * w.rows
		}
		for k := range w.rows {
			rows = append(rows, first+k)
		}
	}
	return w.all.Take(rows), included
}

// row returns a row of a canary.
func (w *world) row(i int, label string) []string {
	var cells []string
	for range w.blocks {
		cells = append(cells, "c"+strconv.Itoa(i))
	}
	for _, name := range w.extra {
		if p := w.setup.Plan; p.Person != nil && name == p.Person.Column {
			cells = append(cells, strconv.Itoa(i))
		} else {
			cells = append(cells, strconv.FormatFloat(p.SampleWeights.Upper, 'g', -1, 64))
		}
	}
	return append(cells, label)
}

// norm returns the Euclidean length.
func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}
