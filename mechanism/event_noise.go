package mechanism

import "github.com/ditherml/dither/privacy"

// Gaussian is the release of a sum of bounded contributions with normal noise. The standard
// deviation of the noise is NoiseMultiplier times the bound on the L2 norm of one record's
// contribution. The cost has a proof under every relation.
type Gaussian struct{ NoiseMultiplier float64 }

// Laplace is the release of one number with Laplace noise. The scale of the noise is
// NoiseMultiplier times the bound on one record's contribution. The scale is the parameter b of the
// density ∝ exp(-|x|/b), not the standard deviation.
type Laplace struct{ NoiseMultiplier float64 }

// DiscreteGaussian is the release of one integer with integer noise x of probability ∝
// exp(-x²/(2σ²)), where σ is StandardDeviation. One record moves the integer by at most
// Sensitivity. Depending on the parameters, the release costs slightly more or less than a Gaussian
// with the noise multiplier StandardDeviation/Sensitivity.
type DiscreteGaussian struct {
	// StandardDeviation is the parameter σ of the noise, in the unit of the released integer.
	StandardDeviation float64
	// Sensitivity is the largest difference that one record makes to the released integer.
	Sensitivity int64
}

// DiscreteLaplace is the release of one integer with integer noise x of probability ∝
// exp(-|x|/Scale). One record moves the integer by at most Sensitivity.
type DiscreteLaplace struct {
	// Scale is the parameter of the noise, in the unit of the released integer.
	Scale float64
	// Sensitivity is the largest difference that one record makes to the released integer.
	Sensitivity int64
}

// KNorm is the release of a vector with noise z of density ∝ exp(-‖z‖/(b·B)), for any norm. Here b
// is NoiseMultiplier, and B is the bound on one record's contribution in the same norm. If the
// vectors of neighbors differ by at most k·B, the release is k/b-differentially private (Hardt &
// Talwar, "On the Geometry of Differential Privacy", STOC 2010, section 4,
// https://arxiv.org/abs/0907.3754).
type KNorm struct{ NoiseMultiplier float64 }

// String returns text such as "gaussian(1.1)". The argument is the noise multiplier.
func (g Gaussian) String() string { return call("gaussian", g.NoiseMultiplier) }

// String returns text such as "laplace(2)". The argument is the noise multiplier.
func (l Laplace) String() string { return call("laplace", l.NoiseMultiplier) }

// String returns text such as "discrete-gaussian(4, 1)". The arguments are the standard deviation
// and the sensitivity.
func (d DiscreteGaussian) String() string {
	return call("discrete-gaussian", d.StandardDeviation, d.Sensitivity)
}

// String returns text such as "discrete-laplace(2, 1)". The arguments are the scale and the
// sensitivity.
func (d DiscreteLaplace) String() string { return call("discrete-laplace", d.Scale, d.Sensitivity) }

// String returns text such as "k-norm(2)". The argument is the noise multiplier.
func (k KNorm) String() string { return call("k-norm", k.NoiseMultiplier) }

func (g Gaussian) check() error { return checkPositive("noise multiplier", g, g.NoiseMultiplier) }
func (l Laplace) check() error  { return checkPositive("noise multiplier", l, l.NoiseMultiplier) }
func (k KNorm) check() error    { return checkPositive("noise multiplier", k, k.NoiseMultiplier) }

func (d DiscreteGaussian) check() error {
	if err := checkPositive("standard deviation", d, d.StandardDeviation); err != nil {
		return err
	}
	return checkSensitivity(d, d.Sensitivity)
}

func (d DiscreteLaplace) check() error {
	if err := checkPositive("scale", d, d.Scale); err != nil {
		return err
	}
	return checkSensitivity(d, d.Sensitivity)
}

// maxSensitivity is the largest one that both samplers and accountants take.
const maxSensitivity = 1 << 52

func checkSensitivity(e Event, s int64) error {
	if s < 1 || s > maxSensitivity {
		return wrong("sensitivity", e, s, "1 to 2^52")
	}
	return nil
}

func (Gaussian) unproved(privacy.Neighboring) string         { return "" }
func (Laplace) unproved(privacy.Neighboring) string          { return "" }
func (DiscreteGaussian) unproved(privacy.Neighboring) string { return "" }
func (DiscreteLaplace) unproved(privacy.Neighboring) string  { return "" }
func (KNorm) unproved(privacy.Neighboring) string            { return "" }

func (Gaussian) parts() []Event         { return nil }
func (Laplace) parts() []Event          { return nil }
func (DiscreteGaussian) parts() []Event { return nil }
func (DiscreteLaplace) parts() []Event  { return nil }
func (KNorm) parts() []Event            { return nil }
