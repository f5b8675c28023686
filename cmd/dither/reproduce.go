package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/internal/reproduce"
	"github.com/ditherml/dither/sweep"
	"github.com/spf13/cobra"
)

const reproduceLong = `Run experiments of the literature again, and print each published figure beside ours with
the reason why they differ. Without a name, list what can be run.

Data sets are looked for in the folder of --data, else in the one that DITHER_DATA names, else
in ../shared/data; experiments whose data sets are not there are skipped, and named. They are
public data sets; the epsilon of each run is what it would guarantee if the records were
private, the many runs together would cost more.

With --out FOLDER everything is written there as it comes: comparisons.json, .csv and .md, every
figure as SVG and PNG, and index.html. The exit status is 1 when a figure that every run must
give is not the golden one.`

const reproduceExample = `  dither reproduce
  dither reproduce composition salary
  dither reproduce --linear --out reproductions`

// sharedData is where data sets are looked for when nothing names a folder.
const sharedData = "../shared/data"

// reproduceCommand are the flags of dither reproduce.
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
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return reproductionNames(reproduce.Reproductions()), cobra.ShellCompDirectiveNoFileComp
		},
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

func reproductionNames(all []sweep.Reproduction) []string {
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.Name
	}
	return names
}

// chosen returns what to run, nil for a list.
func (r *reproduceCommand) chosen(names []string) ([]sweep.Reproduction, error) {
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

// laboratory finds the data sets.
func (r *reproduceCommand) laboratory() sweep.Environment {
	folder := r.data
	if folder == "" {
		folder = os.Getenv(dataVariable)
	}
	if folder == "" {
		folder = filepath.FromSlash(sharedData)
	}
	return sweep.Environment{Data: folder, Repeats: r.repeats}
}

func (r *reproduceCommand) run(c *cobra.Command, names []string) error {
	chosen, err := r.chosen(names)
	if err != nil {
		return err
	}
	l := r.laboratory()
	if r.data != "" && !isFolder(r.data) {
		return fmt.Errorf("--data is %s, want a folder of data sets", r.data)
	}
	if chosen == nil {
		return r.list(c, l)
	}
	files, err := newReproductionFiles(r.out, r.replace)
	if err != nil {
		return err
	}
	ahead := newForecast(c.ErrOrStderr(), r.quiet, runnable(chosen, l))
	l.Progress = ahead.show
	var results []sweep.Result
	err = reproduce.Run(c.Context(), chosen, l, func(result sweep.Result) error {
		ahead.finished(result)
		results = append(results, result)
		if !r.json {
			if failure := writeReproduction(c.OutOrStdout(), result); failure != nil {
				return failure
			}
		}
		return files.write(results)
	})
	return r.end(c, results, err)
}

// end prints what holds of all results.
func (r *reproduceCommand) end(c *cobra.Command, results []sweep.Result, err error) error {
	if failure := r.last(c, results); failure != nil {
		return failure
	}
	switch wrong := disagreements(results); {
	case errors.Is(err, context.Canceled):
		return failed{errors.New("stopped before the end; what was finished is printed above, and written if --out was given")}
	case err != nil:
		return failed{err}
	case len(wrong) > 0:
		return failed{fmt.Errorf("%d figures are not what every run must give: %s", len(wrong), strings.Join(wrong, "; "))}
	}
	return nil
}

// last prints what stands after all results.
func (r *reproduceCommand) last(c *cobra.Command, results []sweep.Result) error {
	switch {
	case len(results) == 0:
		return nil
	case r.json:
		return writeJSON(c.OutOrStdout(), reproduce.Document(results))
	}
	return writeAll(c.OutOrStdout(), []byte(wrapped("These are "+reproduce.Publicly+".")))
}

// disagreements names the figures that are not golden.
func disagreements(results []sweep.Result) []string {
	var wrong []string
	for _, r := range results {
		for _, d := range r.Disagreements() {
			wrong = append(wrong, fmt.Sprintf("%s: %s is %v, want %v within %v", r.Name, d.Quantity, d.Value, d.Golden.Value, d.Golden.Tolerance))
		}
	}
	return wrong
}

// runnable leaves out what cannot run for want of data sets.
func runnable(chosen []sweep.Reproduction, l sweep.Environment) []sweep.Reproduction {
	var out []sweep.Reproduction
	for _, r := range chosen {
		if reproduce.Missing(r, l) == nil {
			out = append(out, r)
		}
	}
	return out
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// listed is an experiment as --json lists it.
type listedReproduction struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Source  string   `json:"source"`
	Data    []string `json:"data"`
	Missing []string `json:"missing"`
	Minutes float64  `json:"minutes"`
	Linear  bool     `json:"linear"`
}

// list prints what can be run.
func (r *reproduceCommand) list(c *cobra.Command, l sweep.Environment) error {
	var all []listedReproduction
	for _, e := range reproduce.Reproductions() {
		all = append(all, listedReproduction{e.Name, e.Title, e.Source, append([]string{}, e.Data...), append([]string{}, reproduce.Missing(e, l)...), e.Minutes, e.Linear})
	}
	if r.json {
		return writeJSON(c.OutOrStdout(), all)
	}
	var b strings.Builder
	total, linear := 0.0, 0.0
	for _, e := range all {
		fmt.Fprintf(&b, "%s (%s)\n", e.Name, minutesText(e.Minutes))
		for _, text := range []string{e.Title + ".", "Source: " + e.Source + ".", dataText(e)} {
			fmt.Fprint(&b, indented(wrapped(text), "  "))
		}
		total += e.Minutes
		if e.Linear {
			linear += e.Minutes
		}
	}
	fmt.Fprintf(&b, "\nAll take about %s on two processors, those of --linear %s.\n", minutesText(total), minutesText(linear))
	return writeAll(c.OutOrStdout(), []byte(b.String()))
}

// dataText says what an experiment reads.
func dataText(e listedReproduction) string {
	switch {
	case len(e.Data) == 0:
		return "Data: none but what comes with the program."
	case len(e.Missing) > 0:
		return fmt.Sprintf("Data: %s; no folder %s is here, so it is skipped.", strings.Join(e.Data, ", "), strings.Join(e.Missing, ", "))
	}
	return "Data: " + strings.Join(e.Data, ", ") + "."
}

// minutesText writes a time of minutes as people say it.
func minutesText(minutes float64) string {
	if minutes < 1.5 {
		return fmt.Sprintf("%.0f s", math.Max(1, math.Ceil(minutes*60)))
	}
	return fmt.Sprintf("%.0f min", math.Ceil(minutes))
}

// indented puts a prefix before every line.
func indented(text, prefix string) string {
	return prefix + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+prefix) + "\n"
}
