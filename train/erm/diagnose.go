package erm

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// NonPrivateDiagnosis describes the minimization of the mean loss over a set of records:
// eigenvalues, constants and the minimizer. It is computed exactly from the records, without
// privacy. Show it only to people who may see the records.
type NonPrivateDiagnosis struct {
	// Loss is the name of the loss.
	Loss string `json:"loss"`
	// Records is the exact number of records.
	Records int `json:"records"`
	// Features is the length of a row.
	Features int `json:"features"`
	// RowBound is the public bound on the L2 norm of a row.
	RowBound float64 `json:"row-bound"`
	// Rank is the number of eigenvalues of Σ x·xᵀ above Tolerance, where the sum is over all rows
	// x.
	Rank int `json:"rank"`
	// Tolerance is the value above which an eigenvalue counts in Rank.
	Tolerance float64 `json:"tolerance"`
	// EffectiveRank is the sum of the eigenvalues of Σ x·xᵀ divided by the largest of them. The sum
	// Σ is over all rows x.
	EffectiveRank float64 `json:"effective-rank"`
	// Largest is the largest eigenvalue of the mean of x·xᵀ over all rows x.
	Largest float64 `json:"largest-eigenvalue"`
	// Least is the least eigenvalue of the mean of x·xᵀ over all rows x.
	Least float64 `json:"least-eigenvalue"`
	// Lipschitz is a public upper bound on the L2 norm of one record's gradient. It is +Inf if the
	// loss has no such bound.
	Lipschitz float64 `json:"-"`
	// Smoothness is an upper bound on the largest eigenvalue of the second derivative of the mean
	// loss. It is computed from the exact rows.
	Smoothness float64 `json:"smoothness"`
	// PublicSmoothness is the same upper bound as Smoothness, but for any rows of norm at most
	// RowBound.
	PublicSmoothness float64 `json:"public-smoothness"`
	// StrongConvexity is the least eigenvalue of the second derivative of the mean loss at the
	// minimizer, without a ridge penalty. It is NaN for losses with several dependent scores, such
	// as softmax.
	StrongConvexity float64 `json:"-"`
	// MinimizerNorm is the L2 norm of the weights that minimize the mean loss plus a ridge penalty.
	// The strength of this penalty is Ridge.
	MinimizerNorm float64 `json:"minimizer-norm"`
	// ProjectedNorm is the L2 norm of the minimizer's projection on the span of the rows.
	ProjectedNorm float64 `json:"projected-norm"`
	// Ridge is Λ in the ridge penalty (Λ/2)·‖w‖² that was added to the sum of losses to find the
	// minimizer w.
	Ridge float64 `json:"ridge"`
	// Minimum is the mean loss at the minimizer.
	Minimum float64 `json:"minimum"`
	// Start is the mean loss if all weights are 0.
	Start float64 `json:"start"`

	setup Setup
	rows  *release.Rows
}

// exactPayer is a payer that refuses every private release.
type exactPayer struct{}

// Pay returns an error for every event except NonPrivate.
func (exactPayer) Pay(e mechanism.Event) error {
	if _, exact := e.(mechanism.NonPrivate); !exact {
		return fmt.Errorf("erm: a diagnosis pays for %v, want no release with noise", e)
	}
	return nil
}

// DiagnoseNonPrivate returns the exact diagnosis of the records. It ignores the method and the
// epsilon of the request. If SumRidge is 0, it uses a small ridge penalty. It returns an error if
// there are no records, no target, or more records than the schema's bound.
func DiagnoseNonPrivate(ctx context.Context, r Request, s *data.Schema, d *data.Dataset) (*NonPrivateDiagnosis, error) {
	r.Method, r.Epsilon = option.MethodLBFGS, math.Inf(1)
	if r.SumRidge == 0 {
		r.SumRidge = option.DiagnosisRidge
	}
	setup, err := NewSetup(r, s)
	if err != nil {
		return nil, err
	}
	if d.Target() == nil || d.Records() > s.MaxRecords || d.Records() == 0 {
		return nil, fmt.Errorf("erm: the data set has no records, no target or more rows than max-records %d; raise the declared bound", s.MaxRecords)
	}
	rows, err := train.Encode(setup.Features, s, d, 16)
	if err != nil {
		return nil, err
	}
	f := &fitting{Setup: setup, rows: rows, grant: exactPayer{}}
	weights, err := lbfgs{}.fit(ctx, f)
	if err != nil {
		return nil, err
	}
	out := &NonPrivateDiagnosis{Loss: setup.Model.Loss.Name(), Records: rows.Len(), Features: setup.Plan.Dim, RowBound: setup.Plan.RowBound, Ridge: r.SumRidge, setup: setup, rows: rows}
	return out, out.fill(f, weights)
}

// fill computes all numbers at the minimizer.
func (n *NonPrivateDiagnosis) fill(f *fitting, weights []float64) error {
	second, curved, err := n.moments(f, weights)
	if err != nil {
		return err
	}
	spectrum, err := newSpectrum(second)
	if err != nil {
		return err
	}
	records, loss := float64(n.Records), f.Model.Loss
	n.Tolerance = zeroTolerance(n.Records, n.RowBound)
	n.Rank, n.EffectiveRank = spectrum.rank(n.Tolerance), spectrum.effectiveRank()
	n.Largest, n.Least = spectrum.values[0]/records, spectrum.values[len(spectrum.values)-1]/records
	n.Lipschitz = loss.Lipschitz(f.Model.Columns) * n.RowBound
	n.Smoothness, n.PublicSmoothness = loss.Smoothness()*n.Largest, loss.Smoothness()*n.RowBound*n.RowBound
	n.StrongConvexity = math.NaN()
	if curved != nil {
		at, failed := newSpectrum(*curved)
		if failed != nil {
			return failed
		}
		n.StrongConvexity = max(0, at.values[len(at.values)-1]) / records
	}
	d := f.Plan.Dim
	for k := range f.Model.Columns {
		w := weights[k*d : (k+1)*d]
		for _, v := range w {
			n.MinimizerNorm = math.Hypot(n.MinimizerNorm, v)
		}
		n.ProjectedNorm = math.Hypot(n.ProjectedNorm, spectrum.semiNorm(w, n.Tolerance))
	}
	if n.Minimum, err = n.meanLoss(weights); err != nil {
		return err
	}
	n.Start, err = n.meanLoss(make([]float64, len(weights)))
	return err
}

// moments returns Σ x·xᵀ. For losses of one score with a known second derivative, it also returns
// the sum weighted by that derivative.
func (n *NonPrivateDiagnosis) moments(f *fitting, weights []float64) (second kernel.Matrix[float64], curved *kernel.Matrix[float64], err error) {
	all, weighted := newGram(f.Plan.Dim), newGram(f.Plan.Dim)
	run := newtonRun{fitting: f, weights: weights}
	_, unknown := secondDerivative(f.Model.Loss)
	err = newRecords(f).each(f.rows.First(), f.rows.Len(), func(_ int, x []float64, label float32) {
		all.add(x, 1)
		if unknown == nil {
			_, curvature := run.derivatives(x, label)
			weighted.add(x, curvature)
		}
	})
	second = all.matrix()
	switch {
	case f.Model.Loss == model.Squared:
		curved = &second
	case unknown == nil:
		bent := weighted.matrix()
		curved = &bent
	}
	return second, curved, err
}

// gram is the sum of c·x·xᵀ, computed many rows at a time.
type gram struct {
	sum   kernel.Matrix[float64]
	panel []float64
}

// gramRows is the number of rows in one matrix product.
const gramRows = 256

func newGram(d int) *gram { return &gram{sum: dense.New(d, d)} }

func (g *gram) add(x []float64, c float64) {
	root := math.Sqrt(c)
	for _, v := range x {
		g.panel = append(g.panel, root*v)
	}
	if len(g.panel) >= gramRows*len(x) {
		g.flush()
	}
}

func (g *gram) flush() {
	d := g.sum.Rows
	panel := kernel.NewMatrix(g.panel, len(g.panel)/d, d)
	kernel.Gemm(g.sum, 1, panel.Transposed(), panel, 1)
	g.panel = g.panel[:0]
}

func (g *gram) matrix() kernel.Matrix[float64] {
	g.flush()
	dense.Symmetrize(g.sum)
	return g.sum
}

// meanLoss returns the mean loss over the records.
func (n *NonPrivateDiagnosis) meanLoss(weights []float64) (float64, error) {
	f := &fitting{Setup: n.setup, rows: n.rows}
	sum, scores := 0.0, make([]float64, f.Model.Columns)
	err := newRecords(f).each(n.rows.First(), n.rows.Len(), func(_ int, x []float64, label float32) {
		f.Model.Scores(scores, x, weights)
		sum += f.Model.Loss.Value(scores, float64(label))
	})
	return sum / float64(n.Records), err
}

// Excess returns the mean loss of a model minus the minimum mean loss. The model must have the
// feature map and the loss of the diagnosis, otherwise Excess returns an error.
func (n *NonPrivateDiagnosis) Excess(m *model.Model) (float64, error) {
	if m.Network() != nil {
		return 0, fmt.Errorf("erm: the model is a network, want a linear model; the minimum that is looked for is that of linear ones")
	}
	if m.Linear() != n.setup.Model || m.Features().Norm != n.setup.Features.Norm || m.Features().Whitening != nil || m.Features().Center != nil {
		return 0, fmt.Errorf("erm: the model has other rows or another loss than the diagnosis, want %s of %d features, neither centered nor whitened", n.Loss, n.Features)
	}
	loss, err := n.meanLoss(m.Weights())
	return loss - n.Minimum, err
}

// Bound returns a bound from the literature on the excess of private gradient descent. The excess
// is the expected mean loss minus the minimum mean loss. Epsilon is in nats. The bound grows with
// the rank of the rows, not with their dimension.
//
// The bound is a rough guide and not a guarantee, because its source uses slightly less noise than
// epsilon needs.
func (n *NonPrivateDiagnosis) Bound(epsilon, delta float64) float64 {
	return excessBound(n.Lipschitz, n.ProjectedNorm, n.Rank, epsilon, delta, float64(n.Records))
}

// Release returns the noisy sums of products of a plan whose method releases such sums. It reserves
// and pays for the event of the plan. It returns an error for plans of other methods.
//
// Everything that is computed from these sums costs nothing more. Examples are models for any ridge
// penalty or for fewer features, R², confidence intervals and eigenvalues.
func Release(l *ledger.Ledger, s Setup, d *data.Dataset) (*Moments, error) {
	if err := s.Plan.Validate(); err != nil {
		return nil, err
	}
	if s.Plan.Linear == nil {
		return nil, fmt.Errorf("erm: method %s releases no sums of products, want one that does", s.Plan.Method)
	}
	if d.Target() == nil || d.Records() > s.Plan.MaxRecords {
		return nil, fmt.Errorf("erm: the data set has no target or more rows than max-records %d; raise the declared bound", s.Plan.MaxRecords)
	}
	rows, err := train.Encode(s.Features, s.Schema, d, 16)
	if err != nil {
		return nil, err
	}
	grant, err := l.Reserve(s.Plan.Event(), s.Plan.Method)
	if err != nil {
		return nil, err
	}
	return (&fitting{Setup: s, rows: rows, data: d, grant: grant}).release()
}
