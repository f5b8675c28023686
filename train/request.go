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
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// Request contains the user's choices for a model and its privacy. NewPlan makes a plan from it.
// The zero value of an optional field means its default.
type Request struct {
	// Epsilon is the whole budget in nats. If PerStep is true it is the cost of every release. +Inf
	// means a baseline without privacy.
	Epsilon float64
	PerStep bool
	Delta   float64
	// Neighboring is the relation. It is required.
	Neighboring privacy.Neighboring
	// SamplingProbability, BatchSize and Parts select the records of a step. At most one of them is
	// not 0. SamplingProbability means a Poisson sample. BatchSize means a batch of that size
	// (under ReplaceOne only). Parts means the next of that many parts of the records. If all are
	// 0, each step uses all records.
	SamplingProbability float64
	BatchSize, Parts    int
	// Steps is the number of gradient steps. 0 means 60, 120 with whitened rows, or 300 without
	// privacy. Under sampling 0 means as many steps as 20 passes have.
	Steps int
	// Accounting selects the releases that are priced. "composition" (or "") prices every step, and
	// "last-iterate" only the last iterate. "auto" selects whichever needs less noise. If only the
	// last iterate is priced, Ridge and LearningRate are as in Options. A LearningRate of 0 then
	// means one over the largest curvature.
	Accounting          string
	LearningRate, Ridge float64
	// NoiseContraction, in (0, 1), gives later steps less noise than earlier ones at the same total
	// cost. The noise is optimal for descent in which every step multiplies distances by
	// NoiseContraction: the last iterate then has the least noise. 0 means equal noise in all
	// steps.
	NoiseContraction float64
	// ClippingMode selects the clipped quantity. "gradient" (or "") clips each record's gradient,
	// and "example" each row. "data-and-parameter" clips each row, and the weights to
	// ParameterRadius. "declared-lipschitz" clips nothing and uses ClippingNorm as a Lipschitz
	// constant of the loss. A ClippingNorm of 0 means a default for the loss.
	ClippingMode    string
	ClippingNorm    float64
	ParameterRadius float64
	// Normalization is the normalization of rows. "" means NormUnit, with two exceptions. Under
	// "example" and "data-and-parameter" it means NormClip. If a row is one number it means
	// NormClip too, because NormUnit would make the row constant.
	Normalization feature.Normalization
	// Radius is the radius of NormClip. 0 means 1, or the clipping norm under "example" and
	// "data-and-parameter".
	Radius float64
	// PrivateRadius sets the radius to the median norm of rows, learned within the budget. A
	// Normalization of "" then means NormClip. Intercept and clipping norm are then in units of the
	// radius.
	PrivateRadius bool
	// Intercept is the value of the constant feature. A negative value means no constant feature. 0
	// means a default: 0.2 if a column is text, 0.25 with whitened rows, and 0.5 otherwise.
	Intercept float64
	// Center and Whiten request a private mean and a private covariance of the rows. Auto decides
	// by public numbers.
	Center, Whiten Tristate
	// Structure is the assumed form of the covariance: "full" (any), "diagonal" or "kronecker".
	// "kronecker" is the product of a covariance of channels and a covariance of places. It needs
	// transforms with a known shape. "" means that public numbers decide.
	Structure string
	// Person, if not nil, makes all rows of a person one record.
	Person *PersonUnit
	// ClassWeights, if not nil, are public weights of the target's levels, in the order of the
	// levels. Balance requests weights by the frequencies of the levels, from a noisy histogram
	// that the budget pays for.
	ClassWeights []float64
	Balance      bool
	// SampleWeights, if not nil, identifies the column with the weights of rows.
	SampleWeights *SampleWeights
	// Holdout, if not nil, requests a part of the records that is measured privately instead of
	// trained on.
	Holdout *HoldoutRequest
	// Transforms are applied to the encoded columns, in order. Files that a transform needs are
	// read.
	Transforms []feature.Spec
	// Loss is the loss; nil means the default for the target.
	Loss model.Loss
}

// Tristate is a yes, a no, or a decision by public numbers.
type Tristate uint8

const (
	// Auto means a decision by documented rules.
	Auto Tristate = iota
	// Yes requests the step.
	Yes
	// No omits the step.
	No
)

const (
	// maxWhitening is the largest number of features for which Auto takes the full covariance.
	maxWhitening = 1000
	// whiteningNoise is the largest noise at which Auto whitens. It is the spectral norm of the
	// noise in the covariance, for rows of norm 1.
	whiteningNoise = 0.015
)

// Setup is a plan with the feature map and the schema that it was made for.
type Setup struct {
	Plan   Plan
	Schema *data.Schema
	// Features is the feature map before any number is learned.
	Features *feature.Map
	Model    model.Linear
}

// NewPlan returns the plan of a request for a schema, from public numbers alone.
func NewPlan(r Request, s *data.Schema) (Setup, error) {
	if err := r.check(s); err != nil {
		return Setup{}, err
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
	setup := Setup{p, s, features, linear}
	if err = r.prepare(&setup); err != nil {
		return Setup{}, err
	}
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
		if ofRows(r.ClippingMode) || r.PrivateRadius || c.OneNumber() {
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
	p.NoiseMultiplier, err = account.Calibrate(account.For(p.step(1)), target, p.step)
	return err
}
