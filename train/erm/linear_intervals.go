package erm

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/train"
)

// Inference is an estimate of the coefficients of least squares without a ridge penalty. It is
// computed from released sums, so it costs nothing more. Its standard errors allow for the sampling
// of the records and for the noise.
type Inference struct {
	// Weights are the coefficients, corrected for the leading term of the bias that the noise
	// causes.
	Weights []float64
	// ResidualDeviation is the standard deviation of the residual y - w·x, where y is the target of
	// a row x and w is Weights. It is NaN if it is unknown.
	ResidualDeviation float64
	// Records is the noisy number of records.
	Records float64

	sampling, noise kernel.Matrix[float64] // covariances of the weights
}

// minSpectralRatio is the least ratio of the second moment's least eigenvalue to the noise's
// spectral norm at which Infer works. In simulations at ratio 4, intervals cover at the stated
// level.
const minSpectralRatio = 4

// Infer returns the estimated coefficients for target k with their errors. Targets are numbered
// from 0.
//
// Infer returns an error if the least eigenvalue of the released second moment is too small,
// compared with the noise. It returns an error if the sums do not include the number of records, or
// if there are not more records than features. All errors depend on released numbers only.
//
// Let x be a row and y its target. Let S be the exact sum of x·xᵀ and s the exact sum of x·y. The
// released sums are S + E and s + e, with noise E and e. Let w be the solution of S·w = s. To first
// order the noise changes the solution by S⁻¹(e - E·w). The sums were taken of (x, c·y), where c is
// a public factor. Let W be the noise in the sums of products of (x, c·y), and let u = (w, -1/c).
// Up to its sign, the vector e - E·w is W·u. The entries of W have the standard deviation ν on the
// diagonal and ν/√2 elsewhere. So the covariance of W·u is (ν²/2)·(‖u‖²·I + u·uᵀ). Infer adds
// σ²·S⁻¹, the covariance of least squares if all errors have the variance σ².
//
// To second order the noise changes the mean of the solution by S⁻¹·E[W·S⁻¹·W]·w, where E[…] is the
// expectation. For this W the change is (ν²/2)·S⁻¹·(S⁻¹ + tr(S⁻¹)·I)·w, and Infer subtracts it.
//
// The errors are sandwich estimators with the public variance of the noise in the middle (White, "A
// Heteroskedasticity-Consistent Covariance Matrix Estimator", Econometrica 1980). The idea
// resembles that of Evans, King, Schwenzfeier & Thakurta, "Statistically Valid Inferences from
// Privacy-Protected Data", American Political Science Review 2023.
func (m *Moments) Infer(k int) (*Inference, error) {
	s, err := newSolver(m)
	if err != nil {
		return nil, err
	}
	records := m.records()
	if !(records > float64(m.features)) {
		return nil, fmt.Errorf("erm: the moments tell of %.4g records with %d features, want more records than features, and a constant coordinate", records, m.features)
	}
	if least := s.values[0]; !m.passes(least, s.values[m.features-1]) {
		return nil, m.undetermined(least)
	}
	factor, ok := dense.NewCholesky(s.second)
	if !ok {
		return nil, fmt.Errorf("erm: the released second moment is singular, want linearly independent features")
	}
	return m.infer(k, factor.Inverse(), records), nil
}

// undetermined returns the error for moments whose least eigenvalue is too small. The error names
// one of two reasons: features are empty, or noise hides the difference between features.
func (m *Moments) undetermined(least float64) error {
	what := "the features are not told apart beside the noise"
	if empty := m.Empty(); len(empty) > 0 {
		what = fmt.Sprintf("the sums of squares of %d of %d features are not told from noise, so that their coefficients are not estimable", len(empty), m.features)
	}
	return fmt.Errorf("erm: %s: the least eigenvalue of the second moment is %.4g, want more than %d times the norm of the noise, %.4g", what, least, minSpectralRatio, m.noiseNorm())
}

func (m *Moments) infer(k int, inverse kernel.Matrix[float64], records float64) *Inference {
	d := m.features
	out := &Inference{Weights: dense.Apply(inverse, m.cross(k)), Records: records}
	variance := max(0, m.sumOfSquares(k, out.Weights)) / (records - float64(d))
	out.ResidualDeviation = math.Sqrt(variance)
	out.sampling = dense.Clone(inverse)
	for i := range out.sampling.Data {
		out.sampling.Data[i] *= variance
	}
	out.noise = dense.Product(dense.Product(inverse, m.noiseCovariance(out.Weights)), inverse)
	dense.Symmetrize(out.noise)
	m.unbias(out.Weights, inverse)
	return out
}

// noiseCovariance returns the covariance of the noise in ŝ - Ŝ·w.
func (m *Moments) noiseCovariance(w []float64) kernel.Matrix[float64] {
	d, u2 := m.features, 1/(m.scale*m.scale)
	for _, v := range w {
		u2 += v * v
	}
	out, variance := dense.New(d, d), m.offDiagonal()
	for i := range d {
		for j := range d {
			c := w[i] * w[j]
			switch {
			case i == j && m.equal:
				c = u2
			case i == j:
				c += u2
			}
			dense.Row(out, i)[j] = variance * c
		}
	}
	return out
}

// offDiagonal returns the variance of the noise in entries off the diagonal.
func (m *Moments) offDiagonal() float64 {
	if m.equal {
		return m.noise * m.noise
	}
	return m.noise * m.noise / 2
}

// unbias subtracts from w the second-order effect of the noise on the mean of w.
func (m *Moments) unbias(w []float64, inverse kernel.Matrix[float64]) {
	variance, trace := m.offDiagonal(), dense.Trace(inverse)
	inner := dense.Apply(inverse, w)
	for i := range inner {
		own := trace * w[i]
		if m.equal { // in this case E[W·A·W] is ν²·A with tr(A) as every diagonal entry
			own -= inverse.At(i, i) * w[i]
		}
		inner[i] += own
	}
	for i, shift := range dense.Apply(inverse, inner) {
		w[i] -= variance * shift
	}
}

// Contrast returns the estimate of offset + a·w, where w are the coefficients. The estimate has a
// confidence interval at the given level, such as 0.95. The interval is for the value of offset +
// a·w in a linear model whose errors have equal variance. It supposes that the records are a sample
// from that model.
func (f *Inference) Contrast(a []float64, offset, level float64) train.Estimate {
	e := train.Estimate{Value: offset}
	sampled, noisy := 0.0, 0.0
	for i, v := range a {
		e.Value += v * f.Weights[i]
		for j, u := range a {
			sampled += v * u * f.sampling.At(i, j)
			noisy += v * u * f.noise.At(i, j)
		}
	}
	e.StandardError, e.NoiseError = math.Sqrt(sampled+noisy), math.Sqrt(noisy)
	half := math.Sqrt2 * math.Erfinv(level) * e.StandardError
	e.Lower, e.Upper = e.Value-half, e.Value+half
	return e
}
