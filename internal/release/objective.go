package release

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/release/internal/sample"
	"github.com/ditherml/dither/mechanism"
)

// objectiveBits is how fine the grid of the linear term is: its standard deviation is
// 2^objectiveBits steps.
const objectiveBits = 46

// farthest bounds a drawn number of the linear term, in standard deviations.
const farthest = 16

// SolveObjective releases the minimizer of J(w) + b·w, where J is the objective of p and b is a
// normal random vector that is never released. This is objective perturbation. Normal noise,
// described by output, is added to the minimizer. A problem with several scores has one objective
// for each score. The event e is paid once for each score, and output once for the whole vector.
//
// The guarantee of e is proven for twice differentiable losses of one score, without constraints,
// and for the exact minimizer w* with a continuous b (Redberg, Koskela & Wang 2023, see
// mechanism.ObjectivePerturbation). The executed b is on a grid, and the executed minimizer has a
// tolerance. By strong convexity the executed minimizer is within
//
//	r = (τ + √n·(g/2 + rounding of b)) / Ridge
//
// of w*. Here τ is the tolerance, g is the step of the grid of b, and n is the number of weights.
// The point w* and the records determine b. So the executed minimizer is a function of w* and the
// records. At the same w*, its values for two neighbors differ by at most 2r. So the released
// vector is w*, followed by a Gaussian release of a vector that one record moves by at most 2r.
// This is the composition of e and output, in this order. Without the noise of output, the
// minimizer would reveal the grid of b.
func SolveObjective(ctx context.Context, payer mechanism.Payer, e mechanism.ObjectivePerturbation, p Problem, rows *Rows, output mechanism.Gaussian) (Noisy, error) {
	if err := CheckObjective(e, p); err != nil {
		return Noisy{}, err
	}
	if payer == nil || rows == nil {
		return Noisy{}, fmt.Errorf("release: the release has no payer or no rows, want a grant of a ledger and rows")
	}
	point, err := newPoint(rows, output, L2(), extent{p, ObjectiveDistance(e, p, rows.Dim()), 2 * p.reach(reachOf(e, p, rows.Dim()))})
	if err != nil {
		return Noisy{}, err
	}
	for range p.Columns {
		if err = payer.Pay(e); err != nil {
			return Noisy{}, err
		}
	}
	if err = payer.Pay(output); err != nil {
		return Noisy{}, err
	}
	m := newMinimization(p, rows, drawLinear(e, p, rows.Dim()), p.Tolerance(rows.Dim(), reachOf(e, p, rows.Dim())))
	w, err := m.holds(m.search(ctx))
	if err != nil {
		return Noisy{}, err
	}
	values, err := point.seal(w).state.noisy()
	return Noisy{values}, err
}

// CheckObjective returns an error if the proof does not cover the problem. It also returns an error
// if the constants of the problem differ from the constants that the event states.
func CheckObjective(e mechanism.ObjectivePerturbation, p Problem) error {
	if err := mechanism.CheckEvent(e); err != nil {
		return err
	}
	if err := p.Validate(); err != nil {
		return err
	}
	if p.Loss.kind != lossLogistic && p.Loss.kind != lossOneVsRest {
		return fmt.Errorf("release: objective perturbation is asked of loss %v, want logistic or one-vs-rest; the proof is for twice differentiable losses of one score", p.Loss)
	}
	if !(e.Smoothness >= p.Curvature()/p.Ridge) {
		return fmt.Errorf("release: smoothness of %v is %v, want at least %v, the curvature of one record over the ridge", e, e.Smoothness, p.Curvature()/p.Ridge)
	}
	return nil
}

// deviationOf is the standard deviation of a number of b: a head's gradient is at most one score's,
// Radius.
func deviationOf(e mechanism.ObjectivePerturbation, p Problem) float64 {
	return e.NoiseMultiplier * p.Radius * (1 + 0x1p-50)
}

// reachOf bounds the norm of b.
func reachOf(e mechanism.ObjectivePerturbation, p Problem, dim int) float64 {
	return farthest * deviationOf(e, p) * math.Sqrt(float64(p.Columns*dim)) * (1 + 0x1p-40)
}

// ObjectiveDistance returns 2r, where r is defined at SolveObjective. It is the largest distance by
// which one record moves the released vector while the exact minimizer stays the same. The argument
// dim is the length of a row. The result is at least 2^-32 times the largest norm of the minimizer,
// so that a grid of 64 bits can represent both.
func ObjectiveDistance(e mechanism.ObjectivePerturbation, p Problem, dim int) float64 {
	step := math.Ldexp(deviationOf(e, p), -objectiveBits)
	rounded := math.Sqrt(float64(p.Columns*dim)) * (step/2 + farthest*deviationOf(e, p)*0x1p-52)
	r := (p.Tolerance(dim, reachOf(e, p, dim)) + rounded) / p.Ridge * (1 + 0x1p-40)
	return max(2*r, p.reach(reachOf(e, p, dim))*0x1p-32)
}

// drawLinear draws b.
func drawLinear(e mechanism.ObjectivePerturbation, p Problem, dim int) []float64 {
	integers, step := make([]int64, p.Columns*dim), math.Ldexp(deviationOf(e, p), -objectiveBits)
	sample.NewStream().RoundedGaussian(integers, objectiveBits)
	b := make([]float64, len(integers))
	for j, v := range integers {
		b[j] = float64(v) * step
	}
	clear(integers)
	return b
}
