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

// SolveObjective releases the minimizer of J(w) + b·w, b a normal vector that never leaves:
// objective perturbation, with normal noise on the result. One head of a problem of several is one
// objective of its own: e is paid once for each head, then output for the whole vector.
//
// The guarantee of e is proved for twice differentiable losses of one score, without constraints
// (Redberg, Koskela & Wang 2023, see ObjectivePerturbation), and for the exact minimizer w* of a
// continuous b. Executed is a b on a grid and a minimizer within a tolerance. Both together lie
// within
//
//	r = (τ + √n·(g/2 + rounding of b)) / Ridge
//
// of w*, where g is the step of the grid of b and n the number of weights, by strong convexity.
// Since w* and the records determine b, the computed point is a function of w* and the records. On
// neighbors it differs, at one w*, by at most 2r. So what is released is w*, followed by a normal
// release of something that one record moves by at most 2r: the composition of e and output, in
// this order. (Without output noise the grid of b would be seen through the minimizer.)
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
	w, err := m.run(ctx)
	if err != nil {
		return Noisy{}, err
	}
	values, err := point.seal(w).state.noisy()
	return Noisy{values}, err
}

// CheckObjective refuses a problem that the proof does not cover, or with other constants than the
// event states.
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

// ObjectiveDistance returns 2r for rows of this length: by how much one record moves what is
// released, when the exact minimizer stays where it is. It is at least 2^-32 of the reach of the
// minimizer, so that a grid of 64 bits holds both.
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
