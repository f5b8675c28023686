package erm

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/mechanism"
)

// linearPlan is the section of methods that make one release of sums of products. Each record z =
// (x, c·y) adds the matrix z·zᵀ, whose Frobenius norm is ‖z‖².
type linearPlan struct {
	// NoiseMultiplier is the standard deviation of the noise of each number, or the scale of
	// Laplace noise, divided by Bound. It is 0 in a plan without privacy.
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// Laplace selects Laplace noise on the upper triangle, for pure ε.
	Laplace bool `json:"laplace,omitempty"`
	// Radius is the largest norm of z. A longer z is shortened to Radius.
	Radius float64 `json:"radius"`
	// Bound is the bound on one record's sums of products. For normal noise it is Radius² and
	// bounds the Frobenius norm. For Laplace noise it bounds the sum of magnitudes in the upper
	// triangle.
	Bound float64 `json:"bound"`
	// TargetScale is c, the factor of the targets.
	TargetScale float64 `json:"target-scale"`
	// Declared says that a public center is subtracted from the rows. The center follows from the
	// schema.
	Declared bool `json:"declared-center,omitempty"`
	// Ridge is λ in Σ(y - w·x)² + λ·‖w‖². 0 means the rule of the method. A ridge costs nothing.
	Ridge float64 `json:"ridge,omitempty"`
}

const (
	// targetShare is c² in units of the squared bound of x. The shares of the squared bound of z·zᵀ
	// are then 0.69 for x·xᵀ, 0.28 for x·y and 0.03 for y². On two tables results hardly change for
	// values from 0.1 to 0.3.
	targetShare = 0.2
	// targetShareL1 is c for Laplace noise, in units of the bound on the sum of magnitudes of x.
	targetShareL1 = 0.45
)

// newLinearPlan returns the section for rows of these norms, without noise.
func newLinearPlan(n rowNorms, laplace bool, ridge float64) linearPlan {
	if !laplace {
		c := math.Sqrt(targetShare) * n.l2
		radius := math.Hypot(n.l2, c)
		return linearPlan{Radius: radius, Bound: radius * radius, TargetScale: c, Ridge: ridge}
	}
	c := targetShareL1 * n.l1
	radius, magnitudes := math.Hypot(n.l2, c), n.l1+c
	// Over i ≤ j, Σ|z_i·z_j| = (‖z‖₁² + ‖z‖²)/2.
	return linearPlan{Laplace: true, Radius: radius, Bound: (magnitudes*magnitudes + radius*radius) / 2, TargetScale: c, Ridge: ridge}
}

// linearNoise returns the noise of the plan's release.
func (p Plan) linearNoise() mechanism.Noise {
	if p.Linear.Laplace {
		return p.noise(mechanism.KNorm{NoiseMultiplier: p.Linear.NoiseMultiplier})
	}
	return p.noise(mechanism.Gaussian{NoiseMultiplier: p.Linear.NoiseMultiplier})
}

// mostFine is the largest number of products of a record that are summed on integers of up to 52
// bits. With more products, normal noise uses rows on a grid of 16 bits, whose products are faster.
const mostFine = 1 << 10

// triangle reports whether the upper triangle alone is released, on fine integers.
func (p Plan) triangle() bool {
	side := p.Dim + p.Columns
	return p.Linear.Laplace || side*(side+1)/2 <= mostFine
}

// linearNumbers returns the number of released numbers.
func (p Plan) linearNumbers() int {
	side := p.Dim + p.Columns
	if p.triangle() {
		return side * (side + 1) / 2
	}
	return side * side
}

// calibrateLinear fills in the noise so that the plan costs at most the request.
func (r Request) calibrateLinear(p *Plan) error {
	if p.NonPrivate {
		return nil
	}
	draws := 0
	if !p.Linear.Laplace {
		draws = p.linearNumbers()
	}
	event := func(z float64) mechanism.Event {
		if p.Linear.Laplace {
			return mechanism.KNorm{NoiseMultiplier: z}
		}
		return mechanism.Gaussian{NoiseMultiplier: z}
	}
	var err error
	p.Linear.NoiseMultiplier, err = r.calibrate(*p, draws, event)
	return err
}

// validateLinear returns an error if a number of the section is out of range.
func (p Plan) validateLinear() error {
	l := p.Linear
	if err := p.only(l != nil); err != nil {
		return err
	}
	switch {
	case !positive(l.Radius) || !positive(l.Bound) || !positive(l.TargetScale):
		return fmt.Errorf("erm: radius is %v, bound %v, target scale %v, want positive finite numbers", l.Radius, l.Bound, l.TargetScale)
	case math.Abs(math.Hypot(p.RowBound, l.TargetScale)/l.Radius-1) > 1e-9:
		return fmt.Errorf("erm: radius is %v with rows up to %v and target scale %v, want the norm of both", l.Radius, p.RowBound, l.TargetScale)
	case !l.Laplace && math.Abs(l.Bound/(l.Radius*l.Radius)-1) > 1e-9:
		return fmt.Errorf("erm: bound is %v with radius %v, want the radius squared", l.Bound, l.Radius)
	case !(l.Ridge >= 0) || math.IsInf(l.Ridge, 1):
		return fmt.Errorf("erm: ridge is %v, want 0 or a positive finite number", l.Ridge)
	case !p.NonPrivate && !positive(l.NoiseMultiplier):
		return fmt.Errorf("erm: noise multiplier is %v, want a positive finite number", l.NoiseMultiplier)
	}
	return checkSide(p.Dim, p.Columns)
}
