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

// Request contains the user's choices for a linear model and its privacy. NewSetup turns a request
// into a plan. Many fields apply to some methods only. The zero value of an optional field means
// the default of the method.
type Request struct {
	// Method is the name of the method, one of Names. It is required.
	Method string
	// Epsilon is the budget of the whole run, in nats. +Inf means a baseline without privacy.
	Epsilon float64
	// Delta is the δ of the guarantee, at least 0. Only methods without normal noise accept 0.
	Delta float64
	// Neighboring is the neighboring relation of the guarantee. It is required.
	Neighboring privacy.Neighboring
	// Loss is the loss of a record. Nil means the default for the target.
	Loss model.Loss
	// Normalization has the meaning of train.Request.Normalization.
	Normalization feature.Normalization
	// Radius has the meaning of train.Request.Radius.
	Radius float64
	// Intercept has the meaning of train.Request.Intercept.
	Intercept float64
	// Transforms has the meaning of train.Request.Transforms.
	Transforms []feature.Spec
	// SumRidge is Λ in the penalty (Λ/2)·‖w‖² on the weights w. The penalty is added to the sum of
	// all losses, not to their mean. 0 means the default of the method.
	SumRidge float64
	// Noise is the kind of noise. For output perturbation it is "gaussian", "l1", "l2" or
	// "l-infinity". For zeroth-order descent it is "gaussian" or "l1". Other methods accept only
	// "". "" means "l1" if Delta is 0, and otherwise "gaussian".
	Noise string
	// Center requests that a noisy mean is subtracted from the rows. The budget pays for the mean.
	// Auto centers the rows if the method and the noise allow this and the schema declares the
	// number of records.
	Center train.Tristate

	// Each of the following fields applies to some methods only. 0 and "" mean the default of the
	// method.

	// Steps is the number of steps of zeroth-order descent or of Frank-Wolfe.
	Steps int
	// ClippingNorm is the norm to which one record's contribution to a step of zeroth-order descent
	// or Frank-Wolfe is clipped.
	ClippingNorm float64
	// Directions is the number of random directions in one step of zeroth-order descent.
	Directions int
	// Smoothing is the distance at which zeroth-order descent evaluates the loss along each
	// direction, on both sides of the weights. StepSize is the size of one step.
	Smoothing, StepSize float64
	// L1Radius is the largest L1 norm of the weights in Frank-Wolfe.
	L1Radius float64
	// Solver is the name of the algorithm that computes the weights for output perturbation.
	// "exact" finds the minimizer. "gradient-descent" takes steps on all records.
	// "permuted-descent" makes passes over batches of records, under replace-one only.
	Solver string
	// SolverSteps is the number of steps of the solver "gradient-descent". SolverPasses and
	// SolverBatch are the number of passes and the size of a batch of the solver
	// "permuted-descent".
	SolverSteps, SolverPasses, SolverBatch int
	// SolverRate is the learning rate of the solver. The solver "gradient-descent" multiplies it by
	// the gradient of the sum of losses. The solver "permuted-descent" without a ridge penalty
	// multiplies it by the gradient of one record.
	SolverRate float64
	// GridPoints is the number of grid points along each weight for the exponential mechanism.
	GridPoints int
	// GridReach is the largest magnitude of a weight on the grid of the exponential mechanism.
	// LossBound is the value at which the loss of a record is clipped.
	GridReach, LossBound float64
	// Choice is the mechanism that selects a point of the grid, or a coordinate in Frank-Wolfe. It
	// is "permute-and-flip" or "exponential".
	Choice string
}

// Setup is a plan together with the schema, the feature map and the model for which it was made.
type Setup struct {
	// Plan is the plan of the training.
	Plan Plan
	// Schema is the schema of the records.
	Schema *data.Schema
	// Features is the feature map before training. It contains no learned numbers.
	Features *feature.Map
	// Model is the form of the model, with its loss.
	Model model.Linear
}

// NewSetup returns the setup of a training that meets a request for a schema. It uses public
// numbers only. It returns an error if the request is out of range or the method's theorem does not
// cover it.
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

// largestRow returns an upper bound on the norm of a row on the grid. Rounding of float32 factors
// may lift a row's norm slightly above the map's own bound.
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

// records returns the public number of records for defaults. It is the declared number of records,
// or the declared bound if no number is declared.
func (p Plan) records() float64 {
	if p.Records > 0 {
		return float64(p.Records)
	}
	return float64(p.MaxRecords)
}

// target returns the guarantee for the calibration of a plan with this number of noise draws. A
// plan that meets it meets the request, even after the error of these draws.
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

// calibrate returns the smallest parameter at which the event meets the request. The cost of the
// event must fall as the parameter grows.
func (r Request) calibrate(p Plan, draws int, event func(parameter float64) mechanism.Event) (float64, error) {
	target, err := r.target(p, draws)
	if err != nil {
		return 0, err
	}
	whole := func(parameter float64) mechanism.Event { return p.afterCenter(event(parameter)) }
	return account.Calibrate(account.For(whole(1)), target, whole)
}
