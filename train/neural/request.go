package neural

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/related"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// Request contains the user's choices for a network and its privacy. NewSetup turns it into a plan.
// The zero value of an optional field means the default.
type Request struct {
	// Epsilon is the budget of the whole run, in nats. +Inf means a baseline without privacy.
	Epsilon float64
	// Delta is the δ of the guarantee. It is required.
	Delta float64
	// Neighboring is the neighboring relation of the guarantee. It is required.
	Neighboring privacy.Neighboring
	// Person states that all rows of a person form one record. If it is nil, a record is a row.
	Person *train.PersonUnit
	// Layers are the layers of the network. They are required. The network must have one output for
	// each score of the loss.
	Layers network.Layers
	// Input is the shape in which the network reads a record. Nil means a shape with one dimension,
	// the features.
	Input network.Shape
	// Loss is the loss of a record. Nil means the default for the target.
	Loss model.Loss
	// Clipping contains the choices for clipping gradients.
	Clipping ClippingRequest
	// Sampling states how the records of a step are selected. The zero value means a Poisson sample
	// with probability 0.05.
	Sampling Sampling
	// Correlation is the kind of correlated noise, as in Correlated.Kind. "" means independent
	// noise. Without privacy it must be "".
	Correlation string
	// BandMomentum is the momentum of the optimizer for which the coefficients of the correlation
	// "banded" are computed. 0 means 0.9. A negative number means no momentum.
	BandMomentum float64
	// Bands is the number of coefficients of the correlation "banded". 0 means the number of parts,
	// but at most 64.
	Bands int
	// Steps is the number of steps. 0 means that the field Epochs determines the number of steps.
	Steps int
	// Epochs is the expected number of steps that use a given record. 0 means 20. It must be 0 if
	// Steps is not 0.
	Epochs float64
	// Normalization is the normalization of rows. "" means feature.NormNone.
	Normalization feature.Normalization
	// Radius has the meaning of train.Request.Radius.
	Radius float64
	// Transforms has the meaning of train.Request.Transforms.
	Transforms []feature.Spec
}

const (
	// countShare is the share of μ² that a released number of records takes.
	countShare = 0.01
)

// Setup is a plan together with the schema, the feature map and the network for which it was made.
type Setup struct {
	// Plan is the plan of the training.
	Plan Plan
	// Schema is the schema of the records.
	Schema *data.Schema
	// Features is the feature map. It contains no learned numbers.
	Features *feature.Map
	// Loss is the loss of a record.
	Loss model.Loss
	// Network is the network to train, without its parameters.
	Network *network.Network
}

// NewSetup returns the setup of a training that meets a request for a schema. It uses public
// numbers only.
func NewSetup(r Request, s *data.Schema) (Setup, error) {
	if err := r.check(s); err != nil {
		return Setup{}, err
	}
	if r.Person != nil && len(s.Related) > 0 {
		return Setup{}, related.Refused("neural")
	}
	encoding := train.Request{Loss: r.Loss, Normalization: r.Normalization, Radius: r.Radius, Intercept: -1, Transforms: r.Transforms}
	if encoding.Normalization == "" {
		encoding.Normalization = feature.NormNone
	}
	features, linear, err := encoding.Encoding(s)
	if err != nil {
		return Setup{}, err
	}
	n, err := r.network(features.Dim(), linear)
	if err != nil {
		return Setup{}, err
	}
	if err = checkTokens(n, features); err != nil {
		return Setup{}, err
	}
	loss, err := model.SpecOf(linear.Loss)
	if err != nil {
		return Setup{}, err
	}
	unit, rowsPerPerson := unitOf(r.Person, s.Row, s.RowsPerPerson)
	p := Plan{Subject: certificate.Subject{Neighboring: r.Neighboring, Unit: unit, RowsPerPerson: rowsPerPerson, Delta: r.Delta, Records: s.Records, MaxRecords: s.MaxRecords}, Person: r.Person,
		Loss: loss, Sampling: r.sampling(), NonPrivate: math.IsInf(r.Epsilon, 1)}
	p.Network.Input, p.Network.Layers, p.Network.Trained = n.Input(), n.Layers(), n.Trained()
	p.Steps = r.steps(p)
	if err = p.validatePerson(); err != nil {
		return Setup{}, err
	}
	if err = p.validateSampling(); err != nil {
		return Setup{}, err
	}
	if p.Clipping, err = r.Clipping.clipping(n, p.Share()*p.records()); err != nil {
		return Setup{}, err
	}
	if p.Correlated, err = r.correlated(p.Sampling.Parts); err != nil {
		return Setup{}, err
	}
	if p.NonPrivate {
		p.Correlated = nil
	}
	if err = p.validateModel(); err != nil {
		return Setup{}, err
	}
	if err = p.validateCorrelated(); err != nil {
		return Setup{}, err
	}
	if err = p.calibrate(r); err != nil {
		return Setup{}, err
	}
	return Setup{p, s, features, linear.Loss, n}, p.Validate()
}

func (r Request) check(s *data.Schema) error {
	if _, err := privacy.NewGuarantee(r.Epsilon, r.Delta, r.Neighboring, privacy.Unit{Row: s.Row, RowsPerPerson: s.RowsPerPerson}); err != nil {
		return err
	}
	if r.Delta == 0 {
		return fmt.Errorf("neural: delta is 0, want more; normal noise has no guarantee at delta 0, and 1e-6 is a common choice")
	}
	if r.Steps < 0 || r.Steps > maxSteps || !(r.Epochs >= 0) || math.IsInf(r.Epochs, 1) || r.Steps > 0 && r.Epochs > 0 {
		return fmt.Errorf("neural: steps is %d and epochs %v, want one of them, positive and at most %d steps", r.Steps, r.Epochs, maxSteps)
	}
	if s.Records == 0 && r.Neighboring != privacy.AddOrRemoveOne {
		return fmt.Errorf("neural: neighboring is %v, which takes the number of records as public, but the schema declares none; set records in the schema or use %v", r.Neighboring, privacy.AddOrRemoveOne)
	}
	if private := s.Private(); len(private) > 0 {
		return fmt.Errorf("neural: column %q has private bounds or levels, want them declared; gradient descent of linear models alone learns them", private[0].Name)
	}
	return s.Validate()
}

// network returns the requested network for this number of features and the scores of a loss.
func (r Request) network(features int, linear model.Linear) (*network.Network, error) {
	input := r.Input
	if input == nil {
		input = network.Shape{features}
	}
	n, err := network.New(input, r.Layers...)
	if err != nil {
		return nil, err
	}
	if n.Input().Size() != features {
		return nil, fmt.Errorf("neural: network takes %v, which are %d numbers, want %d, the number of features", n.Input(), n.Input().Size(), features)
	}
	if n.Output().Size() != linear.Columns {
		return nil, fmt.Errorf("neural: network gives %v, which are %d numbers, want %d, the scores of loss %s; end it in a linear layer of so many outputs", n.Output(), n.Output().Size(), linear.Columns, linear.Loss.Name())
	}
	if n.Trained() == 0 {
		return nil, fmt.Errorf("neural: network has no numbers to train, want a layer with weights that is not frozen")
	}
	return n, nil
}

func (r Request) sampling() Sampling {
	if r.Sampling == (Sampling{}) {
		return Sampling{Kind: option.SamplingPoisson, Probability: option.NetworkProbability}
	}
	return r.Sampling
}

// steps returns the requested number of steps, or the number that makes the expected number of
// passes.
func (r Request) steps(p Plan) int {
	if r.Steps > 0 {
		return r.Steps
	}
	epochs, share := r.Epochs, p.Share()
	if epochs == 0 {
		epochs = option.NetworkEpochs
	}
	if !(share > 0 && share <= 1) {
		return 1 // refused later
	}
	return int(min(maxSteps, max(1, math.Ceil(epochs/share*(1-1e-9)))))
}

// records returns the public number that sizes a default. It is the declared number of records or,
// if there is none, its declared bound.
func (p Plan) records() float64 {
	if p.Records > 0 {
		return float64(p.Records)
	}
	return float64(p.MaxRecords)
}

// calibrate fills in the noise multipliers, so that the plan costs at most the request.
func (p *Plan) calibrate(r Request) error {
	if p.NonPrivate {
		return nil
	}
	target, err := privacy.NewGuarantee(r.Epsilon, r.Delta, r.Neighboring, privacy.Unit{Row: p.Unit})
	if err != nil {
		return err
	}
	if target, err = certificate.Aim(target, p.noiseDraws()); err != nil {
		return fmt.Errorf("neural: epsilon %v is not reached at delta %v, because what the samplers round counts e^epsilon times: %w", r.Epsilon, r.Delta, err)
	}
	if p.countsRecords() {
		p.CountNoise = 1 / (math.Sqrt(countShare) * account.MuOf(target))
	}
	if p.NoiseMultiplier, err = account.Calibrate(account.For(p.with(1).Event()), target, func(z float64) mechanism.Event { return p.with(z).Event() }); err != nil {
		return err
	}
	return nil
}

// with returns the plan with another noise. Validate refuses a plan whose adaptive counts alone
// cost more than the multiplier; for such a plan with leaves the counts out.
func (p Plan) with(multiplier float64) Plan {
	p.NoiseMultiplier = multiplier
	if _, err := p.Clipping.noises(multiplier); err != nil {
		p.Clipping.Adaptive = nil
	}
	return p
}
