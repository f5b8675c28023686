package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/display"
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
	table                    tableFlags
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
	d.table.add(c)
	f := c.Flags()
	f.StringVar(&d.path, "data", "", "table (default: the built-in data set)")
	f.StringVar(&d.schema, "schema", "", "schema file (YAML)")
	f.StringVar(&d.model, "model", "", "folder of a model whose excess loss is measured; it must have the same loss and rows")
	f.StringVar(&d.loss, "loss", "", "loss (default: the one that the target calls for)")
	f.StringVar(&d.normalization, "row-normalization", "", "none or unit (default: unit)")
	f.Float64Var(&d.epsilon, "epsilon", 1, "epsilon of the bound")
	f.Float64Var(&d.delta, "delta", 1e-6, "delta of the bound")
	f.Float64Var(&d.sumRidge, "sum-ridge", erm.DiagnosisRidge, "penalty beside the sum of losses with which the minimizer is found")
	f.BoolVar(&d.json, "json", false, "print JSON")
	c.AddCommand(newDiagnoseNetwork())
	return c
}

// diagnosis is what dither diagnose prints as JSON.
type diagnosis struct {
	Notice string `json:"notice"`
	*erm.NonPrivateDiagnosis
	// Lipschitz and the bound are nil where the loss has none, StrongConvexity where it is not computed.
	Lipschitz       *float64 `json:"lipschitz"`
	StrongConvexity *float64 `json:"strong-convexity"`
	Epsilon         float64  `json:"epsilon"`
	Delta           float64  `json:"delta"`
	ExcessBound     *float64 `json:"excess-bound"`
	Excess          *float64 `json:"measured-excess,omitempty"`
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
	out := diagnosis{Notice: notPrivateBanner, NonPrivateDiagnosis: found, Lipschitz: display.Finite(found.Lipschitz), StrongConvexity: display.Finite(found.StrongConvexity),
		Epsilon: d.epsilon, Delta: d.delta, ExcessBound: display.Finite(found.Bound(d.epsilon, d.delta))}
	if m != nil {
		excess, wrong := found.Excess(m)
		if wrong != nil {
			return wrong
		}
		out.Excess = &excess
	}
	if d.json {
		return writeJSON(c.OutOrStdout(), out)
	}
	return out.write(c.OutOrStdout())
}

// load returns the model that was named, nil if none was.
func (d *diagnoseCommand) load(s *data.Schema) (*model.Model, error) {
	if d.model == "" {
		return nil, nil
	}
	m, err := model.Load(d.model)
	if err != nil {
		return nil, err
	}
	if m.Schema().Target.Column != s.Target.Column {
		return nil, fmt.Errorf("the model predicts %s and the table is for %s, want one target", oneLine(m.Schema().Target.Column), oneLine(s.Target.Column))
	}
	return m, nil
}

func (d diagnosis) write(w io.Writer) error {
	fmt.Fprintf(w, "%s\n\n", d.Notice)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, values ...any) { fmt.Fprintf(t, name+"\t"+format+"\n", values...) }
	line("loss", "%s over %d records of %d features", d.Loss, d.Records, d.Features)
	line("rank of Σ x·xᵀ", "%d eigenvalues above %.3g", d.Rank, d.Tolerance)
	line("effective rank", "%.2f (trace over largest eigenvalue)", d.EffectiveRank)
	line("eigenvalues of the mean", "%.4g to %.4g", max(d.Least, 0), d.Largest) // rounding may leave a little less than 0
	line("bound of rows", "%.4g", d.RowBound)
	line("Lipschitz constant", "%s", display.Digits(d.Lipschitz))
	line("smoothness", "%.4g (by the bound of rows %.4g)", d.Smoothness, d.PublicSmoothness)
	line("strong convexity", "%s at the minimizer", display.Digits(d.StrongConvexity))
	line("norm of the minimizer", "%.4g, in the span of the rows %.4g (ridge %.3g)", d.MinimizerNorm, d.ProjectedNorm, d.Ridge)
	line("mean loss", "%.6g at 0, %.6g at the minimizer", d.Start, d.Minimum)
	line("rank bound on the excess", "%s at epsilon %.4g, delta %.4g", display.Digits(d.ExcessBound), d.Epsilon, d.Delta)
	if d.Excess != nil {
		line("measured excess", "%.4g of the model", *d.Excess)
	}
	return t.Flush()
}
