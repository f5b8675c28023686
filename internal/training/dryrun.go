package training

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/train"
)

// Ask is the request for a dry run in addition to the plan.
type Ask struct {
	// PerStep is the requested epsilon of each step, 0 for none.
	PerStep float64
	// Planned is the number of seconds that planning took.
	Planned float64
	// Stream says that rows stay in a file.
	Stream bool
}

// streamedBytes is the memory for a record whose row stays in a file: numbers of the row as it was
// opened and as steps see it, its digest, its label and its score.
const streamedBytes = 56

// Printable is the output of a command. Its JSON has its fields.
type Printable interface {
	// WriteText writes the output as text for people.
	WriteText(w io.Writer) error
}

// DryRun returns the plan of a run, its cost and its probable duration. These are public numbers,
// before anything is read or spent.
func (r *Run) DryRun(ctx context.Context, ask Ask) (Printable, error) {
	return r.method.dryRun(ctx, ask)
}

// descentDryRun is a dry run of gradient descent.
type descentDryRun struct {
	Plan        train.Plan              `json:"plan"`
	Certificate certificate.Certificate `json:"certificate"`
	Basic       *basic                  `json:"basic-composition,omitempty"`
	Seconds     float64                 `json:"estimated-seconds"`
	Memory      int64                   `json:"estimated-bytes"`
	// LeastSeconds is the duration on an idle machine, and MostSeconds the duration on a machine as
	// busy as now.
	LeastSeconds float64 `json:"least-seconds"`
	MostSeconds  float64 `json:"most-seconds"`
	// MeasuredRows is the number of made-up rows that the seconds were measured on. 0 means that
	// they were computed from public numbers.
	MeasuredRows int           `json:"measured-rows,omitempty"`
	Warnings     []string      `json:"warnings,omitempty"`
	Accountings  []pricedNoise `json:"accountings,omitempty"`
	run          *Run
}

// basic is the cost that courses state: k times epsilon at k times delta.
type basic struct {
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
}

func (r descent) dryRun(ctx context.Context, ask Ask) (Printable, error) {
	s, c := r.Setup, r.Draft
	d := descentDryRun{Plan: s.Plan, Certificate: c, Warnings: r.Run.warnings(), Accountings: r.prices, run: r.Run}
	d.Seconds, d.Memory = estimate(s)
	if ask.Stream {
		d.Memory = min(d.Memory, 2*streamedBytes*int64(s.Plan.MaxRecords)+160<<20)
	}
	d.Seconds += ask.Planned
	d.LeastSeconds, d.MostSeconds = d.Seconds/3, 10*d.Seconds
	measured, rows, err := r.measure(ctx, ask.Planned)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil {
		d.LeastSeconds, d.MostSeconds = min(d.Seconds, measured), 1.5*max(d.Seconds, measured)
		d.Seconds, d.MeasuredRows = measured, rows
	}
	if ask.PerStep > 0 && !s.Plan.NonPrivate {
		k := float64(s.Plan.Steps + len(s.Plan.Preparation))
		if events := s.Plan.Training(); s.Plan.Calibration != nil {
			k += float64(events[len(events)-1].(mechanism.Repeat).Count)
		}
		d.Basic = &basic{k * ask.PerStep, k * s.Plan.Delta}
	}
	return d, nil
}

// WriteText writes the dry run for people.
func (d descentDryRun) WriteText(w io.Writer) error {
	s, c := d.run.Setup, d.Certificate
	fmt.Fprintf(w, "dry run: nothing was read from the records, spent or written\n\n")
	fmt.Fprintf(w, "guarantee  %s\n", wording.Guarantee(c))
	writeWidth(w, c)
	d.run.writeBaseline(w)
	if d.Basic != nil {
		fmt.Fprintf(w, "           basic composition, as courses state it: epsilon %.4g at delta %.4g\n", d.Basic.Epsilon, d.Basic.Delta)
	}
	writePrices(w, d.Accountings)
	for _, warning := range d.Warnings {
		fmt.Fprintf(w, "warning    %s\n", warning)
	}
	fmt.Fprintf(w, "\nplan\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, e := range wording.Releases(s.Plan) {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", e.Purpose, e.Text, shareWords(c, e))
	}
	fmt.Fprintf(table, "  weights\t%d × %d\t\n", s.Plan.Columns, s.Plan.Dim)
	fmt.Fprintf(table, "  clipping\t%s\t%s\n", strings.Split(d.run.clippingWords(), ";")[0], d.run.boundWords())
	fmt.Fprintf(table, "  rows\tat most %d\t%s\n", s.Plan.MaxRecords, rowWords(s.Features))
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nassumptions\n  - %s\n", strings.Join(c.Assumptions, "\n  - "))
	sparse := ""
	if s.Plan.Dim > manyFeatures && !s.Schema.HasText() && !s.Features.Transforms() {
		sparse = "; far less of both for a LIBSVM table with few entries a row"
	}
	_, err := fmt.Fprintf(w, "\n%s and about %s of memory at the largest number of rows%s\n", d.durations(), display.Memory(d.Memory), sparse)
	return err
}

// shareWords returns words for a release's share of the budget. A baseline has none, and held-out
// records pay for themselves.
func shareWords(c certificate.Certificate, e report.Event) string {
	if !c.Private || e.Share == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %% of the budget", 100*e.Share)
}

// durations returns words for the duration of a run, and whether it was measured.
func (d descentDryRun) durations() string {
	how := "computed from public numbers"
	if d.MeasuredRows > 0 {
		how = fmt.Sprintf("measured on %d made-up rows", d.MeasuredRows)
	}
	least, most := display.Duration(d.LeastSeconds), display.Duration(d.MostSeconds)
	if least == most {
		return fmt.Sprintf("about %s (%s)", most, how)
	}
	return fmt.Sprintf("between %s and %s (%s)", least, most, how)
}
