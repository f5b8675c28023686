package release

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// search returns weights at which the exact gradient is within the tolerance. Kernels multiply rows
// and weights. The result is checked (holds).
//
// Each step is Newton's, from conjugate gradients, halved until the norm of the gradient falls by a
// part of the step. If no half does, it is a step of gradient descent of 1/M, where M is the ridge
// plus the records' curvature. Such a step lowers the norm by the factor 1 - Ridge/M for every
// convex loss of that curvature. So in exact arithmetic the norm falls by a fixed factor at least,
// whatever the records are, and the search ends. In float64 it ends because the tolerance is many
// times what rounding does to the gradient.
//
// It also ends if storage changes or kernels are wrong. Halved steps lower the norm that they give.
// Portable code computes the gradients before and after a step of descent once more. The error is
// ErrComputation if one differs.
func (m *minimization) search(ctx context.Context) ([]float64, error) {
	s := &newtonSearch{minimization: m, scores: make([]float64, m.rows.count*m.Columns)}
	w := make([]float64, m.Columns*m.dim)
	g := s.gradient(w)
	for !m.within(w, g, searchErrors) {
		if ctx.Err() != nil {
			return nil, stopped(ctx)
		}
		next, gradient := s.step(w, g)
		if gradient == nil {
			return nil, ErrComputation
		}
		w, g = next, gradient
	}
	return w, nil
}

func stopped(ctx context.Context) error {
	return fmt.Errorf("release: stopped before the search ended: %w", context.Cause(ctx))
}

// newtonSearch is a search for the minimum of a problem over rows.
type newtonSearch struct {
	*minimization
	scores []float64 // of the last gradient: Columns a record
	sure   bool      // portable code computed the last gradient too
}

const (
	// searchErrors makes true searches end where the check cannot fail. Search and check each
	// compute a gradient that is wrong by at most one rounding error, and the check counts one more.
	// The fourth is for the rounding of norms.
	searchErrors = 4
	// armijo is the least part of a step by which the norm of the gradient is to fall.
	armijo = 0.25
	// halvings is how often Newton's step is halved at most.
	halvings = 20
	// forcing is the relative residual at which conjugate gradients stop.
	forcing = 0.05
)

// step returns the next weights and their gradient, which is nil if a gradient is wrong.
func (s *newtonSearch) step(w, g []float64) (next, gradient []float64) {
	direction, norm := s.direction(g), normOf(g)
	for t := 1.0; t > 1.0/(1<<halvings); t /= 2 {
		next = added(w, direction, t)
		if gradient = s.gradient(next); normOf(gradient) < (1-armijo*t)*norm { // infinity does not fall
			s.sure = false
			return next, gradient
		}
	}
	next = added(w, g, -1/(s.Ridge+float64(s.rows.count)*s.Curvature()))
	gradient = s.gradient(next)
	if s.sure = (s.sure || s.right(w, g)) && s.right(next, gradient); !s.sure {
		return nil, nil
	}
	return next, gradient
}

// right reports whether portable code computes the gradient g at the weights too, up to the rounding
// of both. It reports false if a row is not the one that entered.
func (s *newtonSearch) right(w, g []float64) bool {
	rounding := s.roundingError(s.dim, float64(s.rows.count), normOf(w), normOf(s.linear))
	return normOf(added(g, s.minimization.gradient(w), -1)) <= 3*rounding && !s.faulty.Load()
}

// direction returns about -H⁻¹·g by conjugate gradients (Hestenes & Stiefel, "Methods of Conjugate
// Gradients for Solving Linear Systems", Journal of Research of the NBS 1952).
func (s *newtonSearch) direction(g []float64) []float64 {
	x := make([]float64, len(g))
	r := added(x, g, -1)
	p := append([]float64(nil), r...)
	square := kernel.Dot(r, r)
	stop := forcing * forcing * square
	for range 2 * len(g) {
		h := s.curvature(p)
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
	return x
}

// gradient returns the gradient of J at the weights, as wrong as that of minimization, and keeps the
// scores for curvature.
func (s *newtonSearch) gradient(w []float64) []float64 {
	return s.finish(w, s.multiplied(w, func(first int, z []float64) {
		copy(s.scores[first*s.Columns:], z)
		for i := range len(z) / s.Columns {
			s.Loss.residuals(z[i*s.Columns:(i+1)*s.Columns], s.rows.labels[first+i])
		}
	}))
}

// curvature returns the second derivative of J, where the last gradient was, times a direction.
func (s *newtonSearch) curvature(direction []float64) []float64 {
	h := s.multiplied(direction, func(first int, v []float64) {
		k, z := s.Columns, make([]float64, s.Columns)
		for i := range len(v) / k {
			copy(z, s.scores[(first+i)*k:])
			s.Loss.curve(v[i*k:(i+1)*k], z, s.rows.labels[first+i])
		}
	})
	for j := range h {
		h[j] += s.Ridge * direction[j]
	}
	return h
}

// multiplied returns Σ a_i ⊗ x_i over the records. The function coefficients turns the products of
// weights with the rows first, first+1, … into the a_i, Columns a row, in place.
func (s *newtonSearch) multiplied(weights []float64, coefficients func(first int, z []float64)) []float64 {
	return s.pass(func(p *part, first, n int) {
		p.x, p.z = grow(p.x, n*s.dim), grow(p.z, n*s.Columns)
		for i := range n {
			s.row(p.x[i*s.dim:(i+1)*s.dim], p, first+i)
		}
		x, z := kernel.NewMatrix(p.x, n, s.dim), kernel.NewMatrix(p.z, n, s.Columns)
		kernel.GemmSerial(z, 1, x, kernel.NewMatrix(weights, s.Columns, s.dim).Transposed(), 0)
		coefficients(first, p.z)
		kernel.GemmSerial(kernel.NewMatrix(p.chunk, s.Columns, s.dim), 1, z.Transposed(), x, 0)
	})
}
