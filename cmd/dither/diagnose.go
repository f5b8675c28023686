package main

import (
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/diagnosis"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train/erm"
	"github.com/spf13/cobra"
)

const diagnoseLong = `Look at a training problem exactly: the spectrum of the rows, their rank, the minimizer and
its norm in their span, and the constants that theorems ask for: Lipschitz, smoothness, strong
convexity. Beside them stands a bound on the excess loss of private gradient descent that
grows with the rank and not with the number of features, and the excess of a model, if one is
named.

Everything printed is exact about the records and NOT PRIVATE: it is for the data holder's
terminal. Choosing a plan by it is looking at the records, which the guarantee of the plan does
not count.`

const diagnoseExample = `  dither diagnose
  dither diagnose --data people.csv --schema people.yaml
  dither diagnose --epsilon 0.5 --model dither-model`

// diagnoseCommand holds the flags of dither diagnose.
type diagnoseCommand struct {
	table                    tabular.Flags
	path, schema, model      string
	loss, normalization      string
	epsilon, delta, sumRidge float64
	json                     bool
}

func newDiagnose() *cobra.Command {
	d := &diagnoseCommand{}
	c := &cobra.Command{
		Use: "diagnose", Short: "Look at a training problem exactly (not private)", Long: diagnoseLong, Example: diagnoseExample, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return d.run(c) },
	}
	d.table.Add(c.Flags())
	f := c.Flags()
	f.StringVar(&d.path, "data", "", "table (default: the built-in data set)")
	f.StringVar(&d.schema, "schema", "", "schema file (YAML)")
	f.StringVar(&d.model, "model", "", "folder of a model whose excess loss is measured; it must have the same loss and rows")
	f.StringVar(&d.loss, "loss", "", "loss (default: the one that the target calls for)")
	f.StringVar(&d.normalization, "row-normalization", "", "none or unit (default: unit)")
	f.Float64Var(&d.epsilon, "epsilon", 1, "epsilon of the bound")
	f.Float64Var(&d.delta, "delta", 1e-6, "delta of the bound")
	f.Float64Var(&d.sumRidge, "sum-ridge", option.DiagnosisRidge, "penalty beside the sum of losses with which the minimizer is found")
	f.BoolVar(&d.json, "json", false, "print JSON")
	c.AddCommand(newDiagnoseNetwork())
	return c
}

func (d *diagnoseCommand) run(c *cobra.Command) error {
	if !(d.epsilon > 0) || !(d.delta > 0 && d.delta < 1) {
		return fmt.Errorf("--epsilon is %v and --delta %v, want positive numbers, delta below 1", d.epsilon, d.delta)
	}
	source, err := (&trainCommand{table: d.table, tablePath: d.path, schema: d.schema}).open()
	if err != nil {
		return err
	}
	request := erm.Request{Delta: d.delta, Neighboring: privacy.AddOrRemoveOne, Normalization: feature.Normalization(d.normalization), SumRidge: d.sumRidge}
	if d.loss != "" {
		if request.Loss, err = (model.LossSpec{Name: d.loss}).Loss(); err != nil {
			return err
		}
	}
	m, err := d.load(source.schema)
	if err != nil {
		return err
	}
	records, err := source.train(c.Context())
	if err != nil {
		return err
	}
	found, err := erm.DiagnoseNonPrivate(c.Context(), request, source.schema, records)
	if err != nil {
		return err
	}
	out, err := diagnosis.OfProblem(notPrivateBanner, found, d.epsilon, d.delta, m)
	if err != nil {
		return err
	}
	if d.json {
		return writeJSON(c.OutOrStdout(), out)
	}
	return out.WriteText(c.OutOrStdout())
}

// load returns the named model, or nil without a name.
func (d *diagnoseCommand) load(s *data.Schema) (*model.Model, error) {
	if d.model == "" {
		return nil, nil
	}
	m, err := model.Load(d.model)
	if err != nil {
		return nil, err
	}
	if m.Schema().Target.Column != s.Target.Column {
		return nil, fmt.Errorf("the model predicts %s and the table is for %s, want one target", display.OneLine(m.Schema().Target.Column), display.OneLine(s.Target.Column))
	}
	return m, nil
}
