package training

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/train"
)

// estimateRows returns the table of estimates.
func estimateRows(i *train.Inference) report.Table {
	t := report.Table{Title: fmt.Sprintf("Coefficients of linear regression in the units of the table, with intervals of %g %%", 100*i.Level),
		Columns: []string{"coefficient", "estimate", "standard error", "of it noise", "from", "to"}}
	for _, e := range i.Estimates {
		t.Rows = append(t.Rows, []string{e.Name, estimateDigits(e.Value), estimateDigits(e.StandardError), estimateDigits(e.NoiseError), estimateDigits(e.Lower), estimateDigits(e.Upper)})
	}
	return t
}

func estimateDigits(v float64) string { return fmt.Sprintf("%.5g", v) }

// determinationWords returns R² from released sums as text. Noise may raise it above 1.
func determinationWords(v float64) string {
	if v >= 1 {
		return "hidden by the noise"
	}
	return fmt.Sprintf("%.4f", v)
}

// omissions returns one line for each reason why coefficients have no estimate, with the names of
// the features.
func omissions(i *train.Inference) []string {
	var reasons, out []string
	names := map[string][]string{}
	for _, o := range i.Omitted {
		if names[o.Reason] == nil {
			reasons = append(reasons, o.Reason)
		}
		names[o.Reason] = append(names[o.Reason], o.Name)
	}
	for _, reason := range reasons {
		out = append(out, fmt.Sprintf("%s (%s)", strings.Join(names[reason], ", "), reason))
	}
	return out
}

// reportEstimates returns the report's words about an inference, or nil.
func reportEstimates(i *train.Inference) *report.Estimates {
	if i == nil {
		return nil
	}
	out := &report.Estimates{Refusal: i.Refusal}
	if i.Records > 0 {
		out.Facts = append(out.Facts, report.Fact{Name: "records, with noise", Value: fmt.Sprintf("%.0f", i.Records)})
	}
	if i.Determination != 0 {
		out.Facts = append(out.Facts, report.Fact{Name: "R² on the training records, with noise", Value: determinationWords(i.Determination)})
	}
	for _, line := range omissions(i) {
		out.Facts = append(out.Facts, report.Fact{Name: "not estimable, left out", Value: line})
	}
	if i.Refusal == "" {
		table := estimateRows(i)
		out.Table, out.Intervals = &table, reportIntervals(i.Estimates)
	}
	return out
}

// writeEstimates prints an inference.
func writeEstimates(w io.Writer, i *train.Inference) error {
	if i == nil {
		return nil
	}
	if i.Determination != 0 {
		fmt.Fprintf(w, "\nfrom the released sums: about %.0f records, R² on them %s\n", i.Records, determinationWords(i.Determination))
	}
	if i.Refusal != "" {
		fmt.Fprintf(w, "no intervals: %s\n", i.Refusal)
		return writeOmissions(w, i)
	}
	table := estimateRows(i)
	fmt.Fprintf(w, "\n%s\n", table.Title)
	aligned := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{table.Columns}, table.Rows...) {
		for _, cell := range row {
			fmt.Fprintf(aligned, "  %s\t", display.OneLine(cell))
		}
		fmt.Fprintln(aligned)
	}
	if err := aligned.Flush(); err != nil {
		return err
	}
	return writeOmissions(w, i)
}

func writeOmissions(w io.Writer, i *train.Inference) (err error) {
	for _, line := range omissions(i) {
		if _, err = fmt.Fprintf(w, "  not estimable, left out: %s\n", display.OneLine(line)); err != nil {
			return err
		}
	}
	return nil
}

// reportIntervals returns the estimates for drawing.
func reportIntervals(estimates []train.Estimate) []report.Interval {
	out := make([]report.Interval, len(estimates))
	for i, e := range estimates {
		out[i] = report.Interval{Name: e.Name, Value: e.Value, Low: e.Lower, High: e.Upper}
	}
	return out
}
