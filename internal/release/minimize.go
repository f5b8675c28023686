package release

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/mechanism"
)

// Problem is the minimization of J(w) = Σ ℓ(w·x_i, y_i) + (Ridge/2)·‖w‖² over rows x_i with labels
// y_i. It uses the sum of losses, not their mean. J is Ridge-strongly convex, and one record
// changes its gradient by at most G = Lipschitz·Radius. So adding or removing a record moves the
// minimizer by at most G/Ridge in L2 norm (Chaudhuri, Monteleoni & Sarwate, "Differentially Private
// Empirical Risk Minimization", JMLR 2011, lemma 7,
// https://www.jmlr.org/papers/v12/chaudhuri11a.html, with ‖∇G - ∇g‖ of one record).
//
// The computed minimizer is not exact. The norm of its gradient is at most Tolerance, so by strong
// convexity it is within Tolerance/Ridge of the exact minimizer. Public numbers determine the
// tolerance. The solver runs until the tolerance is met, including a bound on the rounding of the
// gradient. There is no limit on its steps, and no result that misses the tolerance.
type Problem struct {
	// Loss is the loss ℓ of one record.
	Loss Loss
	// Columns is the number of scores of a record.
	Columns int
	// Radius is the largest L2 norm of a row. A longer row is scaled down to Radius.
	Radius float64
	// Ridge is the strength of the ridge penalty, and positive.
	Ridge float64
	// MaxRecords is the declared public upper bound on the number of records.
	MaxRecords int
}

// Validate returns an error if a number of the problem is invalid.
func (p Problem) Validate() error { return p.validate(math.SmallestNonzeroFloat64) }

// validate is Validate with a ridge of at least this.
func (p Problem) validate(ridge float64) error {
	if err := p.Loss.check(p.Columns); err != nil {
		return err
	}
	if !ordinary(p.Radius) || !(p.Ridge >= ridge) || p.Ridge != 0 && !ordinary(p.Ridge) || p.MaxRecords < 1 || p.MaxRecords > maxMaxRecords {
		return fmt.Errorf("release: radius of rows is %v, ridge %v and max records %d, want positive numbers between 2^-300 and 2^300 and at most 2^40 records", p.Radius, p.Ridge, p.MaxRecords)
	}
	return nil
}

// ordinary reports whether a number is positive and far from both ends of float64. Products of three
// such numbers are rounded like all others.
func ordinary(x float64) bool { return x >= 0x1p-300 && x <= 0x1p300 }

// GradientBound returns G, the largest L2 norm of the gradient of one record's loss.
func (p Problem) GradientBound() float64 {
	return p.Loss.Lipschitz(p.Columns) * p.Radius * (1 + 0x1p-50)
}

// Curvature returns β, the largest second derivative of one record's loss with respect to the
// weights.
func (p Problem) Curvature() float64 {
	return p.Loss.Smoothness() * p.Radius * p.Radius * (1 + 0x1p-50)
}

// Tolerance returns τ, the largest norm of the gradient at the computed minimizer. It is the larger
// of two numbers: 2^-40 times the largest norm of a sum of gradients, and toleranceErrors times the
// rounding error of the gradient near the minimizer. The argument dim is the length of a row. The
// argument linear is an upper bound on the norm of a linear term of J, or 0 if there is none.
func (p Problem) Tolerance(dim int, linear float64) float64 {
	n := float64(p.MaxRecords)
	return max(n*p.GradientBound()*0x1p-40, toleranceErrors*p.roundingError(dim, n, 2*p.reach(linear), linear))
}

// reach bounds the norm of the minimizer: J there is at most J(0), and so (Λ/2)‖w‖² - linear·‖w‖ ≤
// n·ℓ(0).
func (p Problem) reach(linear float64) float64 {
	return (linear + math.Sqrt(linear*linear+2*p.Ridge*float64(p.MaxRecords)*p.Loss.atZero(p.Columns))) / p.Ridge * (1 + 0x1p-40)
}

// toleranceErrors leaves Newton's steps room to end: near the minimizer they reach a gradient of a
// few times its rounding error.
const toleranceErrors = 16

// Sensitivity returns an upper bound on the L2 distance between the minimizers that are computed
// for two neighbors, where one record is added or removed. It is (G + 2τ)/Ridge, where G is
// GradientBound and τ is Tolerance. Under replace-one the distance is at most twice the bound. The
// argument dim is the length of a row.
func (p Problem) Sensitivity(dim int) float64 {
	return (p.GradientBound() + 2*p.Tolerance(dim, 0)) / p.Ridge * (1 + 0x1p-50)
}

// Minimize returns the minimizer over all rows with their labels, sealed, for release with the
// noise n. It is rounded to the integer grid of the noise. If one record is added or removed, the
// result changes by at most one bound in the norm, including rounding. The bound is Sensitivity for
// the norms L2 and L∞. For L1 it is √k times Sensitivity, where k is the number of weights. Errors
// do not depend on values of records, except that ctx may end the search.
func (p Problem) Minimize(ctx context.Context, rows *Rows, n mechanism.Noise, norm Norm) (Bounded, error) {
	if err := p.Validate(); err != nil {
		return Bounded{}, err
	}
	if rows == nil {
		return Bounded{}, errNoRows
	}
	point, err := newPoint(rows, n, norm, extent{p, p.Sensitivity(rows.Dim()), 2 * p.reach(0)})
	if err != nil {
		return Bounded{}, err
	}
	m := newMinimization(p, rows, nil, p.Tolerance(rows.Dim(), 0))
	w, err := m.holds(m.search(ctx))
	if err != nil {
		return Bounded{}, err
	}
	return point.seal(w), nil
}

// point is an integer grid for a vector of weights, derived from public numbers.
type point struct {
	sample Sample
	grid   grid
	unit   float64
	most   float64 // no coordinate is larger, in grid units
}

// extent says how far one record moves the weights of a problem, in L2 norm, and how large they
// are.
type extent struct {
	Problem
	sensitivity, size float64
}

var errNoRows = fmt.Errorf("release: there are no rows, want those of all records")

// newPoint returns a grid for weights that one record moves by the sensitivity. On it they move by
// at most the grid's bound. It holds weights of the size, which counts as this many bounds.
func newPoint(rows *Rows, n mechanism.Noise, norm Norm, e extent) (point, error) {
	if rows == nil || rows.labels == nil || rows.file != nil || rows.first != 0 || rows.total != rows.count || rows.frame.whitener != nil || rows.known == nil || n == nil {
		return point{}, fmt.Errorf("release: the rows are whitened or a part of the records or none or without labels in memory, or there is no noise, want all rows with their labels, not whitened, and a noise")
	}
	sample, err := Draw(Full(), rows.count)
	if err == nil {
		err = checkMaxRecords(sample, e.MaxRecords)
	}
	if err != nil {
		return point{}, err
	}
	weights := e.Columns * rows.Dim()
	if err = norm.check(); err != nil {
		return point{}, err
	}
	span := math.Ceil(e.size/e.sensitivity) + 1
	if !(span <= maxMaxRecords) {
		return point{}, fmt.Errorf("release: weights may be %v times as large as one record's bound, want at most 2^40 times; use a larger ridge", span)
	}
	g, err := fitNoise(n, fit{maxRecords: int(span), norm: norm, dim: weights})
	if err != nil {
		return point{}, err
	}
	return newGridPoint(sample, g, weights, e.sensitivity)
}

// newGridPoint takes the unit so that the bound of the grid holds the sensitivity and the rounding
// of both neighbors. A coordinate is rounded to an integer, by ½, after a division that is wrong by
// 2^-52 of a number of at most most. No weight of a minimizer is larger; and cutting there does not
// enlarge a distance.
func newGridPoint(s Sample, g grid, weights int, sensitivity float64) (point, error) {
	most := float64(g.bound) * float64(g.maxRecords)
	rounding, count := 1+2*most*0x1p-52, math.Sqrt(float64(weights))
	switch g.norm.kind {
	case normL2:
		rounding *= count
	case normL1:
		rounding *= float64(weights)
		sensitivity *= count
	case normLInfinity:
	default:
		return point{}, fmt.Errorf("release: norm of weights is %v, want l1, l2 or l-infinity", g.norm)
	}
	rest := float64(g.bound) - rounding*(1+0x1p-40)
	if !(rest >= (1-maxRounding)*float64(g.bound)) || !positive(sensitivity) || sensitivity < leastSensitivity {
		return point{}, fmt.Errorf("release: one record moves %d weights by %v, and rounding takes more than %v of that or it is below 2^-900, want a smaller noise multiplier, fewer records or a larger rate", weights, sensitivity, maxRounding)
	}
	return point{s, g, sensitivity / rest * (1 + 0x1p-50), most}, nil
}

// leastSensitivity is the least distance for which the unit of a grid is rounded like ordinary numbers.
const leastSensitivity = 0x1p-900

// maxRounding is the largest part of the bound that rounding to the grid may take.
const maxRounding = 0.01

// seal puts weights on the grid.
func (p point) seal(w []float64) Bounded {
	values := make([]int64, len(w))
	for j, v := range w {
		if at := math.RoundToEven(v / p.unit); at == at {
			values[j] = int64(max(-p.most, min(p.most, at)))
		}
	}
	return Bounded{&bounded{sample: p.sample, grid: p.grid, values: values, unit: p.unit}}
}
