package main

import (
	"fmt"
	"strings"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/diagnosis"
	"github.com/ditherml/dither/internal/layers"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
	"github.com/spf13/cobra"
)

const diagnoseNetworkLong = `Look at how a network learns a public table when gradients are clipped: its tangent kernel and
what clippings make of it, the loss along descents with all records, with and without noise,
and the norms of gradients by layers, from which a clipping norm can be chosen.

Everything printed is exact about the records and NOT PRIVATE, so the table must be public
(--public). A plan that is chosen by it is free of cost only because it never saw the private
records.`

const diagnoseNetworkExample = `  dither diagnose network --model mlp --hidden 16
  dither diagnose network --data digits.csv --schema digits.yaml --public --model layers.yaml`

// diagnoseNetworkCommand holds the flags of dither diagnose network.
type diagnoseNetworkCommand struct {
	table         tabular.Flags
	path, schema  string
	normalization string
	public, json  bool
	layers        networkFlags
	options       neural.Diagnosing
}

func newDiagnoseNetwork() *cobra.Command {
	d := &diagnoseNetworkCommand{}
	c := &cobra.Command{
		Use: "network", Short: "Look at how a network learns a public table under clipping (not private)", Long: diagnoseNetworkLong, Example: diagnoseNetworkExample, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return d.run(c) },
	}
	d.table.Add(c.Flags())
	f := c.Flags()
	d.layers.addLayers(f, layers.MLP)
	f.StringVar(&d.path, "data", "", "public table (default: the built-in data set, which is)")
	f.StringVar(&d.schema, "schema", "", "schema file (YAML)")
	f.BoolVar(&d.public, "public", false, "declare that the table is public; required with --data")
	f.StringVar(&d.normalization, "row-normalization", "", "none or unit (default: none)")
	f.IntVar(&d.options.Records, "records", option.DiagnosisRecords, "first rows of the table whose kernel and descents are looked at")
	f.IntVar(&d.options.NormRecords, "norm-records", option.DiagnosisNormRecords, "first rows of the table whose norms of gradients are looked at")
	f.Float64Var(&d.options.Norm, "clipping-norm", 0, fmt.Sprintf("small clipping norm (default: %v of the median norm)", option.SmallShare))
	f.IntVar(&d.options.Steps, "steps", option.DiagnosisSteps, "steps of each descent; -1 for none")
	f.Float64Var(&d.options.LearningRate, "learning-rate", 0, "learning rate of descents (default: one that is stable by the kernel)")
	f.Float64Var(&d.options.NoiseMultiplier, "noise-multiplier", 1, "noise of descents with noise, in units of what one record can contribute")
	f.Uint64Var(&d.options.Seed, "initial-seed", 1, "seed of the first weights, which hang on no record")
	f.BoolVar(&d.json, "json", false, "print JSON")
	return c
}

func (d *diagnoseNetworkCommand) run(c *cobra.Command) error {
	if _, builtIn := strings.CutPrefix(d.path, builtinPrefix); !builtIn && d.path != "" && !d.public {
		return fmt.Errorf("--public is missing, want it with --data %s, which declares that no record in it needs protection; a diagnosis protects none", d.path)
	}
	opened := &trainCommand{table: d.table, tablePath: d.path, schema: d.schema}
	source, err := opened.open()
	if err != nil {
		return err
	}
	size, err := layers.SizesFor(train.Request{Normalization: feature.Normalization(d.normalization)}, source.schema)
	if err != nil {
		return err
	}
	request := neural.Request{Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Normalization: feature.Normalization(d.normalization)}
	if request.Layers, request.Input, err = d.layers.layers.Layers(c.Context(), opened.streamed, source.schema, size); err != nil {
		return err
	}
	records, err := source.train(c.Context())
	if err != nil {
		return err
	}
	found, err := neural.DiagnoseNonPrivate(c.Context(), request, d.options, source.schema, records)
	if err != nil {
		return err
	}
	if d.json {
		return writeJSON(c.OutOrStdout(), diagnosis.OfNetwork(found))
	}
	return diagnosis.OfNetwork(found).WriteText(c.OutOrStdout())
}
