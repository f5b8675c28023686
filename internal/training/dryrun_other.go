package training

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// minimizerDryRun is the output of --dry-run for a method of package erm.
type minimizerDryRun struct {
	Plan        erm.Plan                `json:"plan"`
	Certificate certificate.Certificate `json:"certificate"`
	Warnings    []string                `json:"warnings,omitempty"`
	run         *Run
}

func (r minimizer) dryRun(context.Context, Ask) (Printable, error) {
	return minimizerDryRun{r.Other.Plan, r.Draft, r.Run.warnings(), r.Run}, nil
}

// WriteText writes the dry run for people.
func (d minimizerDryRun) WriteText(w io.Writer) error {
	f := d.run
	fmt.Fprintf(w, "dry run: nothing was read from the records, spent or written\n\nguarantee  %s\n", wording.Guarantee(f.Draft))
	writeWidth(w, f.Draft)
	for _, warning := range d.Warnings {
		fmt.Fprintf(w, "warning    %s\n", warning)
	}
	fmt.Fprint(w, "\nplan\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  method\t%s\t\n", f.Other.Plan.Method)
	for _, e := range f.method.releases() {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", e.Purpose, e.Text, shareWords(f.Draft, e))
	}
	fmt.Fprintf(table, "  weights\t%d × %d\t\n", f.Other.Plan.Columns, f.Other.Plan.Dim)
	for _, fact := range f.Other.Plan.Facts() {
		fmt.Fprintf(table, "  %s\t%s\t\n", fact.Name, fact.Value)
	}
	fmt.Fprintf(table, "  rows\tat most %d\t\n", f.Other.Plan.MaxRecords)
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nassumptions\n  - %s\n", strings.Join(f.Draft.Assumptions, "\n  - "))
	return err
}

// networkDryRun is the output of --dry-run for a network.
type networkDryRun struct {
	Plan        neural.Plan             `json:"plan"`
	Certificate certificate.Certificate `json:"certificate"`
	Seconds     float64                 `json:"estimated-seconds"`
	Memory      int64                   `json:"estimated-bytes"`
	Warnings    []string                `json:"warnings,omitempty"`
	run         *Run
}

func (r networkRun) dryRun(context.Context, Ask) (Printable, error) {
	seconds, memory := r.Network.Setup.Estimate(r.Network.Options, runtime.GOMAXPROCS(0))
	return networkDryRun{r.Network.plan(), r.Draft, seconds, memory, r.warnings(), r.Run}, nil
}

// WriteText writes the dry run for people.
func (d networkDryRun) WriteText(w io.Writer) error {
	f, plan := d.run, d.Plan
	fmt.Fprintf(w, "dry run: nothing was read from the records, spent or written\n\nguarantee  %s\n", wording.Guarantee(f.Draft))
	for _, warning := range d.Warnings {
		fmt.Fprintf(w, "warning    %s\n", warning)
	}
	fmt.Fprintf(w, "\nplan\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, e := range f.method.releases() {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", e.Purpose, e.Text, shareWords(f.Draft, e))
	}
	for _, fact := range f.method.facts(nil) {
		fmt.Fprintf(table, "  %s\t%s\t\n", fact.Name, fact.Value)
	}
	fmt.Fprintf(table, "  rows\tat most %d\t\n", plan.MaxRecords)
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nassumptions\n  - %s\n", strings.Join(f.Draft.Assumptions, "\n  - "))
	_, err := fmt.Fprintf(w, "\nabout %s and %s of memory at the largest number of rows\n", display.Duration(d.Seconds), display.Memory(d.Memory))
	return err
}
