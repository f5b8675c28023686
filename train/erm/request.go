package erm

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// Request contains the user's choices for a model and its privacy. NewSetup makes a plan from it.
type Request struct {
	// Method is one of Names. It is required.
	Method string
	// Epsilon is the whole budget in nats. +Inf means a baseline without privacy.
	Epsilon float64
	// Delta is at least 0. Methods without normal noise accept 0.
	Delta float64
	// Neighboring is the relation. It is required.
	Neighboring privacy.Neighboring
	// Loss is the loss; nil means the default for the target.
	Loss model.Loss
	// Normalization, Radius, Intercept and Transforms are as in train.Request.
	Normalization feature.Normalization
	Radius        float64
	Intercept     float64
	Transforms    []feature.Spec
	// SumRidge is Λ in the penalty (Λ/2)·‖w‖² that is added to the sum, not the mean, of all
	// losses. 0 means the method's default.
	SumRidge float64
	// Noise is the noise of output perturbation: "gaussian", "l1", "l2" or "l-infinity". "" means
	// "gaussian", or "l1" at delta 0, which has the least standard deviation there. For
	// zeroth-order descent it is "gaussian" or "l1"; "" means "l1" at delta 0. Noise in the norms
	// L1 and L∞ has a guarantee at delta 0.
	Noise string
	// Center requests that a noisy mean is subtracted from the rows. The budget pays for the mean.
	// Auto centers if the method and the noise allow it and the number of records is declared.
	Center train.Tristate

	// Each of the following applies to some methods; 0 and "" leave it to the method.

	// Steps is the number of steps of zeroth-order descent and Frank-Wolfe. ClippingNorm is the
	// norm to which one record's contribution to a step is clipped.
	Steps        int
	ClippingNorm float64
	// Directions is the number of directions in a step of zeroth-order descent. The loss is
	// evaluated at distance Smoothing along each direction, on both sides. StepSize is the size of
	// a step.
	Directions          int
	Smoothing, StepSize float64
	// L1Radius is the bound on the L1 norm of the weights in Frank-Wolfe.
	L1Radius float64
	// Solver names the method that computes weights for output perturbation. "exact" finds the
	// minimizer. "gradient-descent" takes SolverSteps steps on all records. "permuted-descent",
	// under replace-one, makes SolverPasses passes over batches of SolverBatch records.
	Solver                                 string
	SolverSteps, SolverPasses, SolverBatch int
	// SolverRate is the step size of "gradient-descent", per unit of the gradient of the sum of
	// losses. For "permuted-descent" without a ridge it is the step size per unit of the gradient
	// of one record.
	SolverRate float64
	// GridPoints is the number of points along each weight of the exponential mechanism's grid. The
	// grid goes from -GridReach to GridReach. The loss of a record is cut at LossBound.
	GridPoints           int
	GridReach, LossBound float64
	// Choice is the mechanism that selects a point of the grid, or a coordinate of Frank-Wolfe. It
	// is "permute-and-flip" or "exponential".
	Choice string
}

// Setup is a plan with the feature map and the schema that it was made for.
type Setup struct {
	Plan   Plan
	Schema *data.Schema
	// Features is the map of rows. It contains no learned numbers.
	Features *feature.Map
	Model    model.Linear
}

// NewSetup returns the plan and the model that a request makes for a schema. Both follow from
// public numbers alone.
func NewSetup(r Request, s *data.Schema) (Setup, error) {
	m, err := methodOf(r.Method)
	if err != nil {
		return Setup{}, err
	}
	if err = r.check(s); err != nil {
		return Setup{}, err
	}
	encoding := train.Request{Loss: r.Loss, Normalization: r.Normalization, Radius: r.Radius, Intercept: r.Intercept, Transforms: r.Transforms}
	features, linear, err := encoding.Encoding(s)
	if err != nil {
		return Setup{}, err
	}
	if err = encoder.RefuseTokens("erm", features.Encoder()); err != nil {
		return Setup{}, err
	}
	p := Plan{Method: r.Method, Subject: certificate.Subject{Neighboring: r.Neighboring, Unit: s.Row, RowsPerPerson: s.RowsPerPerson, Delta: r.Delta, Records: s.Records, MaxRecords: s.MaxRecords},
		Dim: linear.Dim, Columns: linear.Columns, Loss: specOf(linear.Loss), RowBound: largestRow(features), NonPrivate: math.IsInf(r.Epsilon, 1)}
	setup := Setup{p, s, features, linear}
	if err = r.center(m, &setup); err != nil {
		return Setup{}, err
	}
	if err = m.plan(r, &setup); err != nil {
		return Setup{}, err
	}
	return setup, setup.Plan.Validate()
}

// largestRow returns the largest norm of a row on the grid. Float32 factors may exceed the map's
// own bound by a few units in their last place.
func largestRow(m *feature.Map) float64 { return m.RowBound() * (1 + 0x1p-20) }

func (r Request) check(s *data.Schema) error {
	unit := privacy.Unit{Row: s.Row, RowsPerPerson: s.RowsPerPerson}
	if _, err := privacy.NewGuarantee(r.Epsilon, r.Delta, r.Neighboring, unit); err != nil {
		return err
	}
	if !(r.SumRidge >= 0) || math.IsInf(r.SumRidge, 1) || !(r.Radius >= 0) || math.IsInf(r.Radius, 1) || r.Intercept != r.Intercept {
		return fmt.Errorf("erm: ridge of the sum is %v, radius %v, intercept %v, want no negative, infinite or NaN numbers", r.SumRidge, r.Radius, r.Intercept)
	}
	if s.Records == 0 && r.Neighboring != privacy.AddOrRemoveOne {
		return fmt.Errorf("erm: neighboring is %v, which takes the number of records as public, but the schema declares none; set records in the schema or use %v", r.Neighboring, privacy.AddOrRemoveOne)
	}
	if learned := s.Learned(); len(learned) > 0 {
		return fmt.Errorf("erm: column %q has what another training learned, want it declared; write numeric: or levels: without learned, and count the cost of that training too", learned[0].Name)
	}
	return s.Validate()
}

// records returns the public number that sizes a default. It is the declared number of records or,
// if there is none, its declared bound.
func (p Plan) records() float64 {
	if p.Records > 0 {
		return float64(p.Records)
	}
	return float64(p.MaxRecords)
}

// target returns the guarantee to calibrate to, so that a plan with this number of draws of noise
// keeps the request.
func (r Request) target(p Plan, draws int) (privacy.Guarantee, error) {
	target, err := privacy.NewGuarantee(r.Epsilon, r.Delta, r.Neighboring, privacy.Unit{Row: p.Unit})
	if err != nil {
		return target, err
	}
	if target, err = certificate.Aim(target, draws+p.centerDraws()); err != nil {
		return target, fmt.Errorf("erm: epsilon %v is not reached at delta %v, because what the samplers round counts e^epsilon times: %w", r.Epsilon, r.Delta, err)
	}
	return target, nil
}

// calibrate returns the smallest parameter for which the event keeps the request. The event must
// cost less as the parameter grows.
func (r Request) calibrate(p Plan, draws int, event func(parameter float64) mechanism.Event) (float64, error) {
	target, err := r.target(p, draws)
	if err != nil {
		return 0, err
	}
	whole := func(parameter float64) mechanism.Event { return p.afterCenter(event(parameter)) }
	return account.Calibrate(account.For(whole(1)), target, whole)
}
