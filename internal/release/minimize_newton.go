package release

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// run returns weights at which the exact gradient is within the tolerance. Each step is Newton's,
// from conjugate gradients, halved until the norm of the gradient falls by a part of the step. If
// no half does, it is a step of gradient descent of 1/M, where M is the ridge plus the records'
// curvature. Such a step lowers the norm by the factor 1 - Ridge/M for every convex loss of that
// curvature. So in exact arithmetic the norm falls by a fixed factor at least, whatever the records
// are, and the search ends. In float64 it ends because the tolerance is many times what rounding
// does to the gradient.
func (m *minimization) run(ctx context.Context) ([]float64, error) {
	w := make([]float64, m.Columns*m.dim)
	g, err := m.gradient(w)
	for err == nil && !m.converged(w, g) {
		if ctx.Err() != nil {
			return nil, stopped(ctx)
		}
		w, g, err = m.step(w, g)
	}
	return w, err
}

func stopped(ctx context.Context) error {
	return fmt.Errorf("release: stopped before the search ended: %w", context.Cause(ctx))
}

const (
	// armijo is the least part of a step by which the norm of the gradient is to fall.
	armijo = 0.25
	// halvings is how often Newton's step is halved at most.
	halvings = 20
	// forcing is the relative residual at which conjugate gradients stop.
	forcing = 0.05
)

// step returns the next weights and their gradient.
func (m *minimization) step(w, g []float64) (next, gradient []float64, err error) {
	direction, err := m.direction(g)
	if err != nil {
		return nil, nil, err
	}
	norm := kernel.Norm(g)
	for t := 1.0; t > 1.0/(1<<halvings); t /= 2 {
		next = added(w, direction, t)
		if gradient, err = m.gradient(next); err != nil {
			return nil, nil, err
		}
		if kernel.Norm(gradient) <= (1-armijo*t)*norm {
			return next, gradient, nil
		}
	}
	next = added(w, g, -1/(m.Ridge+float64(m.rows.count)*m.Curvature()))
	gradient, err = m.gradient(next)
	return next, gradient, err
}

// added returns w + t·v.
func added(w, v []float64, t float64) []float64 {
	out := make([]float64, len(w))
	for j, x := range v {
		out[j] = w[j] + t*x
	}
	return out
}

// direction returns about -H⁻¹·g by conjugate gradients (Hestenes & Stiefel, "Methods of Conjugate
// Gradients for Solving Linear Systems", Journal of Research of the NBS 1952).
func (m *minimization) direction(g []float64) ([]float64, error) {
	x := make([]float64, len(g))
	r := added(x, g, -1)
	p := append([]float64(nil), r...)
	square := kernel.Dot(r, r)
	stop := forcing * forcing * square
	for range 2 * len(g) {
		h, err := m.curvature(p)
		if err != nil {
			return nil, err
		}
		along := kernel.Dot(p, h)
		if !(along > 0) || math.IsInf(along, 1) {
			break
		}
		x, r = added(x, p, square/along), added(r, h, -square/along)
		before := square
		if square = kernel.Dot(r, r); !(square > stop) {
			break
		}
		p = added(r, p, square/before)
	}
	return x, nil
}
