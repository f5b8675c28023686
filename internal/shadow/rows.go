package shadow

import (
	"math"

	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
)

// cast makes the rows for weights with this noise. It returns the weights in the coordinates of the made
// rows, or false if they are not finite.
func (s *descent) cast(weights []float64, noise ladder) ([]float64, bool) {
	k, d := s.columns, len(s.Moments)
	stride := len(weights) / k
	along := make([][]float64, k) // weights in the directions
	for i := range k {
		along[i] = dense.Apply(s.Vectors, weights[i*stride:i*stride+d])
	}
	var coordinates [][]float64 // of the weights of all scores
	var deviations []float64
	for g := range strengths {
		scores, level := s.scores(along, noise, g)
		e, err := dense.NewEigen(scores)
		if err != nil {
			return nil, false
		}
		values, vectors := e.Ascending()
		for i, v := range values {
			if v > 0 {
				coordinates, deviations = append(coordinates, scaled(dense.Row(vectors, i), math.Sqrt(v/level))), append(deviations, math.Sqrt(level))
			}
		}
	}
	s.width = len(coordinates) + 1
	out := make([]float64, k*s.width)
	for row := range k {
		for j, own := range coordinates {
			out[row*s.width+j] = own[row]
		}
		if s.Constant > 0 {
			out[(row+1)*s.width-1] = weights[row*stride+d]
		}
	}
	s.rows = made(deviations, s.Constant)
	return out, true
}

// scores returns the covariance of what the directions of a group add to scores, less that of the noise. It
// also returns the moment that stands for the group.
func (s *descent) scores(along [][]float64, noise ladder, group int) (c dense.Matrix, level float64) {
	k, trace, square := s.columns, 0.0, 0.0
	c = dense.New(k, k)
	for l, m := range s.Moments {
		if m == 0 || s.strength(m) != group {
			continue
		}
		trace, square = trace+m, square+m*m
		own := noise.at(m)
		for i := range k {
			for j := range k {
				c.Data[i*k+j] += m * (along[i][l]*along[j][l] - own.Data[i*k+j])
			}
		}
	}
	if trace > 0 {
		level = square / trace
	}
	return c, level
}

func scaled(x []float64, factor float64) []float64 {
	out := make([]float64, len(x))
	for j, v := range x {
		out[j] = v * factor
	}
	return out
}

// made returns rows that spread like normal ones with these standard deviations, in pairs of opposite signs.
// The last coordinate is the constant. Coordinates are multiples of the square roots of primes, modulo 1,
// as normal quantiles: R. Richtmyer, "The evaluation of definite integrals, and a quasi-Monte-Carlo method
// based on the properties of algebraic numbers", 1951.
func made(deviations []float64, constant float64) (out [][]float64) {
	roots := squareRoots(len(deviations))
	for i := range madeRows / 2 {
		x, y := make([]float64, len(deviations)+1), make([]float64, len(deviations)+1)
		for j, deviation := range deviations {
			_, u := math.Modf((float64(i) + 0.5) * roots[j])
			x[j] = deviation * math.Sqrt2 * math.Erfinv(2*u-1)
			y[j] = -x[j]
		}
		x[len(deviations)], y[len(deviations)] = constant, constant
		out = append(out, x, y)
	}
	return out
}

// squareRoots returns the square roots of the first n primes.
func squareRoots(n int) (out []float64) {
	for p := 2; len(out) < n; p++ {
		prime := true
		for q := 2; q*q <= p; q++ {
			prime = prime && p%q != 0
		}
		if prime {
			out = append(out, math.Sqrt(float64(p)))
		}
	}
	return out
}

// descend returns the weights after the steps, for targets that follow true weights and this clipping norm. It also
// returns the mean second derivative by the scores at each step, if bent is true.
func (s *descent) descend(truth []float64, norm float64, bent bool) (average []float64, bends []bend) {
	k, r := s.columns, s.width
	expected := make([]float64, len(s.rows)*k)
	for i, x := range s.rows {
		s.predict(expected[i*k:(i+1)*k], truth, x)
	}
	w, v, g := make([]float64, k*r), make([]float64, k*r), make([]float64, k*r)
	p, slope := make([]float64, k), make([]float64, k)
	average = make([]float64, k*r)
	share := 1 / float64(len(s.rows))
	for step := range s.steps {
		clear(g)
		if bent {
			bends = append(bends, bend{make([]float64, k*k), make([]float64, k*k)})
		}
		for i, x := range s.rows {
			q := expected[i*k : (i+1)*k]
			s.predict(p, w, x)
			s.slope(slope, p, q, norm)
			for a, m := range slope {
				for j, y := range x {
					g[a*r+j] += share * m * y
				}
			}
			if bent {
				s.bend(bends[step], kernel.Dot(w[:r], x), p, q, norm, share)
			}
		}
		for j := range w {
			v[j] = s.momentum*v[j] + g[j] + s.ridge*w[j]
			if w[j] -= s.rate * v[j]; step >= s.first {
				average[j] += w[j] / float64(s.steps-s.first)
			}
		}
	}
	return average, bends
}

// predict writes what a model of these weights predicts for a made row.
func (s *descent) predict(dst, w, x []float64) {
	for k := range dst {
		sum := 0.0
		for j, v := range x {
			sum += v * w[k*s.width+j]
		}
		dst[k] = sum
	}
	s.loss.Predict(dst)
}

// slope writes the mean of the clipped derivative by the scores, for predictions p and targets that follow q.
func (s *descent) slope(dst, p, q []float64, norm float64) {
	switch {
	case !ofLevels(s.loss): // hardly clipped
		dst[0] = p[0] - q[0]
	case len(p) == 1:
		dst[0] = (1-q[0])*min(norm, p[0]) - q[0]*min(norm, 1-p[0])
	default:
		square, all := kernel.Dot(p, p), 0.0
		for a, v := range q {
			v *= min(1, norm/math.Sqrt(square-2*p[a]+1)) // of the residual for label a
			dst[a] = -v
			all += v
		}
		for a, v := range p {
			dst[a] += all * v
		}
	}
}

// bend has the mean derivatives of the clipped slope at a step: by the scores, and by the true
// scores with the opposite sign.
type bend struct{ own, truth []float64 }

// bend adds a share of the derivatives for predictions p, targets that follow q, and the first score z.
func (s *descent) bend(b bend, z float64, p, q []float64, norm, share float64) {
	k := len(p)
	switch {
	case !ofLevels(s.loss):
		const e = 1e-4
		low, high := []float64{z - e}, []float64{z + e}
		s.loss.Predict(low)
		s.loss.Predict(high)
		b.own[0] += share * (high[0] - low[0]) / (2 * e)
		b.truth[0] = b.own[0] // one factor for all weights is as good, because nothing is turned
		return
	case k == 1:
		h, shown := p[0]*(1-p[0]), 0.0
		if p[0] <= norm {
			shown += 1 - q[0]
		}
		if 1-p[0] <= norm {
			shown += q[0]
		}
		b.own[0] += share * h * shown
		b.truth[0] += share * (min(norm, p[0]) + min(norm, 1-p[0])) * q[0] * (1 - q[0])
		return
	}
	// Of label l let r = p - e_l be the residual, f its factor, v = f·q·share, and u = v/|r|², or 0 if f is 1. The
	// sums over the labels are of v·(diag(p) - p·pᵀ - r·hᵀ/|r|²) and of v·r·(q - e_l)ᵀ. Here h is diag(p)·r - p·(pᵀ·r),
	// and 0 if f is 1.
	var v, u, along [mostScores]float64
	square, allV, allU, sum := kernel.Dot(p, p), 0.0, 0.0, 0.0
	for l, of := range q {
		length := square - 2*p[l] + 1
		factor := min(1, norm/math.Sqrt(length))
		v[l], along[l] = share*factor*of, square-p[l]
		if factor < 1 {
			u[l] = v[l] / length
		}
		allV, allU, sum = allV+v[l], allU+u[l], sum+u[l]*along[l]
	}
	for a, x := range p {
		own, truth := b.own[a*k:(a+1)*k], b.truth[a*k:(a+1)*k]
		for c, y := range p {
			own[c] -= y * (x*(allV+allU*y-sum-u[c]) - u[a]*(y-along[a]))
			truth[c] += (allV*x-v[a])*q[c] - v[c]*x
		}
		own[a] += x * (allV - u[a])
		truth[a] += v[a]
	}
}
