package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/model"
	"github.com/spf13/cobra"
)

const predictLong = `Apply a model to a table and write one line of CSV for each of its rows: the row's number
(counted from 1, the header not counted), the prediction, and for a model of classes the
probability of every level, in the schema's order. Of two levels the second is predicted
when its probability is above the model's threshold (0.5, or what was set when it was
trained, or --threshold); of more, the first of the most probable ones.

The table is read under the schema that the model carries; its target column may be absent.
A row that the schema drops keeps its line, with empty cells. Probabilities are written in full.
Lines on standard error count undeclared levels, missing cells and clamped numbers by column.

With --pass-through id,town these columns of the table are copied behind the row's number. The schema
names them, as ignore where they are no features.

A text that a spreadsheet would take for a formula (it starts with =, +, -, @ or a tab and
is no number) gets an apostrophe in front.`

const predictExample = `  dither predict dither-model people.csv > predictions.csv
  dither predict dither-model people.csv.gz --out predictions.csv --pass-through id
  dither predict dither-model builtin:randhie`

// mostRecords bounds the rows of a table that a model is applied to. Their number is no secret
// here, and the schema's bound applies to training.
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
	// Predictions reveal as much about persons as the table, so nobody else may read the file.
	return p.out.write(c, 0o600, func(w io.Writer) error {
		d, err := p.table.read(c.Context(), m.Schema(), table, data.ReadOptions{WithoutTarget: true, KeepDropped: true, MaxRecords: mostRecords, Extra: p.pass}, tabular.ReadTest)
		if err != nil {
			return err
		}
		fmt.Fprintln(c.ErrOrStderr(), tabular.Coverage(m))
		predictions, err := tabular.NewPredictions(m, d, p.pass)
		if err != nil {
			return err
		}
		if err = predictions.WriteCSV(c.Context(), w); err == nil {
			fmt.Fprint(c.ErrOrStderr(), tabular.Cells(d))
		}
		return interruption(c.Context(), err)
	})
}

// interruption marks a person's interruption as a failure while running.
func interruption(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return failure.Running(errInterrupted)
	}
	return err
}
