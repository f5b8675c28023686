package train

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Plan contains every number that determines the guarantee. It is fixed before a record is read and
// written into the certificate. Its Event is reserved and paid.
type Plan struct {
	certificate.Subject
	// Person, if not nil, makes a record a person instead of a row.
	Person *PersonUnit `json:"person,omitempty"`
	// Preparation lists the statistics that are released before training, in order. If it contains
	// a radius, all later bounds are in units of the radius. Bounds on sums of products are in
	// units of the radius squared.
	Preparation []PreparationStep `json:"preparation,omitempty"`
	Clipping    Clipping          `json:"clipping"`
	// Sampling selects the records of a step. "full" takes every record, and "poisson" takes each
	// independently with SamplingProbability. "fixed-size" takes BatchSize of the declared Records.
	// "partition" divides the records once into Parts parts and takes the parts in turn.
	Sampling            string  `json:"sampling"`
	SamplingProbability float64 `json:"sampling-probability,omitempty"`
	BatchSize           int     `json:"batch-size,omitempty"`
	Parts               int     `json:"parts,omitempty"`
	Steps               int     `json:"steps"`
	// NoiseMultiplier is the standard deviation of the noise on the sum of gradients, divided by
	// one record's bound. It is 0 in a plan without privacy.
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// NoiseMultipliers, if any, has the multiplier of each step. NoiseMultiplier is then the
	// constant multiplier with the same cost.
	NoiseMultipliers []float64 `json:"noise-multipliers,omitempty"`
	// LastIterate, if not nil, means that only the last iterate is released and priced.
	LastIterate *LastIterate `json:"last-iterate,omitempty"`
	// Dim and Columns are the shape of the weights.
	Dim     int `json:"dim"`
	Columns int `json:"columns"`
	// ClassWeights are declared weights of the target's levels, with a maximum of 1. They are nil
	// if weights come from the noisy frequencies of the statistic "labels".
	ClassWeights []float64 `json:"class-weights,omitempty"`
	// SampleWeights, if not nil, identifies the column with the weights of rows.
	SampleWeights *SampleWeights `json:"sample-weights,omitempty"`
	// Holdout, if not nil, is the part of the records that is measured privately instead of trained
	// on.
	Holdout *Holdout `json:"holdout,omitempty"`
	// NonPrivate marks a baseline: the same computation without noise, at infinite cost.
	NonPrivate bool `json:"non-private,omitempty"`
}

// PreparationStep is one statistic that is released before training.
type PreparationStep struct {
	// Kind is the released statistic. It is "bounds", "bins", "levels", "count", "labels",
	// "radius", "mean", "covariance", "variances", "channel-covariance" or "place-covariance".
	Kind string `json:"kind"`
	// Column is the column of bounds, bins or levels. It is empty for other statistics.
	Column string `json:"column,omitempty"`
	// NoiseMultiplier is the standard deviation of Gaussian noise, divided by Bound. For bounds and
	// bins it is 1/ε of each private selection.
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// Bound is one record's L2 bound. Numbers is the number of released numbers.
	Bound   float64 `json:"bound"`
	Numbers int     `json:"numbers"`
	// Lower and Upper are the declared range from which bounds or cut points are selected.
	Lower float64 `json:"lower,omitempty"`
	Upper float64 `json:"upper,omitempty"`
	// ThresholdDelta is a bound on the probability that the level of a single record is released.
	ThresholdDelta float64 `json:"threshold-delta,omitempty"`
}

// isWhitening reports whether a statistic is one that whitens rows.
func isWhitening(k string) bool {
	return k == option.CovarianceStatistic || k == option.VarianceStatistic || k == option.ChannelStatistic || k == option.PlaceStatistic
}

// whitens reports whether the plan learns a whitening of rows.
func (p Plan) whitens() bool {
	return slices.ContainsFunc(p.Preparation, func(s PreparationStep) bool { return isWhitening(s.Kind) })
}

// Whitened returns the number of released numbers of the covariance that whitens rows. It is 0
// without a covariance.
func (p Plan) Whitened() int {
	for _, s := range p.Preparation {
		if s.Kind == option.CovarianceStatistic {
			return s.Numbers
		}
	}
	return 0
}

// Event returns the plan's event. Without a holdout it is the event of the training. With a holdout
// it is a mechanism.Parallel of the training and the measurement.
func (p Plan) Event() mechanism.Event {
	if p.Holdout == nil {
		return p.Training()
	}
	return mechanism.Parallel{p.Training(), p.Holdout.Evaluation.Event()}
}

// Training returns the event of training: the preparation in order, then every step.
func (p Plan) Training() mechanism.Sequence {
	s := mechanism.Sequence{}
	for _, statistic := range p.Preparation {
		s = append(s, statistic.event(p))
	}
	return append(s, p.steps(p.NoiseMultiplier))
}

// Method returns the name of the plan's method.
func (p Plan) Method() string {
	if p.Sampling == samplingFull {
		return option.MethodGD
	}
	return option.MethodSGD
}

// Filter returns a filter for a ledger with this plan and others. It is GDP, or RDP for sampled
// steps. The order of RDP is the one with the lowest price for the plan, which depends on public
// numbers only. A ledger for this plan alone needs no filter (ledger.NewSingle).
func (p Plan) Filter() (account.Accountant, error) {
	if account.For(p.Event()).Name() == account.GDP.Name() {
		return account.GDP, nil
	}
	_, order, err := account.RDP{}.Best(p.Event(), p.Delta, p.Neighboring)
	return account.RDP{Orders: []float64{order}}, err
}

// NoiseDraws returns the number of random numbers in the plan's noise.
func (p Plan) NoiseDraws() int {
	if p.NonPrivate {
		return 0
	}
	n := p.Steps * p.Dim * p.Columns
	for _, statistic := range p.Preparation {
		n += statistic.draws(p)
	}
	if p.Holdout != nil {
		n += p.Holdout.Evaluation.Claim().NoiseDraws
	}
	return n
}

// Derivation returns the claim that the certificate derives from the plan.
func (p Plan) Derivation() certificate.Claim {
	return certificate.Claim{Event: p.Event(), NoiseDraws: p.NoiseDraws(), Neighboring: p.Neighboring, Delta: p.Delta,
		Unit: privacy.Unit{Row: p.Unit, RowsPerPerson: p.RowsPerPerson}, Assumptions: p.Premises().Assumptions(certificate.Certificate{})}
}

// maxSteps and maxNumbers bound a plan far above any use, so that nothing overflows.
const maxSteps, maxNumbers = 1 << 24, 1 << 31

// Validate returns an error for the first invalid number.
func (p Plan) Validate() error {
	if err := certificate.CheckSubject("train", p.Subject, false); err != nil {
		return err
	}
	switch {
	case p.Steps < 1 || p.Steps > maxSteps:
		return fmt.Errorf("train: steps is %d, want 1 to %d", p.Steps, maxSteps)
	case p.Dim < 1 || p.Columns < 1 || p.Dim > maxNumbers/p.Columns:
		return fmt.Errorf("train: weights are %d×%d, want at least 1×1 and at most %d in all", p.Columns, p.Dim, maxNumbers)
	}
	if err := p.Clipping.validate(); err != nil {
		return err
	}
	if err := p.validateSampling(); err != nil {
		return err
	}
	if err := p.validateNoise(); err != nil {
		return err
	}
	if err := p.validateLastIterate(); err != nil {
		return err
	}
	if err := p.Person.validate(p); err != nil {
		return err
	}
	if err := p.Holdout.validate(p); err != nil {
		return err
	}
	if err := checkClassWeights(p.ClassWeights); err != nil {
		return err
	}
	if err := p.SampleWeights.validate(); err != nil {
		return err
	}
	for _, s := range p.Preparation {
		if !positive(s.Bound) || s.Numbers < 1 || s.Numbers > maxNumbers {
			return fmt.Errorf("train: statistic %q has bound %v and %d numbers, want positive ones", s.Kind, s.Bound, s.Numbers)
		}
	}
	if err := p.validateLearned(); err != nil {
		return err
	}
	return mechanism.CheckEvent(p.Event())
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// json returns the plan as the certificate holds it.
func (p Plan) json() (json.RawMessage, error) { return json.Marshal(p) }

// Methods returns the certificate methods of this package by name. Each derives the claim from the
// JSON of a plan.
func Methods() map[string]certificate.Method {
	return map[string]certificate.Method{option.MethodGD: derive(option.MethodGD), option.MethodSGD: derive(option.MethodSGD)}
}

// derive reads a plan and refuses one of another method.
func derive(method string) certificate.Method {
	return func(text json.RawMessage) (certificate.Claim, error) {
		p, err := strict.ReadPlan[Plan]("train", text)
		if err != nil {
			return certificate.Claim{}, err
		}
		if p.Method() != method {
			return certificate.Claim{}, fmt.Errorf("train: the plan is of method %s, want %s", p.Method(), method)
		}
		return p.Derivation(), nil
	}
}

// Certificate returns the certificate of the plan. The provenance and the hash are empty.
func (p Plan) Certificate() (certificate.Certificate, error) {
	text, err := p.json()
	if err != nil {
		return certificate.Certificate{}, err
	}
	return certificate.New(p.Method(), text, p.Derivation())
}
