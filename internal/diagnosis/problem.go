// Package diagnosis writes exact and therefore not private numbers about a training problem. For a
// linear model these are the constants of theorems. For a network they are its tangent kernel and
// the norms of its gradients.
package diagnosis

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train/erm"
)

// Problem is the JSON output of dither diagnose.
type Problem struct {
	Notice string `json:"notice"`
	*erm.NonPrivateDiagnosis
	// Lipschitz and the bound are nil if the loss has none. StrongConvexity is nil if it is not
	// computed.
	Lipschitz       *float64 `json:"lipschitz"`
	StrongConvexity *float64 `json:"strong-convexity"`
	Epsilon         float64  `json:"epsilon"`
	Delta           float64  `json:"delta"`
	ExcessBound     *float64 `json:"excess-bound"`
	Excess          *float64 `json:"measured-excess,omitempty"`
}

// OfProblem returns a diagnosis with a notice and the bound on the excess loss at epsilon and
// delta. If a model is given, it has the model's excess loss.
func OfProblem(notice string, found *erm.NonPrivateDiagnosis, epsilon, delta float64, m *model.Model) (Problem, error) {
	d := Problem{Notice: notice, NonPrivateDiagnosis: found, Lipschitz: display.Finite(found.Lipschitz), StrongConvexity: display.Finite(found.StrongConvexity),
		Epsilon: epsilon, Delta: delta, ExcessBound: display.Finite(found.Bound(epsilon, delta))}
	if m == nil {
		return d, nil
	}
	excess, err := found.Excess(m)
	d.Excess = &excess
	return d, err
}

// WriteText writes the diagnosis as a table.
func (d Problem) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s\n\n", d.Notice)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, values ...any) { fmt.Fprintf(t, name+"\t"+format+"\n", values...) }
	line("loss", "%s over %d records of %d features", d.Loss, d.Records, d.Features)
	line("rank of Σ x·xᵀ", "%d eigenvalues above %.3g", d.Rank, d.Tolerance)
	line("effective rank", "%.2f (trace over largest eigenvalue)", d.EffectiveRank)
	line("eigenvalues of the mean", "%.4g to %.4g", max(d.Least, 0), d.Largest) // rounding may make it slightly negative
	line("bound of rows", "%.4g", d.RowBound)
	line("Lipschitz constant", "%s", display.Digits(d.Lipschitz))
	line("smoothness", "%.4g (by the bound of rows %.4g)", d.Smoothness, d.PublicSmoothness)
	line("strong convexity", "%s at the minimizer", display.Digits(d.StrongConvexity))
	line("norm of the minimizer", "%.4g, in the span of the rows %.4g (ridge %.3g)", d.MinimizerNorm, d.ProjectedNorm, d.Ridge)
	line("mean loss", "%.6g at 0, %.6g at the minimizer", d.Start, d.Minimum)
	line("rank bound on the excess", "%s at epsilon %.4g, delta %.4g", display.Digits(d.ExcessBound), d.Epsilon, d.Delta)
	if d.Excess != nil {
		line("measured excess", "%.4g of the model", *d.Excess)
	}
	return t.Flush()
}
