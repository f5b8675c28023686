package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/bookkeeping"
	"github.com/ditherml/dither/internal/signature"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/internal/training"
	"github.com/ditherml/dither/internal/values"
)

// trainCommand holds the flags of dither train.
type trainCommand struct {
	table                       tabular.Flags
	tablePath, schema           string
	test, testLabels            string
	testPublic, printNotPrivate bool
	out                         string
	replace                     bool
	declared                    training.Declarations
	dryRun, nonPrivate          bool
	json, quiet                 bool
	group                       string
	stream, cacheFeatures       bool
	named, streamed             *data.Source   // the table, and the share of it that this process reads; or nil
	sources                     [2]data.Source // of --data and --test, without built-in data sets
	plan                        planFlags
	holdout                     holdoutFlags
	method                      methodFlags
	network                     networkFlags
	sweep, owner                string
	wish                        bookkeeping.Wish
	key                         signature.Private
	curve                       *training.Curve // the curve of --sweep, or nil
	ranks                       together.Flags
	of                          *together.Run // nil: one process alone
	stdout, stderr              io.Writer
}

func newTrain() *cobra.Command {
	t, c := newTrainCommand()
	t.ranks.Add(c.Flags())
	return c
}

// newTrainCommand returns the command with the struct that its flags fill.
func newTrainCommand() (*trainCommand, *cobra.Command) {
	t := &trainCommand{}
	c := &cobra.Command{
		Annotations: map[string]string{together.Several: "yes"}, Use: "train", Short: "Train a private model from a table", Long: values.TrainLong, Example: values.TrainExample, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return t.ranks.Run(c, func() {}, func() error {
				t.stdout, t.stderr, t.of = c.OutOrStdout(), c.ErrOrStderr(), together.From(c.Context())
				return t.run(c.Context())
			})
		},
	}
	f := c.Flags()
	f.StringVar(&t.tablePath, "data", "", "table: "+tableWords()+" (default: the built-in data set)")
	t.table.Add(c.Flags())
	f.StringVar(&t.schema, "schema", "", "schema file (YAML) that declares columns, bounds, levels and target")
	f.StringVar(&t.declared.Target, "target", "", "column to predict, when it is not the schema's target")
	f.StringVar(&t.test, "test", "", "table of other records to measure the model on")
	f.StringVar(&t.testLabels, "test-labels", "", "NPY or IDX file with the target of the test table")
	f.BoolVar(&t.testPublic, "test-public", false, "declare the test table public: its metrics go into the report")
	f.BoolVar(&t.printNotPrivate, "print-not-private", false, "print metrics of records that are not public on this terminal only; they are not covered by the guarantee")
	f.StringVar(&t.group, "group", "", "categorical column by whose levels metrics are split")
	f.StringVar(&t.out, "out", "", "model folder to write (default: dither-model, or the next free dither-model-2, …)")
	f.BoolVar(&t.replace, "replace", false, "replace the model folder if it exists")
	f.BoolVar(&t.declared.AssumePublic, "assume-public", false, "accept a schema whose bounds or levels were copied out of the records")
	f.BoolVar(&t.dryRun, "dry-run", false, "print plan, cost and assumptions, of gradient descent also time and memory; check headers, columns and the output folder; stop before a record is read or anything is spent")
	f.BoolVar(&t.nonPrivate, "non-private", false, "baseline without privacy: epsilon is infinite and every file says so; a linear model is the minimum on standardized columns, without clipping, unless flags say how it descends")
	f.IntVar(&t.declared.Records, "records", 0, "declared public number of records, instead of the schema's")
	f.IntVar(&t.declared.MaxRecords, "max-records", 0, "declared public bound on the number of records, instead of the schema's")
	f.BoolVar(&t.stream, training.StreamFlag, false, "for tables larger than memory: encode the table once into the cache folder, and read it from there in every step (dither clean removes it)")
	f.BoolVar(&t.cacheFeatures, training.CacheFlag, false, "for costly transforms: keep the encoded features, which are private records, in the cache folder for later runs on the same table (dither data lists them, dither clean removes them)")
	f.StringVar(&t.sweep, "sweep", "", "folder of a finished dither sweep on public records: the report draws its accuracy over epsilon, with the epsilon of this run")
	f.StringVar(&t.owner, "owner", "", "whose records they are, for report and certificate; the report has a place to write it by hand otherwise")
	addWish(f, &t.wish, &t.key)
	t.wish.Noted, f.Lookup("purpose").Usage = true, "what the model is for, in a few words, for report, certificate and ledger"
	addCharge(f, &t.wish)
	f.BoolVar(&t.json, "json", false, "print the summary (or the dry run) as JSON")
	f.BoolVar(&t.quiet, "quiet", false, "no progress; warnings stay")
	t.plan.add(f)
	t.holdout.add(f)
	t.method.add(f)
	t.network.add(f)
	return t, c
}
