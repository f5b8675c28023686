package erm

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
)

// Moments are the released sufficient statistics of least squares: the sums of products of all pairs of
// coordinates of (x, y), x being a row of features and y its targets, with noise. Everything that is
// computed from them is post-processing. They are immutable and safe for concurrent use.
type Moments struct {
	features, targets int
	sums              kernel.Matrix[float64] // of (x, y), the features first
	noise             float64
	equal             bool
	scale             float64
	intercept         float64
}

// momentsOptions say what released sums of products are of.
type momentsOptions struct {
	// Features is how many coordinates x has, the constant one included; Targets how many y has.
	Features, Targets int
	// Deviation is the standard deviation of the noise on the diagonal of Sums, 0 without noise.
	// The noise off the diagonal has 1/√2 of it (the Gaussian orthogonal ensemble).
	Deviation float64
	// Equal says that the noise has the same deviation off the diagonal.
	Equal bool
	// Scale is what y was multiplied with before the sums were taken; 0 means 1.
	Scale float64
	// Intercept is the value of the last coordinate of x if it is a constant, else 0.
	Intercept float64
}

// newMoments returns the statistics whose sums of products are given: a symmetric matrix of
// Features+Targets rows in row-major order, which need not be positive. It copies sums.
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

// Features returns how many coordinates a row of features has, the constant one included.
func (m *Moments) Features() int { return m.features }

// Targets returns how many targets there are.
func (m *Moments) Targets() int { return m.targets }

// Deviation returns the standard deviation of the noise on the diagonal of the second moment.
func (m *Moments) deviation() float64 { return m.noise }

// Keep returns the moments of the features whose numbers are listed, in ascending order: those of a model
// without the others, from the same release. The constant coordinate must be among them if there is one.
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

// secondMoment returns S = Σ x·xᵀ with its noise: symmetric, perhaps with negative eigenvalues. It is a copy.
func (m *Moments) secondMoment() kernel.Matrix[float64] {
	s := dense.New(m.features, m.features)
	for i := range m.features {
		copy(dense.Row(s, i), dense.Row(m.sums, i))
	}
	return s
}

// Spectrum returns the eigenvalues of the second moment with its noise, the largest first. Those within noiseNorm
// of 0 are not told from it.
func (m *Moments) Spectrum() ([]float64, error) {
	s, err := newSpectrum(m.secondMoment())
	if err != nil {
		return nil, err
	}
	return s.values, nil
}

// Cross returns Σ x·y_k with its noise.
func (m *Moments) cross(k int) []float64 {
	out := make([]float64, m.features)
	for j := range out {
		out[j] = m.sums.At(j, m.features+k) / m.scale
	}
	return out
}

// Square returns Σ y_k² with its noise.
func (m *Moments) square(k int) float64 {
	return m.sums.At(m.features+k, m.features+k) / (m.scale * m.scale)
}

// Records returns the number of records with its noise, NaN if no coordinate is constant.
func (m *Moments) records() float64 {
	if m.intercept == 0 {
		return math.NaN()
	}
	last := m.features - 1
	return m.sums.At(last, last) / (m.intercept * m.intercept)
}

// sumOfSquares returns Σ (y_k - w·x)² as the statistics have it, which noise may make negative.
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

// Determination returns R² = 1 - Σ(y_k - w·x)²/Σ(y_k - mean)² of weights, computed from the
// statistics, over the records that the statistics sum. Without a constant coordinate it is NaN. It
// is not moved into a range: noise can take it past 1.
func (m *Moments) Determination(k int, w []float64) float64 {
	records := m.records()
	mean := m.cross(k)[m.features-1] / (m.intercept * records)
	total := m.square(k) - records*mean*mean
	return 1 - m.sumOfSquares(k, w)/total
}
