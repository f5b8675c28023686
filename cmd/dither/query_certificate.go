package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// queryMethod is the method that certificates of answers name.
const queryMethod = "query"

// queryDerivation is what a plan of a question implies.
func queryDerivation(p query.Plan) certificate.Derivation {
	return certificate.Derivation{Event: p.Event(), NoiseDraws: p.NoiseDraws(), Neighboring: p.Neighboring, Delta: p.Delta,
		Unit: privacy.Unit{Row: p.Unit, RowsPerPerson: p.RowsPerPerson}}
}

// deriveQuery reads a plan as certificates hold it.
func deriveQuery(text json.RawMessage) (certificate.Derivation, error) {
	p, err := certificate.ReadPlan[query.Plan]("query", text)
	if err != nil {
		return certificate.Derivation{}, err
	}
	return queryDerivation(p), nil
}

// queryCertificate prices a plan.
func queryCertificate(p query.Plan) (certificate.Certificate, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return certificate.Certificate{}, err
	}
	c, err := certificate.New(queryMethod, text, queryDerivation(p))
	c.Assumptions = queryAssumptions(p)
	return c, err
}

// queryAssumptions says in plain words what the guarantee rests on.
func queryAssumptions(p query.Plan) []string {
	out := []string{
		"The schema (columns, bounds, levels, treatments) and the question were chosen without looking at the records, or the looking is accounted for elsewhere.",
		fmt.Sprintf("There are at most %d rows; this bound was declared without looking at the records.", p.MaxRecords),
		"The guarantee covers this answer alone: other releases from the same records add to its cost.",
		"The machine, its operator and its source of randomness are trusted; how long the program took is not shown to others.",
	}
	switch {
	case p.Person != nil:
		out = append(out, fmt.Sprintf("All rows of a person have one text in the column %q, which no other person has; rows without a text count nowhere.", p.Person.Column))
	case p.RowsPerPerson == 0:
		out = append(out, "How many rows one person has was not declared: epsilon is for one row only.")
	}
	return out
}

// isAnswerFolder reports whether a folder is one that dither query wrote.
func isAnswerFolder(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, answerName))
	return err == nil
}

// answerChecked lists in words what verifyAnswer looks at.
var answerChecked = []string{
	"certificate.json is written as dither writes it, each field once",
	"the event, the number of noise draws, the relation, delta and the unit follow from the plan",
	"epsilon, also for all rows of one person, follows from the event",
	"the SHA-256 of answer.json is the one in the certificate",
	"answer.json states the plan of the certificate",
}

// verifyAnswer is verifyFolder for the folder of an answer.
func verifyAnswer(folder string) (verification, error) {
	certificateText, err := readPart(folder, certificate.FileName)
	if err != nil {
		return verification{}, err
	}
	answerText, err := readPart(folder, answerName)
	if err != nil {
		return verification{}, err
	}
	c, err := certificate.Decode(certificateText)
	if err != nil {
		return verification{}, fmt.Errorf("%s: %w", filepath.Join(folder, certificate.FileName), err)
	}
	v := verification{Checked: answerChecked}
	v.add(checkSpelling(certificateText, c))
	v.add(c.Verify(answerText, map[string]certificate.Method{queryMethod: deriveQuery}))
	v.add(checkAnswer(answerText, c))
	if v.Verified = len(v.Disagreements) == 0; v.Verified {
		v.Guarantee, v.Certificate = strings.Replace(promise(c), "the model", "the answer", 1), &c
	}
	return v, nil
}

// checkAnswer compares the plan in the answer with that of the certificate, in the spelling of both.
func checkAnswer(text []byte, c certificate.Certificate) error {
	var a queryAnswer
	if err := strict.Decode(text, &a); err != nil {
		return errors.New("answer.json is not what dither query writes")
	}
	plan, err := json.Marshal(a.Plan)
	if err != nil || !sameJSON(plan, c.Plan) {
		return errors.New("answer.json states another plan than the certificate, want one plan")
	}
	return nil
}
