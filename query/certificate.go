package query

import (
	"encoding/json"
	"fmt"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/related"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/privacy"
)

// derivation returns what follows from the plan, for the certificate.
func (p Plan) derivation() certificate.Claim {
	return certificate.Claim{Event: p.Event(), NoiseDraws: p.noiseDraws(), Neighboring: p.Neighboring, Delta: p.Delta,
		Unit: privacy.Unit{Row: p.Unit, RowsPerPerson: p.RowsPerPerson}, Assumptions: p.Assumptions()}
}

// Assumptions returns the conditions under which the guarantee of an answer holds, in plain words.
func (p Plan) Assumptions() []string {
	out := []string{
		"The schema (columns, bounds, levels, treatments) and the question were chosen without looking at the records, or the looking is accounted for elsewhere.",
		fmt.Sprintf("There are at most %d rows; this bound was declared without looking at the records.", p.MaxRecords),
		"The guarantee covers this answer alone: no durable ledger paid for it, and other releases from the same records add to its cost.",
		"The machine, its operator and its source of randomness are trusted; how long the program took is not shown to others.",
	}
	if len(p.Related) > 0 {
		out = append(out, related.Assumption(p.Related))
	}
	switch {
	case p.Person != nil:
		out = append(out, fmt.Sprintf("All rows of a person have one text in the column %q, which no other person has; rows without a text count nowhere.", p.Person.Column))
	case p.RowsPerPerson == 0:
		out = append(out, "How many rows one person has was not declared: epsilon is for one row only.")
	}
	return out
}

// Certificate returns the certificate of an answer to the plan, including its price. The fields for
// the program, the run, the time and the hashes are empty.
func (p Plan) Certificate() (certificate.Certificate, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return certificate.Certificate{}, err
	}
	return certificate.New(option.MethodQuery, text, p.derivation())
}

// readPlan returns the validated plan in a JSON text. A field that is unknown, repeated or in other
// letters is an error.
func readPlan(text json.RawMessage) (Plan, error) {
	return strict.ReadPlan[Plan]("query", text)
}

// Methods returns the certificate.Method functions of this package by name.
func Methods() map[string]certificate.Method {
	return map[string]certificate.Method{option.MethodQuery: func(text json.RawMessage) (certificate.Claim, error) {
		p, err := readPlan(text)
		if err != nil {
			return certificate.Claim{}, err
		}
		return p.derivation(), nil
	}}
}
