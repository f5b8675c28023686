package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
)

// Clipping is the bound on one record's gradient, and the way in which training keeps to it. In
// every mode, internal/release verifies each contribution against Bound and shortens a longer
// contribution. So the guarantee does not depend on properties of the loss or the records.
type Clipping struct {
	// Mode states what is clipped: "gradient", "example", "data-and-parameter" or
	// "declared-lipschitz". "gradient" clips gradients, and "example" clips rows.
	// "data-and-parameter" clips rows and weights. "declared-lipschitz" clips nothing.
	Mode string `json:"mode"`
	// Norm is the largest L2 norm of a clipped gradient or row. In the mode "declared-lipschitz" it
	// is the declared Lipschitz constant of the loss.
	Norm float64 `json:"norm"`
	// Bound is the L2 bound on one record's gradient. It follows from Mode and Norm.
	Bound float64 `json:"bound"`
	// ParameterRadius is the radius of the L2 ball on which "data-and-parameter" projects the
	// weights after every step. It is 0 in the other modes.
	ParameterRadius float64 `json:"parameter-radius,omitempty"`
}

// ofRows reports whether a mode bounds gradients by the norms of rows.
func ofRows(m string) bool { return m == option.ClipExample || m == option.ClipDataAndParameter }

// validate returns an error if the numbers of the clipping make no sense.
func (c Clipping) validate() error {
	switch {
	case !slices.Contains(option.ClippingModes(), c.Mode):
		return fmt.Errorf("train: clipping mode is %q, want one of %v", c.Mode, option.ClippingModes())
	case !positive(c.Norm) || !positive(c.Bound):
		return fmt.Errorf("train: clipping norm is %v with bound %v, want positive finite numbers", c.Norm, c.Bound)
	case !ofRows(c.Mode) && c.Norm != c.Bound:
		return fmt.Errorf("train: clipping norm is %v with bound %v, want one number with clipping %s", c.Norm, c.Bound, c.Mode)
	case (c.Mode == option.ClipDataAndParameter) != (c.ParameterRadius != 0) || c.Mode == option.ClipDataAndParameter && !positive(c.ParameterRadius):
		return fmt.Errorf("train: parameter radius is %v with clipping %s, want a positive finite number with %s and none otherwise", c.ParameterRadius, c.Mode, option.ClipDataAndParameter)
	}
	return nil
}

// clip multiplies the residuals of records by the weights of their gradients. The argument norms
// holds the norms of the records' rows.
func (c Clipping) clip(of *kernel.Contributions, norms []float64) {
	switch {
	case c.Mode != option.ClipGradient:
		return
	case of.Columns == 1:
		kernel.ClipRows(of.Coefficients, norms, c.Norm)
		return
	}
	for i, norm := range norms {
		residual := of.Coefficients[i*of.Columns : (i+1)*of.Columns]
		if w := c.weight(norm * kernel.Norm(residual)); w != 1 {
			for k := range residual {
				residual[k] *= w
			}
		}
	}
}

// weight returns the factor that brings a gradient of this norm to the clipping norm. The factor is
// 1 for a norm within it and 0 for NaN. It is a proposal; the sum verifies the bound.
func (c Clipping) weight(norm float64) float64 {
	if c.Mode != option.ClipGradient || norm <= c.Norm {
		return 1
	}
	if !(norm <= math.MaxFloat64) {
		return 0
	}
	return c.Norm / norm
}

// project moves weights onto the ball of the parameter radius, if there is one. It reports whether
// it moved them, and reads released numbers only. Norms are kept below the radius by more than
// their rounding error. Weights that are not finite stay.
func (c Clipping) project(weights []float64) bool {
	limit := c.ParameterRadius * (1 - 1e-9)
	norm := kernel.Norm(weights)
	if c.ParameterRadius == 0 || !(norm > limit) || math.IsInf(norm, 1) {
		return false
	}
	for j := range weights {
		weights[j] *= limit / norm
	}
	return true
}

// checkClipping refuses a request whose clipping implies no bound.
func (r Request) checkClipping() error {
	switch {
	case r.ClippingMode != "" && !slices.Contains(option.ClippingModes(), r.ClippingMode):
		return fmt.Errorf("train: clipping mode is %q, want one of %v", r.ClippingMode, option.ClippingModes())
	case r.ClippingMode == option.ClipDeclaredLipschitz && r.ClippingNorm == 0:
		return fmt.Errorf("train: clipping is %s without a clipping norm, want the declared Lipschitz constant of the loss as the clipping norm", r.ClippingMode)
	case (r.ClippingMode == option.ClipDataAndParameter) != (r.ParameterRadius != 0) || r.ParameterRadius != 0 && !positive(r.ParameterRadius):
		return fmt.Errorf("train: parameter radius is %v with clipping %q, want a positive finite number with %s and none otherwise", r.ParameterRadius, r.ClippingMode, option.ClipDataAndParameter)
	case r.ClippingMode == option.ClipDataAndParameter && r.PrivateRadius:
		return fmt.Errorf("train: clipping is %s with a private radius of rows, want a declared one; the bound is no multiple of the radius", option.ClipDataAndParameter)
	}
	return nil
}

// clipping returns the bound that follows from mode, loss and rows.
func (r Request) clipping(linear model.Linear, m *feature.Map) (Clipping, error) {
	lipschitz, rows := linear.Loss.Lipschitz(linear.Columns), m.RowBound()
	switch {
	case r.ClippingMode == option.ClipDeclaredLipschitz:
		return Clipping{Mode: option.ClipDeclaredLipschitz, Norm: r.ClippingNorm, Bound: r.ClippingNorm}, nil
	case r.ClippingMode == option.ClipDataAndParameter:
		residual, err := residualWithin(linear, rows*r.ParameterRadius)
		return Clipping{option.ClipDataAndParameter, rows, residual * rows, r.ParameterRadius}, err
	case r.ClippingMode == option.ClipExample && math.IsInf(lipschitz, 1):
		return Clipping{}, fmt.Errorf("train: clipping is %s with loss %s, which has no Lipschitz constant, want %s or %s", option.ClipExample, linear.Loss.Name(), option.ClipGradient, option.ClipDataAndParameter)
	case r.ClippingMode == option.ClipExample:
		return Clipping{Mode: option.ClipExample, Norm: rows, Bound: lipschitz * rows}, nil
	}
	norm := r.ClippingNorm
	switch {
	case norm == 0 && math.IsInf(r.Epsilon, 1):
		norm = unclipped(lipschitz) * rows * r.Person.scale()
	case norm == 0:
		norm = min(1, lipschitz) * rows * math.Sqrt(r.Person.scale())
		if hasTexts(m.Pipeline) || clipsWell(linear.Loss) {
			norm *= defaultClipping
		}
	}
	return Clipping{Mode: option.ClipGradient, Norm: norm, Bound: norm}, nil
}

// defaultClipping is the default clipping norm of private runs, as a share of a bound on most
// gradients. At least half of the gradients are longer at first, and few at the end. A clipped
// gradient keeps its direction, and the noise is half the noise for the full bound. The value was
// chosen on parts of training sets. Images, tables and texts gain from it at every budget from 0.5
// to 3.
const defaultClipping = 0.5

// unclipped returns the slope up to which a baseline is not clipped: the largest slope of the loss.
// The squared loss has no largest slope and gets 8: its slope at a prediction that misses the
// target by four times the width of the range of targets.
func unclipped(lipschitz float64) float64 {
	if math.IsInf(lipschitz, 1) {
		return 8
	}
	return lipschitz
}

// Clips reports whether clipping may change the gradient of a record. For a private run it returns
// true. For a non-private run it returns false if the clipping norm is at least a proven bound on
// the norm of every gradient.
func (s Setup) Clips() bool {
	c, lipschitz := s.Plan.Clipping, s.Model.Loss.Lipschitz(s.Model.Columns)
	return !s.Plan.NonPrivate || c.Mode != option.ClipGradient || c.Norm < lipschitz*s.Features.RowBound()*s.Plan.Person.scale()
}

// clipsWell reports whether a loss stays as good when its long gradients are clipped. Losses whose
// classes share a logistic score keep the signs of their residuals. A clipped Huber loss is a
// narrower Huber loss. A clipped quantile loss would change the ratio of its residuals.
func clipsWell(l model.Loss) bool {
	switch l {
	case model.Logistic, model.Softmax, model.OneVsRest, model.Huber(l.Lipschitz(1)):
		return true
	}
	return false
}

// squaredLoss is the name of the loss without a Lipschitz constant. Its derivative is monotone in
// the score and in the label; residualWithin depends on that.
const squaredLoss = "squared"

// residualWithin bounds the derivative of a loss at scores of at most this magnitude. The bound is
// the loss's Lipschitz constant. For the squared loss it is the largest derivative at the four
// corners of |score| ≤ limit and |label| ≤ 1. Targets are scaled to |label| ≤ 1.
func residualWithin(linear model.Linear, limit float64) (float64, error) {
	if lipschitz := linear.Loss.Lipschitz(linear.Columns); !math.IsInf(lipschitz, 1) {
		return lipschitz, nil
	}
	if linear.Loss.Name() != squaredLoss || linear.Columns != 1 {
		return 0, fmt.Errorf("train: clipping is %s with loss %s, want the squared loss or one with a Lipschitz constant", option.ClipDataAndParameter, linear.Loss.Name())
	}
	largest, residual := 0.0, make([]float64, 1)
	for _, score := range []float64{-limit, limit} {
		for _, label := range []float64{-1, 1} {
			linear.Loss.Residuals(residual, []float64{score}, label)
			largest = max(largest, math.Abs(residual[0]))
		}
	}
	return largest, nil
}
