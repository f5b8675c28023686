package tabular

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/model"
)

// Predictions is a table of predictions: a line for each row of a data set.
type Predictions struct {
	model  *model.Model
	data   *data.Dataset
	copied passed
}

// NewPredictions returns the predictions of m for d, with these columns of d copied after the
// number of the row.
func NewPredictions(m *model.Model, d *data.Dataset, pass []string) (*Predictions, error) {
	copied, err := passThrough(d, pass)
	return &Predictions{m, d, copied}, err
}

// WriteCSV writes the table: the number of the row from 1, the copied columns, the prediction, and
// for a model of classes the probability of every level. A row that the schema drops has empty
// cells. Numbers read back as they are. For a spreadsheet no cell can be taken for a formula.
func (p *Predictions) WriteCSV(ctx context.Context, w io.Writer, spreadsheet bool) error {
	cell := plainCell
	if spreadsheet {
		cell = display.Spreadsheet
	}
	out := csv.NewWriter(w)
	if err := out.Write(predictionHeader(p.model.Schema().Target, p.copied.names, cell)); err != nil {
		return unwritten(err)
	}
	err := p.each(ctx, cell, func(record []string) error {
		if err := out.Write(record); err != nil {
			return unwritten(err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if out.Flush(); out.Error() != nil {
		return unwritten(out.Error())
	}
	return nil
}

func plainCell(text string) string { return text }

// each calls take for each row with its cells, which are valid until take returns.
func (p *Predictions) each(ctx context.Context, cell func(string) string, take func(record []string) error) error {
	target, k, pass := p.model.Schema().Target, p.model.Outputs(), len(p.copied.names)
	record := make([]string, 2+pass+len(target.Levels))
	return p.model.PredictAll(ctx, p.data, func(first int, predictions []float64) error {
		for i := 0; i < len(predictions); i += k {
			record[0] = strconv.Itoa(first + i/k + 1)
			p.copied.fill(record[1:], first+i/k, cell)
			fillPrediction(record[1+pass:], target, predictions[i:i+k], p.model.Threshold(), cell)
			if err := take(record); err != nil {
				return err
			}
		}
		return nil
	})
}

// unwritten is the error about predictions that cannot be written.
func unwritten(err error) error {
	return failure.Running(fmt.Errorf("the predictions cannot be written: %w", display.Pathless(err)))
}

// predictionHeader names the columns.
func predictionHeader(t data.Target, pass []string, cell func(string) string) []string {
	header := []string{"row"}
	for _, name := range pass {
		header = append(header, cell(name))
	}
	header = append(header, "prediction")
	for _, level := range t.Levels {
		header = append(header, "probability of "+level)
	}
	return header
}

// fillPrediction fills the cells after those that are copied: empty ones for a row without a
// prediction.
func fillPrediction(cells []string, t data.Target, p []float64, threshold float64, cell func(string) string) {
	clear(cells)
	switch {
	case t.Regression():
		if p[0] == p[0] {
			cells[0] = exactText(p[0])
		}
		return
	case predictedLevel(p, threshold) < 0:
		return
	}
	cells[0] = cell(t.Levels[predictedLevel(p, threshold)])
	if len(p) == 1 {
		cells[1], cells[2] = exactText(1-p[0]), exactText(p[0])
		return
	}
	for k, v := range p {
		cells[1+k] = exactText(v)
	}
}

// predictedLevel is the index of the predicted level, by the rule of evaluate.Classify, or
// -1 when a probability is not a number. The threshold is of two levels.
func predictedLevel(p []float64, threshold float64) int {
	if slices.ContainsFunc(p, math.IsNaN) {
		return -1
	}
	best := 0
	if len(p) <= 2 { // two levels: one probability or both, that of the second is last
		if p[len(p)-1] > threshold {
			best = 1
		}
		return best
	}
	for k, v := range p {
		if v > p[best] {
			best = k
		}
	}
	return best
}

// exactText is the shortest text that reads back as v.
func exactText(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// passed are columns of a table as texts.
type passed struct {
	names  []string
	codes  [][]int32
	levels [][]string
}

// passThrough finds the columns that are copied.
func passThrough(d *data.Dataset, names []string) (passed, error) {
	p := passed{names: names}
	for _, name := range names {
		codes, levels, err := d.Group(name)
		if err != nil {
			return p, err
		}
		p.codes, p.levels = append(p.codes, codes), append(p.levels, levels)
	}
	return p, nil
}

// fill fills in the cells of a row: an empty one where the table has a missing cell.
func (p passed) fill(cells []string, row int, cell func(string) string) {
	for i, codes := range p.codes {
		cells[i] = ""
		if code := codes[row]; code >= 0 {
			cells[i] = cell(p.levels[i][code])
		}
	}
}

// Coverage returns in one line what the guarantee means for predictions.
func Coverage(m *model.Model) string {
	if !m.Provenance.Private {
		return "NOT PRIVATE: this model is a baseline without a guarantee; its predictions may reveal the records that trained it."
	}
	return "What the predictions say about persons whose records trained the model is covered by its guarantee; this table itself is read as it is, without protection."
}
