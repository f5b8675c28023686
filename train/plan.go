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

// Plan contains every number that determines the guarantee of gradient descent for a linear model.
// It is fixed before a record is read. It is part of the certificate.
type Plan struct {
	certificate.Subject
	// Person states that all rows of a person form one record. If it is nil, a record is a row.
	Person *PersonUnit `json:"person,omitempty"`
	// Preparation lists the statistics that are released before training, in order. If one of them
	// is "radius", the bounds of all later statistics are in units of the released radius. Bounds
	// on sums of products are then in units of the radius squared.
	Preparation []PreparationStep `json:"preparation,omitempty"`
	// Calibration, if not nil, is the statistic that corrects the predictions of the model. It is
	// released after the last step.
	Calibration *PreparationStep `json:"calibration,omitempty"`
	// Clipping is the bound on one record's gradient.
	Clipping Clipping `json:"clipping"`
	// Sampling is how the records of a step are selected. "full" takes all records. "poisson" takes
	// each record independently, with the probability SamplingProbability. "fixed-size" takes a
	// random batch of BatchSize records. "partition" divides the records into parts once, and each
	// step takes the next part.
	Sampling string `json:"sampling"`
	// SamplingProbability is the probability that a record is in the sample of a step. It is 0
	// unless Sampling is "poisson".
	SamplingProbability float64 `json:"sampling-probability,omitempty"`
	// BatchSize is the number of records in a batch. It is 0 unless Sampling is "fixed-size".
	BatchSize int `json:"batch-size,omitempty"`
	// Parts is the number of parts of the records. It is 0 unless Sampling is "partition".
	Parts int `json:"parts,omitempty"`
	// Steps is the number of steps of gradient descent.
	Steps int `json:"steps"`
	// NoiseMultiplier is the standard deviation of the noise on the sum of gradients, divided by
	// the bound on one record's gradient. It is 0 in a plan without privacy.
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// NoiseMultipliers, if not empty, has the noise multiplier of each step. NoiseMultiplier is
	// then the constant noise multiplier with the same cost.
	NoiseMultipliers []float64 `json:"noise-multipliers,omitempty"`
	// LastIterate, if not nil, means that only the last iterate is released. The cost is then the
	// cost of that release alone.
	LastIterate *LastIterate `json:"last-iterate,omitempty"`
	// Dim is the length of a row, which is the number of weights for each score that the model
	// computes.
	Dim int `json:"dim"`
	// Columns is the number of scores that the model computes for a row.
	Columns int `json:"columns"`
	// ClassWeights are declared weights of the target's levels, with a maximum of 1. They are nil
	// if the levels have no declared weights. Weights may instead come from noisy frequencies of
	// the levels, which the preparation step "labels" releases.
	ClassWeights []float64 `json:"class-weights,omitempty"`
	// SampleWeights, if not nil, names the column with the weight of each row.
	SampleWeights *SampleWeights `json:"sample-weights,omitempty"`
	// Holdout, if not nil, is the part of the records that is not used for training but for a
	// private measurement.
	Holdout *Holdout `json:"holdout,omitempty"`
	// NonPrivate marks a baseline without privacy: the same computation without noise. Its epsilon
	// is +Inf.
	NonPrivate bool `json:"non-private,omitempty"`
}

// PreparationStep is one statistic that is released besides the steps of training.
type PreparationStep struct {
	// Kind is the released statistic. It is "bounds", "bins", "levels", "count", "labels",
	// "radius", "mean", "frequencies", "covariance", "variances", "channel-covariance" or "place-covariance". In
	// Plan.Calibration it is "calibration" or "number-calibration".
	Kind string `json:"kind"`
	// Column is the name of the column whose bounds, bins or levels are released. It is empty for
	// other statistics.
	Column string `json:"column,omitempty"`
	// NoiseMultiplier is the standard deviation of the Gaussian noise, divided by Bound. Bounds and
	// bins are selected privately instead, and NoiseMultiplier is then 1/ε of each selection.
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// Bound is the bound on the L2 norm of one record's contribution.
	Bound float64 `json:"bound"`
	// Numbers is the number of released numbers.
	Numbers int `json:"numbers"`
	// Lower is the lower end of the declared range from which bounds or cut points are selected.
	Lower float64 `json:"lower,omitempty"`
	// Upper is the upper end of the declared range from which bounds or cut points are selected.
	Upper float64 `json:"upper,omitempty"`
	// ThresholdDelta is an upper bound on the probability that a level with a single record is
	// released.
	ThresholdDelta float64 `json:"threshold-delta,omitempty"`
	// wanted is the largest noise multiplier that serves the purpose of the statistic, until setNoise sets the noise. 0
	// means that any does.
	wanted float64
}

// isWhitening reports whether a statistic is one that whitens rows.
func isWhitening(k string) bool {
	return k == option.FrequencyStatistic || k == option.CovarianceStatistic || k == option.VarianceStatistic || k == option.ChannelStatistic || k == option.PlaceStatistic
}

// ofMean reports whether a statistic is a sum of rows, bounded by the norm of a row.
func ofMean(k string) bool { return k == option.MeanStatistic || k == option.FrequencyStatistic }

// whitens reports whether the plan learns a whitening of rows.
func (p Plan) whitens() bool {
	return slices.ContainsFunc(p.Preparation, func(s PreparationStep) bool { return isWhitening(s.Kind) })
}

// Whitened returns how many numbers of the covariance that whitens rows are released. It is 0 if
// the plan does not whiten by a full covariance.
func (p Plan) Whitened() int {
	for _, s := range p.Preparation {
		if s.Kind == option.CovarianceStatistic {
			return s.Numbers
		}
	}
	return 0
}

// Event returns the event of the whole plan. Without a holdout it is the event that the method
// Training returns. With a holdout it is a mechanism.Parallel of that event and the event of the
// measurement.
func (p Plan) Event() mechanism.Event {
	if p.Holdout == nil {
		return p.Training()
	}
	return mechanism.Parallel{p.Training(), p.Holdout.Evaluation.Event()}
}

// Training returns the event of training: the statistics of the preparation in order, every step,
// and the statistic of the calibration.
func (p Plan) Training() mechanism.Sequence {
	s := mechanism.Sequence{}
	for _, statistic := range p.Preparation {
		s = append(s, statistic.event(p))
	}
	s = append(s, p.steps(p.NoiseMultiplier))
	if p.Calibration != nil {
		s = append(s, p.Calibration.event(p))
	}
	return s
}

// Method returns the name of the plan's method in certificates.
func (p Plan) Method() string {
	if p.Sampling == samplingFull {
		return option.MethodGD
	}
	return option.MethodSGD
}

// Filter returns an accountant that a ledger can use as its filter, if the ledger pays for this
// plan and others. It is account.GDP if all releases are Gaussian. Otherwise it is account.RDP at
// the order with the lowest cost for this plan. The choice depends on public numbers only. A ledger
// for this plan alone needs no filter; see ledger.NewSingle.
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
	if p.Calibration != nil {
		n += p.Calibration.draws(p)
	}
	if p.Holdout != nil {
		n += p.Holdout.Evaluation.Claim().NoiseDraws
	}
	return n
}

// Derivation returns the claim of the plan: the parts of the certificate that follow from the plan.
func (p Plan) Derivation() certificate.Claim {
	return certificate.Claim{Event: p.Event(), NoiseDraws: p.NoiseDraws(), Neighboring: p.Neighboring, Delta: p.Delta,
		Unit: privacy.Unit{Row: p.Unit, RowsPerPerson: p.RowsPerPerson}, Assumptions: p.Premises().Assumptions(certificate.Certificate{})}
}

// maxSteps and maxNumbers bound a plan far above any use, so that nothing overflows.
const maxSteps, maxNumbers = 1 << 24, 1 << 31

// Validate returns an error if a number of the plan is invalid.
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
	if err := p.validateCalibration(); err != nil {
		return err
	}
	return mechanism.CheckEvent(p.Event())
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// json returns the plan as the certificate holds it.
func (p Plan) json() (json.RawMessage, error) { return json.Marshal(p) }

// Methods returns the certificate.Method functions of this package by name.
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

// Certificate returns the certificate of the plan, including its price. The fields for the program,
// the time and the hashes are empty.
func (p Plan) Certificate() (certificate.Certificate, error) {
	text, err := p.json()
	if err != nil {
		return certificate.Certificate{}, err
	}
	return certificate.New(p.Method(), text, p.Derivation())
}
