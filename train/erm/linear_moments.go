package erm

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
)

// Moments are the released sufficient statistics of least squares. For rows x with targets y, they
// are the noisy sums of products of all pairs of coordinates of (x, y). Everything that is computed
// from them costs nothing more. Moments are immutable and safe for concurrent use.
type Moments struct {
	features, targets int
	sums              kernel.Matrix[float64] // of (x, y), the features first
	noise             float64
	equal             bool
	scale             float64
	intercept         float64
}

// momentsOptions describes released sums of products.
type momentsOptions struct {
	// Features is the number of coordinates of x, with the constant. Targets is the number of
	// coordinates of y.
	Features, Targets int
	// Deviation is the standard deviation of the noise on the diagonal of the sums, or 0 without
	// noise. Off the diagonal the noise has standard deviation Deviation/√2 (the Gaussian
	// orthogonal ensemble).
	Deviation float64
	// Equal says that the noise off the diagonal is as large as the noise on the diagonal.
	Equal bool
	// Scale is the factor by which y was multiplied before the sums were taken. 0 means 1.
	Scale float64
	// Intercept is the value of the last coordinate of x if that coordinate is constant, and
	// otherwise 0.
	Intercept float64
}

// newMoments returns the statistics with these sums of products. The sums are a symmetric matrix
// with Features+Targets rows, in row-major order. The matrix need not be positive. newMoments
// copies sums.
func newMoments(sums []float64, o momentsOptions) (*Moments, error) {
	side := o.Features + o.Targets
	if o.Features < 1 || o.Targets < 1 || len(sums) != side*side {
		return nil, fmt.Errorf("erm: there are %d sums of products of %d features and %d targets, want (features + targets)²", len(sums), o.Features, o.Targets)
	}
	if !(o.Deviation >= 0) || !(o.Scale >= 0) || math.IsInf(o.Scale, 1) || !(o.Intercept >= 0) {
		return nil, fmt.Errorf("erm: deviation is %v, scale %v, intercept %v, want 0 or positive finite numbers", o.Deviation, o.Scale, o.Intercept)
	}
	if o.Scale == 0 {
		o.Scale = 1
	}
	all := dense.New(side, side)
	for i := range side {
		for j := range side {
			v := (sums[i*side+j] + sums[j*side+i]) / 2
			if v-v != 0 {
				return nil, fmt.Errorf("erm: a sum of products is %v, want finite numbers", v)
			}
			all.Data[i*side+j] = v
		}
	}
	return &Moments{o.Features, o.Targets, all, o.Deviation, o.Equal, o.Scale, o.Intercept}, nil
}

// deviation returns the standard deviation of the noise on the diagonal of the second moment.
func (m *Moments) deviation() float64 { return m.noise }

// Keep returns the moments of a model with only the listed features. Keep uses the same release, so
// it costs nothing. The argument features lists distinct indices in ascending order. It must not be
// empty, and it must include the constant feature if there is one.
func (m *Moments) Keep(features []int) (*Moments, error) {
	if len(features) == 0 || m.intercept > 0 && features[len(features)-1] != m.features-1 {
		return nil, fmt.Errorf("erm: %d features are kept, want at least one, the constant last", len(features))
	}
	all := append([]int(nil), features...)
	for i, j := range features {
		if j < 0 || j >= m.features || i > 0 && j <= features[i-1] {
			return nil, fmt.Errorf("erm: feature %d of %d is kept, want ascending numbers", j, m.features)
		}
	}
	for k := range m.targets {
		all = append(all, m.features+k)
	}
	kept := *m
	kept.features, kept.sums = len(features), dense.New(len(all), len(all))
	for i, a := range all {
		for j, b := range all {
			dense.Row(kept.sums, i)[j] = m.sums.At(a, b)
		}
	}
	return &kept, nil
}

// secondMoment returns S = Σ x·xᵀ with its noise. The matrix is symmetric and may have negative
// eigenvalues. It is a copy.
func (m *Moments) secondMoment() kernel.Matrix[float64] {
	s := dense.New(m.features, m.features)
	for i := range m.features {
		copy(dense.Row(s, i), dense.Row(m.sums, i))
	}
	return s
}

// Spectrum returns the eigenvalues of the noisy second moment of the features, in descending order.
// Eigenvalues whose magnitude is at most the spectral norm of the noise are indistinguishable from
// noise. For d features, this norm is about √(2·d) times the standard deviation of the noise.
func (m *Moments) Spectrum() ([]float64, error) {
	s, err := newSpectrum(m.secondMoment())
	if err != nil {
		return nil, err
	}
	return s.values, nil
}

// cross returns Σ x·y_k with its noise.
func (m *Moments) cross(k int) []float64 {
	out := make([]float64, m.features)
	for j := range out {
		out[j] = m.sums.At(j, m.features+k) / m.scale
	}
	return out
}

// square returns Σ y_k² with its noise.
func (m *Moments) square(k int) float64 {
	return m.sums.At(m.features+k, m.features+k) / (m.scale * m.scale)
}

// records returns the noisy number of records, or NaN if no coordinate is constant.
func (m *Moments) records() float64 {
	if m.intercept == 0 {
		return math.NaN()
	}
	last := m.features - 1
	return m.sums.At(last, last) / (m.intercept * m.intercept)
}

// sumOfSquares returns Σ (y_k - w·x)² from the statistics. Noise may make it negative.
func (m *Moments) sumOfSquares(k int, w []float64) float64 {
	sum, cross := m.square(k), m.cross(k)
	for i, a := range w {
		sum -= 2 * a * cross[i]
		for j, b := range w {
			sum += a * b * m.sums.At(i, j)
		}
	}
	return sum
}

// Determination returns R² of the weights w for target k: 1 - Σ(y_k - w·x)²/Σ(y_k - mean of y_k)².
// Both sums are computed from the noisy moments, so R² may be larger than 1. R² is NaN if the last
// feature is not constant.
func (m *Moments) Determination(k int, w []float64) float64 {
	records := m.records()
	mean := m.cross(k)[m.features-1] / (m.intercept * records)
	total := m.square(k) - records*mean*mean
	return 1 - m.sumOfSquares(k, w)/total
}
