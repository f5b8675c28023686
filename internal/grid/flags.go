package grid

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/sweep"
	"github.com/spf13/pflag"
)

// These lists have flags of dither train. The list without has flags that sweeps lack, and
// fixedNames has flags with one value for all runs. The list pathNames has flags that name files.
// The list wholeNames has flags with commas in their values. The list repeatedNames has flags that
// each run may have several times.
var (
	without = []string{"out", "replace", "dry-run", "non-private", "json", "quiet", "stream", "cache-features", "group", "print-not-private", "threshold",
		"holdout", "holdout-noise", "holdout-bins", "holdout-score-range", "holdout-residual-bound", "checkpoint", "checkpoint-every", "resume", "frozen-from", "train-layers", "frozen-public", "sweep", "ledger", "population", "purpose", "sign", "ranks-key", "ranks-wait"}
	fixedNames = []string{"data", "related", "table", "query", "labels", "delimiter", "schema", "target", "test", "test-labels", "test-public", "records", "max-records", "assume-public", "unit", "sample-weights",
		"transform", "neighboring"}
	repeatedNames = []string{"transform", "related"}
	pathNames     = []string{"data", "labels", "schema", "test", "test-labels"}
	wholeNames    = []string{"data", "related", "table", "query", "labels", "delimiter", "schema", "target", "test", "test-labels", "unit", "sample-weights", "interactions", "transform", "hidden", "class-weights", "clipping-norms", "clipping-groups"}
)

// noiseFlag sets the noise of each step instead of epsilon. dither train has no such flag.
const noiseFlag = "noise-multiplier"

// Flags are the flags of a sweep that accept several values, among all of its flags.
type Flags struct {
	set    *pflag.FlagSet
	values map[string]*[]string // as given
	kinds  map[string]string    // types of single values
}

// NewFlags adds flags to a command: the flags of training that a sweep may vary, and the noise
// multiplier.
func NewFlags(set, training *pflag.FlagSet) *Flags {
	f := &Flags{set, map[string]*[]string{}, map[string]string{noiseFlag: "float64"}}
	f.add(noiseFlag, "standard deviation of the noise over the clipping norm, in place of --epsilon: what the run costs follows", false)
	training.VisitAll(func(of *pflag.Flag) {
		if slices.Contains(without, of.Name) {
			return
		}
		f.kinds[of.Name] = of.Value.Type()
		usage := of.Usage
		if d := of.DefValue; d != "" && d != "0" && d != "false" && d != "[]" {
			usage += " (default " + d + ")"
		}
		f.add(of.Name, usage, of.Value.Type() == "bool")
	})
	return f
}

// add adds a flag with several values.
func (f *Flags) add(name, usage string, isBool bool) {
	values := &[]string{}
	f.values[name] = values
	f.set.Var(&severalValues{values, f.takes(name)}, name, usage)
	if isBool {
		f.set.Lookup(name).NoOptDefVal = "true"
	}
}

// severalValues is a flag that may be given several times, each with one or more values.
type severalValues struct {
	values *[]string
	kind   string
}

var _ pflag.SliceValue = (*severalValues)(nil)

// String returns the given texts.
func (v *severalValues) String() string {
	if v.values == nil {
		return ""
	}
	return strings.Join(*v.values, ",")
}

// Set adds one given text.
func (v *severalValues) Set(text string) error { return v.Append(text) }

// Append adds a text.
func (v *severalValues) Append(text string) error {
	*v.values = append(*v.values, text)
	return nil
}

// Replace replaces all texts.
func (v *severalValues) Replace(texts []string) error {
	*v.values = texts
	return nil
}

// GetSlice returns the texts.
func (v *severalValues) GetSlice() []string { return *v.values }

// Type returns the words of the help for the flag's values.
func (v *severalValues) Type() string { return v.kind }

// takes returns the words of the help for a flag's values: one value, or a list if it may vary.
func (f *Flags) takes(name string) string {
	kind := map[string]string{"float64": "float", "int": "int", "bool": "bool"}[f.kinds[name]]
	switch {
	case kind == "":
		kind = "text"
	case kind == "bool":
		return kind // the help leaves it out
	}
	if slices.Contains(fixedNames, name) {
		return kind
	}
	return kind + " list"
}

// Settings returns the settings that all runs share and the parameters that vary. They have the
// order of the command line, then of the file. Tables and figures keep that order.
func (f *Flags) Settings() (fixed []sweep.Setting, varied []sweep.Parameter, err error) {
	f.set.SortFlags = false // Visit uses the order in which they were given
	for _, name := range f.given() {
		values, failed := f.valuesOf(name)
		switch {
		case failed != nil:
			return nil, nil, failed
		case slices.Contains(repeatedNames, name) || len(values) == 1:
			for _, v := range values {
				fixed = append(fixed, sweep.Setting{Name: name, Value: v})
			}
		case slices.Contains(fixedNames, name):
			return nil, nil, fmt.Errorf("--%s has %d values, want one for all runs of a sweep", name, len(values))
		default:
			varied = append(varied, sweep.Parameter{Name: name, Values: values})
		}
	}
	if names := f.given(); slices.Contains(names, noiseFlag) && (slices.Contains(names, "epsilon") || slices.Contains(names, "epsilon-per-step")) {
		return nil, nil, fmt.Errorf("--%s and an epsilon are both given, want one of them; each follows from the other", noiseFlag)
	}
	return fixed, varied, nil
}

// given lists the flags that were given, in the order of the command line, then of the file.
func (f *Flags) given() []string {
	var names []string
	f.set.Visit(func(flag *pflag.Flag) {
		if f.values[flag.Name] != nil {
			names = append(names, flag.Name)
		}
	})
	return names
}

// valuesOf returns the values of a flag, one text each.
func (f *Flags) valuesOf(name string) ([]string, error) {
	var out []string
	for _, text := range *f.values[name] {
		switch kind := f.kinds[name]; {
		case kind == "float64" || kind == "int":
			numbers, err := ParseNumbers(text)
			if err != nil {
				return nil, fmt.Errorf("--%s: %w", name, err)
			}
			out = append(out, numbers...)
		case slices.Contains(wholeNames, name):
			out = append(out, text)
		default:
			for part := range strings.SplitSeq(text, ",") {
				out = append(out, strings.TrimSpace(part))
			}
		}
	}
	return out, nil
}

// Command returns the command line of the same sweep, with file names without folders. The argument
// file is the file of settings, "" for none.
func (f *Flags) Command(o Options, file string) string {
	parts := []string{"dither sweep"}
	if file != "" {
		return parts[0] + " --plan " + filepath.Base(file)
	}
	for _, name := range f.given() {
		for _, v := range *f.values[name] {
			if slices.Contains(pathNames, name) {
				v = outcome.BaseName(v)
			} else if name == "related" {
				v = outcome.RelatedName(v)
			}
			between := " "
			if f.kinds[name] == "bool" {
				between = "="
			}
			parts = append(parts, "--"+name+between+display.Quoted(v))
		}
	}
	if o.Split != "" {
		parts = append(parts, "--split "+o.Split)
	}
	if o.DataPublic {
		parts = append(parts, "--data-public")
	}
	if o.Mark != "" {
		parts = append(parts, "--mark "+display.Quoted(o.Mark))
	}
	if o.Repeats != 1 {
		parts = append(parts, fmt.Sprintf("--repeats %d", o.Repeats))
	}
	if o.Baseline {
		parts = append(parts, "--baseline")
	}
	return strings.Join(parts, " ")
}
