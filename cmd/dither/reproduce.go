package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/reproduce"
	"github.com/spf13/cobra"
)

const reproduceLong = `Run experiments of the literature again, and print each published figure beside ours with
an explanation. Without a name, list what can be run.

Data sets are looked for in the folder of --data, else in the one that DITHER_DATA names, else
in ../shared/data; experiments whose data sets are not there are skipped, and named. They are
public data sets; the epsilon of each run is the guarantee of this run alone, if its records
were private.

With --out FOLDER everything is written there as it comes: comparisons.json, .csv and .md, every
figure as SVG and PNG, and index.html. The exit status is 1 when a figure that every run must
give is not the golden one.`

const reproduceExample = `  dither reproduce
  dither reproduce composition salary
  dither reproduce --linear --out reproductions`

// sharedData is the default folder of the data sets.
const sharedData = "../shared/data"

// reproduceCommand holds the flags of dither reproduce.
type reproduceCommand struct {
	data, out            string
	all, linear          bool
	repeats              int
	json, quiet, replace bool
}

func newReproduce() *cobra.Command {
	var r reproduceCommand
	c := &cobra.Command{
		Use: "reproduce [NAME...]", Short: "Run experiments of the literature again", Long: reproduceLong, Example: reproduceExample,
		RunE: func(c *cobra.Command, names []string) error { return r.run(c, names) },
	}
	f := c.Flags()
	f.StringVar(&r.data, "data", "", "folder of data sets (default: that of DITHER_DATA, or "+sharedData+")")
	f.BoolVar(&r.all, "all", false, "run everything")
	f.BoolVar(&r.linear, "linear", false, "run everything that is deterministic or trains linear models only")
	f.IntVar(&r.repeats, "repeats", 0, "how often a random figure is measured (default: as each experiment says)")
	f.StringVar(&r.out, "out", "", "folder for the comparisons, the figures and the page")
	f.BoolVar(&r.replace, "replace", false, "replace files in the folder of --out")
	f.BoolVar(&r.json, "json", false, "print JSON")
	f.BoolVar(&r.quiet, "quiet", false, "do not print progress")
	return c
}

// chosen returns the experiments to run, or nil for a list.
func (r *reproduceCommand) chosen(names []string) ([]experiment.Reproduction, error) {
	switch {
	case r.repeats < 0:
		return nil, fmt.Errorf("--repeats is %d, want 1 or more; leave it out for the number of each experiment", r.repeats)
	case len(names) > 0 && (r.all || r.linear), r.all && r.linear:
		return nil, errors.New("more than one of names, --all and --linear is given, want one of them")
	case r.all:
		return reproduce.Reproductions(), nil
	case r.linear:
		return reproduce.Linear(), nil
	case len(names) > 0:
		return reproduce.Named(names...)
	case r.out != "" || r.replace:
		return nil, errors.New("--out is given and nothing to run, want names, --all or --linear")
	}
	return nil, nil
}

// laboratory returns the environment with the data sets.
func (r *reproduceCommand) laboratory() experiment.Environment {
	folder := r.data
	if folder == "" {
		folder = os.Getenv(dataVariable)
	}
	if folder == "" {
		folder = filepath.FromSlash(sharedData)
	}
	return experiment.Environment{Data: folder, Repeats: r.repeats}
}

func (r *reproduceCommand) run(c *cobra.Command, names []string) error {
	chosen, err := r.chosen(names)
	if err != nil {
		return err
	}
	l := r.laboratory()
	if info, failure := os.Stat(r.data); r.data != "" && (failure != nil || !info.IsDir()) {
		return fmt.Errorf("--data is %s, want a folder of data sets", r.data)
	}
	if chosen == nil {
		all := reproduce.List(l)
		return printed(c, r.json, all, func() ([]byte, error) { return reproduce.ListText(all), nil })
	}
	files, err := reproduce.NewFiles(r.out, r.replace)
	if err != nil {
		return err
	}
	ahead := reproduce.NewForecast(c.ErrOrStderr(), isTerminal(c.ErrOrStderr()), chosen, l)
	if !r.quiet {
		l.Progress = ahead.Show
	}
	var results []experiment.Result
	err = reproduce.Run(c.Context(), chosen, l, func(result experiment.Result) error {
		ahead.Finished(result)
		results = append(results, result)
		if !r.json {
			if failure := writeAll(c.OutOrStdout(), reproduce.Text(result, pageWidth(c.OutOrStdout()))); failure != nil {
				return failure
			}
		}
		return files.Write(results)
	})
	return r.end(c, results, err)
}

// end prints the summary of all results.
func (r *reproduceCommand) end(c *cobra.Command, results []experiment.Result, err error) error {
	if len(results) > 0 {
		text := []byte(display.Wrapped("These are " + reproduce.Publicly + "."))
		if failure := printed(c, r.json, reproduce.Document(results), func() ([]byte, error) { return text, nil }); failure != nil {
			return failure
		}
	}
	switch wrong := reproduce.Disagreements(results); {
	case errors.Is(err, context.Canceled):
		return failure.Running(errors.New("stopped before the end; what was finished is printed above, and written if --out was given"))
	case err != nil:
		return failure.Running(err)
	case len(wrong) > 0:
		return failure.Running(fmt.Errorf("%d figures are not what every run must give: %s", len(wrong), strings.Join(wrong, "; ")))
	}
	return nil
}
