package neural

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
)

// CheckModel returns an error if numbers of a plan contradict a model that is said to be trained by
// the plan. It compares the numbers that follow from the model's layers, schema and loss. The error
// joins all contradictions. A model whose schema has learned bounds, bins or levels is an error
// too.
func CheckModel(p Plan, m *model.Model) error {
	n := m.Network()
	if n == nil {
		return fmt.Errorf("neural: the model is linear, want a network")
	}
	loss, err := model.SpecOf(m.Loss())
	if err != nil {
		return err
	}
	s, f := m.Schema(), m.Features()
	var learned error
	if f.Center != nil || f.Whitening != nil || len(s.Learned())+len(s.Private()) > 0 {
		learned = fmt.Errorf("neural: the model rests on a learned mean, covariance, bounds or levels, want none, since the plan does not pay for them")
	}
	unit, rowsPerPerson := unitOf(p.Person, s.Row, s.RowsPerPerson)
	return errors.Join(
		agree("input of the network", p.Network.Input.String(), n.Input().String()),
		agree("layers", describe(p.Network.Layers), describe(n.Layers())),
		agree("number of trained weights", p.Network.Trained, n.Trained()),
		agree("loss", p.Loss, loss),
		agree("unit", p.Unit, unit),
		agree("number of rows of one person", p.RowsPerPerson, rowsPerPerson),
		agree("declared number of records", p.Records, s.Records),
		agree("declared bound on the records", p.MaxRecords, s.MaxRecords),
		learned,
	)
}

// agree compares a number of the plan with the model's.
func agree[T comparable](what string, p, m T) error {
	if p == m {
		return nil
	}
	return fmt.Errorf("neural: the %s is %v in the plan and %v in the model, want one value", what, p, m)
}

// describe returns the description of layers on one line.
func describe(l network.Layers) string {
	text, err := json.Marshal(l)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Premises returns the conditions under which the guarantee holds, as far as they follow from the
// plan.
func (p Plan) Premises() draft.Premises {
	out := draft.Premises{MaxRecords: p.MaxRecords, Records: p.Records, RowsPerPerson: p.RowsPerPerson, NonPrivate: p.NonPrivate}
	if p.Person != nil {
		out.PersonColumn, out.PersonRows = p.Person.Column, p.Person.MaxRows
	}
	return out
}
