package erm

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// Plan contains every number that determines the guarantee of a method of this package. A plan is
// fixed before a record is read, and it is part of the certificate. A plan also has one section
// with the numbers of its method, which is written in JSON. Facts and Steps describe that section.
type Plan struct {
	// Method is the name of the method, one of Names.
	Method string `json:"method"`
	certificate.Subject
	// Dim is the length of a row. The model has this number of weights for each score.
	Dim int `json:"dim"`
	// Columns is the number of scores that the model computes for a row.
	Columns int `json:"columns"`
	// Loss is the loss with its parameters.
	Loss model.LossSpec `json:"loss"`
	// RowBound is the largest L2 norm of a row. Longer rows are scaled down to this norm.
	RowBound float64 `json:"row-bound"`
	leastSquares
	// NonPrivate marks a baseline, which is the same computation without noise. The epsilon of a
	// baseline is +Inf.
	NonPrivate bool `json:"non-private,omitempty"`
	perturbed
}

// leastSquares holds the sections of the methods that use sums of products, second derivatives or
// no noise.
type leastSquares struct {
	// Linear is the section of the methods that release sums of products.
	Linear *linearPlan `json:"linear,omitempty"`
	// Newton is the section of Newton's method.
	Newton *newtonPlan `json:"newton,omitempty"`
	// Reference is the section of the baseline.
	Reference *referencePlan `json:"reference,omitempty"`
}

// perturbed holds the sections of the methods that perturb a minimizer, a choice or a step.
type perturbed struct {
	// Center describes a noisy mean that is released first and then subtracted from the rows. It is
	// nil if there is no such mean.
	Center *centerPlan `json:"center,omitempty"`
	// Output is the section of output perturbation, and Objective the section of objective
	// perturbation.
	Output    *outputPlan    `json:"output-perturbation,omitempty"`
	Objective *objectivePlan `json:"objective-perturbation,omitempty"`
	// Exponential is the section of the exponential mechanism.
	Exponential *exponentialPlan `json:"exponential,omitempty"`
	// Zeroth is the section of zeroth-order descent.
	Zeroth *zerothPlan `json:"zeroth-order,omitempty"`
	// FrankWolfe is the section of Frank-Wolfe.
	FrankWolfe *frankWolfePlan `json:"frank-wolfe,omitempty"`
}

// only returns an error if a plan lacks the section of its method or has another section.
func (p Plan) only(present bool) error {
	sections := 0
	for _, there := range []bool{p.Linear != nil, p.Newton != nil, p.Reference != nil, p.Output != nil, p.Objective != nil, p.Exponential != nil, p.Zeroth != nil, p.FrankWolfe != nil} {
		if there {
			sections++
		}
	}
	if !present || sections != 1 {
		return fmt.Errorf("erm: the plan has %d sections for method %s, want its own and no other", sections, p.Method)
	}
	return nil
}

// specOf returns the name of a loss and its parameters.
func specOf(l model.Loss) model.LossSpec {
	spec, _ := model.SpecOf(l) // a caller's own loss has a name only, and no model file can be written
	return spec
}

// Event returns the event of all releases of the plan together. It returns mechanism.NonPrivate for
// an invalid plan.
func (p Plan) Event() mechanism.Event {
	if m, err := methodOf(p.Method); err == nil && m.validate(p) == nil {
		return p.afterCenter(m.event(p))
	}
	return mechanism.NonPrivate{}
}

// noiseDraws returns the number of random numbers that the plan's normal or continuous noise needs.
// Noise that is exact on the integers does not count.
func (p Plan) noiseDraws() int {
	if m, err := methodOf(p.Method); err == nil && !p.NonPrivate {
		return m.draws(p) + p.centerDraws()
	}
	return 0
}

// derivation returns the claims for the certificate that follow from the plan.
func (p Plan) derivation() certificate.Claim {
	return certificate.Claim{Event: p.Event(), NoiseDraws: p.noiseDraws(), Neighboring: p.Neighboring, Delta: p.Delta,
		Unit: privacy.Unit{Row: p.Unit, RowsPerPerson: p.RowsPerPerson}, Assumptions: p.Premises().Assumptions(certificate.Certificate{})}
}

// maxNumbers is the largest number of weights in a plan. It is far above any use and excludes
// overflow.
const maxNumbers = 1 << 31

// Validate returns an error if a number of the plan is invalid.
func (p Plan) Validate() error {
	m, err := methodOf(p.Method)
	if err == nil {
		err = certificate.CheckSubject("erm", p.Subject, true)
	}
	switch {
	case err != nil:
		return err
	case p.Dim < 1 || p.Columns < 1 || p.Dim > maxNumbers/p.Columns:
		return fmt.Errorf("erm: weights are %d×%d, want at least 1×1 and at most %d in all", p.Columns, p.Dim, maxNumbers)
	case !positive(p.RowBound):
		return fmt.Errorf("erm: bound of rows is %v, want a positive finite number", p.RowBound)
	}
	if err = m.validate(p); err != nil {
		return err
	}
	if err = p.validateCenter(); err != nil {
		return err
	}
	if _, may := m.(centering); p.Center != nil && !may {
		return fmt.Errorf("erm: the plan of method %s has a center, want none", p.Method)
	}
	if err = mechanism.CheckEvent(p.Event()); err != nil {
		return err
	}
	return mechanism.CheckNeighboring(p.Event(), p.Neighboring)
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// json returns the plan as the certificate holds it.
func (p Plan) json() (json.RawMessage, error) { return json.Marshal(p) }

// Certificate returns the certificate of the plan, including its price. The fields for the program,
// the time and the hashes are empty.
func (p Plan) Certificate() (certificate.Certificate, error) {
	text, err := p.json()
	if err != nil {
		return certificate.Certificate{}, err
	}
	return certificate.New(p.Method, text, p.derivation())
}

// Methods returns the certificate.Method functions of this package by name.
func Methods() map[string]certificate.Method {
	all := map[string]certificate.Method{}
	for _, m := range methods {
		all[m.name()] = func(text json.RawMessage) (certificate.Claim, error) {
			p, err := strict.ReadPlan[Plan]("erm", text)
			if err == nil && p.Method != m.name() {
				err = fmt.Errorf("erm: the plan is of method %s, want %s", p.Method, m.name())
			}
			if err != nil {
				return certificate.Claim{}, err
			}
			return p.derivation(), nil
		}
	}
	return all
}
