package train

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/related"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// Request contains the user's choices for a linear model and its privacy. NewPlan turns it into a
// plan. The zero value of an optional field means the default.
type Request struct {
	// Epsilon is the budget of the whole run, in nats. If PerStep is true, it is the cost of each
	// release instead. +Inf means a baseline without privacy.
	Epsilon float64
	// PerStep states that Epsilon is the cost of each release.
	PerStep bool
	// Delta is the δ of the guarantee. It is required.
	Delta float64
	// Neighboring is the neighboring relation of the guarantee. It is required.
	Neighboring privacy.Neighboring
	// SamplingProbability, if not 0, makes each step use a Poisson sample of the records with this
	// probability. If SamplingProbability, BatchSize and Parts are all 0, each step uses all
	// records. At most one of the three may be set.
	SamplingProbability float64
	// BatchSize, if not 0, makes each step use a random batch of this many records, under
	// ReplaceOne only. Parts, if not 0, divides the records once into this many parts, and each
	// step uses the next part.
	BatchSize, Parts int
	// Steps is the number of steps of gradient descent. 0 means a default. If each step uses all
	// records, the default is 300 without privacy, 120 with whitened rows, and otherwise 60. If
	// steps use samples, the default is the number of steps in 20 passes over the records.
	Steps int
	// Accounting selects what is released. "composition" releases every step. "last-iterate"
	// releases only the last iterate. "auto" selects whichever needs less noise. "" means
	// "composition".
	Accounting string
	// LearningRate and Ridge are used if only the last iterate is released, and have the meaning of
	// the fields of Options. A LearningRate of 0 then means 1 divided by the largest curvature of
	// the objective.
	LearningRate, Ridge float64
	// NoiseContraction, if not 0, gives later steps less noise than earlier steps, at the same
	// total cost. It is a factor between 0 and 1. If every step multiplies the distance between
	// weight vectors by this factor, the last iterate has the least possible noise. 0 means equal
	// noise in all steps.
	NoiseContraction float64
	// ClippingMode is Clipping.Mode of the plan. "" means "gradient".
	ClippingMode string
	// ClippingNorm is Clipping.Norm of the plan: the largest L2 norm of a clipped gradient or row,
	// or a declared Lipschitz constant. 0 means a default that depends on the loss.
	ClippingNorm float64
	// ParameterRadius is Clipping.ParameterRadius of the plan: the radius to which the mode
	// "data-and-parameter" clips the weights.
	ParameterRadius float64
	// Normalization is the normalization of rows. "" means feature.NormUnit, with two exceptions.
	// In the clipping modes "example" and "data-and-parameter" it means feature.NormClip. If a row
	// is a single number it also means feature.NormClip, because NormUnit would make such a row
	// constant.
	Normalization feature.Normalization
	// Radius is the radius of feature.NormClip. 0 means the clipping norm in the clipping modes
	// "example" and "data-and-parameter", and otherwise 1.
	Radius float64
	// PrivateRadius sets the radius to a private estimate of the median norm of rows, which the
	// budget pays for. If it is set, a Normalization of "" means feature.NormClip. The intercept
	// and the clipping norm are then in units of the radius.
	PrivateRadius bool
	// Intercept is the value of the constant feature. A negative value means no constant feature. 0
	// means a default: 0.2 if there is a text column, else 0.25 if rows are whitened, else 0.5.
	Intercept float64
	// Center requests that a noisy mean is subtracted from the rows. Whiten requests that rows are
	// whitened by a noisy covariance. The budget pays for both. Auto means a decision by public
	// numbers.
	Center, Whiten Tristate
	// Structure is the assumed form of the covariance for Whiten: "full", "diagonal" or
	// "kronecker". "full" assumes nothing. "kronecker" assumes the product of a covariance of
	// channels and a covariance of places, and needs transforms with a known shape. "" means a
	// decision by public numbers.
	Structure string
	// Person states that all rows of a person form one record. If it is nil, a record is a row.
	Person *PersonUnit
	// ClassWeights, if not nil, are public weights of the target's levels, in the order of the
	// levels.
	ClassWeights []float64
	// Balance requests weights that balance the target's levels. They are computed from a noisy
	// histogram of the levels, which the budget pays for.
	Balance bool
	// Calibrate requests that the predictions of a model are corrected after the descent, because
	// clipped gradients bias them. The loss is logistic, softmax, Huber or squared. The correction is computed from a noisy
	// statistic, which the budget pays for. It is ignored without privacy.
	Calibrate bool
	// SampleWeights, if not nil, names the column with the weight of each row.
	SampleWeights *SampleWeights
	// Holdout, if not nil, requests that a part of the records is not used for training but for a
	// private measurement.
	Holdout *HoldoutRequest
	// Transforms are applied to the encoded columns, in order. If a transform needs a file, the
	// file is read.
	Transforms []feature.Spec
	// Loss is the loss of a record. Nil means the default for the target.
	Loss model.Loss
}

// Tristate is a choice about an optional part of training, such as centering: Yes, No or Auto.
type Tristate uint8

const (
	// Auto means that documented rules decide from public numbers whether the optional part is
	// done.
	Auto Tristate = iota
	// Yes means that the optional part of training is done.
	Yes
	// No means that the optional part of training is not done.
	No
)

const (
	// maxWhitening is the largest number of features for which Auto takes the full covariance.
	maxWhitening = 1000
	// whiteningNoise is the largest noise at which Auto whitens. It is the spectral norm of the
	// noise in the covariance, for rows of norm 1.
	whiteningNoise = 0.015
)

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
	// NoisyStates reports whether missing cells and unknown levels keep weights of their own, whatever the options of the
	// run. It is so if pairs are hashed, too. Where the records hardly have such states, these weights are noise. Models
	// that serve all iterates, or a sample of a distribution, keep such weights of cells as well.
	NoisyStates bool
	several     bool // ranks train together
}

// NewPlan returns the setup of a training that meets a request for a schema. It uses public numbers
// only.
func NewPlan(r Request, s *data.Schema) (Setup, error) {
	if err := r.check(s); err != nil {
		return Setup{}, err
	}
	if r.Person != nil && len(s.Related) > 0 {
		return Setup{}, related.Refused("train")
	}
	features, linear, err := r.Encoding(s)
	if err != nil {
		return Setup{}, err
	}
	if err = encoder.RefuseTokens("train", features.Encoder()); err != nil {
		return Setup{}, err
	}
	p := Plan{Subject: certificate.Subject{Neighboring: r.Neighboring, Unit: r.Person.unit(s.Row), RowsPerPerson: r.Person.rowsPerPerson(s.RowsPerPerson), Delta: r.Delta, Records: s.Records, MaxRecords: s.MaxRecords}, Person: r.Person,
		Sampling: r.sampling(), SamplingProbability: r.SamplingProbability, BatchSize: r.BatchSize, Parts: r.Parts, Steps: r.steps(s.Records), Dim: linear.Dim, Columns: linear.Columns,
		ClassWeights: largestOne(r.ClassWeights), SampleWeights: r.SampleWeights, NonPrivate: math.IsInf(r.Epsilon, 1)}
	if p.Holdout, err = r.Holdout.plan(r, s); err != nil {
		return Setup{}, err
	}
	setup := Setup{Plan: p, Schema: s, Features: features, Model: linear}
	if err = r.prepare(&setup); err != nil {
		return Setup{}, err
	}
	setup.NoisyStates = setup.Plan.stateRule(features) == keptStates || hashed(features)
	if setup.Plan.Steps == option.DefaultSteps && r.Steps == 0 && setup.Plan.Sampling == samplingFull && setup.Plan.whitens() {
		setup.Plan.Steps = option.WhitenedSteps
	}
	if setup.Plan.Clipping, err = r.clipping(linear, features); err != nil {
		return Setup{}, err
	}
	if err = r.scheduleNoise(&setup.Plan); err != nil {
		return Setup{}, err
	}
	// requests that no noise makes right are refused before the noise is calibrated
	if err = setup.Plan.Person.validate(setup.Plan); err != nil {
		return Setup{}, err
	}
	if err = setup.Plan.Holdout.validate(setup.Plan); err != nil {
		return Setup{}, err
	}
	if err = r.account(&setup); err != nil {
		return Setup{}, err
	}
	return setup, setup.Plan.Validate()
}

func (r Request) check(s *data.Schema) error {
	unit := privacy.Unit{Row: s.Row, RowsPerPerson: s.RowsPerPerson}
	if _, err := privacy.NewGuarantee(r.Epsilon, r.Delta, r.Neighboring, unit); err != nil {
		return err
	}
	if r.Delta == 0 {
		return fmt.Errorf("train: delta is 0, want more; normal noise has no guarantee at delta 0, and 1e-6 is a common choice")
	}
	if r.Steps < 0 || r.Steps > maxSteps || !(r.ClippingNorm >= 0) || math.IsInf(r.ClippingNorm, 1) || !(r.Radius >= 0) || r.Intercept != r.Intercept {
		return fmt.Errorf("train: steps is %d, clipping norm %v, radius %v, intercept %v, want no negative, infinite or NaN numbers and at most %d steps", r.Steps, r.ClippingNorm, r.Radius, r.Intercept, maxSteps)
	}
	if err := r.checkClipping(); err != nil {
		return err
	}
	if r.Normalization == feature.NormNone && r.Whiten == Yes {
		return fmt.Errorf("train: whitening is asked for with row normalization none, want unit or clip; a covariance needs rows of bounded norm")
	}
	if s.Records == 0 && r.Neighboring != privacy.AddOrRemoveOne {
		return fmt.Errorf("train: neighboring is %v, which takes the number of records as public, but the schema declares none; set records in the schema or use %v", r.Neighboring, privacy.AddOrRemoveOne)
	}
	if err := r.checkWeights(len(s.Target.Levels)); err != nil {
		return err
	}
	if err := r.SampleWeights.find(s); err != nil {
		return err
	}
	if err := r.checkSampling(s.Records, s.MaxRecords); err != nil {
		return err
	}
	if err := r.checkLearned(s); err != nil {
		return err
	}
	return s.Validate()
}

func (r Request) steps(records int) int {
	switch {
	case r.Steps > 0:
		return r.Steps
	case r.SamplingProbability > 0:
		return int(math.Ceil(option.DefaultEpochs / r.SamplingProbability))
	case r.BatchSize > 0:
		return int(math.Ceil(option.DefaultEpochs * float64(records) / float64(r.BatchSize)))
	case r.Parts > 0:
		return option.DefaultEpochs * r.Parts
	case math.IsInf(r.Epsilon, 1):
		return option.BaselineSteps
	}
	return option.DefaultSteps
}

// features returns the requested map.
func (r Request) features(c *feature.Pipeline) *feature.Map {
	m := &feature.Map{Pipeline: c, Norm: r.Normalization, Radius: r.Radius, Intercept: r.Intercept}
	if m.Norm == "" {
		m.Norm = feature.NormUnit
		if ofRows(r.ClippingMode) || r.PrivateRadius || !c.Transforms() && c.Encoder().OneNumber() { // scaled to norm 1, one number is constant
			m.Norm = feature.NormClip
		}
	}
	if m.Norm == feature.NormClip && m.Radius == 0 {
		m.Radius = 1
		if ofRows(r.ClippingMode) && r.ClippingNorm > 0 {
			m.Radius = r.ClippingNorm
		}
	}
	switch {
	case m.Intercept < 0:
		m.Intercept = 0
	case m.Intercept == 0 && hasTexts(c):
		m.Intercept = option.TextIntercept
	case m.Intercept == 0:
		m.Intercept = option.DefaultIntercept
	}
	return m
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
	target, err = certificate.Aim(target, p.NoiseDraws())
	if err != nil {
		return fmt.Errorf("train: epsilon %v is not reached at delta %v, because what the samplers round counts e^epsilon times: %w", r.Epsilon, r.Delta, err)
	}
	if r.PerStep {
		return p.calibrateEach(target)
	}
	mu := account.MuOf(target) / r.Neighboring.Movement()
	spent := mechanism.Sequence{}
	for i := range p.Preparation {
		p.Preparation[i].setNoise(mu, target.Delta(), p.alike(p.Preparation[i].Kind))
		spent = append(spent, p.Preparation[i].event(*p))
	}
	if p.Calibration != nil {
		p.Calibration.setNoise(mu, target.Delta(), 1)
		spent = append(spent, p.Calibration.event(*p))
	}
	return p.calibrateSteps(target, spent)
}

// calibrateSteps gives all steps together the part of the target that the event spent leaves.
func (p *Plan) calibrateSteps(target privacy.Guarantee, spent mechanism.Event) error {
	plan := func(z float64) mechanism.Event {
		return mechanism.Sequence{spent, p.steps(z)}
	}
	z, err := account.Calibrate(account.For(plan(1)), target, plan)
	if err != nil {
		return err
	}
	p.setNoise(z)
	return nil
}

// calibrateEach gives every release the noise that alone costs the target.
func (p *Plan) calibrateEach(target privacy.Guarantee) error {
	one := func(z float64) mechanism.Event { return mechanism.Gaussian{NoiseMultiplier: z} }
	z, err := account.Calibrate(account.GDP, target, one)
	if err != nil {
		return err
	}
	for i := range p.Preparation {
		p.Preparation[i].NoiseMultiplier = z
	}
	if p.Calibration != nil {
		p.Calibration.NoiseMultiplier = z
	}
	p.NoiseMultiplier, err = account.Calibrate(account.For(p.step(1)), target, p.step)
	return err
}
