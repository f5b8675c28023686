package shadow

import (
	"math"

	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/model"
)

// noiseLevels is the number of moments for which the noise is computed.
const noiseLevels = 24

// straight returns the bends of a loss whose second derivative does not depend on the model, or nil.
func (s *descent) straight() (out []bend) {
	if s.loss.Name() == model.Squared.Name() || s.loss.Name() == model.Huber(0).Name() {
		for range s.steps {
			out = append(out, bend{[]float64{s.bent}, []float64{s.bent}})
		}
	}
	return out
}

// bentAlong returns the mean second derivative of the loss on a path, less two standard deviations and at
// least 0. It is the slope of the regression of gradients on weights, without the first quarter of the path.
//
// In a direction of moment m, a gradient g changes by m·h times the change of the weight. Let both be
// relative to their means over T steps. The noise of a step also moves the weights after it, by -η·k. So the
// sum of the products of gradients and m times weights is too large. The excess is (σ²/T)·Σ m·η·k over
// directions and pairs of steps.
func (s *descent) bentAlong(path [][]float64) float64 {
	weights, gradients := s.along(path)
	weights, gradients = weights[len(path)/4:], gradients[len(path)/4:]
	product, square, steps := 0.0, 0.0, float64(len(weights))
	for i, m := range s.Moments {
		if s.Hidden[i] {
			continue
		}
		w, g := 0.0, 0.0
		for t := range weights {
			w, g = w+weights[t][i]/steps, g+gradients[t][i]/steps
		}
		for t := range weights {
			x := m * (weights[t][i] - w)
			product, square = product+x*(gradients[t][i]-g), square+x*x
		}
	}
	if !(square > 0) {
		return 0
	}
	variance := 0.0
	for _, z := range s.noise {
		variance += z * z / float64(len(s.noise))
	}
	h := max(0, min(1, product/square))
	for range 30 {
		h = max(0, min(1, (h+(product-s.excess(h, len(weights))*variance/steps)/square)/2))
	}
	return max(0, h-2*math.Sqrt(variance/square))
}

// along returns the weights before each step of a path, and the released gradients, along the directions.
func (s *descent) along(path [][]float64) (weights, gradients [][]float64) {
	d := len(s.Moments)
	before, velocity := make([]float64, d), make([]float64, d)
	for _, w := range path {
		after, gradient := dense.Apply(s.Vectors, w[:d]), make([]float64, d)
		for i := range d {
			v := (before[i] - after[i]) / s.rate
			gradient[i] = v - s.momentum*velocity[i] - s.ridge*before[i]
			velocity[i] = v
		}
		weights, gradients = append(weights, before), append(gradients, gradient)
		before = after
	}
	return weights, gradients
}

// excess returns the sum of m·η·k over the directions and the pairs of steps.
func (s *descent) excess(h float64, steps int) (out float64) {
	for i, m := range s.Moments {
		if s.Hidden[i] {
			continue
		}
		place, speed := 0.0, 1.0
		for t := range steps - 1 { // after t+1 steps, for all pairs of steps that are so far apart
			place -= s.rate * speed
			speed = s.momentum*speed + (m*h+s.ridge)*place
			out -= m * place * float64(steps-1-t)
		}
	}
	return out
}

// ladder has the covariance of the noise in the weights of all scores in one direction, for moments in
// ascending order.
type ladder struct {
	moments []float64
	noise   []dense.Matrix
}

// at returns the noise of a direction with this moment, which is at most that of the next smaller level.
func (l ladder) at(moment float64) dense.Matrix {
	i := len(l.moments) - 1
	for i > 0 && l.moments[i] > moment {
		i--
	}
	return l.noise[i]
}

// levels returns the covariances of the noise for moments from 0 to the largest.
func (s *descent) levels(bends []bend) (out ladder) {
	most := s.Constant * s.Constant
	for _, m := range s.Moments {
		most = max(most, m)
	}
	for i := range noiseLevels {
		share := float64(i) / (noiseLevels - 1)
		out.moments = append(out.moments, most*share*share)
		out.noise = append(out.noise, s.noiseIn(bends, most*share*share))
	}
	return out
}

// noiseIn returns the covariance of the noise in the averaged weights along a direction of this moment. It follows the
// derivative of the average by the velocity of a step backwards through the steps.
func (s *descent) noiseIn(bends []bend, moment float64) dense.Matrix {
	k := s.columns
	out, place, velocity := dense.New(k, k), dense.New(k, k), dense.New(k, k)
	for t := s.steps - 1; t >= 0; t-- {
		if t >= s.first {
			for i := range k {
				place.Data[i*k+i] += 1 / float64(s.steps-s.first)
			}
		}
		for j, p := range place.Data {
			velocity.Data[j] = s.momentum*velocity.Data[j] - s.rate*p
		}
		square := dense.Product(velocity, transposed(velocity))
		for j, v := range square.Data {
			out.Data[j] += v * s.noise[t] * s.noise[t]
		}
		bent := dense.Product(velocity, kernel.NewMatrix(bends[t].own, k, k))
		for j := range place.Data {
			place.Data[j] += moment*bent.Data[j] + s.ridge*velocity.Data[j]
		}
	}
	return out
}

// grown returns the matrix that makes the averaged weights in a direction of this moment from the true weights.
func (s *descent) grown(bends []bend, moment float64) dense.Matrix {
	k := s.columns
	out, w, v := dense.New(k, k), dense.New(k, k), dense.New(k, k)
	for t, b := range bends {
		slope := dense.Product(kernel.NewMatrix(b.own, k, k), w)
		for j := range w.Data {
			v.Data[j] = s.momentum*v.Data[j] + moment*(slope.Data[j]-b.truth[j]) + s.ridge*w.Data[j]
		}
		for j := range w.Data {
			if w.Data[j] -= s.rate * v.Data[j]; t >= s.first {
				out.Data[j] += w.Data[j] / float64(s.steps-s.first)
			}
		}
	}
	return out
}

// turnOf returns the matrix that makes free weights from clipped ones, where both come from the
// same true weights. Along what no true weights make, it changes nothing.
func turnOf(clipped, free dense.Matrix) dense.Matrix {
	k := clipped.Rows
	change := dense.New(k, k)
	for j, v := range free.Data {
		change.Data[j] = v - clipped.Data[j]
	}
	square := dense.Product(clipped, transposed(clipped))
	trace := dense.Trace(square)
	for i := range k {
		square.Data[i*k+i] += 1e-6*trace + 1e-300
	}
	out := identity(k)
	if factors, definite := dense.NewCholesky(square); definite {
		for j, v := range dense.Product(dense.Product(change, transposed(clipped)), factors.Inverse()).Data {
			out.Data[j] += v
		}
	}
	return out
}

func identity(k int) dense.Matrix {
	out := dense.New(k, k)
	for i := range k {
		out.Data[i*k+i] = 1
	}
	return out
}

func transposed(a dense.Matrix) dense.Matrix {
	out := dense.New(a.Columns, a.Rows)
	for i := range a.Rows {
		for j := range a.Columns {
			out.Data[j*a.Rows+i] = a.Data[i*a.Columns+j]
		}
	}
	return out
}
