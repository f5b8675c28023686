package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/deep"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
)

// isNetwork reports whether a method is one of package deep, whose plans are deep.Plan.
func isNetwork(method string) bool {
	_, ok := deep.Methods()[method]
	return ok
}

// checkNetwork is checkModel for a network, which learns nothing but its trained weights.
func checkNetwork(c certificate.Certificate, m *model.Model) error {
	p, err := deep.ReadPlan(c.Plan)
	if err != nil {
		return nil // Certificate.Verify says so
	}
	n := m.Network()
	if n == nil {
		return fmt.Errorf("the plan is for a network and %s holds a linear model, want one kind", model.FileName)
	}
	loss, err := model.SpecOf(m.Loss())
	if err != nil {
		return err
	}
	s, f := m.Schema(), m.Features()
	var learned error
	if f.Center != nil || f.Whitening != nil || len(s.Learned())+len(s.Private()) > 0 || len(c.Learned) > 0 {
		learned = fmt.Errorf("the model rests on a learned mean, covariance, bounds or levels, want none, since the plan does not pay for them")
	}
	return errors.Join(
		agree("input of the network", p.Network.Input.String(), n.Input().String()),
		agree("layers", describe(p.Network.Layers), describe(n.Layers())),
		agree("number of trained weights", p.Network.Trained, n.Trained()),
		agree("loss", p.Loss, loss),
		agree("unit", p.Unit, s.Row),
		agree("number of rows of one person", p.RowsPerPerson, s.RowsPerPerson),
		agree("declared number of records", p.Records, s.Records),
		agree("declared bound on the records", p.MaxRecords, s.MaxRecords),
		learned,
	)
}

// describe is the description of layers on one line.
func describe(l network.Layers) string {
	text, err := json.Marshal(l)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
