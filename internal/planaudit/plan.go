package planaudit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// Plan is a subject that is ready to be trained again as a whole: with what it releases before its
// steps, the width of its rows, and its model.
type Plan struct {
	Subject
	schema *data.Schema
	// extra are the columns that are read and are no features: of persons, weights and groups.
	extra []string
	// person is the column of persons, "" for none, and rows the number of rows of a canary.
	person string
	rows   int
	// weights is the column of weights of rows, "" for none, and weight the largest.
	weights, weight string
	// counted is the noise multiplier of a released number of records, 0 for none.
	counted float64
	// records is about the number by which steps divide sums.
	records float64
	// train trains on a table through the production path. It is nil where the plan cannot be
	// trained as a whole; refusal says why.
	train   func(ctx context.Context, d *data.Dataset) (*model.Model, error)
	refusal string
	network *neural.Setup
	// form is the form of a linear model with its loss, and has no loss for a network.
	form model.Linear
	// claim is the claim of the whole plan, once it is known.
	claim *auditing.Claim
	// purse pays for the trainings of the whole plan.
	purse *auditing.Purse
	// initial are the public weights that a network starts from, nil for a linear model.
	initial []float32
}

// New returns the plan of a subject. Without a model folder, its tables are made up.
func New(s Subject) (*Plan, error) {
	p, err := newPlan(s)
	if err != nil {
		return nil, err
	}
	switch {
	case s.Descent != nil:
		err = p.ofDescent()
	case s.Minimizer != nil:
		err = p.ofMinimizer()
	default:
		err = p.ofNetwork()
	}
	if err != nil {
		return nil, err
	}
	if p.refusal == "" {
		err = p.schema.Validate()
	}
	return p, err
}

// pay trains with a ledger that pays for one run of the plan, and returns the model.
func (p *Plan) pay(train func(*ledger.Ledger) (*model.Model, error)) (m *model.Model, err error) {
	err = p.purse.Train(func(l *ledger.Ledger) (failed error) {
		m, failed = train(l)
		return failed
	})
	if err != nil {
		return nil, failure.Running(err)
	}
	return m, nil
}

// newPlan returns the plan of a subject before it is ready.
func newPlan(s Subject) (*Plan, error) {
	purse, err := purseOf(s.Certificate)
	return &Plan{Subject: s, rows: 1, purse: purse}, err
}

// Schema returns the schema of the plan's tables, or an error for a plan without a model folder.
func (p *Plan) Schema() (*data.Schema, error) {
	if p.Model == nil {
		return nil, fmt.Errorf("%s has no schema for --public, want a model folder; without one records are made up", p.Name)
	}
	return p.schema, nil
}

// Extra lists the columns of public tables that are no features.
func (p *Plan) Extra() []string { return p.extra }

// replaces reports whether a canary that is not included is replaced by another row.
func (p *Plan) replaces() bool { return p.Certificate.Neighboring == privacy.ReplaceOne }

// ofDescent makes gradient descent ready.
func (p *Plan) ofDescent() error {
	d := *p.Descent
	setup := train.Setup{Plan: d}
	if p.Model != nil {
		setup.Schema, setup.Features, setup.Model = unlearned(p.Model.Schema(), d), unprepared(p.Model.Features(), d), p.Model.Linear()
	} else {
		var err error
		if p.refusal = needsSchema(d); p.refusal != "" {
			return nil
		}
		if setup.Schema, setup.Features, setup.Model, err = madeUpDescent(d); err != nil {
			return err
		}
	}
	if setup.Features.Dim() != d.Dim || setup.Model.Columns != d.Columns {
		return fmt.Errorf("the plan has %d×%d weights and its model %d×%d, want the model of the plan", d.Columns, d.Dim, setup.Model.Columns, setup.Features.Dim())
	}
	return p.useDescent(setup)
}

// useDescent makes the setup of a gradient descent ready.
func (p *Plan) useDescent(setup train.Setup) error {
	d := setup.Plan
	p.schema, p.form = setup.Schema, setup.Model
	p.readColumns(d)
	options := descentOptions(d)
	if d.LastIterate == nil {
		options.Output = option.OutputLast
	}
	p.train = func(ctx context.Context, table *data.Dataset) (*model.Model, error) {
		return p.pay(func(l *ledger.Ledger) (*model.Model, error) {
			r, err := train.Fit(ctx, l, setup, table, options)
			if err != nil {
				return nil, err
			}
			return r.Model, nil
		})
	}
	return setup.Check(context.Background(), options)
}

// readColumns finds the columns that a plan reads besides the features.
func (p *Plan) readColumns(d train.Plan) {
	for _, step := range d.Preparation {
		if step.Kind == option.CountStatistic {
			p.counted = step.NoiseMultiplier
		}
	}
	p.readPersons(d.Person)
	if d.SampleWeights != nil {
		p.weights, p.weight = d.SampleWeights.Column, number(d.SampleWeights.Upper)
		p.read(p.weights)
	}
	if d.Holdout != nil {
		p.read(d.Holdout.Evaluation.GroupColumn)
	}
}

// readPersons finds the column of persons, if records are persons.
func (p *Plan) readPersons(u *train.PersonUnit) {
	if u != nil {
		p.person, p.rows = u.Column, u.MaxRows
		p.read(p.person)
	}
}

// read adds a column, unless it is a feature of levels, which every reader keeps.
func (p *Plan) read(column string) {
	kept := slices.ContainsFunc(p.schema.Features(), func(c data.Column) bool { return c.Name == column && c.Kind == data.Categorical })
	if column != "" && !kept && !slices.Contains(p.extra, column) {
		p.extra = append(p.extra, column)
	}
}

// ofMinimizer makes a method of package erm ready.
func (p *Plan) ofMinimizer() error {
	setup := erm.Setup{Plan: *p.Minimizer}
	if p.Model != nil {
		features := *p.Model.Features()
		if setup.Plan.Center != nil { // a declared center stays
			features.Center = nil
		}
		setup.Schema, setup.Features, setup.Model = p.Model.Schema(), &features, p.Model.Linear()
	} else {
		var err error
		if setup.Schema, setup.Features, setup.Model, err = madeUpMinimizer(setup.Plan); err != nil {
			return err
		}
	}
	p.schema, p.form = setup.Schema, setup.Model
	p.train = func(ctx context.Context, table *data.Dataset) (*model.Model, error) {
		return p.pay(func(l *ledger.Ledger) (*model.Model, error) {
			r, err := erm.Fit(ctx, l, setup, table, erm.Options{})
			if err != nil {
				return nil, err
			}
			return r.Model, nil
		})
	}
	return setup.Plan.Validate()
}

// ofNetwork makes the training of a network ready.
func (p *Plan) ofNetwork() error {
	setup, err := networkSetup(p.Subject)
	if err != nil {
		return err
	}
	return p.useNetwork(setup)
}

// useNetwork makes the setup of a network ready.
func (p *Plan) useNetwork(setup neural.Setup) error {
	p.network, p.schema, p.counted = &setup, setup.Schema, setup.Plan.CountNoise
	p.readPersons(setup.Plan.Person)
	p.initial = initialWeights(setup.Network, p.Model)
	p.train = func(ctx context.Context, table *data.Dataset) (*model.Model, error) {
		return p.pay(func(l *ledger.Ledger) (*model.Model, error) {
			r, failed := neural.Fit(ctx, l, setup, table, p.finalOptions())
			if failed != nil {
				return nil, failed
			}
			return r.Model, nil
		})
	}
	return setup.Check(context.Background(), networkOptions(p.initial))
}

// movedWeight is about how far the noise of a whole run moves each weight of a network. Scores of
// records are then nearly linear in the released sums, and float32 weights keep some four digits.
const movedWeight = 1e-4

// finalOptions are the settings of a network's trainings whose final model is attacked.
func (p *Plan) finalOptions() neural.Options {
	o, plan, bound := networkOptions(p.initial), p.network.Plan, 0.0
	for _, g := range plan.Clipping.Groups {
		bound = max(bound, g.Norm/math.Sqrt(g.Share))
	}
	o.LearningRate = movedWeight * p.records * plan.Share() / (plan.NoiseMultiplier * bound * math.Sqrt(float64(plan.Steps)))
	if m := plan.Clipping.MicroBatch; m != nil {
		o.LearningRate /= m.Size
	}
	return o
}

// unprepared returns a map of rows as it was before anything was released.
func unprepared(m *feature.Map, d train.Plan) *feature.Map {
	out := *m
	out.Center, out.Evidence, out.Means, out.Whitening = nil, nil, nil, nil
	if slices.ContainsFunc(d.Preparation, func(s train.PreparationStep) bool { return s.Kind == option.RadiusStatistic }) {
		out.Intercept, out.Radius = m.Intercept/m.Radius, 1
	}
	return &out
}

// unlearned returns a schema as it was before columns were learned.
func unlearned(s *data.Schema, d train.Plan) *data.Schema {
	out := *s
	out.Columns = slices.Clone(s.Columns)
	for _, step := range d.Preparation {
		for i := range out.Columns {
			c := &out.Columns[i]
			if c.Name != step.Column || c.Learning != data.Learned {
				continue
			}
			switch c.Learning = data.Private; step.Kind {
			case option.BoundsStatistic:
				c.Lower, c.Upper = step.Lower, step.Upper
			case option.BinsStatistic:
				c.Bins = nil
			case option.LevelsStatistic:
				c.Levels = nil
			}
		}
	}
	return &out
}
