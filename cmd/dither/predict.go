package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/internal/values"
	"github.com/ditherml/dither/model"
	"github.com/spf13/cobra"
)

// mostRecords bounds the rows of a table that a model is applied to. Their number is no secret
// here, and the schema's bound applies to training.
const mostRecords = math.MaxInt32

// predictCommand holds the flags of dither predict.
type predictCommand struct {
	table     tabular.Flags
	pass      []string
	out       outputFlags
	outTable  string
	threshold float64
}

func newPredict() *cobra.Command {
	p := &predictCommand{}
	c := &cobra.Command{
		Use: "predict MODEL-FOLDER TABLE", Short: "Apply a model to a table", Long: values.PredictLong, Example: values.PredictExample,
		Args: arguments("MODEL-FOLDER", "TABLE"),
		RunE: func(c *cobra.Command, args []string) error { return p.run(c, args[0], args[1]) },
	}
	p.table.Add(c.Flags())
	p.out.add(c, "file to write as CSV, Parquet (.parquet) or SQLite (.db), or the address of a PostgreSQL database")
	c.Flags().StringVar(&p.outTable, "out-table", "", "`NAME` of the table to write when --out is a database; made if absent, and one with rows only with --replace")
	c.Flags().StringSliceVar(&p.pass, "pass-through", nil, "`COLUMNS` of the table that are copied behind the row's number, such as an id; the schema need not name them")
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
	source, err := p.table.Source(table)
	if err != nil {
		return err
	}
	out := tabular.Output{Path: p.out.path, Table: p.outTable, Replace: p.out.replace}
	if err = out.Check(); err != nil {
		return err
	}
	fill := func(write func(*tabular.Predictions) error) error {
		d, err := readTable(c.Context(), &p.table, m.Schema(), table, "", data.ReadOptions{WithoutTarget: true, KeepDropped: true, MaxRecords: mostRecords, Extra: p.pass}, "", tabular.ReadTest)
		if err != nil {
			return err
		}
		fmt.Fprintln(c.ErrOrStderr(), tabular.Coverage(m))
		predictions, err := tabular.NewPredictions(m, d, p.pass)
		if err != nil {
			return err
		}
		if err = write(predictions); err == nil {
			fmt.Fprint(c.ErrOrStderr(), tabular.Cells(d))
		}
		return interruption(c.Context(), err)
	}
	if out.ToDatabase() {
		return interruption(c.Context(), out.WriteTable(c.Context(), m, source, p.pass, fill))
	}
	// Predictions reveal as much about persons as the table, so nobody else may read the file.
	return p.out.write(c, 0o600, func(w io.Writer) error {
		return fill(func(t *tabular.Predictions) error { return out.WriteFile(c.Context(), w, t) })
	})
}

// interruption marks a person's interruption as a failure while running.
func interruption(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return failure.Running(errInterrupted)
	}
	return err
}
