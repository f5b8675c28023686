package erm

import (
	"errors"
	"fmt"

	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/model"
)

// CheckModel returns an error if a plan contradicts a model that is said to be trained by the plan.
// It compares shape, loss, unit, declared numbers of records, bounds of rows and learned parts. The
// error joins all contradictions.
func CheckModel(p Plan, m *model.Model) error {
	if m.Network() != nil {
		return fmt.Errorf("erm: the model is a network, want linear weights")
	}
	s, linear := m.Schema(), m.Linear()
	var learned error
	if len(s.Learned())+len(s.Private()) > 0 {
		learned = fmt.Errorf("erm: the model rests on learned bounds or levels, want none, since the plan does not pay for them")
	}
	spec, err := model.SpecOf(linear.Loss)
	if err != nil {
		return err
	}
	return errors.Join(
		agree("length of the weights", p.Dim, linear.Dim),
		agree("number of weight vectors", p.Columns, linear.Columns),
		agree("loss", p.Loss, spec),
		agree("unit", p.Unit, s.Row),
		agree("number of rows of one person", p.RowsPerPerson, s.RowsPerPerson),
		agree("declared number of records", p.Records, s.Records),
		agree("declared bound on the records", p.MaxRecords, s.MaxRecords),
		p.checkMap(m.Features(), s),
		p.checkCenter(m),
		p.checkLinear(m),
		learned,
	)
}

// agree returns an error if a number of the plan differs from the model's number.
func agree[T comparable](what string, p, m T) error {
	if p == m {
		return nil
	}
	return fmt.Errorf("erm: the %s is %v in the plan and %v in the model, want one value", what, p, m)
}

// checkCenter returns an error if bound or length of the noisy mean do not fit the model's feature
// map.
func (p Plan) checkCenter(m *model.Model) error {
	if p.Center == nil {
		return nil
	}
	plain := *m.Features()
	plain.Center, plain.Whitening = nil, nil
	return errors.Join(agree("bound of the mean", p.Center.Bound, plain.PreparedBound()), agree("length of the mean", p.Center.Numbers, len(m.Features().Center)))
}

// checkLinear returns an error if the bounds on a record's products do not fit the model's feature
// map.
func (p Plan) checkLinear(m *model.Model) error {
	l := p.Linear
	if l == nil {
		return nil
	}
	norms := boundsOf(m.Features(), m.Schema())
	norms.l2 = min(norms.l2, p.RowBound) // a declared radius may lower the bound
	want := newLinearPlan(norms, l.Laplace, l.Ridge)
	return errors.Join(agree("radius of products", l.Radius, want.Radius), agree("bound of products", l.Bound, want.Bound), agree("scale of the target", l.TargetScale, want.TargetScale))
}

// Premises returns the conditions for the guarantee that follow from the plan.
func (p Plan) Premises() draft.Premises {
	return draft.Premises{MaxRecords: p.MaxRecords, Records: p.Records, RowsPerPerson: p.RowsPerPerson, NonPrivate: p.NonPrivate}
}
