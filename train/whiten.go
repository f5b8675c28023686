package train

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
)

// spread summarizes the released second moments of whitened rows.
type spread struct {
	// directions is the sum of λ/(λ+γ) over the directions: the effective number of directions in a
	// whitened row. Each term is at most 1. It is 0 if the directions are unknown.
	directions float64
	// energy is the mean of the squared norms of whitened rows.
	energy float64
	// unbiased is energy by released moments that noise may have made negative, so that noise adds less to it. It is 0 if
	// it is unknown.
	unbiased float64
	// frequent states that features were divided by the square roots of their frequencies. No
	// feature is then strong, and rows need no center.
	frequent bool
}

// These constants set the floor γ under the eigenvalues of a second moment, in (Σ + γI)^(-1/2).
// Directions with a smaller moment are not stretched further.
const (
	// noiseFloor is γ in units of the spectral norm of the noise.
	noiseFloor = 1.75
	// relativeFloor is the least γ in units of the mean eigenvalue.
	relativeFloor = 1
)

// floor returns γ for a side×side matrix whose noise has this standard deviation on the diagonal.
// The spectral norm of that noise is about noise·√(2·side) (M. L. Mehta, "Random matrices", 3rd
// edition 2004, chapter 7: the semicircle of the Gaussian orthogonal ensemble).
func floor(side int, noise, trace float64) float64 {
	return max(relativeFloor*trace/float64(side), noiseFloor*noise*math.Sqrt(2*float64(side)))
}

// inverseRoot returns (Σ₊ + γI)^(-1/2), the spread of rows that it multiplies, and the trace of Σ₊. Σ₊ is the released
// matrix with negative eigenvalues replaced by 0. The matrix was released, so this is post-processing; no
// direction is projected away.
func (m moment) inverseRoot() (p []float64, s spread, trace float64, err error) {
	d := int(math.Round(math.Sqrt(float64(len(m.mean)))))
	g, err := dense.NewEigen(kernel.NewMatrix(m.mean, d, d))
	if err != nil {
		return nil, s, 0, fmt.Errorf("train: the released covariance: %w", err)
	}
	gamma := floor(d, m.noise, m.trace(d))
	if !(gamma > 0) {
		gamma = 1 // all rows are zero
	}
	roots := make([]float64, d)
	for j, v := range g.Values {
		s.unbiased += v / (max(0, v) + gamma)
		v = max(0, v)
		trace += v
		s.directions += v / (v + gamma)
		roots[j] = 1 / math.Sqrt(math.Sqrt(v+gamma))
	}
	s.energy = s.directions
	return g.Combine(roots).Data, s, trace, nil
}

// trace returns the sum of the diagonal, at least 0. Its noise is √side times the noise of one
// number.
func (m moment) trace(side int) float64 {
	sum := 0.0
	for j := range side {
		sum += m.mean[j*side+j]
	}
	return max(0, sum)
}

// full returns the whitening by a covariance.
func (m moment) full() (*feature.Whitening, spread, error) {
	p, s, _, err := m.inverseRoot()
	return &feature.Whitening{Matrix: p}, s, err
}

// kronecker returns the whitening by the covariances of channels and of places. The covariance is
// assumed to be their Kronecker product, divided by the trace that both have.
func kronecker(channels, places moment) (*feature.Whitening, spread, error) {
	left, a, trace, err := channels.inverseRoot()
	if err != nil {
		return nil, spread{}, err
	}
	right, b, _, err := places.inverseRoot()
	directions := a.directions * b.directions
	energy := directions / max(trace, math.SmallestNonzeroFloat64)
	return &feature.Whitening{Channels: left, Places: right}, spread{directions: directions, energy: energy}, err
}

// diagonal returns the whitening by variances: each feature is divided by its standard deviation.
// The largest noise of n numbers is about √(2·ln n) standard deviations.
func (m moment) diagonal() (*feature.Whitening, spread) {
	d := float64(len(m.mean))
	sum := 0.0
	for _, v := range m.mean {
		sum += v
	}
	gamma := max(relativeFloor*max(0, sum)/d, noiseFloor*m.noise*math.Sqrt(2*math.Log(d+1)))
	if !(gamma > 0) {
		gamma = 1
	}
	scales, energy := make([]float64, len(m.mean)), 0.0
	for j, v := range m.mean {
		v = max(0, v)
		scales[j] = 1 / math.Sqrt(v+gamma)
		energy += v / (v + gamma)
	}
	return &feature.Whitening{Scales: scales}, spread{energy: energy}
}

// rescale multiplies a whitening by a number.
func rescale(w *feature.Whitening, factor float64) {
	for _, part := range [][]float64{w.Matrix, w.Scales, w.Channels} {
		for j := range part {
			part[j] *= factor
		}
	}
}
