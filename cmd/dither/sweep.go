package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/grid"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/sweep"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const sweepLong = `Train the same model many times with other settings, and see what privacy costs: a table, and a figure of each
metric over each setting that varies, with intervals over repeats.

The flags are those of dither train, and most take several values: 0.5,1,2, or for numbers also ranges, as
0.1..10 log 9 (nine values, equal factors apart), 0..1 linear 5 or 0.001..0.1 step 0.001. A flag whose values
have commas of their own, such as --hidden, is given once for each value. Every combination is run.
--noise-multiplier fixes the noise in place of --epsilon. A plan file (--plan, YAML) has the same names as
keys, and lists as values.

Runs of gradient descent on all rows share passes over the table; all others draw their own samples. Stopped
in the middle, the same command goes on where it was.

Without flags the table is the built-in public one. A table of your own is private unless you declare it
public (--data-public). Every run on a private table is a release: what all of them cost together is printed,
and choosing settings by them is not free. With --select the choice is made privately, and costs --epsilon. With --test FILE --test-public models are measured on public
records; with --print-not-private on records that are not, and nothing but this terminal sees it.`

const sweepExample = `  dither sweep --epsilon 0.1,0.3,1,3 --repeats 5
  dither sweep --epsilon "0.01..10 log 9" --clipping-norm 0.1,1 --repeats 10 --baseline
  dither sweep --data x.npy --labels y.npy --schema x.yaml --data-public --split first:0.8 --epsilon 0.5,1,2
  dither sweep --model mlp --noise-multiplier 0.7,1,2 --sampling-probability 0.01,0.05 --epochs 5
  dither sweep --plan plan.yaml --dry-run
  dither sweep --select geometric:5 --learning-rate 0.5,1,2 --clipping-norm 0.2,0.5 --epsilon 2`

// Flags of dither train that a sweep does not have, that have one value for all runs, that name
// files, or that have commas in their values.
var (
	sweepWithout = []string{"out", "replace", "dry-run", "non-private", "json", "quiet", "stream", "cache-features", "group", "print-not-private", "threshold",
		"holdout", "holdout-noise", "holdout-bins", "holdout-score-range", "holdout-residual-bound", "checkpoint", "checkpoint-every", "resume", "frozen-from", "train-layers", "frozen-public", "sweep"}
	sweepFixed = []string{"data", "labels", "delimiter", "schema", "target", "test", "test-labels", "test-public", "records", "max-records", "assume-public", "unit", "sample-weights",
		"transform", "neighboring"}
	sweepPaths = []string{"data", "labels", "schema", "test", "test-labels"}
	sweepWhole = []string{"data", "labels", "delimiter", "schema", "target", "test", "test-labels", "unit", "sample-weights", "transform", "hidden", "class-weights", "clipping-norms", "clipping-groups"}
)

// noiseMultiplierFlag fixes the noise of each step in place of epsilon; dither train has no such flag.
const noiseMultiplierFlag = "noise-multiplier"

// sweepCommand holds the flags of dither sweep.
type sweepCommand struct {
	flags           *pflag.FlagSet
	values          map[string]*[]string // of the flags of dither train, as given
	kinds           map[string]string    // their types
	planFile, split string
	choose          string // the distribution of --select
	mark            string // the configuration that is pointed out
	out             string
	repeats         int
	baseline        bool
	dataPublic      bool
	printNotPrivate bool
	dryRun          bool
	json, quiet     bool
	stdout, stderr  io.Writer
}

func newSweep() *cobra.Command {
	s := &sweepCommand{values: map[string]*[]string{}, kinds: map[string]string{noiseMultiplierFlag: "float64"}}
	c := &cobra.Command{
		Use: "sweep", Short: "Train many times with other settings: accuracy against privacy", Long: sweepLong, Example: sweepExample, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s.stdout, s.stderr = c.OutOrStdout(), c.ErrOrStderr()
			return s.run(c.Context())
		},
	}
	f := c.Flags()
	s.flags = f
	f.StringVar(&s.planFile, "plan", "", "YAML file of what to run: names of these flags as keys, values or lists of them as values")
	f.IntVar(&s.repeats, "repeats", 1, "runs of each configuration, each with noise of its own; intervals are Student's, of 95 % confidence")
	f.BoolVar(&s.baseline, "baseline", false, "also run without privacy, to compare")
	f.StringVar(&s.split, "split", "", "divide a table that is declared public into training and test part: first:0.8 trains on the first 80 % of the rows, random:0.2 tests on a random fifth, always the same")
	f.BoolVar(&s.dataPublic, "data-public", false, "declare the table public: no record of it is anybody's secret")
	f.StringVar(&s.choose, "select", "", "choose settings privately: geometric:MEAN, poisson:MEAN, logarithmic:MEAN or negative-binomial:SHAPE:MEAN makes a random number of runs with settings drawn at random, and writes the best on public records as a model folder, for --epsilon in all; all settings must cost the same")
	f.StringVar(&s.mark, "mark", "", "configuration that figures and page point out, as epsilon=1,clipping-norm=0.5, or none (default: the smallest epsilon within one standard error of the best)")
	f.StringVar(&s.out, "out", outcome.DefaultFolder, "folder of the results; one with the same sweep is gone on with")
	f.BoolVar(&s.printNotPrivate, "print-not-private", false, "measure on a test table that is not public: print metrics on this terminal only, without files of results")
	f.BoolVar(&s.dryRun, "dry-run", false, "print configurations, what each and all cost, and about how long they take, and stop")
	f.BoolVar(&s.json, "json", false, "print JSON")
	f.BoolVar(&s.quiet, "quiet", false, "no progress")
	s.add(noiseMultiplierFlag, "standard deviation of the noise over the clipping norm, in place of --epsilon: what the run costs follows", false)
	newTrain().Flags().VisitAll(func(of *pflag.Flag) {
		if slices.Contains(sweepWithout, of.Name) {
			return
		}
		s.kinds[of.Name] = of.Value.Type()
		usage := of.Usage
		if d := of.DefValue; d != "" && d != "0" && d != "false" && d != "[]" {
			usage += " (default " + d + ")"
		}
		s.add(of.Name, usage, of.Value.Type() == "bool")
	})
	return c
}

// add adds a flag that takes several values.
func (s *sweepCommand) add(name, usage string, isBool bool) {
	values := &[]string{}
	s.values[name] = values
	s.flags.Var(&severalValues{values, s.takes(name)}, name, usage)
	if isBool {
		s.flags.Lookup(name).NoOptDefVal = "true"
	}
}

// severalValues is a flag that may be given several times, each with one or more values.
type severalValues struct {
	values *[]string
	kind   string
}

var _ pflag.SliceValue = (*severalValues)(nil)

// String is what was given.
func (v *severalValues) String() string {
	if v.values == nil {
		return ""
	}
	return strings.Join(*v.values, ",")
}

// Set adds what is given once.
func (v *severalValues) Set(text string) error { return v.Append(text) }

// Append adds a text.
func (v *severalValues) Append(text string) error {
	*v.values = append(*v.values, text)
	return nil
}

// Replace puts other texts in place of all.
func (v *severalValues) Replace(texts []string) error {
	*v.values = texts
	return nil
}

// GetSlice returns the texts.
func (v *severalValues) GetSlice() []string { return *v.values }

// Type is what the help says that the flag takes.
func (v *severalValues) Type() string { return v.kind }

// takes names what a flag takes, for the help: one value, or a list where it may vary.
func (s *sweepCommand) takes(name string) string {
	kind := map[string]string{"float64": "float", "int": "int", "bool": "bool"}[s.kinds[name]]
	switch {
	case kind == "":
		kind = "text"
	case kind == "bool":
		return kind // which the help leaves out
	}
	if slices.Contains(sweepFixed, name) {
		return kind
	}
	return kind + " list"
}

// settings divides what was given into settings that all runs share and parameters that vary.
func (s *sweepCommand) settings() (fixed []sweep.Setting, varied []sweep.Parameter, err error) {
	// In the order of the command line or of the file, which is that of tables and figures.
	for _, name := range s.given() {
		values, failed := s.valuesOf(name)
		switch {
		case failed != nil:
			return nil, nil, failed
		case name == "transform" || len(values) == 1:
			for _, v := range values {
				fixed = append(fixed, sweep.Setting{Name: name, Value: v})
			}
		case slices.Contains(sweepFixed, name):
			return nil, nil, fmt.Errorf("--%s has %d values, want one for all runs of a sweep", name, len(values))
		default:
			varied = append(varied, sweep.Parameter{Name: name, Values: values})
		}
	}
	switch names := s.given(); {
	case slices.Contains(names, noiseMultiplierFlag) && (slices.Contains(names, "epsilon") || slices.Contains(names, "epsilon-per-step")):
		return nil, nil, fmt.Errorf("--%s and an epsilon are both given, want one of them; each follows from the other", noiseMultiplierFlag)
	case s.repeats < 1:
		return nil, nil, fmt.Errorf("--repeats is %d, want at least 1", s.repeats)
	}
	return fixed, varied, nil
}

// given lists the flags of dither train that were given, in the order of the command line, then of the file.
func (s *sweepCommand) given() []string {
	var names []string
	s.flags.Visit(func(f *pflag.Flag) {
		if s.values[f.Name] != nil {
			names = append(names, f.Name)
		}
	})
	return names
}

// valuesOf are the values of a flag, one text each.
func (s *sweepCommand) valuesOf(name string) ([]string, error) {
	var out []string
	for _, text := range *s.values[name] {
		switch kind := s.kinds[name]; {
		case kind == "float64" || kind == "int":
			numbers, err := grid.ParseNumbers(text)
			if err != nil {
				return nil, fmt.Errorf("--%s: %w", name, err)
			}
			out = append(out, numbers...)
		case slices.Contains(sweepWhole, name):
			out = append(out, text)
		default:
			for part := range strings.SplitSeq(text, ",") {
				out = append(out, strings.TrimSpace(part))
			}
		}
	}
	return out, nil
}

func (s *sweepCommand) run(ctx context.Context) error {
	if err := s.readPlan(); err != nil {
		return err
	}
	p, err := s.plan(ctx)
	if err != nil {
		return err
	}
	switch {
	case p.selection != nil && s.dryRun:
		return s.printSelection(p, p.selection)
	case p.selection != nil:
		return s.choosePrivately(ctx, p, p.selection)
	case s.dryRun:
		return s.printDryRun(p)
	}
	return s.execute(ctx, p)
}
