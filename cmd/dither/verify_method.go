package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/erm"
	"github.com/ditherml/dither/model"
)

// isOther reports whether a method is one of package erm, whose plans are erm.Plan.
func isOther(method string) bool { return slices.Contains(erm.Names(), method) }

// checkOther is checkModel for a method of package erm, which learns nothing but the weights.
func checkOther(c certificate.Certificate, m *model.Model) error {
	p, err := erm.ReadPlan(c.Plan)
	if err != nil {
		return nil // Certificate.Verify says so
	}
	s := m.Schema()
	learned := p.CheckMap(m.Features(), s)
	if len(s.Learned())+len(s.Private()) > 0 || len(c.Learned) > 0 {
		learned = errors.Join(learned, fmt.Errorf("the model rests on learned bounds or levels, want none, since the plan does not pay for them"))
	}
	return errors.Join(
		agree("length of the weights", p.Dim, m.Linear().Dim),
		agree("number of weight vectors", p.Columns, m.Linear().Columns),
		agree("loss", p.Loss.Name, m.Linear().Loss.Name()),
		agree("unit", p.Unit, s.Row),
		agree("number of rows of one person", p.RowsPerPerson, s.RowsPerPerson),
		agree("declared number of records", p.Records, s.Records),
		agree("declared bound on the records", p.MaxRecords, s.MaxRecords),
		learned,
	)
}
