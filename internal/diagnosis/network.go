package diagnosis

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/ditherml/dither/internal/dynamics"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/train/neural"
)

// PublicNotice precedes exact numbers about records that were declared public.
const PublicNotice = "NOT PRIVATE: the numbers below are exact about the records of a table that was declared public."

// Network is the JSON output of dither diagnose network.
type Network struct {
	Notice string `json:"notice"`
	*neural.NonPrivateDiagnosis
	Reasons []string `json:"reasons"`
}

// OfNetwork returns a diagnosis with its notice and its reasons.
func OfNetwork(n *neural.NonPrivateDiagnosis) Network { return Network{PublicNotice, n, n.Reasons()} }

// WriteText writes the diagnosis as tables.
func (d Network) WriteText(w io.Writer) error {
	n := d.NonPrivateDiagnosis
	fmt.Fprintf(w, "%s\n\n", d.Notice)
	fmt.Fprintf(w, "problem    %s loss of %d records, rows of the kernel for each: %d, %s trained, seed %d\n", n.Loss, n.Records, n.Outputs, wording.Weights(n.Weights), n.Seed)
	fmt.Fprintf(w, "clipping   small norm %.4g, large norm %.4g\n", n.SmallNorm, n.LargeNorm)
	if n.Steps > 0 {
		fmt.Fprintf(w, "descents   %d steps with all records, learning rate %.4g, noise multiplier %.4g\n", n.Steps, n.LearningRate, n.NoiseMultiplier)
	}
	write := []func(io.Writer, *neural.NonPrivateDiagnosis) error{writeKernels, writeDescents, writeConvergence, writeNorms}
	for _, part := range write {
		if err := part(w, n); err != nil {
			return err
		}
	}
	return nil
}

// newTable begins a table with a heading and names of columns.
func newTable(w io.Writer, heading string, columns ...string) *tabwriter.Writer {
	fmt.Fprintf(w, "\n%s\n", heading)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  "+strings.Join(columns, "\t"))
	return t
}

// writeKernels prints the effect of clippings on the kernel.
func writeKernels(w io.Writer, n *neural.NonPrivateDiagnosis) error {
	t := newTable(w, "tangent kernel under clipping, at the first weights", "clipping", "asymmetry", "least eigenvalue", "least of the form", "largest eigenvalue", "trace")
	for _, c := range n.Clippings {
		k := c.Kernel
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%.4g\t%.4g\n", c.Name, small(k.Asymmetry, 1), small(k.Least, k.Norm), small(k.LeastForm, k.Norm), k.Largest, k.Trace)
	}
	return t.Flush()
}

// small returns a number as text, or 0 if it is within rounding of 0.
func small(v, scale float64) string {
	if v >= -dynamics.Tolerance*scale && v <= dynamics.Tolerance*scale {
		return "0"
	}
	return fmt.Sprintf("%.3g", v)
}

// writeDescents prints the ends of descents.
func writeDescents(w io.Writer, n *neural.NonPrivateDiagnosis) error {
	if n.Steps == 0 {
		return nil
	}
	t := newTable(w, "mean loss of descents", "clipping", "first", "last", "rises", "largest", "against the gradient", "last tenth with noise", "rises")
	for _, c := range n.Clippings {
		f := c.Flow
		fmt.Fprintf(t, "  %s\t%.4g\t%s\t%d\t%s\t%d\t%.3g\t%d\n", c.Name, f.Start, small(f.End, f.Start), f.Rises, small(f.Rise, f.Start), f.Against, c.Noisy.Last, c.Noisy.Rises)
	}
	return t.Flush()
}

// writeConvergence prints the table of measurements, with the course's claims where they differ.
func writeConvergence(w io.Writer, n *neural.NonPrivateDiagnosis) error {
	t := newTable(w, "measured properties; in brackets the course's entry if it differs", "clipping", "symmetric", "eigenvalues ≥ 0", "form ≥ 0", "loss only falls", "loss to 0", "only falls, with noise", "to 0, with noise")
	for _, c := range n.Clippings {
		m, course := c.Measured, neural.Convergence{}
		if c.Course != nil {
			course = *c.Course
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Name, beside(m.Symmetric, course.Symmetric), beside(m.Positive, course.Positive), beside(m.PositiveForm, course.PositiveForm),
			beside(m.Monotone, course.Monotone), beside(m.Zero, course.Zero), beside(m.MonotoneNoisy, course.MonotoneNoisy), beside(m.ZeroNoisy, course.ZeroNoisy))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, reason := range n.Reasons() {
		if _, err := fmt.Fprintf(w, "  - %s\n", reason); err != nil {
			return err
		}
	}
	return nil
}

// beside returns a measurement and the course's claim as one text.
func beside(measured, course string) string {
	switch {
	case measured == "":
		return "–"
	case course == "" || course == measured:
		return measured
	}
	return fmt.Sprintf("%s (%s)", measured, course)
}

// writeNorms prints norms of gradients by layers. It also prints how many of them a small clipping
// norm, shared among layers, clips.
func writeNorms(w io.Writer, n *neural.NonPrivateDiagnosis) error {
	columns := []string{"layer"}
	for _, share := range dynamics.NormQuantiles() {
		columns = append(columns, fmt.Sprintf("%.4g %%", 100*share))
	}
	t := newTable(w, fmt.Sprintf("quantiles of the gradient norms of %d records", n.NormRecords), append(columns, "longer than")...)
	for k, norms := range n.Norms {
		line := []string{norms.Part}
		for _, q := range norms.Quantiles {
			line = append(line, fmt.Sprintf("%.3g", q))
		}
		norm := n.LayerNorm(k)
		fmt.Fprintf(t, "  %s\t%.3g: %.3g %%\n", strings.Join(line, "\t"), norm, 100*norms.Clipped(norm))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, norms := range n.Norms {
		if err := writeHistogram(w, norms); err != nil {
			return err
		}
	}
	return nil
}

// barWidth is the length of the longest bar of a histogram, in characters.
const barWidth = 50

// writeHistogram prints one bar for each interval of norms.
func writeHistogram(w io.Writer, n dynamics.Norms) error {
	most := 1
	for _, count := range n.Counts {
		most = max(most, count)
	}
	t := newTable(w, "norms of "+n.Part, "from", "to", "records", "")
	for i, count := range n.Counts {
		low, high := n.Edges[i], n.Edges[min(i+1, len(n.Edges)-1)]
		fmt.Fprintf(t, "  %.3g\t%.3g\t%d\t%s\n", low, high, count, strings.Repeat("#", (count*barWidth+most-1)/most))
	}
	return t.Flush()
}
