package train

import (
	"errors"
	"fmt"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"math"
	"slices"
)

// CheckModel returns an error if numbers of a plan contradict a model that is said to be trained by
// the plan. It compares the numbers that follow from the model's shape, schema, loss, learned parts
// and bounds of rows. The error joins all contradictions. docs/verification.md lists the numbers
// that CheckModel cannot check.
func CheckModel(p Plan, m *model.Model) error {
	if m.Network() != nil {
		return fmt.Errorf("train: the model is a network, want linear weights")
	}
	s, linear := m.Schema(), m.Linear()
	return errors.Join(
		agree("length of the weights", p.Dim, linear.Dim),
		agree("number of weight vectors", p.Columns, linear.Columns),
		agree("unit", p.Unit, p.Person.unit(s.Row)),
		agree("number of rows of one person", p.RowsPerPerson, p.Person.rowsPerPerson(s.RowsPerPerson)),
		agree("declared number of records", p.Records, s.Records),
		agree("declared bound on the records", p.MaxRecords, s.MaxRecords),
		p.checkPreparation(m),
		checkLearned(p, s),
		p.checkCalibration(m),
		p.checkClipping(m),
		p.checkRecursion(m),
		p.checkWeightsOf(s),
		p.checkHoldout(s),
	)
}

// agree compares a number of the plan with the model's.
func agree[T comparable](what string, p, m T) error {
	if p == m {
		return nil
	}
	return fmt.Errorf("train: the %s is %v in the plan and %v in the model, want one value", what, p, m)
}

// alike is agree for a product of numbers of the model, which another processor may round
// differently.
func alike(what string, p, want float64) error {
	if p == want || math.Abs(p-want) <= 1e-12*math.Abs(want) {
		return nil
	}
	return fmt.Errorf("train: the %s is %v in the plan, want %v, which follows from the model", what, p, want)
}

// planned returns the feature map that the plan was made for. Nothing is learned in it, and a
// radius that the plan pays for is 1.
func (p Plan) planned(m *feature.Map) *feature.Map {
	out := *m
	out.Center, out.Evidence, out.Means, out.Whitening = nil, nil, nil, nil
	if p.alike(option.RadiusStatistic) > 0 && m.Radius > 0 {
		out.Radius, out.Intercept = 1, m.Intercept/m.Radius
	}
	return &out
}

// checkPreparation compares the statistics of rows with the model's learned parts, number by
// number, and with the bounds of rows.
func (p Plan) checkPreparation(m *model.Model) error {
	f, paid := m.Features(), map[string]int{}
	var wrong []error
	for _, statistic := range p.Preparation {
		if ofColumn(statistic.Kind) {
			continue // checkLearned checks it
		}
		if !slices.Contains(option.Statistics(), statistic.Kind) || paid[statistic.Kind] > 0 {
			wrong = append(wrong, fmt.Errorf("train: the plan releases statistic %q, or releases it twice, want each kind once", statistic.Kind))
		}
		paid[statistic.Kind] = statistic.Numbers
		wrong = append(wrong, alike(fmt.Sprintf("bound of the statistic %s", statistic.Kind), statistic.Bound, p.boundOf(statistic.Kind, p.planned(f))))
	}
	learned := p.learnedBy(m)
	for _, kind := range option.Statistics() {
		if !ofColumn(kind) && learned[kind] != paid[kind] {
			wrong = append(wrong, fmt.Errorf("train: the model rests on a %s of %d numbers and the plan releases %d, want as many", kind, learned[kind], paid[kind]))
		}
	}
	return errors.Join(wrong...)
}

// learnedBy counts the numbers of each statistic that a model depends on. A statistic that leaves
// no trace in the model is counted as in the plan. Such statistics are weights by the frequencies
// of levels, and a radius if rows are clipped.
func (p Plan) learnedBy(m *model.Model) map[string]int {
	f := m.Features()
	learned := map[string]int{option.MeanStatistic: len(f.Center)}
	if w := f.Whitening; w != nil {
		scaling := option.VarianceStatistic
		if p.alike(option.FrequencyStatistic) > 0 {
			scaling = option.FrequencyStatistic
		}
		learned[option.CovarianceStatistic], learned[scaling] = len(w.Matrix), len(w.Scales)
		learned[option.ChannelStatistic], learned[option.PlaceStatistic] = len(w.Channels), len(w.Places)
	}
	if p.Records == 0 {
		learned[option.CountStatistic] = 1
	}
	if p.alike(option.LabelsStatistic) > 0 {
		learned[option.LabelsStatistic] = len(m.Schema().Target.Levels)
	}
	if p.alike(option.RadiusStatistic) > 0 && f.Norm == feature.NormClip {
		learned[option.RadiusStatistic] = radiusBins
	}
	return learned
}

// boundOf returns the bound of one record in a statistic of rows of the map.
func (p Plan) boundOf(kind string, m *feature.Map) float64 {
	ofRow, radius := 1.0, m.PreparedBound()
	switch {
	case ofMean(kind):
		ofRow = radius
	case isWhitening(kind):
		ofRow = radius * radius
	}
	return ofRow * p.Person.scale()
}

// checkClipping compares the bound of one record's gradient with rows and loss.
func (p Plan) checkClipping(m *model.Model) error {
	c, linear, rows := p.Clipping, m.Linear(), p.planned(m.Features()).RowBound()
	if p.learns() && m.Features().Norm == feature.NormNone {
		return nil // the bounds of rows are learned after the plan
	}
	switch c.Mode {
	case option.ClipExample:
		return errors.Join(alike("norm of rows", c.Norm, rows), alike("bound of a gradient", c.Bound, linear.Loss.Lipschitz(linear.Columns)*rows))
	case option.ClipDataAndParameter:
		residual, err := residualWithin(linear, rows*c.ParameterRadius)
		if norm := kernel.Norm(m.Weights()); !(norm <= c.ParameterRadius) {
			err = errors.Join(err, fmt.Errorf("train: the weights have norm %v, want at most the radius %v of the plan", norm, c.ParameterRadius))
		}
		return errors.Join(err, alike("norm of rows", c.Norm, rows), alike("bound of a gradient", c.Bound, residual*rows))
	}
	return nil // validate ensures that norm and bound are equal
}

// checkRecursion compares the numbers that the price of the last iterate alone depends on.
func (p Plan) checkRecursion(m *model.Model) error {
	l := p.LastIterate
	if l == nil {
		return nil
	}
	spec, err := model.SpecOf(m.Linear().Loss)
	if err != nil {
		return err
	}
	width := 0.0
	if l.Loss == model.Huber(l.HuberWidth).Name() {
		width = spec.Width
	}
	setup := Setup{Plan: p, Schema: m.Schema(), Features: m.Features(), Model: m.Linear()}
	return errors.Join(agree("loss", l.Loss, spec.Name), agree("width of the loss", l.HuberWidth, width),
		alike("bound of rows", l.RowBound, p.planned(m.Features()).RowBound()), alike("reach", l.Reach, setup.reach(*l, float64(p.Records)*p.trained())))
}

// checkWeightsOf compares weights of levels and rows with the schema.
func (p Plan) checkWeightsOf(s *data.Schema) error {
	var wrong error
	if p.ClassWeights != nil && (len(p.ClassWeights) != len(s.Target.Levels) || slices.Max(p.ClassWeights) != 1 || p.alike(option.LabelsStatistic) > 0) {
		wrong = fmt.Errorf("train: there are %d weights of levels for %d levels, want one each, the largest 1, and none beside weights by noisy frequencies", len(p.ClassWeights), len(s.Target.Levels))
	}
	return errors.Join(wrong, p.SampleWeights.find(s))
}

// checkHoldout compares the evaluation of the held-out part with the schema.
func (p Plan) checkHoldout(s *data.Schema) error {
	if p.Holdout == nil {
		return nil
	}
	return p.Holdout.Evaluation.CheckSchema(s)
}

// Premises returns the conditions under which the guarantee holds, as far as they follow from the
// plan.
func (p Plan) Premises() draft.Premises {
	out := draft.Premises{MaxRecords: p.MaxRecords, Records: p.Records, RowsPerPerson: p.RowsPerPerson, NonPrivate: p.NonPrivate}
	if p.Holdout != nil {
		out.HeldOut = p.Holdout.Share
	}
	if p.Person != nil {
		out.PersonColumn, out.PersonRows = p.Person.Column, p.Person.MaxRows
	}
	for _, s := range p.Preparation {
		if ofColumn(s.Kind) {
			out.Learned = append(out.Learned, s.Column)
		}
	}
	return out
}

// Certificate returns the certificate of the plan, including all assumptions. The fields for the
// program, the time and the hashes are empty.
func (s Setup) Certificate() (certificate.Certificate, error) {
	c, err := s.Plan.Certificate()
	c.Assumptions = s.Plan.Premises().Of(s.Schema, s.Features).Assumptions(c)
	return c, err
}
