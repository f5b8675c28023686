package noise

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// solved are releases whose noise goes through a computation: into a minimizer, into the steps before
// the last iterate, or after a threshold.
func solved() []kind {
	return []kind{
		{name: "sum of projected vectors, gaussian", maker: "ProjectedSum.Seal", law: normal(), scale: 1, words: true, share: 0.02, draw: projected},
		{name: "products of rows, gaussian", maker: "SumProducts", law: normal(), scale: 1, words: true, share: 0.05, draw: products},
		{name: "output perturbation, gaussian", maker: "point.seal", law: normal(), scale: 1, smooth: true, share: 0.05, draw: minimizer},
		{name: "objective perturbation, gaussian", maker: "SolveObjective", law: normal(), scale: 1, smooth: true, share: 0.05, draw: objective},
		{name: "last iterate, gaussian", maker: "Recursion.run", law: normal(), scale: 1, smooth: true, share: 0.05, draw: lastIterate},
		{name: "counts of names, l1", law: laplace(), scale: 2, share: 0.005, draw: names},
	}
}

// projected releases a sum of vectors that are clipped by projections.
func projected() ([]float64, error) {
	n := mechanism.JLClipping{NoiseMultiplier: 1, Projections: 2, Cap: 2, Probability: 1}
	sample, err := nothing()
	if err != nil {
		return nil, err
	}
	s, err := release.NewProjectedSum(sample, release.ProjectedOptions{Noise: n, Projections: 2, Cap: 2, Dim: dim, Bound: 1, MaxRecords: maxRecords})
	if err != nil {
		return nil, err
	}
	return let(n, s.Seal())
}

// products releases the squares of coordinates of rows.
func products() ([]float64, error) {
	n := mechanism.Gaussian{NoiseMultiplier: 1}
	sample, err := nothing()
	if err != nil {
		return nil, err
	}
	o, err := release.MomentRows(n, maxRecords, dim, 1)
	if err != nil {
		return nil, err
	}
	r, err := empty(o)
	if err != nil {
		return nil, err
	}
	b, err := release.SumProducts(sample, r, release.Squares(), n, maxRecords)
	if err != nil {
		return nil, err
	}
	values, err := let(n, b)
	return over(values, o.Step*o.Step*float64(o.Limit)), err // in units of the bound
}

// empty returns rows of one record that adds nothing.
func empty(o release.RowsOptions) (*release.Rows, error) {
	return release.NewRows(1, o, func(dst []float64, _, _ int) { clear(dst) })
}

// solvedDim is the number of weights of what is solved.
const solvedDim = 512

// problem is a minimization over rows of one record, which is 0 and adds nothing.
func problem() (release.Problem, *release.Rows, error) {
	rows, err := empty(release.RowsOptions{Dim: solvedDim, Step: 1.0 / 128, Labels: []float32{1}})
	return release.Problem{Loss: release.LogisticLoss(), Columns: 1, Radius: 1, Ridge: 2, MaxRecords: maxRecords}, rows, err
}

// minimizer releases the minimizer of a problem. Its noise is in units of one record's bound.
func minimizer() ([]float64, error) {
	n := mechanism.Gaussian{NoiseMultiplier: 1}
	p, rows, err := problem()
	if err != nil {
		return nil, err
	}
	b, err := p.Minimize(context.Background(), rows, n, release.L2())
	if err != nil {
		return nil, err
	}
	values, err := let(n, b)
	return over(values, p.Sensitivity(solvedDim)), err
}

// over divides numbers.
func over(values []float64, by float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v / by
	}
	return out
}

// objective releases the minimizer of a problem with a random linear term b: -b over the ridge,
// with noise on it. Both have a share in the scale.
func objective() ([]float64, error) {
	e, n := mechanism.ObjectivePerturbation{NoiseMultiplier: 1, Smoothness: 0.5}, mechanism.Gaussian{NoiseMultiplier: 3}
	p, rows, err := problem()
	if err != nil {
		return nil, err
	}
	noisy, err := release.SolveObjective(context.Background(), free{}, e, p, rows, n)
	if err != nil {
		return nil, err
	}
	inner, outer := e.NoiseMultiplier*p.Radius/p.Ridge, n.NoiseMultiplier*release.ObjectiveDistance(e, p, solvedDim)
	return over(noisy.Values(), math.Hypot(inner, outer)), nil
}

// lastIterate releases the last iterate of a descent whose gradients are 0. The ridge takes a share of
// all weights in each step, so that the noise of earlier steps has a smaller part in it.
func lastIterate() ([]float64, error) {
	o := release.RecursionOptions{Derivative: release.LogisticDerivative{}, Columns: 1, Dim: solvedDim, RowStep: 1.0 / 128, RowBound: 1, ClippingNorm: 1,
		LearningRate: 0.5, Ridge: 0.5, Divisor: maxRecords, Reach: 100, MaxRecords: maxRecords}
	c, err := o.Contraction()
	if err != nil {
		return nil, err
	}
	rows, err := empty(release.RowsOptions{Dim: solvedDim, Step: o.RowStep, Labels: []float32{1}})
	if err != nil {
		return nil, err
	}
	const steps = 5
	l := mechanism.LastIterate{NoiseMultiplier: 1, Contraction: c, Steps: steps}
	noisy, err := release.RunRecursion(free{}, l, release.Recursion{Rows: rows, RecursionOptions: o})
	if err != nil {
		return nil, err
	}
	square, kept := 0.0, 1.0
	for range steps {
		square += kept * kept
		kept *= 1 - o.LearningRate*o.Ridge
	}
	return over(noisy.Values(), l.NoiseMultiplier*o.ClippingNorm*o.LearningRate/o.Divisor*math.Sqrt(square)), nil
}

// These are names that many records have, so that each of their noisy counts passes the threshold.
const manyNames, ofEachName = 64, 60

// names releases counts of names, and returns what noise added to them.
func names() ([]float64, error) {
	found, err := selected(manyNames*ofEachName, 1e-3, func(record int) string { return fmt.Sprint(record % manyNames) })
	if err != nil {
		return nil, err
	}
	out := make([]float64, 0, manyNames)
	for _, f := range found {
		out = append(out, f.Count-ofEachName)
	}
	return out, nil
}

// selected releases the names of records, with Laplace noise of scale 2.
func selected(records int, delta float64, name func(record int) string) ([]release.SelectedPartition, error) {
	sample, err := release.Draw(release.Full(), records)
	if err != nil {
		return nil, err
	}
	s, err := release.NewPartitionSelection(sample, terms(delta), records)
	if err != nil {
		return nil, err
	}
	for record := range records {
		if err = s.Add(record, name(record)); err != nil {
			return nil, err
		}
	}
	return s.Release(free{})
}

// terms are those of a release of names.
func terms(delta float64) release.PartitionTerms {
	return release.PartitionTerms{Noise: mechanism.KNorm{NoiseMultiplier: 2}, Delta: delta}
}

// checkNames releases names that one record alone has. The threshold says how often one comes
// out, which is at most delta.
func checkNames(records int) ([]Finding, error) {
	const delta = 0.02
	threshold, err := release.PartitionThreshold(terms(delta), records)
	if err != nil {
		return nil, err
	}
	found, err := selected(records, delta, func(record int) string { return fmt.Sprint(record) })
	if err != nil {
		return nil, err
	}
	p := math.Exp(-(threshold-1)/2) / 2
	if p <= delta/2 {
		return nil, fmt.Errorf("noise: a name of one record passes the threshold %v with probability %v, want more than half of %v", threshold, p, delta)
	}
	if !(p <= delta) {
		return []Finding{{Test: "threshold", LogP: math.Inf(-1), Detects: "every threshold that is too low",
			Seen: fmt.Sprintf("a name of one record passes the threshold %v with probability %v, want at most %v", threshold, p, delta)}}, nil
	}
	return []Finding{binomial("names of one record that come out", records, p, len(found), 1)}, nil
}
