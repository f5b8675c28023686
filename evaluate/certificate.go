package evaluate

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/related"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/privacy"
)

// noiseDraws returns the number of rounded normal numbers that the plan draws, for the slack of
// their distribution. Discrete Laplace noise is drawn exactly.
func (p Plan) noiseDraws() int {
	if p.Noise == noiseLaplace {
		return 0
	}
	return p.Numbers()
}

// Claim returns the claim of the plan: its event, the number of random numbers in its noise, and
// the assumptions of the guarantee in plain words.
func (p Plan) Claim() certificate.Claim {
	return certificate.Claim{Event: p.Event(), NoiseDraws: p.noiseDraws(), Neighboring: p.Neighboring, Delta: p.Delta,
		Unit: privacy.Unit{Row: p.Unit, RowsPerPerson: p.RowsPerPerson}, Assumptions: p.assumptions()}
}

// assumptions returns in plain words what the guarantee of a private evaluation depends on.
func (p Plan) assumptions() []string {
	out := []string{
		"The schema of the model, the bins and the groups were declared without looking at the records.",
		fmt.Sprintf("There are at most %d rows; this bound was declared without looking at the records.", p.MaxRecords),
		"The guarantee covers this evaluation alone: no durable ledger paid for it, and if these records also trained the model, or were measured before, the costs add.",
		"The machine, its operator and its source of randomness are trusted.",
	}
	if len(p.Related) > 0 {
		out = append(out, related.Assumption(p.Related))
	}
	if p.Person != nil {
		out = append(out, fmt.Sprintf("A record is a person: all rows with one text in the column %q, of which the first %d are used; rows without one are not used.", p.Person.Column, p.Person.MaxRows))
	} else if p.RowsPerPerson == 0 {
		out = append(out, "How many rows one person has was not declared: epsilon is for one row only.")
	}
	return out
}

// CheckSchema returns an error if the plan does not fit the schema of a model. The levels and
// bounds of the target and the levels of the group column must be equal in both.
func (p Plan) CheckSchema(s *data.Schema) error {
	t := s.Target
	column, groups, err := declaredGroups(p.GroupColumn, s)
	switch {
	case err != nil:
		return err
	case !slices.Equal(p.Levels, t.Levels) || t.Regression() && (p.Lower != t.Lower || p.Upper != t.Upper):
		return fmt.Errorf("evaluate: the target of the plan has levels %q and bounds %v to %v, want those of the schema", p.Levels, p.Lower, p.Upper)
	case !slices.Equal(p.Related, s.Related.Words()):
		return fmt.Errorf("evaluate: the related tables of the plan are %q, want those of the schema", p.Related)
	case column != p.GroupColumn || !slices.Equal(groups, p.Groups):
		return fmt.Errorf("evaluate: the groups of the plan are not the levels of the column %q in the schema", p.GroupColumn)
	}
	return nil
}

// Certificate returns the certificate of the plan, including its price. The fields for the program,
// the time and the hashes are empty.
func (p Plan) Certificate() (certificate.Certificate, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return certificate.Certificate{}, err
	}
	return certificate.New(option.MethodEvaluation, text, p.Claim())
}

// Methods returns the certificate.Method functions of this package by name.
func Methods() map[string]certificate.Method {
	return map[string]certificate.Method{option.MethodEvaluation: func(text json.RawMessage) (certificate.Claim, error) {
		p, err := strict.ReadPlan[Plan]("evaluate", text)
		if err != nil {
			return certificate.Claim{}, err
		}
		return p.Claim(), nil
	}}
}
