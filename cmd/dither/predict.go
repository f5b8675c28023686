package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/model"
	"github.com/spf13/cobra"
)

const predictLong = `Apply a model to a table and write one line of CSV for each of its rows: the row's number
(counted from 1, the header not counted), the prediction, and for a model of classes the
probability of every level, in the schema's order. Of two levels the second is predicted
when its probability is above the model's threshold (0.5, or what was set when it was
trained, or --threshold); of more, the first of the most probable ones.

The table is read under the schema that the model carries; its target column may be absent.
A row that the schema drops keeps its line, with empty cells. Probabilities are written in
full, so that they read back as the very numbers that model.Load gives in Go.

With --pass-through id,town these columns of the table are copied behind the row's number. The schema
names them, as ignore where they are no features.

A text that a spreadsheet would take for a formula (it starts with =, +, -, @ or a tab and
is no number) gets an apostrophe in front.`

const predictExample = `  dither predict dither-model people.csv > predictions.csv
  dither predict dither-model people.csv.gz --out predictions.csv --pass-through id
  dither predict dither-model builtin:randhie`

// mostRecords bounds the rows of a table that a model is applied to: their number is no
// secret here, and the schema's bound holds for training.
const mostRecords = math.MaxInt32

// predictCommand holds the flags of dither predict.
type predictCommand struct {
	table     tableFlags
	pass      []string
	out       outputFlags
	threshold float64
}

func newPredict() *cobra.Command {
	p := &predictCommand{}
	c := &cobra.Command{
		Use: "predict MODEL-FOLDER TABLE", Short: "Apply a model to a table", Long: predictLong, Example: predictExample,
		Args: arguments("MODEL-FOLDER", "TABLE"),
		RunE: func(c *cobra.Command, args []string) error { return p.run(c, args[0], args[1]) },
	}
	p.table.add(c)
	p.out.add(c, "file to write")
	c.Flags().StringSliceVar(&p.pass, "pass-through", nil, "`COLUMNS` of the table that are copied behind the row's number, such as an id that the schema ignores")
	c.Flags().Float64Var(&p.threshold, "threshold", 0, "probability above which the second of two levels is predicted (default: the model's)")
	return c
}

func (p *predictCommand) run(c *cobra.Command, folder, table string) error {
	m, err := model.Load(folder)
	if err != nil {
		return err
	}
	if c.Flags().Changed("threshold") {
		if m, err = m.WithThreshold(p.threshold); err != nil {
			return err
		}
	}
	// Predictions are about persons as the table is: nobody else may read the file.
	return p.out.write(c, 0o600, func(w io.Writer) error {
		d, err := readTable(c.Context(), m.Schema(), table, p.table, data.ReadOptions{WithoutTarget: true, KeepDropped: true, MaxRecords: mostRecords, Extra: p.pass})
		if err != nil {
			return err
		}
		fmt.Fprintln(c.ErrOrStderr(), coverage(m))
		return writePredictions(c.Context(), w, m, d, p.pass)
	})
}

// passed are columns of a table as texts.
type passed struct {
	codes  [][]int32
	levels [][]string
}

// passThrough finds the columns that are copied.
func passThrough(d *data.Dataset, names []string) (passed, error) {
	var p passed
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
func (p passed) fill(cells []string, row int) {
	for i, codes := range p.codes {
		cells[i] = ""
		if code := codes[row]; code >= 0 {
			cells[i] = spreadsheetSafe(p.levels[i][code])
		}
	}
}

// coverage says in one line what the guarantee has to do with predictions.
func coverage(m *model.Model) string {
	if !m.Provenance.Private {
		return "NOT PRIVATE: this model is a baseline without a guarantee; its predictions may reveal the records that trained it."
	}
	return "What the predictions say about persons whose records trained the model is covered by its guarantee; this table itself is read as it is, without protection."
}

// readTable reads a table for a model: a file, or the public test split of a built-in data
// set as builtin:NAME.
func readTable(ctx context.Context, s *data.Schema, name string, f tableFlags, o data.ReadOptions) (*data.Dataset, error) {
	source, err := f.source(name)
	if err != nil {
		return nil, err
	}
	setName, isBuiltin := strings.CutPrefix(name, builtinPrefix)
	if !isBuiltin {
		d, readErr := data.Read(ctx, s, source, o)
		return d, interruption(ctx, readErr)
	}
	set, err := builtin.Open(setName)
	if err != nil {
		return nil, err
	}
	d, err := set.ReadTest(ctx, s, o)
	return d, interruption(ctx, err)
}

// interruption marks what a person stopped as a failure while running.
func interruption(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return failed{errInterrupted}
	}
	return err
}

// writePredictions writes the CSV file of dither predict.
func writePredictions(ctx context.Context, w io.Writer, m *model.Model, d *data.Dataset, pass []string) error {
	target := m.Schema().Target
	copied, err := passThrough(d, pass)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	record := predictionHeader(target, pass)
	if err = out.Write(record); err != nil {
		return failed{err}
	}
	k := m.Outputs()
	err = m.PredictAll(ctx, d, func(first int, predictions []float64) error {
		for i := 0; i < len(predictions); i += k {
			record[0] = strconv.Itoa(first + i/k + 1)
			copied.fill(record[1:], first+i/k)
			fillPrediction(record[1+len(pass):], target, predictions[i:i+k], m.Threshold())
			if writeErr := out.Write(record); writeErr != nil {
				return failed{fmt.Errorf("the predictions cannot be written: %w", pathless(writeErr))}
			}
		}
		return nil
	})
	if err != nil {
		return interruption(ctx, err)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return failed{fmt.Errorf("the predictions cannot be written: %w", pathless(err))}
	}
	return nil
}

// predictionHeader names the columns; none of the names can be taken for a formula.
func predictionHeader(t data.Target, pass []string) []string {
	header := []string{"row"}
	for _, name := range pass {
		header = append(header, spreadsheetSafe(name))
	}
	header = append(header, "prediction")
	for _, level := range t.Levels {
		header = append(header, "probability of "+level)
	}
	return header
}

// fillPrediction fills the cells behind the row's number: empty ones for a row without a
// prediction.
func fillPrediction(cells []string, t data.Target, p []float64, threshold float64) {
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
	cells[0] = spreadsheetSafe(t.Levels[predictedLevel(p, threshold)])
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

// spreadsheetSafe puts an apostrophe in front of a text that a spreadsheet would run as a
// formula. Numbers, such as the level -1, are no formulas.
func spreadsheetSafe(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
