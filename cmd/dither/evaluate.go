package main

import (
	"errors"
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/measures"
	"github.com/ditherml/dither/internal/signature"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/internal/values"
	"github.com/ditherml/dither/model"
	"github.com/spf13/cobra"
)

// evaluateCommand holds the flags of dither evaluate.
type evaluateCommand struct {
	table tabular.Flags
	group string
	json  bool
	// threshold is the decision threshold of two levels; 0 means the model's.
	threshold float64
	private   privateFlags
}

func newEvaluate() *cobra.Command {
	e := &evaluateCommand{}
	c := &cobra.Command{
		Annotations: map[string]string{together.Several: "yes"}, Use: "evaluate MODEL-FOLDER TABLE", Short: "Measure a model on a table with known targets", Long: values.EvaluateLong, Example: values.EvaluateExample,
		Args: arguments("MODEL-FOLDER", "TABLE"),
		RunE: func(c *cobra.Command, args []string) error {
			return e.private.ranks.Run(c, func() { e.private.out, e.private.key = "", signature.Private{} }, func() error { return e.run(c, args[0], args[1]) })
		},
	}
	e.table.Add(c.Flags())
	c.Flags().StringVar(&e.group, "group", "", "column by whose levels the measures are split")
	c.Flags().BoolVar(&e.json, "json", false, "print JSON")
	c.Flags().Float64Var(&e.threshold, "threshold", 0, "probability above which the second of two levels is predicted (default: the model's)")
	e.private.add(c.Flags())
	return c
}

func (e *evaluateCommand) run(c *cobra.Command, folder, table string) error {
	m, err := model.Load(folder)
	if err != nil {
		return err
	}
	if err = e.check(c, m); err != nil {
		return err
	}
	if together.From(c.Context()) != nil && !e.private.private {
		return fmt.Errorf("evaluate is run by several ranks without --private, want one process, or both")
	}
	if e.private.private {
		return e.runPrivate(c, m, folder, table)
	}
	if e.threshold != 0 {
		if m, err = m.WithThreshold(e.threshold); err != nil {
			return err
		}
	}
	extra, err := measures.GroupColumns(m.Schema(), e.group)
	if err != nil {
		return err
	}
	d, err := readTable(c.Context(), &e.table, m.Schema(), table, "", data.ReadOptions{KeepDropped: true, Extra: extra, MaxRecords: mostRecords}, "", tabular.ReadTest)
	if err != nil {
		return err
	}
	out, err := measures.ExactOf(c.Context(), m, d, e.group)
	switch {
	case errors.Is(err, measures.ErrEmpty):
		return fmt.Errorf("%s has no row that the schema keeps, want at least 1 with a usable target; see what is wrong with: dither schema check", table)
	case err != nil:
		return interruption(c.Context(), err)
	case e.json:
		return writeJSON(c.OutOrStdout(), out)
	}
	return written(out.WriteText(c.OutOrStdout()))
}

// check refuses flags that contradict each other.
func (e *evaluateCommand) check(c *cobra.Command, m *model.Model) error {
	if c.Flags().Changed("threshold") {
		if _, err := m.WithThreshold(e.threshold); err != nil {
			return err
		}
	}
	for _, name := range privateNames {
		if c.Flags().Changed(name) && !e.private.private {
			return fmt.Errorf("--%s is given without --private, want both; without it the numbers are exact and not private", name)
		}
	}
	return nil
}

// written marks an error of writing to standard output.
func written(err error) error {
	if err != nil {
		return failure.Running(fmt.Errorf("standard output cannot be written: %w", display.Pathless(err)))
	}
	return nil
}
